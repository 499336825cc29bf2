"""A recorded stream of commands, done again bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from horus_sim.errors import HorusError, RecordingError
from horus_sim.running.recording.command_log import CommandLog, Entry, entry_message

if TYPE_CHECKING:
    from horus_sim.hub.simulation_client import RobotCommand
    from horus_sim.running.world.stepped_world import Exchange, SteppedWorld

_CHANGES = ("spawn", "remove", "move")
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


def replay_commands(
    world: SteppedWorld, log: CommandLog, after_step: Callable[[Any], object] | None = None
) -> Replay:
    """Does again what a log tells, and checks that the states are those of the record.

    Args:
        world: A world of the same scene and seed, where the record began.
        log: The record.
        after_step: Called after every step.

    Raises:
        RecordingError: The world is another one, or a state differs from the recorded one; the
            text says in what they differ as far as that is known.
    """
    exchange = world.exchange()
    try:
        return _replay(world, exchange, log, after_step or (lambda _: None))
    finally:
        exchange.close()


def _replay(
    world: SteppedWorld, exchange: Exchange, log: CommandLog, after_step: Callable[[Any], object]
) -> Replay:
    steps = commands = states = 0
    start: Entry | None = None
    for number, entry in enumerate(log.entries):
        kind = entry["kind"]
        if kind in _CHANGES and start is None:
            with named_entry(number, entry):
                exchange.redo(entry)
            continue
        if kind == "start":
            with named_entry(number, entry):
                if start is None:
                    _prepare(world, exchange, entry)
                if "state" in entry:
                    exchange.set_state(entry["state"])
            start = entry
        while world.steps < entry["step"]:
            exchange.before_step()
            if world.step() is False:
                raise RecordingError(
                    f"the world stopped at step {world.steps}, and the record goes on to step "
                    f"{entry['step']}; see what its controllers say"
                )
            exchange.drop_readings()
            steps += 1
            after_step(world)
        with named_entry(number, entry):
            if kind == "command":
                exchange.command(entry["robot"], cast("RobotCommand", entry_message(entry)))
                commands += 1
            elif kind in _CHANGES:
                exchange.redo(entry)
            elif kind == "reset":
                world.reset(entry.get("seed"))
                exchange.begin_run(keeps_odometry=False)
        if "sha256" in entry:
            _check_state(exchange, entry, start or {})
            states += 1
    return Replay(steps, commands, states)


@contextmanager
def named_entry(number: int, entry: Entry) -> Iterator[None]:
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


def _prepare(world: SteppedWorld, exchange: Exchange, entry: Entry) -> None:
    """Makes a world what it was when the record began."""
    if world.steps > entry["step"]:
        raise RecordingError(
            f"the record begins at step {entry['step']}, but the world is at step {world.steps}; "
            "replay into a world that was just loaded"
        )
    wanted = (entry["scene"], entry["seed"], entry["timestep"])
    found = (exchange.name, world.seed, world.timestep)
    if wanted != found:
        raise RecordingError(
            "the record was made of scene '{}' with seed {} and a timestep of {} s, but the world "
            "has '{}', {} and {} s: load the same".format(*wanted, *found)
        )
    for change in entry.get("changes", ()):
        exchange.redo(change)
    parts = {*exchange.parts()}
    missing = sorted({*entry.get("parts", parts)} - parts)
    added = sorted(parts - {*entry.get("parts", parts)})
    if missing or added:
        texts = [f"the record has also {', '.join(missing)}"] if missing else []
        texts += [f"the world has also {', '.join(added)}"] if added else []
        raise RecordingError(
            f"the world is not made of the parts of the record: {' and '.join(texts)}. Commands, "
            "spawns and removals by a RunningWorld are in a record; do in a program what was done "
            "otherwise before the record began, and give the world to replay_commands"
        )
    if entry["step"] == 0 and "state" not in entry:
        # What was added before the start of a later run is there; the run begins with a reset.
        world.reset()


def _check_state(exchange: Exchange, entry: Entry, start: Entry) -> None:
    if exchange.digest() == entry["sha256"]:
        return
    found = exchange.differences(start)
    if "files" not in start:  # an earlier version wrote it
        found = ["the scene's files, the controllers or the version of MuJoCo are not the same"]
    more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
    causes = (
        "; ".join(found[:_MOST_SHOWN]) + more
        if found
        else "scene, files and versions are those of the record, so something acted on the world "
        "that is not in it, such as a controller, World.apply_snapshot or commands by hand"
    )
    raise RecordingError(
        f"at step {entry['step']} the state differs from the recorded one: {causes}"
    )
