"""The robots that have a name on this machine."""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache

from horus_sim.errors import UnknownNameError
from horus_sim.files.names import did_you_mean
from horus_sim.robots.finding.robot_file import NamedRobot, RobotFile
from horus_sim.robots.report import Note, NoteKind

_VARIABLES = (
    "HORUS_ROBOTS",
    "MENAGERIE_ROOT",
    "MENAGERIE_CACHE_DIR",
    "ROBOT_DESCRIPTIONS_CACHE",
    "XDG_CACHE_HOME",
    "HOME",
)
_MOST_SHOWN = 8


def known_robots() -> tuple[NamedRobot, ...]:
    """All robots that `load_robot` knows by name.

    First those that ship with the package, then those of folders in ``HORUS_ROBOTS``, of the MuJoCo
    Menagerie (``MENAGERIE_ROOT``, or what its package has downloaded), of installed packages, and
    what robot_descriptions has downloaded. Files are looked for once in a process and again when
    these settings change.
    """
    return _known(tuple(os.environ.get(name, "") for name in _VARIABLES), tuple(sys.path))


def search_robots(text: str) -> tuple[NamedRobot, ...]:
    """The known robots whose name, source or folder has a text in it, whatever its capitals."""
    wanted = _key(text)
    return tuple(robot for robot in known_robots() if wanted in _searched(robot))


def is_source(name: str) -> bool:
    """Whether known robots come from a source of that name."""
    return any(_key(robot.source) == _key(name) for robot in known_robots())


def named_robot(name: str) -> RobotFile:
    """The file of a known robot.

    Capitals, and '-' for '_', make no difference. A name without the number at its end, such as
    'panda' for 'panda7', means the only robot with such a name, and is remarked on.

    Args:
        name: A name, or ``source/name``.

    Raises:
        UnknownNameError: No robot is called so, or several are; the text proposes names.
    """
    robots = known_robots()
    key = _key(name)
    called = [robot for robot in robots if key in (_key(robot.name), _full_key(robot))]
    if called:
        return _remarked(called)
    source, _, rest = key.partition("/")
    inner = [
        robot
        for robot in robots
        if _key(robot.name).endswith(f"/{key}")
        or (_key(robot.source) == source and _key(robot.name).endswith(f"/{rest}"))
    ]
    if inner:
        shown = ", ".join(f"'{robot.address}'" for robot in inner[:_MOST_SHOWN])
        raise UnknownNameError(f"several robots are called '{name}': {shown}; give one of these")
    numbered = re.compile(rf"{re.escape(key)}_?\d+")
    almost = [robot for robot in robots if numbered.fullmatch(_key(robot.name))]
    if len({robot.name for robot in almost}) == 1:
        text = f"is taken for '{almost[0].address}'"
        return _remarked(almost, Note(NoteKind.SUBSTITUTION, f"robot '{name}'", text))
    from horus_sim.robots.finding.sources import absent_folders

    hint = "; ".join((did_you_mean(name, [robot.address for robot in robots]), *absent_folders()))
    raise UnknownNameError(
        f"no robot is called '{name}'; {hint}; 'horus-sim robot list' shows all {len(robots)}; for "
        "a file of your own give its path"
    )


def _remarked(called: list[NamedRobot], *notes: Note) -> RobotFile:
    """The file of the first, with a remark on the others of its name."""
    first, *others = called
    remarks = [*first.file.notes, *notes]
    if others:
        shown = ", ".join(f"'{robot.address}'" for robot in others[:_MOST_SHOWN])
        text = f"is that of {first.source}; others are {shown}"
        remarks.append(Note(NoteKind.SUBSTITUTION, f"robot '{first.name}'", text))
    file = first.file
    return RobotFile(file.path, file.package_roots, file.xacro_args, tuple(remarks))


@lru_cache(maxsize=4)
def _known(settings: tuple[str, ...], folders: tuple[str, ...]) -> tuple[NamedRobot, ...]:  # noqa: ARG001 - what the result depends on
    from horus_sim.robots.finding.sources import all_robots

    robots: list[NamedRobot] = []
    taken: set[str] = set()
    for found in all_robots():
        key = _key(found.name)
        address = f"{found.source}/{found.name}" if key in taken else found.name
        full = _key(f"{found.source}/{found.name}")
        if full in taken:  # two folders of one name: the first one counts
            continue
        taken |= {key, full}
        robots.append(NamedRobot(address, found.name, found.source, found.format, found.file))
    return tuple(robots)


def _searched(robot: NamedRobot) -> str:
    roots = robot.file.package_roots
    path = robot.file.path
    inside = path.relative_to(roots[0]) if roots and path.is_relative_to(roots[0]) else path.name
    return _key(f"{robot.source}/{robot.name} {inside}")


def _full_key(robot: NamedRobot) -> str:
    return _key(f"{robot.source}/{robot.name}")


def _key(name: str) -> str:
    return name.casefold().replace("-", "_").removesuffix("_description")
