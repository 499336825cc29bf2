"""From scenes and robots to the parts that a world is assembled from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from horus_sim.errors import SceneError
from horus_sim.sim3d.assembly import Parts, RobotPart
from horus_sim.sim3d.builder.coordinates import Base
from horus_sim.sim3d.description import RobotDescription
from horus_sim.sim3d.names import propose
from horus_sim.sim3d.report import Report
from horus_sim.sim3d.robot import Robot, load_robot
from horus_sim.sim3d.scene.flattening import (
    FlatScene,
    PlacedModel,
    PlacedObject,
    PlacedRobot,
    flatten,
)
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import RobotConfig, Scene
from horus_sim.tf import Transform

Part = RobotPart | PlacedObject
"""A robot or an object as a world holds it."""


def parts_of(flat: FlatScene, report: Report) -> Parts:
    """The parts of a scene; the robots it names are loaded.

    Args:
        flat: The scene with all that it includes.
        report: Gets the remarks of the importers.
    """
    report.notes.extend(flat.report.notes)
    robots = [_placed_robot(placed, report) for placed in flat.robots]
    robots += [_placed_model(placed) for placed in flat.models]
    return Parts(
        flat.scene.name,
        flat.physics,
        tuple(robots),
        tuple(flat.objects),
        tuple(flat.lights),
        tuple(flat.cameras),
        flat.scene.background,
        tuple(flat.sensors),
    )


def _placed_robot(placed: PlacedRobot, report: Report) -> RobotPart:
    config = placed.config
    robot = load_robot(placed.model, package_roots=placed.package_roots, base=config.base)
    report.notes.extend(robot.report.notes)
    return robot_part(
        robot,
        placed.name,
        placed.T_world_root,
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
        pose: Where it is put; its own root pose comes on top.
        joints: Where joints start [rad] or [m].
        frame_prefix: Before its frames; ``<name>/`` unless given.
        base: Whether the world holds its root.
        hold: Whether its drives hold the joints until a command comes.

    Raises:
        SceneError: A joint in `joints` does not exist.
    """
    description = robot if isinstance(robot, RobotDescription) else robot.description
    own: Base = "fixed" if isinstance(robot, RobotDescription) else robot.base
    chosen: Base = own if base == "auto" else base
    name = name or robot.name or "robot"
    T_world_robot = Transform.identity() if pose is None else pose
    names = [joint.name for joint in description.joints]
    for joint in joints or {}:
        # Joints with several axes have coordinates such as 'table/x'.
        if joint not in names and joint.rpartition("/")[0] not in names:
            raise SceneError(propose(joint, names, f"robot '{name}'", "joint"))
    return RobotPart(
        name,
        description,
        chosen,
        T_world_robot @ description.T_world_root,
        dict(joints or {}),
        f"{name}/" if frame_prefix is None else frame_prefix,
        None if isinstance(robot, RobotDescription) else robot.mjcf_path,
        hold,
    )


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
    alone._source, alone._roots = scene.source, scene.roots
    flat = flatten(alone)
    if isinstance(thing, RobotConfig):
        robot = _placed_robot(flat.robots[0], report)
        T_world_root = robot.T_world_root
        if pose is not None:
            T_world_root = pose @ robot.description.T_world_root
        return replace(robot, T_world_root=T_world_root)
    item = flat.objects[0]
    T_world_object = item.T_world_object if pose is None else pose
    return replace(item, T_world_object=T_world_object)
