"""Files that users drop onto pages."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from pathlib import Path

from horus_sim.errors import UiError
from horus_sim.files.whole_file import write_whole

LARGEST_FILE = 50_000_000
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
_ROBOTS = (".urdf", ".xacro", ".xml")
_SCENES = (".sdf", ".world", ".yaml", ".yml", ".json")


class UploadFolder:
    """Where dropped files lie while the program runs."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="horus-drop-")).resolve()
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self._count = 0

    def keep(self, name: str, data: bytes) -> Path:
        """Writes a dropped file.

        Raises:
            UiError: It is too large, or its name is not fit.
        """
        if not _FILE_NAME.fullmatch(name):
            raise UiError(f"'{name[:80]}' is not a name for a file: use letters, digits, . _ and -")
        if len(data) > LARGEST_FILE:
            raise UiError(f"'{name}' is larger than {LARGEST_FILE // 1_000_000} MB")
        if kind_of(name) == "other":
            suffixes = ", ".join((*_ROBOTS, *_SCENES))
            raise UiError(f"'{name}' is neither robot nor scene; drop one of {suffixes}")
        self._count += 1
        path = self.path / str(self._count) / name
        path.parent.mkdir()
        write_whole(path, data, UiError, "free some space")
        return path


def kind_of(name: str) -> str:
    """'robot', 'scene' or 'other', by the end of a file's name."""
    suffix = Path(name).suffix.lower()
    return "robot" if suffix in _ROBOTS else "scene" if suffix in _SCENES else "other"
