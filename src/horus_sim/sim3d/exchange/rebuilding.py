"""The world of a record, built again from what the record tells of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.errors import HorusError, RecordingError
from horus_sim.running.recording.command_log import CommandLog, Entry
from horus_sim.running.recording.recorded_files import file_path
from horus_sim.running.recording.replay import named_entry
from horus_sim.sim3d.scene.reading import check_scene, read_scene, scene_path

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World


def recorded_world(
    log: CommandLog, scene: Path | str | None = None, package_roots: Iterable[Path | str] = ()
) -> World:
    """The world of a record where it began: its scene as it was, with all that was overridden.

    Args:
        log: The record.
        scene: Where the scene's file is now; where it was unless given.
        package_roots: Folders from which files may come, too.

    Raises:
        RecordingError: The record does not tell how it began, or its scene cannot be built.
    """
    kinds = [entry["kind"] for entry in log.entries]
    if "start" not in kinds:
        raise RecordingError("the record does not tell how it began; it cannot be done again")
    number = kinds.index("start")
    with named_entry(number, log.entries[number]):
        return _world_of(log.entries[number], scene, tuple(package_roots))


def _world_of(
    start: Entry, scene: Path | str | None, package_roots: tuple[Path | str, ...]
) -> World:
    from horus_sim.sim3d.world.world import World

    if "described" not in start:  # an earlier version wrote it
        world = World.load(scene or start["scene"], seed=start["seed"], package_roots=package_roots)
        if world.timestep == start["timestep"]:
            return world
        timestep = {"physics.timestep": start["timestep"]}
        return World.load(scene or start["scene"], start["seed"], timestep, package_roots)
    source = None if start["source"] is None else file_path(start["source"])
    if scene is not None:
        source = scene_path(scene)
        name = read_scene(source).name
        if name != start["scene"]:
            raise RecordingError(
                f"the record was made of scene '{start['scene']}', but '{scene}' is '{name}': give "
                "the file of that scene"
            )
    folders = tuple(Path(root).resolve() for root in (*package_roots, *start["roots"]))
    try:
        return World.load(check_scene(start["described"], source, folders), start["seed"])
    except HorusError as error:
        raise RecordingError(
            f"the recorded scene '{start['scene']}' of '{source or 'a program'}' cannot be built "
            f"again: {error}; say where its file is now (`--scene`) and which folders its files "
            "may come from (`--root`)"
        ) from error
