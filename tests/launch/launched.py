"""A launch in a process of its own, and what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

# Longer than anything here takes; reached only when something is broken.
LONG = 120.0
CLI = "from horus_sim.cli.program import horus_sim; horus_sim()"


class Launched:
    """``horus-sim launch`` on a file.

    Args:
        file: The file.
        options: Further words.
    """

    def __init__(self, file: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLI, "launch", str(file), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"NO_COLOR": "1"},
        )
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in (
                (self.process.stdout, self.lines),
                (self.process.stderr, self.errors),
            )
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream, lines: list[str]) -> None:
        with stream:
            for line in stream:
                lines.append(line.rstrip("\n"))  # noqa: PERF401 - each one as it comes

    @property
    def out(self) -> str:
        return "\n".join(self.lines)

    @property
    def err(self) -> str:
        return "\n".join(self.errors)

    def lines_of(self, name: str) -> list[str]:
        """What a program printed, or the launch."""
        found = [line.partition("|") for line in list(self.lines)]
        return [text.strip() for head, _, text in found if head.strip() == name]

    def wait_for(self, text: str) -> None:
        """Waits until a line holds a text."""
        wait_until(lambda: any(text in line for line in list(self.lines)), self)

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def end(self) -> int:
        """Waits for the end, and gives the exit code."""
        code = self.process.wait(LONG)
        for reader in self._readers:
            reader.join(LONG)
        return code

    def close(self) -> None:
        """Ends it, whatever happened; its guard ends the rest."""
        self.process.kill()
        self.end()


def wait_until(is_so: Callable[[], object], launched: Launched) -> None:
    """Waits for a condition while a launch runs."""
    end = time.monotonic() + LONG
    while not is_so():
        told = f"{launched.out}\n{launched.err}"
        assert launched.process.poll() is None or is_so(), f"the launch has ended:\n{told}"
        assert time.monotonic() < end, f"it did not come:\n{told}"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be noticed does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_for_ends(pids: list[int]) -> None:
    """Waits until processes have ended."""
    end = time.monotonic() + LONG
    while left := [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < end, f"still running: {left}"
        time.sleep(0.02)
