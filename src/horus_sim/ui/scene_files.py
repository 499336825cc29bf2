"""Scenes on disk: saved into one folder by plain names, and files that were dropped onto a page."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.errors import UiError
from horus_sim.files.whole_file import copy_whole, write_whole

if TYPE_CHECKING:
    from horus_sim.sim3d import Scene

LARGEST_FILE = 50_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
_ROBOTS = (".urdf", ".xacro", ".xml")
_SCENES = (".sdf", ".world", ".yaml", ".yml", ".json")


def check_name(name: str) -> str:
    """The name of a scene to save.

    Raises:
        UiError: It could be a path, or is empty.
    """
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise UiError("a name has 1 to 64 letters, digits, _ and -, and begins with no sign")
    return name


def saved_scenes(folder: Path) -> list[str]:
    """Names of the scenes in a folder."""
    return sorted(path.stem for path in folder.glob("*.yaml") if _NAME.fullmatch(path.stem))


def is_saved(name: str, folder: Path) -> bool:
    """Whether saving under this name would replace a file."""
    return (folder / f"{name}.yaml").exists()


def save_scene(scene: Scene, name: str, folder: Path, dropped: Path) -> Path:
    """Writes a scene; what was dropped onto a page is kept beside it.

    Args:
        scene: The scene.
        name: A plain name.
        folder: Where it goes.
        dropped: Where files were dropped.

    Raises:
        HorusError: A file cannot be written.
    """
    name = check_name(name)

    def settle(file: str, home: str) -> str:
        path = Path(file) if scene.source is None else scene.source.parent / file
        if not path.is_file() or not path.resolve().is_relative_to(dropped):
            return file
        _copy_folder(path.parent, folder / f"{name}_files" / home)
        return f"{name}_files/{home}/{path.name}"

    robots = [
        robot.model_copy(update={"model": settle(robot.model, robot.name)})
        for robot in scene.robots
    ]
    includes = [
        include.model_copy(update={"file": settle(include.file, Path(include.file).stem)})
        for include in scene.include
    ]
    path = folder / f"{name}.yaml"
    settled = {"name": name, "robots": tuple(robots), "include": tuple(includes)}
    scene.model_copy(update=settled).save(path)
    return path


def _copy_folder(source: Path, target: Path) -> None:
    def copy(original: str, path: str) -> None:
        copy_whole(Path(original), Path(path))

    try:
        shutil.copytree(source, target, copy_function=copy, dirs_exist_ok=True)
    except OSError as error:
        raise UiError(
            f"'{target}' cannot be written: {error.strerror or error}; free some space or choose "
            "another folder"
        ) from error


class DropFolder:
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
            raise UiError(f"'{name[:80]}' is no name for a file: letters, digits, . _ and -")
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
