"""Parts of a robot in what its controller remembers: kept by name, found again in any simulator."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from horus_sim.errors import UnknownPartError

if TYPE_CHECKING:
    from horus_sim.sim2d.engine.robot import Robot

# Where the memo of a copy has the robot whose parts take the place of names.
_ROBOT = "robot"
_KINDS = ("bodies", "motors", "sensors")


class PartName(NamedTuple):
    """Stands for a part of a robot in a snapshot.

    Attributes:
        kind: 'motors', 'sensors' or 'bodies'; 'robot' or 'drive' for those themselves.
        name: Local name; '' for all of the kind.
    """

    kind: str
    name: str = ""

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:  # noqa: ANN401 - itself or the part
        robot = memo.get(_ROBOT)
        return self if robot is None else _part(robot, self)


def names_memo(robot: Robot) -> dict[int, Any]:
    """A memo with which `copy.deepcopy` puts names in the place of the robot's parts."""
    return {id(part): name for part, name in _named_parts(robot)}


def with_parts(value: Any, robot: Robot) -> Any:  # noqa: ANN401 - what the controller keeps
    """A copy of a value, with the robot's parts in the place of their names.

    Raises:
        UnknownPartError: The robot does not have one of them.
    """
    memo: dict[Any, Any] = {_ROBOT: robot}
    return copy.deepcopy(value, memo)


def _named_parts(robot: Robot) -> Iterator[tuple[object, PartName]]:
    yield robot, PartName("robot")
    if len(robot.motors) == 2:
        yield robot.drive, PartName("drive")
    for kind in _KINDS:
        yield getattr(robot, kind), PartName(kind)
        for name, part in getattr(robot, kind).items():
            yield part, PartName(kind, name)


def _part(robot: Robot, name: PartName) -> object:
    if name == PartName("robot"):
        return robot
    if name == PartName("drive"):
        return robot.drive
    if name.kind not in _KINDS:
        raise UnknownPartError("kind of part", name.kind, _KINDS)
    parts = getattr(robot, name.kind)
    return parts[name.name] if name.name else parts
