"""ROS packages by the name in their ``package.xml``, and files whose names differ in case.

A package is not always a folder of its own name: a clone or a download of a repository is called
as the repository or its branch.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

MARKERS = ("package.xml", "model.config")
"""Files that make a folder a package or a model."""

_DEEPEST = 4
_MOST_FOLDERS = 20_000
_MOST_BYTES = 65_536
_NAME = re.compile(r"<name>\s*([^<>]*?)\s*</name>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def package_name(folder: Path) -> str | None:
    """The name that the ``package.xml`` of a folder gives; None where there is none."""
    file = folder / "package.xml"
    try:
        if not file.is_file():
            return None
        with file.open("rb") as stream:
            text = stream.read(_MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    found = _NAME.search(_COMMENT.sub("", text))
    return found[1] if found else None


@lru_cache(maxsize=64)
def packages_below(root: Path, deepest: int = _DEEPEST) -> dict[str, tuple[Path, ...]]:
    """The packages in a folder and the folders below it, by the name in their ``package.xml``.

    What lies inside a package is not searched, nor are hidden folders. The folders of a root are
    looked at once in a run.

    Args:
        root: Where to begin.
        deepest: How many folders down.
    """
    found: dict[str, list[Path]] = {}
    for count, (folder, inner, files) in enumerate(os.walk(root)):
        here = Path(folder)
        if "package.xml" in files and here != root:
            name = package_name(here)
            if name:
                found.setdefault(name, []).append(here)
            inner.clear()
        if count >= _MOST_FOLDERS:
            break
        is_deep = len(here.relative_to(root).parts) >= deepest
        inner[:] = [] if is_deep else sorted(name for name in inner if not name.startswith("."))
    return {name: tuple(sorted(folders)) for name, folders in found.items()}


def in_any_case(path: Path) -> Iterator[Path]:
    """The paths that differ from one that does not exist in the case of letters only.

    Args:
        path: An absolute path.
    """
    present = path
    missing: list[str] = []
    while not _is_folder(present) and present != present.parent:
        missing.append(present.name)
        present = present.parent
    matches = [present]
    for name in reversed(missing):
        matches = [inner for folder in matches for inner in _called(folder, name.casefold())]
    yield from (match for match in matches if match != path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # too long a name, or a folder that may not be entered
        return False


def _called(folder: Path, folded: str) -> list[Path]:
    try:
        return sorted(inner for inner in folder.iterdir() if inner.name.casefold() == folded)
    except OSError:
        return []
