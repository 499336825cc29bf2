"""Robots and objects as a world holds them: read, named and placed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter, ValidationError

from horus_sim.errors import SceneError
from horus_sim.files.names import propose
from horus_sim.robots.description import Inertial, JointType, RobotDescription
from horus_sim.robots.report import Report
from horus_sim.robots.robot import Base, Robot
from horus_sim.robots.stance.stance import Stance
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import MaterialConfig
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.robots.mjcf.file import MjcfFile

ChosenBase = Literal["auto", "fixed", "floating"]
_NAME = TypeAdapter(Name)


@dataclass(frozen=True, slots=True)
class PlacedRobot:
    """A robot, or a model of an SDF file, in a world.

    Attributes:
        name: Name in the world.
        description: What it is made of.
        base: Whether the world holds its root.
        pose: T_world_root at the start.
        joints: Where coordinates start [rad] or [m], where not as described.
        frame_prefix: What stands before its links in the transform tree.
        mjcf: The file, if it is described in MuJoCo's own format.
        hold: Whether its drives hold the joints until a command comes.
        inertials: Mass properties of its links, if it was weighed for this base already.
        model: The model of which it is one of several parts that do not touch each other; '' for a
            robot of its own.
        stance: Where joints start so that it stands, where `joints` does not say; None as long as
            nobody looked for one.
        is_put: Whether somebody said where it is put.
    """

    name: str
    description: RobotDescription
    base: Base
    pose: Transform = field(default_factory=Transform.identity)
    joints: Mapping[str, float] = field(default_factory=dict)
    frame_prefix: str = ""
    mjcf: MjcfFile | None = None
    hold: bool = True
    inertials: Mapping[str, Inertial] | None = None
    model: str = ""
    stance: Stance | None = None
    is_put: bool = True

    @classmethod
    def of(cls, robot: Robot | RobotDescription, base: ChosenBase = "auto") -> PlacedRobot:
        """A robot where its description puts it.

        Args:
            robot: A loaded robot, or a description, which the world holds unless `base` says so.
            base: Whether the world holds its root.
        """
        if isinstance(robot, RobotDescription):
            robot = Robot(robot.name, robot, "fixed", Report())
        description, own = robot.description, robot.base
        chosen: Base = own if base == "auto" else base
        return cls(
            robot.name,
            description,
            chosen,
            description.T_world_root,
            mjcf=robot.mjcf,
            inertials=robot.inertials if chosen == own else None,
        )

    @property
    def is_free(self) -> bool:
        """Whether forces move its root."""
        return self.base == "floating"

    def root_pose(self, pose: Transform) -> Transform:
        """T_world_root if it is put at a pose: the root pose of its description comes on top.

        That of a description in MJCF does not: it says only where the root starts.
        """
        return pose if self.mjcf is not None else pose @ self.description.T_world_root


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """An object in a world.

    Attributes:
        name: Name in the world.
        config: The object as the scene describes it.
        pose: T_world_object at the start.
        T_world_scene: Frame of the scene that describes it.
        files: Where each file is that it names.
        materials: The materials of its scene by name.
    """

    name: str
    config: ObjectConfig
    pose: Transform
    T_world_scene: Transform
    files: Mapping[str, Path]
    materials: Mapping[str, MaterialConfig]

    @property
    def is_free(self) -> bool:
        """Whether forces move it."""
        return self.config.dynamic


Placed = PlacedRobot | PlacedObject


def placed_robot(
    robot: Robot | RobotDescription,
    name: str | None = None,
    pose: Transform | None = None,
    joints: Mapping[str, float] | None = None,
    frame_prefix: str | None = None,
    base: ChosenBase = "auto",
    *,
    hold: bool = True,
) -> PlacedRobot:
    """A robot put into a world.

    Args:
        robot: A loaded robot or a description, which is held by the world unless `base` says so.
        name: Name in the world; its own unless given.
        pose: Where it is put; its own root pose comes on top, except for MJCF, whose root pose is
            only where it starts unless a pose is given.
        joints: Where joints start [rad] or [m].
        frame_prefix: What stands before its frames; ``<name>/`` unless given.
        base: Whether the world holds its root.
        hold: Whether its drives hold the joints until a command comes.

    Raises:
        SceneError: The name cannot be used, or a joint in `joints` does not exist or cannot be
            there.
    """
    placed = PlacedRobot.of(robot, base)
    name = (robot.name or "robot") if name is None else name
    joints = dict(joints or {})
    check_name(name)
    names = [joint.name for joint in placed.description.joints]
    for joint in joints:
        # Joints with several axes have coordinates such as 'table/x'.
        if joint not in names and joint.rpartition("/")[0] not in names:
            raise SceneError(propose(joint, names, f"robot '{name}'", "joint"))
    _check_starts(placed.description, name, joints)
    return replace(
        placed,
        name=name,
        pose=placed.pose if pose is None else placed.root_pose(pose),
        joints=joints,
        frame_prefix=f"{name}/" if frame_prefix is None else frame_prefix,
        hold=hold,
    )


def without_sensors(robot: PlacedRobot) -> PlacedRobot:
    """A robot without the sensors that its file describes."""
    return replace(robot, description=replace(robot.description, sensors=()))


def nearest_within(value: float, lower: float | None, upper: float | None) -> float:
    """The position nearest to a value within bounds, where None is no bound."""
    if lower is not None and value < lower:
        return lower
    return upper if upper is not None and value > upper else value


def _check_starts(description: RobotDescription, robot: str, joints: Mapping[str, float]) -> None:
    for joint in description.joints:
        start = joints.get(joint.name)
        lower, upper = joint.limit.lower, joint.limit.upper
        if start is None or joint.mimic is not None or joint.kind is JointType.CONTINUOUS:
            continue
        if nearest_within(start, lower, upper) != start:
            raise SceneError(
                f"robot '{robot}': joint '{joint.name}' cannot start at {start:.6g}; its bounds "
                f"are {-math.inf if lower is None else lower:.6g} and "
                f"{math.inf if upper is None else upper:.6g}"
            )


def check_name(name: object) -> None:
    """Refuses a name that a robot or an object cannot have.

    Raises:
        SceneError: The text says what is wrong with it.
    """
    try:
        _NAME.validate_python(name, strict=True)
    except ValidationError as error:
        cause = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise SceneError(f"{name!r} cannot name a robot or an object: {cause}") from error
