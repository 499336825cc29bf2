"""Where robots with names come from: our own, folders of the user's, and installed packages.

Nothing is downloaded, and nothing of the packages is imported: importing some of them downloads.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from horus_sim.assets import ROOT
from horus_sim.robots.finding.described import described_robots
from horus_sim.robots.finding.folder import (
    FORMATS,
    format_of,
    may_hold_robots,
    robots_in,
    short_names,
)
from horus_sim.robots.finding.robot_file import RobotFile

OURS = "horus-sim"
ROBOT_FOLDERS = "HORUS_ROBOTS"
"""Environment variable: folders with robots of the user's."""

_MENAGERIE = "mujoco-menagerie"
_MENAGERIE_ROOT = "MENAGERIE_ROOT"
_MENAGERIE_CACHE = "MENAGERIE_CACHE_DIR"
_EXAMPLES = "example-robot-data"
_SHARE = "share"


@dataclass(frozen=True, slots=True)
class Found:
    """A robot in a source; see `NamedRobot`."""

    name: str
    source: str
    format: str
    file: RobotFile


def all_robots() -> Iterator[Found]:
    """The robots of all sources: those of the first one come first."""
    yield from _in_folder(OURS, ROOT / "robots")
    for entry in _robot_folders():
        folder = Path(entry).expanduser().resolve()
        yield from _in_folder(folder.name, folder)
    yield from _in_folder(_MENAGERIE, _menagerie())
    seen = {OURS}
    for source, folder, files in _installed():
        if source not in seen:
            seen.add(source)
            yield from _in_package(source, folder, files)
    if _EXAMPLES not in seen:  # Conda has no record of its files.
        yield from _in_folder(_EXAMPLES, Path(sys.prefix) / _SHARE / _EXAMPLES)
    for name, kind, file in described_robots():
        yield Found(name, "robot_descriptions", kind, file)


def absent_folders() -> tuple[str, ...]:
    """What the user's settings name that is no folder, as "HORUS_ROBOTS names '/x'"."""
    named = [(ROBOT_FOLDERS, entry) for entry in _robot_folders()]
    if given := _setting(_MENAGERIE_ROOT):
        named.append((_MENAGERIE_ROOT, given))
    return tuple(
        f"{name} names '{entry}', which is no folder"
        for name, entry in named
        if not Path(entry).expanduser().is_dir()
    )


def _robot_folders() -> list[str]:
    return [entry for entry in _setting(ROBOT_FOLDERS).split(os.pathsep) if entry]


def _setting(name: str) -> str:
    return os.environ.get(name, "")


def _in_folder(source: str, folder: Path) -> Iterator[Found]:
    robots = robots_in(folder)
    names = short_names(path.relative_to(folder) for path, _ in robots)
    for name, (path, kind) in zip(names, robots, strict=True):
        yield Found(name, source, kind, RobotFile(path, (folder,)))


def _menagerie() -> Path:
    """The copy of the MuJoCo Menagerie, or what its package has downloaded of it."""
    if given := _setting(_MENAGERIE_ROOT):
        return Path(given).expanduser().resolve()
    if cache := _setting(_MENAGERIE_CACHE):
        return Path(cache).expanduser() / "models"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "mujoco_menagerie" / "models"


def _installed() -> Iterator[tuple[str, Path, list[PurePosixPath]]]:
    """Installed packages that may hold robots: name, folder, and files from there."""
    for entry in dict.fromkeys(sys.path):
        folder = Path(entry)
        for record in sorted(folder.glob("*.dist-info/RECORD")):
            files = list(_candidates(record))
            if files:
                name = record.parent.name.split("-")[0].replace("_", "-")
                yield name, folder, files


def _candidates(record: Path) -> Iterator[PurePosixPath]:
    try:
        text = record.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    if not any(ending in text for ending in FORMATS):
        return
    for line in text.splitlines():
        # Splitting each line of large packages would take longer than all the rest.
        if any(ending in line for ending in FORMATS):
            path = PurePosixPath(next(csv.reader([line]))[0])
            named = (part for part in path.parts[:-1] if part != "..")
            if path.suffix.lower() in FORMATS and all(may_hold_robots(part) for part in named):
                yield path


def _in_package(source: str, folder: Path, files: list[PurePosixPath]) -> Iterator[Found]:
    robots = [(path, kind) for path in files if (kind := format_of(folder / path))]
    names = short_names(path for path, _ in robots)
    for name, (path, kind) in zip(names, robots, strict=True):
        top = _top(path)
        roots = () if top is None else ((folder / top).resolve(),)
        yield Found(name, source, kind, RobotFile((folder / path).resolve(), roots))


def _top(path: PurePosixPath) -> PurePosixPath | None:
    """The folder that is a package's own: the one in ``share``, or else the first."""
    folders = path.parts[:-1]
    for k, name in enumerate(folders[:-1]):
        if name == _SHARE:
            return PurePosixPath(*folders[: k + 2])
    return None if not folders or folders[0] == ".." else PurePosixPath(folders[0])
