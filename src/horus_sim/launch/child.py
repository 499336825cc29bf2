"""One program of a launch from its start to its end, with all that it starts itself."""

from __future__ import annotations

import signal
import subprocess
import threading
from contextlib import suppress
from typing import IO, Literal, cast

from horus_sim.launch.guarding import Guard
from horus_sim.launch.output import Output
from horus_sim.launch.program import Program
from horus_sim.system import KILL, tell_group

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
LONG_RUN_S = 10.0
"""A program that ran so long [s] has recovered: its restarts are counted anew."""
_SHELLS_BASE = 128
_ASKED = (signal.SIGINT, signal.SIGTERM)
_FINE_ENDS = {0, *(-number for number in _ASKED), *(_SHELLS_BASE + number for number in _ASKED)}
_OUTPUT_WAIT_S = 1.0

State = Literal["waiting", "running", "leaving", "pausing", "over"]


class Child:
    """A program that is started, watched, started again and ended.

    Whoever owns it calls `turn` again and again. States are ``waiting`` for its start, ``running``,
    ``leaving`` when it has ended and what it started has not, ``pausing`` before a restart, and
    ``over``.

    Args:
        program: What to run.
        guard: Starts it.
        output: Where its lines go.

    Attributes:
        program: What to run.
        state: Where it stands.
        starts: How often it was started.
        failure: Why it is over, where that is a failure; else empty.
    """

    def __init__(self, program: Program, guard: Guard, output: Output) -> None:
        self.program = program
        self.state: State = "waiting"
        self.starts = 0
        self.failure = ""
        self._guard = guard
        self._output = output
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._code = 0
        self._began_s = 0.0
        self._restarts = 0
        self._again_s = 0.0
        self._is_to_end = False
        self._kill_s: float | None = None
        self._was_killed = False

    @property
    def pid(self) -> int | None:
        """The number of its process, which is also that of its process group."""
        return None if self._process is None else self._process.pid

    def start(self, now: float) -> None:
        """Starts it.

        Args:
            now: Time [s] of any steady clock, as everywhere here.
        """
        program = self.program
        self._output.tell(f"starting {program.what}: {program.shown}")
        self._process = self._guard.start(program.words, program.environment(), program.folder)
        self._reader = self._output.follow(program.name, cast(IO[bytes], self._process.stdout))
        self.starts += 1
        self._began_s = now
        self.state = "running"

    def ask_to_end(self, now: float) -> None:
        """Sends it and all that it started SIGINT, as Ctrl-C does; once."""
        if self._is_to_end:
            return
        self._is_to_end = True
        if self.state == "running":
            self._signal(signal.SIGINT)
            self._kill_s = now + self.program.grace
        elif self.state in ("waiting", "pausing"):
            self.state = "over"

    def kill(self) -> None:
        """Ends it at once, and does not start it again."""
        self._is_to_end = True
        if self.state in ("running", "leaving"):
            self._was_killed = True
            self._signal(KILL)
            if self._process is not None:
                self._process.wait()
                self._guard.forget(self._process.pid)
        self.state = "over"

    def turn(self, now: float) -> None:
        """Looks at what became of it, and does what is due."""
        if self.state == "running" and self._process is not None:
            code = self._process.poll()
            if code is not None:
                self._leave(code, now)
            elif self._is_late(now) and not self._was_killed:
                self._was_killed = True
                self._signal(KILL)
        if self.state == "leaving" and (not self._signal(0) or self._is_late(now)):
            self._signal(KILL)
            self._end(now)
        if self.state == "pausing" and now >= self._again_s:
            self.start(now)

    def _is_late(self, now: float) -> bool:
        return self._kill_s is not None and now >= self._kill_s

    def _leave(self, code: int, now: float) -> None:
        """It has ended; what it started and left behind ends, too."""
        self._code = code
        self.state = "leaving"
        self._signal(signal.SIGTERM)
        self._kill_s = now + self.program.grace

    def _end(self, now: float) -> None:
        """It has ended with all that it started."""
        if self._process is not None:
            self._guard.forget(self._process.pid)
        if self._reader is not None:
            self._reader.join(_OUTPUT_WAIT_S)
        self._kill_s = None
        if self._is_to_end:
            self._end_as_asked()
        else:
            self._end_by_itself(now)

    def _end_as_asked(self) -> None:
        self.state = "over"
        program = self.program
        if self._was_killed:
            self.failure = (
                f"{program.what} did not end within {program.grace:g} s of SIGINT, and was killed"
            )
            self._output.tell(self.failure)
        elif self._code not in _FINE_ENDS:
            self.failure = f"{program.what} {_end_text(self._code)} when it was to end"
            self._output.tell(self.failure)
        else:
            self._output.tell(f"{program.what} has ended")

    def _end_by_itself(self, now: float) -> None:
        program = self.program
        has_failed = self._code != 0
        if now - self._began_s >= LONG_RUN_S:
            self._restarts = 0
        wants_more = program.restart == "always" or (program.restart == "on-failure" and has_failed)
        text = f"{program.what} {_end_text(self._code)}"
        if wants_more and self._restarts < program.restarts:
            pause = min(FIRST_PAUSE_S * 2**self._restarts, LONGEST_PAUSE_S)
            self._restarts += 1
            self._again_s = now + pause
            self.state = "pausing"
            count = f"restart {self._restarts} of {program.restarts}"
            self._output.tell(f"{text}; it starts again in {pause:g} s ({count})")
            return
        self.state = "over"
        if wants_more and program.restarts:
            times = "once" if self._restarts == 1 else f"{self._restarts} times"
            text += f", after it was started again {times}"
        if has_failed:
            self.failure = text
        self._output.tell(text)

    def _signal(self, number: int) -> bool:
        """Sends a signal to it and all that it started; False where nothing of it is left."""
        if self._process is None:
            return False
        with suppress(OSError):
            tell_group(self._process.pid, number)
            return True
        return False


def _end_text(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}" if code else "has ended"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"was ended by {name}"
