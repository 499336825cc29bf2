"""What is put into a running world, in any of the forms in which it may be given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from horus_sim.errors import SceneError
from horus_sim.robots.description import RobotDescription
from horus_sim.robots.report import Report
from horus_sim.robots.robot import Robot, load_robot
from horus_sim.sim3d.scene.models import ModelConfig, read_model
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.placed import Placed, PlacedRobot, check_name, placed_robot
from horus_sim.sim3d.scene.scene import RobotConfig, Scene
from horus_sim.sim3d.scene.world_spec import world_spec
from horus_sim.tf import Transform

Spawnable = (
    RobotConfig | ObjectConfig | ModelConfig | Robot | RobotDescription | Placed | str | Path
)
"""A robot or an object, as configuration, loaded or taken out of a world, or a robot's name."""


def spawned(
    thing: Spawnable, scene: Scene, name: str | None, pose: Transform | None, report: Report
) -> Placed:
    """What is put into a running world.

    Args:
        thing: A robot or an object, as configuration, loaded or taken out of a world, or the name
            or file of a robot.
        scene: The scene, beside which files are looked for.
        name: Name in the world; its own unless given.
        pose: Where it is put; as configured unless given.
        report: Gets the remarks of the importer.
    """
    if not isinstance(thing, Spawnable):
        raise SceneError(
            f"a {type(thing).__name__} cannot be put into a world; give a RobotConfig, an "
            "ObjectConfig, a loaded robot, or the name or file of one"
        )
    if name is not None:
        check_name(name)
    if isinstance(thing, str | Path):
        thing = load_robot(thing)
    if isinstance(thing, Robot):
        report.notes.extend(thing.report.notes)
    if isinstance(thing, Robot | RobotDescription):
        return placed_robot(thing, name, pose)
    if isinstance(thing, RobotConfig | ObjectConfig | ModelConfig) and name is not None:
        thing = thing.model_copy(update={"name": name})
    if isinstance(thing, ModelConfig):
        thing = read_model(thing, scene, report)
    elif isinstance(thing, RobotConfig | ObjectConfig):
        alone = Scene(
            materials=scene.materials,
            robots=(thing,) if isinstance(thing, RobotConfig) else (),
            objects=(thing,) if isinstance(thing, ObjectConfig) else (),
        )
        alone._source, alone._package_roots = scene.source, scene.package_roots
        thing = world_spec(alone, report).part(thing.name)
    if pose is None:
        pose = thing.pose
    elif isinstance(thing, PlacedRobot):
        pose = thing.root_pose(pose)
    return replace(thing, name=name or thing.name, pose=pose)


def states_pose(thing: object) -> bool:
    """Whether something that is spawned says itself where it is."""
    if isinstance(thing, Placed | ModelConfig):
        return True
    if isinstance(thing, RobotConfig | ObjectConfig):
        return not thing.model_fields_set.isdisjoint({"pose", "motion"})
    description = thing.description if isinstance(thing, Robot) else thing
    if isinstance(description, RobotDescription):
        return bool(description.T_world_root.translation[2])
    return False
