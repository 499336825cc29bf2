"""A recorded stream of commands, done again bit by bit."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.errors import HorusError, RecordingError
from horus_sim.sim3d.assembly import RobotPart
from horus_sim.sim3d.bridge.origin import differences, file_digest, file_path, state_digest
from horus_sim.sim3d.parts import spawned_part
from horus_sim.sim3d.recording.command_log import CommandLog, Entry, entry_message
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.reading import check_scene, read_scene, scene_path
from horus_sim.sim3d.scene.scene import RobotConfig
from horus_sim.sim3d.state import WorldState
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.world import World

_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay did.

    Attributes:
        steps: Steps that were made.
        commands: Commands that were given.
        states: Recorded digests of the state that were met bit by bit.
    """

    steps: int
    commands: int
    states: int


def recorded_world(
    log: CommandLog, scene: Path | str | None = None, roots: Iterable[Path | str] = ()
) -> World:
    """The world of a record where it began: its scene as it was, with all that was overridden.

    Args:
        log: The record.
        scene: Where the scene's file is now; where it was unless given.
        roots: Folders from which files may come, too.

    Raises:
        RecordingError: The record does not tell how it began, or its scene cannot be built.
    """
    kinds = [entry["kind"] for entry in log.entries]
    if "start" not in kinds:
        raise RecordingError("the record does not tell how it began; it cannot be done again")
    number = kinds.index("start")
    with _named(number, log.entries[number]):
        return _world_of(log.entries[number], scene, tuple(roots))


def _world_of(start: Entry, scene: Path | str | None, roots: tuple[Path | str, ...]) -> World:
    from horus_sim.sim3d.world import World

    if "described" not in start:  # an earlier version wrote it
        world = World.load(scene or start["scene"], seed=start["seed"], roots=roots)
        if world.timestep == start["timestep"]:
            return world
        timestep = {"physics.timestep": start["timestep"]}
        return World.load(scene or start["scene"], start["seed"], timestep, roots)
    source = None if start["source"] is None else file_path(start["source"])
    if scene is not None:
        source = scene_path(scene)
        name = read_scene(source).name
        if name != start["scene"]:
            raise RecordingError(
                f"the record was made of scene '{start['scene']}', but '{scene}' is '{name}': give "
                "the file of that scene"
            )
    folders = tuple(Path(root).resolve() for root in (*roots, *start["roots"]))
    try:
        return World.load(check_scene(start["described"], None, source, folders), start["seed"])
    except HorusError as error:
        raise RecordingError(
            f"the recorded scene '{start['scene']}' of '{source or 'a program'}' cannot be built "
            f"again: {error}; say where its file is now (`--scene`) and which folders its files "
            "may come from (`--root`)"
        ) from error


def replay_commands(
    world: World, log: CommandLog, after_step: Callable[[World], object] | None = None
) -> Replay:
    """Does again what a log tells, and checks that the states are those of the record.

    Args:
        world: A world of the same scene and seed, where the record began; see `recorded_world`.
        log: The record.
        after_step: Called after every step.

    Raises:
        RecordingError: The world is another one, or a state differs from the recorded one; the
            text says in what they differ as far as that is known.
    """
    steps = commands = states = 0
    start: Entry | None = None
    for number, entry in enumerate(log.entries):
        kind = entry["kind"]
        if kind in ("spawn", "remove") and start is None:
            with _named(number, entry):
                _change(world, entry)
            continue
        if kind == "start":
            with _named(number, entry):
                if start is None:
                    _prepare(world, entry)
                if "state" in entry:
                    _set_state(world, entry)
            start = entry
        while world.steps < entry["step"]:
            world.step()
            steps += 1
            if after_step is not None:
                after_step(world)
        with _named(number, entry):
            if kind == "command":
                world.robots[entry["robot"]].command(entry_message(entry))
                commands += 1
            elif kind in ("spawn", "remove"):
                _change(world, entry)
            elif kind == "reset":
                world.reset(entry.get("seed"))
        if "sha256" in entry:
            _check_state(world, entry, start or {})
            states += 1
    return Replay(steps, commands, states)


@contextmanager
def _named(number: int, entry: Entry) -> Iterator[None]:
    """Says which entry it is that makes no sense."""
    try:
        yield
    except HorusError:
        raise  # it says enough
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        place = f"entry {number} of the log, a {entry['kind']!r:.40} at step {entry['step']}"
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise RecordingError(
            f"{place}, cannot be done: {cause:.300}; the log is damaged, or of another version"
        ) from error


def _change(world: World, entry: Entry) -> None:
    if entry["kind"] == "remove":
        world.remove(entry["name"])
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
    pose = Transform(entry["pose"]["translation"], entry["pose"]["rotation"])
    part = spawned_part(thing, world.scene, None, None, world.report)
    if isinstance(part, RobotPart):
        world.spawn(replace(part, T_world_root=pose))
    else:
        world.spawn(replace(part, T_world_object=pose))


def _prepare(world: World, entry: Entry) -> None:
    """Makes a world what it was when the record began."""
    if world.steps > entry["step"]:
        raise RecordingError(
            f"the record begins at step {entry['step']}, but the world is at step {world.steps}; "
            "replay into a world that was just loaded"
        )
    wanted = (entry["scene"], entry["seed"], entry["timestep"])
    found = (world.scene.name, world.seed, world.timestep)
    if wanted != found:
        raise RecordingError(
            "the record was made of scene '{}' with seed {} and a timestep of {} s, but the world "
            "has '{}', {} and {} s: load the same".format(*wanted, *found)
        )
    for change in entry.get("changes", ()):
        _change(world, change)
    parts = {*world.robots, *world.objects}
    missing = sorted({*entry.get("parts", parts)} - parts)
    added = sorted(parts - {*entry.get("parts", parts)})
    if missing or added:
        texts = [f"the record has also {', '.join(missing)}"] if missing else []
        texts += [f"the world has also {', '.join(added)}"] if added else []
        raise RecordingError(
            f"the world is not made of the parts of the record: {' and '.join(texts)}. Commands, "
            "spawns and removals by a bridge are in a record; do in a program what was done "
            "otherwise before the record began, and give the world to replay_commands"
        )
    if entry["step"] == 0 and "state" not in entry:
        # What was added before the start of a later run is there; the run begins with a reset.
        world.reset()


def _set_state(world: World, entry: Entry) -> None:
    """Goes to the state of a run that did not begin as the scene says."""
    state = WorldState.from_bytes(base64.b64decode(entry["state"]))
    world.load_state(replace(state, sensors=world.sensors.get_state()))


def _check_state(world: World, entry: Entry, start: Entry) -> None:
    if state_digest(world) == entry["sha256"]:
        return
    found = differences(world, start)
    if "described" not in start:  # an earlier version wrote it
        found = ["the scene's files, the controllers or the version of MuJoCo are not the same"]
    more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
    causes = (
        "; ".join(found[:_MOST_SHOWN]) + more
        if found
        else "scene, files and versions are those of the record, so something acted on the world "
        "that is not in it, such as a controller, World.load_state or commands by hand"
    )
    raise RecordingError(
        f"at step {entry['step']} the state differs from the recorded one: {causes}"
    )
