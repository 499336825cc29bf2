"""What a run came from: scene, files, versions, and what was put into its world; done again."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.assets import SHIPPED_SCHEME
from horus_sim.errors import RecordingError, SceneError
from horus_sim.robots.description import Mesh
from horus_sim.robots.engine import mujoco
from horus_sim.running.recording.recorded_files import DIGITS, file_digest, file_name, file_path
from horus_sim.sim3d.scene.models import ModelConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.placed import Placed
from horus_sim.sim3d.scene.scene import RobotConfig
from horus_sim.sim3d.scene.spawning import spawned
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World

_CONFIGS: dict[str, type[RobotConfig | ObjectConfig | ModelConfig]] = {
    "robot": RobotConfig,
    "object": ObjectConfig,
    "model": ModelConfig,
}
"""Key of a record of a spawn -> what was spawned."""


def state_digest(world: World) -> str:
    """A short text that differs when a bit of the physical state or the random numbers does."""
    state = world.snapshot()
    found = hashlib.sha256(state.physics.tobytes())
    found.update(state.gains.tobytes())
    found.update(f"{state.steps} {state.rng} {state.layout}".encode())
    return found.hexdigest()[:DIGITS]


def constant_of(world: World) -> dict[str, Any]:
    """What stays the same from run to run: scene, files and versions."""
    scene = world.scene
    return {
        "described": scene.to_dict(),
        "source": None if scene.source is None else file_name(scene.source),
        "roots": [str(root) for root in scene.package_roots],
        "files": file_digests(world),
        "mujoco": mujoco.__version__,
        "machine": platform.machine(),
    }


def file_digests(world: World) -> dict[str, str | None]:
    """Digests of the files that decide how a world moves, by name.

    Those in the folder of the scene are named relative to it, so that it may be moved.
    """
    source = world.scene.source
    folder = None if source is None else source.resolve().parent
    found: dict[str, str | None] = {}
    for path in sorted({path.resolve() for path in _files_of(world)}):
        name = file_name(path)
        if folder is not None and not name.startswith(SHIPPED_SCHEME):
            name = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else name
        found[name] = file_digest(path)
    return found


def _files_of(world: World) -> Iterator[Path]:
    yield from world.spec.files
    for robot in world.spec.robots:
        for link in robot.description.links:
            for collision in link.collisions:
                if isinstance(collision.geometry, Mesh):
                    yield collision.geometry.path
    for item in world.spec.objects:
        yield from item.files.values()


def spawn_record(
    world: World,
    name: str,
    thing: RobotConfig | ObjectConfig | ModelConfig | Placed | str | Path,
    removed: Mapping[str, Placed],
) -> dict[str, Any]:
    """A thing that was spawned, and exactly where, as plain data.

    Args:
        world: The world that has it.
        name: Its name there.
        thing: What was spawned.
        removed: What was taken out of the world before, by name; it may come back.
    """
    T_world_thing = world.spec.part(name).pose
    pose = {
        "translation": T_world_thing.translation.tolist(),
        "rotation": T_world_thing.rotation.tolist(),
    }
    if isinstance(thing, str | Path):
        path = Path(thing)
        if not path.is_file():
            return {"file": str(thing), "pose": pose}
        return {"file": file_name(path), "digest": file_digest(path), "pose": pose}
    if isinstance(thing, RobotConfig | ObjectConfig | ModelConfig):
        kind = next(kind for kind, config in _CONFIGS.items() if isinstance(thing, config))
        return {kind: thing.model_dump(mode="json", exclude_unset=True), "pose": pose}
    if name not in removed:
        raise SceneError(
            f"'{name}' was spawned as a built part, which no record can tell of; spawn a "
            "configuration, a file, or what was removed before"
        )
    return {"again": name, "pose": pose}


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
    thing: RobotConfig | ObjectConfig | ModelConfig | str | Path
    if "file" in entry:
        path = file_path(entry["file"])
        is_file = "digest" in entry
        if is_file and file_digest(path) != entry["digest"]:
            raise RecordingError(
                f"the file '{path}' of a robot that was spawned is missing or is not that of the "
                "record: bring it back"
            )
        thing = path if is_file else entry["file"]
    else:
        kind = next(kind for kind in _CONFIGS if kind in entry)
        thing = _CONFIGS[kind].model_validate(entry[kind])
    if "pose" not in entry:  # an earlier version wrote it
        world.spawn(thing)
        return
    # Where it was put down depended on what was there then.
    part = spawned(thing, world.scene, None, None, world.report)
    world.spawn(replace(part, pose=_pose(entry)))


def _pose(entry: Mapping[str, Any]) -> Transform:
    return Transform(entry["pose"]["translation"], entry["pose"]["rotation"])


def differences(world: World, entry: Mapping[str, Any]) -> list[str]:
    """In what a world differs from the one that a start entry tells of, for people."""
    if "described" not in entry:
        return []
    here = constant_of(world)
    found = [
        f"{what} is {here[key]}, was {entry[key]}"
        for key, what in (("mujoco", "the version of MuJoCo"), ("machine", "the machine"))
        if here[key] != entry[key]
    ]
    now, then = dict(_leaves(here["described"])), dict(_leaves(entry["described"]))
    for key in sorted({*now, *then}):
        is_now, was = now.get(key, "not set"), then.get(key, "not set")
        if is_now != was:
            found.append(f"{key} of the scene is {is_now!r:.60}, was {was!r:.60}")
    files_now, files_then = here["files"], entry["files"]
    found += [
        f"the file '{name}' is not that of the record"
        for name in sorted({*files_now} & {*files_then})
        if files_now[name] != files_then[name]
    ]
    return found


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - plain data
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield from _leaves(part, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple) and any(isinstance(part, Mapping) for part in value):
        for number, part in enumerate(value):
            yield from _leaves(part, f"{key}.{number}")
    else:
        yield key, list(value) if isinstance(value, tuple) else value
