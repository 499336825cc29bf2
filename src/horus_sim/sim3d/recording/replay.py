"""A recorded stream of commands, done again bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from horus_sim.errors import RecordingError
from horus_sim.sim3d.bridge.world_bridge import state_digest
from horus_sim.sim3d.recording.command_log import CommandLog, Entry, entry_message
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import RobotConfig

if TYPE_CHECKING:
    from horus_sim.sim3d.world import World


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


def replay_commands(
    world: World, log: CommandLog, after_step: Callable[[World], object] | None = None
) -> Replay:
    """Does again what a log tells, and checks that the states are those of the record.

    Args:
        world: A world of the same scene and seed, where the record began.
        log: The record.
        after_step: Called after every step.

    Raises:
        RecordingError: The world is another one, or a state differs from the recorded one.
    """
    steps = commands = states = 0
    has_started = False
    for entry in log.entries:
        kind = entry["kind"]
        if kind in ("spawn", "remove") and not has_started:
            _change(world, entry)
            continue
        if kind == "start":
            if not has_started:
                _check_world(world, entry)
            has_started = True
        while world.steps < entry["step"]:
            world.step()
            steps += 1
            if after_step is not None:
                after_step(world)
        if kind == "command":
            world.robots[entry["robot"]].command(entry_message(entry))
            commands += 1
        elif kind in ("spawn", "remove"):
            _change(world, entry)
        elif kind == "reset":
            world.reset(entry.get("seed"))
        if "sha256" in entry:
            _check_state(world, entry)
            states += 1
    return Replay(steps, commands, states)


def _change(world: World, entry: Entry) -> None:
    if entry["kind"] == "remove":
        world.remove(entry["name"])
    elif "robot" in entry:
        world.spawn(RobotConfig.model_validate(entry["robot"]))
    else:
        world.spawn(ObjectConfig.model_validate(entry["object"]))


def _check_world(world: World, entry: Entry) -> None:
    if world.steps > entry["step"]:
        raise RecordingError(
            f"the record begins at step {entry['step']}, but the world is at step {world.steps}; "
            "replay into a world that was just loaded"
        )
    wanted = (entry["scene"], entry["seed"], entry["timestep"])
    found = (world.scene.name, world._seed, world.timestep)
    if wanted != found:
        raise RecordingError(
            "the record was made of scene '{}' with seed {} and a timestep of {} s, but the world "
            "has '{}', {} and {} s: load the same".format(*wanted, *found)
        )
    if entry["step"] == 0:
        # What was added before the start of a later run is there; the run begins with a reset.
        world.reset()


def _check_state(world: World, entry: Entry) -> None:
    if state_digest(world) != entry["sha256"]:
        raise RecordingError(
            f"at step {entry['step']} the state differs from the recorded one: the scene's files, "
            "the controllers or the version of MuJoCo are not those of the record"
        )
