"""Starts the programs of a launch in order, watches them, and ends them in the opposite order."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from horus_sim.hub.connect import session_name
from horus_sim.interruption import Interruption, uninterrupted
from horus_sim.launch.checking import require_sound
from horus_sim.launch.child import Child
from horus_sim.launch.config import WORLD, Launch
from horus_sim.launch.guarding import Guard
from horus_sim.launch.output import Output, Print, Style
from horus_sim.launch.program import programs, world_name
from horus_sim.launch.world_watch import WorldWatch

_POLL_S = 0.05
_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a launch ended.

    Attributes:
        failures: What failed for good, one text for each program.
        is_interrupted: Whether a signal ended it.
    """

    failures: tuple[str, ...] = ()
    is_interrupted: bool = False


def run_launch(
    launch: Launch,
    *,
    session: str | None = None,
    show: Print = print,
    style: Style | None = None,
) -> Outcome:
    """Runs a launch until all of its programs have ended, or a signal ends it.

    Ctrl-C, SIGTERM and SIGHUP end the nodes, then the world; a second Ctrl-C kills all that is
    left. In another thread than the main one, signals are not heard.

    Args:
        launch: The launch.
        session: Session instead of that of the launch.
        show: Prints a line.
        style: Gives a text a colour; None for no colours.

    Raises:
        LaunchError: A file or a program is missing.
        HubError: Another program runs a world in the session, or topics are not to be had.
    """
    require_sound(launch)
    session = session_name(launch.session if session is None else session)
    plan = programs(launch, session)
    output = Output([program.name for program in plan], show, style)
    with ExitStack() as stack:
        interruption = stack.enter_context(Interruption(waits=True))
        watch = None
        if launch.world is not None:
            watch = stack.enter_context(WorldWatch(world_name(), session, launch.world.url))
        guard = stack.enter_context(Guard())
        children = [Child(program, guard, output) for program in plan]
        try:
            _Supervision(children, watch, output, interruption).run()
        except KeyboardInterrupt:
            output.tell("killing what is left")
        finally:
            with uninterrupted():
                for child in children:
                    child.kill()
    failures = tuple(child.failure for child in children if child.failure)
    return Outcome(failures, interruption.is_asked)


class _Supervision:
    """The programs of a launch while it runs.

    Args:
        children: The programs, each one behind those that it starts after.
        watch: Sees the world; None where there is none.
        output: Where lines go.
        interruption: Notes signals.
    """

    def __init__(
        self,
        children: Sequence[Child],
        watch: WorldWatch | None,
        output: Output,
        interruption: Interruption,
    ) -> None:
        self._children = children
        self._watch = watch
        self._output = output
        self._interruption = interruption
        self._is_world_up = False
        self._is_ending = False
        self._remind_s = time.monotonic() + _PATIENCE_S

    def run(self) -> None:
        """Runs until all have ended."""
        while any(child.state != "over" for child in self._children):
            now = time.monotonic()
            for child in self._children:
                child.turn(now)
            if not self._is_ending and (reason := self._reason_to_end()):
                self._is_ending = True
                self._tell_end(reason)
            if self._is_ending:
                self._end_in_order(now)
            else:
                self._start_in_order(now)
            time.sleep(_POLL_S)

    def _reason_to_end(self) -> str:
        """Why all is to end; empty while it is not."""
        if self._interruption.number == signal.SIGINT:
            return "Ctrl-C"
        if self._interruption.number is not None:
            return signal.Signals(self._interruption.number).name
        if self._output.is_lost:
            return "nobody reads the output"
        for child in self._children:
            if child.state == "over" and child.program.required:
                return f"{child.program.what} is required and has ended"
        return ""

    def _tell_end(self, reason: str) -> None:
        running = [child for child in self._children if child.state in ("running", "pausing")]
        nodes = sum(child.program.name != WORLD for child in running)
        parts = [f"{nodes} node{'' if nodes == 1 else 's'}"] if nodes else []
        parts += ["the world"] if nodes < len(running) else []
        ending = f": ending {', then '.join(parts)}" if parts else ""
        self._output.tell(f"{reason}{ending}")

    def _start_in_order(self, now: float) -> None:
        started = {child.program.name for child in self._children if child.starts}
        for child in self._children:
            before = child.program.after
            if child.state != "waiting" or not started.issuperset(before):
                continue
            if WORLD in before and not self._sees_world(now):
                continue
            child.start(now)
            started.add(child.program.name)

    def _sees_world(self, now: float) -> bool:
        if self._is_world_up or self._watch is None:
            return True
        self._is_world_up = self._watch.is_up()
        if self._is_world_up:
            self._output.tell("the world is on its topics")
        elif now >= self._remind_s:
            self._remind_s = now + _PATIENCE_S
            self._output.tell("the nodes wait for the clock of the world")
        return self._is_world_up

    def _end_in_order(self, now: float) -> None:
        """Asks each program to end when those that started after it have ended."""
        needed = {
            name
            for child in self._children
            if child.state != "over"
            for name in child.program.after
        }
        for child in self._children:
            if child.program.name not in needed:
                child.ask_to_end(now)
