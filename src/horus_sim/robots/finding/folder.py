"""The robots in a folder: which files hold one, and what to call them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

FORMATS = {".urdf": "urdf", ".xacro": "xacro", ".xml": "mjcf", ".mjcf": "mjcf"}
"""Format of a robot by the ending of its file."""

_ORDER = tuple(FORMATS)
_MOST_FOLDERS = 20_000
_DEEPEST = 12
_MOST_BYTES = 16 * 1024 * 1024
_HEAD = 65_536
_ROBOT = re.compile(rb"<robot[\s>]")
_NAMED_ROBOT = re.compile(rb"<robot\s[^>]*\bname\s*=")
_MUJOCO = re.compile(rb"<mujoco[\s>]")
_BODY = re.compile(rb"<(body|attach)[\s>]")
_SCENE = re.compile(r"(^|[_-])scene([_-]|$)", re.IGNORECASE)
_NO_ROBOTS = frozenset({"__pycache__", "node_modules", "test", "tests", "testdata", "test_data"})


def format_of(path: Path) -> str | None:
    """The format of the robot in a file, as its first lines tell; None where it holds none.

    Files with nothing but macros, parts that others include, and scenes around a robot hold none.
    """
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        return None
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
            if kind != "mjcf":
                is_robot = (_ROBOT if kind == "urdf" else _NAMED_ROBOT).search(head)
                return kind if is_robot else None
            if not _MUJOCO.search(head):
                return None
            text = head + stream.read(_MOST_BYTES)
    except (OSError, ValueError):
        return None
    if b"<worldbody" not in text or not _BODY.search(text):
        return None
    is_scene = b"<include" in text and _SCENE.search(path.stem)
    return None if is_scene else kind


def robots_in(folder: Path) -> list[tuple[Path, str]]:
    """The files below a folder that hold a robot, with their formats, sorted.

    Hidden folders, folders of tests and symbolic links to folders are not entered.
    """
    found = ((path, format_of(path)) for path in _files(folder))
    return sorted((path, kind) for path, kind in found if kind is not None)


def short_names(paths: Iterable[PurePath]) -> list[str]:
    """A name for each file: the shortest end of its path that no other has, without its ending.

    Where files differ in their endings alone, the first in the order of `FORMATS` goes without.

    Args:
        paths: Paths from a common folder.
    """
    given = list(paths)
    stems = {path: _without_ending(path) for path in given}
    plain: dict[tuple[str, ...], PurePath] = {}
    for path in sorted(given, key=lambda path: (_ORDER.index(path.suffix.lower()), path)):
        plain.setdefault(stems[path], path)
    for path in given:
        if plain[stems[path]] != path:
            stems[path] = path.parts
    ends = Counter(stem[-k:] for stem in stems.values() for k in range(1, len(stem) + 1))
    return [_shortest(stems[path], ends) for path in given]


def _shortest(stem: tuple[str, ...], ends: Counter[tuple[str, ...]]) -> str:
    lengths = range(1, len(stem) + 1)
    length = next((k for k in lengths if ends[stem[-k:]] == 1), len(stem))
    return "/".join(stem[-length:])


def _without_ending(path: PurePath) -> tuple[str, ...]:
    name = path.name[: -len(path.suffix)]
    return (*path.parts[:-1], name.removesuffix(".urdf") or path.name)


def _files(folder: Path) -> Iterator[Path]:
    for count, (here, inner, files) in enumerate(os.walk(folder)):
        if count >= _MOST_FOLDERS:
            return
        is_deep = len(Path(here).relative_to(folder).parts) >= _DEEPEST
        inner[:] = [] if is_deep else sorted(name for name in inner if may_hold_robots(name))
        yield from (Path(here) / name for name in files if Path(name).suffix.lower() in FORMATS)


def may_hold_robots(folder: str) -> bool:
    """Whether a folder of this name is entered."""
    return not folder.startswith(".") and folder.lower() not in _NO_ROBOTS
