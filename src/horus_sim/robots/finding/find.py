"""From what a user gives for a robot to its file: a name, a path, a folder or an archive."""

from __future__ import annotations

from pathlib import Path

from horus_sim.assets import asset_path
from horus_sim.errors import DescriptionError, UnknownNameError
from horus_sim.robots.finding.catalog import is_source, named_robot
from horus_sim.robots.finding.folder import FORMATS, robots_in
from horus_sim.robots.finding.robot_file import RobotFile
from horus_sim.robots.report import Note, NoteKind

OUR_SUFFIXES = (".urdf", ".xml")
"""Endings of the robots that ship with the package."""

_ARCHIVE = ".zip"
_MOST_SHOWN = 12


def find_robot(name_or_path: str | Path) -> RobotFile:
    """The file of a robot.

    Args:
        name_or_path: The name of a robot, see `known_robots`; a file; a folder or a zip archive
            with one robot in it; or a file in an archive, such as ``robots.zip/arm/arm.urdf``.

    Raises:
        UnknownNameError: No robot has that name; the text proposes some.
        DescriptionError: It is a folder or an archive without a robot, or with several.
    """
    text = str(name_or_path)
    if not text or "\0" in text:
        raise DescriptionError(f"{text!r} is not a path")
    path = Path(name_or_path).expanduser()
    is_text = not isinstance(name_or_path, Path)
    if is_text and "/" not in text and not path.is_file():
        found = our_robot(text) or (None if path.suffix else _unless_folder(text, path))
        if found is not None:
            return found
    if path.is_dir():
        return _only_robot(path, path)
    archive = next((each for each in (path, *path.parents) if _is_archive(each)), None)
    if archive is not None:
        return _in_archive(archive, path)
    if is_text and not path.exists() and _may_be_name(path):
        try:
            return named_robot(text)
        except UnknownNameError:
            if is_source(path.parts[0]):
                raise
    return RobotFile(path)


def _unless_folder(name: str, path: Path) -> RobotFile | None:
    """A robot by its name, or None where a folder of that name is what is meant."""
    if not path.is_dir():
        return named_robot(name)
    if robots_in(path):
        return None
    try:
        return named_robot(name)
    except UnknownNameError:
        return None


def find_named(name: str) -> RobotFile:
    """The file of a robot by its name alone; see `named_robot`.

    Raises:
        UnknownNameError: No robot is called so; the text proposes names.
    """
    return our_robot(name) or named_robot(name)


def our_robot(name: str) -> RobotFile | None:
    """A robot that ships with the package; no other source is looked at."""
    try:
        return RobotFile(asset_path("robots", name, OUR_SUFFIXES))
    except UnknownNameError:
        return None


def _may_be_name(path: Path) -> bool:
    """Whether a path that is not there reads like ``source/name``."""
    is_relative = not path.is_absolute() and path.parts[0] not in (".", "..")
    return is_relative and path.suffix.lower() not in FORMATS


def _is_archive(path: Path) -> bool:
    return path.suffix.lower() == _ARCHIVE and path.is_file()


def _in_archive(archive: Path, path: Path) -> RobotFile:
    from horus_sim.robots.finding.archive import unpacked

    folder = unpacked(archive)
    if path == archive:
        return _only_robot(folder, archive)
    inside = path.relative_to(archive)
    file = folder / inside
    if ".." in inside.parts or not file.exists():
        raise DescriptionError(f"{archive}: has no '{inside.as_posix()}'; {_listed(folder)}")
    found = _only_robot(file, path) if file.is_dir() else RobotFile(file)
    return RobotFile(found.path, (folder,), notes=found.notes)


def _only_robot(folder: Path, given: Path) -> RobotFile:
    """The robot in a folder.

    Args:
        folder: The folder.
        given: What the user gave for it.
    """
    robots = robots_in(folder)
    if len(robots) != 1:
        count = f"{len(robots)} robots" if robots else "no robot"
        raise DescriptionError(f"{given}: holds {count}; {_listed(folder)}")
    path = robots[0][0]
    text = f"'{path.relative_to(folder).as_posix()}' in it is the robot"
    note = Note(NoteKind.SUBSTITUTION, f"'{given.name}'", text)
    return RobotFile(path, (folder,), notes=(note,))


def _listed(folder: Path) -> str:
    """What a user may give instead of a folder."""
    names = [path.relative_to(folder).as_posix() for path, _ in robots_in(folder)]
    if not names:
        return (
            "a robot is a .urdf, a .xacro with a name, or an MJCF .xml with bodies; run an .sdf "
            "by 'horus-sim sim3d run FILE'"
        )
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    shown = ", ".join(f"'{name}'" for name in names[:_MOST_SHOWN])
    return f"give one of {shown}{more} in it"
