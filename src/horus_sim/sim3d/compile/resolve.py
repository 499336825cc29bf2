"""From scenes and robots to the specification that a world is assembled from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from horus_sim.errors import SceneError
from horus_sim.files.names import propose
from horus_sim.robots.description import JointType, RobotDescription
from horus_sim.robots.report import Report
from horus_sim.robots.robot import Robot, load_robot
from horus_sim.sim3d.compile.compile_spec import RobotPart, WorldSpec
from horus_sim.sim3d.compile.robot.coordinates import Base
from horus_sim.sim3d.compile.robot.joints import nearest_within
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.scene.contents import (
    PlacedModel,
    PlacedObject,
    PlacedRobot,
    SceneContents,
    contents_of,
)
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import RobotConfig, Scene
from horus_sim.tf import Transform

Part = RobotPart | PlacedObject
"""A robot or an object as a world holds it."""

_NAME = TypeAdapter(Name)


def resolve(contents: SceneContents, report: Report) -> WorldSpec:
    """What a world of a scene is made of; the file of each robot is read here.

    Args:
        contents: The scene with all that it includes.
        report: Gets the remarks of the importers.

    Raises:
        DescriptionError: A robot cannot be used.
        SceneError: A robot does not fit what the scene says of it.
    """
    report.notes.extend(contents.report.notes)
    robots = [_placed_robot(placed, report) for placed in contents.robots]
    robots += [_placed_model(placed) for placed in contents.models]
    return WorldSpec(
        contents.scene.name,
        contents.physics,
        tuple(robots),
        tuple(contents.objects),
        tuple(contents.lights),
        tuple(contents.cameras),
        contents.scene.background,
        tuple(contents.sensors),
        tuple(contents.files),
    )


def _placed_robot(placed: PlacedRobot, report: Report) -> RobotPart:
    config = placed.config
    robot = load_robot(placed.model, package_roots=placed.package_roots, base=config.base)
    report.notes.extend(robot.report.notes)
    pose = placed.T_world_root
    if robot.mjcf is not None and "pose" not in config.model_fields_set:
        pose = pose @ robot.description.T_world_root
    return robot_part(
        robot,
        placed.name,
        pose,
        config.joints,
        config.frame_prefix,
        hold=config.hold,
    )


def _placed_model(placed: PlacedModel) -> RobotPart:
    return RobotPart(
        placed.name,
        placed.description,
        placed.base,
        placed.T_world_root,
        {},
        f"{placed.name}/",
        hold=False,
    )


def robot_part(
    robot: Robot | RobotDescription,
    name: str | None = None,
    pose: Transform | None = None,
    joints: dict[str, float] | None = None,
    frame_prefix: str | None = None,
    base: Literal["auto", "fixed", "floating"] = "auto",
    *,
    hold: bool = True,
) -> RobotPart:
    """A robot as part of a world.

    Args:
        robot: A loaded robot or a description, which is held by the world unless `base` says so.
        name: In the world; its own unless given.
        pose: Where it is put; its own root pose comes on top, except for MJCF, whose root pose is
            only where it starts unless a pose is given.
        joints: Where joints start [rad] or [m].
        frame_prefix: Before its frames; ``<name>/`` unless given.
        base: Whether the world holds its root.
        hold: Whether its drives hold the joints until a command comes.

    Raises:
        SceneError: The name is none, or a joint in `joints` does not exist or cannot be there.
    """
    description = robot if isinstance(robot, RobotDescription) else robot.description
    own: Base = "fixed" if isinstance(robot, RobotDescription) else robot.base
    chosen: Base = own if base == "auto" else base
    name = (robot.name or "robot") if name is None else name
    mjcf = None if isinstance(robot, RobotDescription) else robot.mjcf
    T_world_root = description.T_world_root
    if pose is not None:
        T_world_root = pose @ T_world_root if mjcf is None else pose
    check_name(name)
    names = [joint.name for joint in description.joints]
    for joint in joints or {}:
        # Joints with several axes have coordinates such as 'table/x'.
        if joint not in names and joint.rpartition("/")[0] not in names:
            raise SceneError(propose(joint, names, f"robot '{name}'", "joint"))
    _check_starts(description, name, joints or {})
    return RobotPart(
        name,
        description,
        chosen,
        T_world_root,
        dict(joints or {}),
        f"{name}/" if frame_prefix is None else frame_prefix,
        mjcf,
        hold,
        robot.inertials if isinstance(robot, Robot) and chosen == own else None,
    )


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
        raise SceneError(f"{name!r} is no name for a robot or an object: {cause}") from error


def states_pose(thing: object) -> bool:
    """Whether a thing says itself where it is put."""
    if isinstance(thing, RobotPart | PlacedObject):
        return True
    if isinstance(thing, RobotConfig | ObjectConfig):
        return not thing.model_fields_set.isdisjoint({"pose", "motion"})
    description = thing.description if isinstance(thing, Robot) else thing
    if isinstance(description, RobotDescription):
        return bool(description.T_world_root.translation[2])
    return False


def spawned_part(
    thing: RobotConfig | ObjectConfig | Robot | RobotDescription | Part | str | Path,
    scene: Scene,
    name: str | None,
    pose: Transform | None,
    report: Report,
) -> RobotPart | PlacedObject:
    """What is put into a running world.

    Args:
        thing: A robot or an object, as configuration, loaded or taken out of a world, or the name
            or file of a robot.
        scene: The scene, beside which files are looked for.
        name: In the world; its own unless given.
        pose: Where it is put; as configured unless given.
        report: Gets the remarks of the importer.
    """
    kinds = (RobotPart, PlacedObject, RobotConfig, ObjectConfig, Robot, RobotDescription, str, Path)
    if not isinstance(thing, kinds):
        raise SceneError(
            f"a {type(thing).__name__} cannot be put into a world; give a RobotConfig, an "
            "ObjectConfig, a loaded robot, or the name or file of one"
        )
    if name is not None:
        check_name(name)
    if isinstance(thing, RobotPart):
        root = thing.T_world_root if pose is None else pose @ thing.description.T_world_root
        return replace(thing, name=name or thing.name, T_world_root=root)
    if isinstance(thing, PlacedObject):
        place = thing.T_world_object if pose is None else pose
        return replace(thing, name=name or thing.name, T_world_object=place)
    if isinstance(thing, str | Path):
        thing = load_robot(thing)
    if isinstance(thing, Robot):
        report.notes.extend(thing.report.notes)
    if isinstance(thing, Robot | RobotDescription):
        return robot_part(thing, name, pose)
    if name is not None:
        thing = thing.model_copy(update={"name": name})
    alone = Scene(
        materials=scene.materials,
        robots=(thing,) if isinstance(thing, RobotConfig) else (),
        objects=(thing,) if isinstance(thing, ObjectConfig) else (),
    )
    alone._source, alone._package_roots = scene.source, scene.package_roots
    contents = contents_of(alone)
    if isinstance(thing, RobotConfig):
        robot = _placed_robot(contents.robots[0], report)
        T_world_root = robot.T_world_root
        if pose is not None:
            T_world_root = pose if robot.mjcf else pose @ robot.description.T_world_root
        return replace(robot, T_world_root=T_world_root)
    item = contents.objects[0]
    T_world_object = item.T_world_object if pose is None else pose
    return replace(item, T_world_object=T_world_object)
