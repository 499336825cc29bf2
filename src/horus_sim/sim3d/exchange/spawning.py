"""What was put into a world, put into it again as a record tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import RecordingError
from horus_sim.running.recording.recorded_files import file_digest, file_path
from horus_sim.sim3d.compile.compile_spec import RobotPart
from horus_sim.sim3d.compile.resolve import Part, spawned_part
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import RobotConfig
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World


def respawn(world: World, entry: Mapping[str, Any], removed: Mapping[str, Part]) -> None:
    """Does a recorded spawn again.

    Args:
        world: The world.
        entry: What `spawn_record` gave.
        removed: What was taken out of the world so far, by name.

    Raises:
        RecordingError: A file is not that of the record.
    """
    if "again" in entry:
        world.spawn(placed(removed[entry["again"]], _pose(entry)))
        return
    thing: RobotConfig | ObjectConfig | str | Path
    if "file" in entry:
        path = file_path(entry["file"])
        is_file = "digest" in entry
        if is_file and file_digest(path) != entry["digest"]:
            raise RecordingError(
                f"the file '{path}' of a robot that was spawned is missing or is not that of the "
                "record: bring it back"
            )
        thing = path if is_file else entry["file"]
    elif "robot" in entry:
        thing = RobotConfig.model_validate(entry["robot"])
    else:
        thing = ObjectConfig.model_validate(entry["object"])
    if "pose" not in entry:  # an earlier version wrote it
        world.spawn(thing)
        return
    # Where it was put down depended on what was there then.
    world.spawn(placed(spawned_part(thing, world.scene, None, None, world.report), _pose(entry)))


def placed(part: Part, pose: Transform) -> Part:
    """A part at another pose: T_world_root or T_world_object."""
    if isinstance(part, RobotPart):
        return replace(part, T_world_root=pose)
    return replace(part, T_world_object=pose)


def _pose(entry: Mapping[str, Any]) -> Transform:
    return Transform(entry["pose"]["translation"], entry["pose"]["rotation"])
