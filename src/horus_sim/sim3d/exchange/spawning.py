"""What was put into a world, put into it again as a record tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import RecordingError
from horus_sim.running.recording.recorded_files import file_digest, file_path
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.placed import Placed
from horus_sim.sim3d.scene.scene import RobotConfig
from horus_sim.sim3d.scene.spawning import spawned
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World


def respawn(world: World, entry: Mapping[str, Any], removed: Mapping[str, Placed]) -> None:
    """Does a recorded spawn again.

    Args:
        world: The world.
        entry: What `spawn_record` gave.
        removed: What was taken out of the world so far, by name.

    Raises:
        RecordingError: A file is not that of the record.
    """
    if "again" in entry:
        world.spawn(replace(removed[entry["again"]], pose=_pose(entry)))
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
    part = spawned(thing, world.scene, None, None, world.report)
    world.spawn(replace(part, pose=_pose(entry)))


def _pose(entry: Mapping[str, Any]) -> Transform:
    return Transform(entry["pose"]["translation"], entry["pose"]["rotation"])
