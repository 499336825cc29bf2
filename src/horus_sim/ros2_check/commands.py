"""Commands of ROS 2, run with rmw_zenoh_cpp and a limit of time."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import yaml

from horus_sim.system import KILL, tell_group

RMW = "rmw_zenoh_cpp"
_END_S = 5.0
_POLL_S = 0.05
_LONGEST_OUTPUT = 4000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command did.

    Attributes:
        command: The command, as it is typed.
        code: Its exit code; None where it was ended for taking too long.
        output: What it printed, on both streams.
    """

    command: str
    code: int | None
    output: str

    @property
    def is_good(self) -> bool:
        """Whether it ended well."""
        return self.code == 0

    def told(self) -> str:
        """The command, its end and its output, for a report."""
        end = "ended for taking too long" if self.code is None else f"exit code {self.code}"
        output = self.output.strip()
        if len(output) > _LONGEST_OUTPUT:
            half = _LONGEST_OUTPUT // 2
            output = f"{output[:half]}\n[...]\n{output[-half:]}"
        return f"$ {self.command}\n{output or '(it printed nothing)'}\n({end})"

    def message(self) -> dict[str, Any]:
        """The first message that ``ros2 topic echo`` printed; empty where there is none."""
        for text in self.output.split("\n---"):
            # Warnings may stand before it.
            lines = text.splitlines()
            while lines:
                with suppress(yaml.YAMLError):
                    found = yaml.safe_load("\n".join(lines))
                    if isinstance(found, dict):
                        return found
                lines.pop(0)
        return {}


def ros2(*words: str, timeout: float, is_enough: Callable[[str], bool] | None = None) -> Answer:
    """Runs ``ros2`` with some words.

    Args:
        words: Its arguments.
        timeout: Longest time [s].
        is_enough: For a command that does not end by itself: told what it has printed, whether
            Ctrl-C may end it.
    """
    environment = {**os.environ, "RMW_IMPLEMENTATION": RMW, "PYTHONUNBUFFERED": "1"}
    command = shlex.join(("ros2", *words))
    with tempfile.TemporaryFile() as file:

        def printed() -> str:
            # Without moving the place at which the program writes.
            number = file.fileno()
            return os.pread(number, os.fstat(number).st_size, 0).decode("utf-8", "replace")

        process = subprocess.Popen(  # noqa: S603 - words are ours
            ["ros2", *words],  # noqa: S607 - as the shell finds it
            stdin=subprocess.DEVNULL,
            stdout=file.fileno(),
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        try:
            end = time.monotonic() + timeout
            while process.poll() is None and time.monotonic() < end:
                if is_enough is not None and is_enough(printed()):
                    tell_group(process.pid, signal.SIGINT)
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(max(_END_S, end - time.monotonic()))
                        return Answer(command, 0, printed())
                    break
                time.sleep(_POLL_S)
            return Answer(command, process.poll(), printed())
        finally:
            with suppress(OSError):
                tell_group(process.pid, KILL)
            process.wait()
