"""What programs print, line by line, with the name of the program before each line."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import IO

LAUNCH = "launch"
"""The name before lines of the launch itself."""
# A program may print without ever ending a line.
_LONGEST_LINE = 65_536
_COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "bright_cyan", "bright_yellow")

Print = Callable[[str], object]
Style = Callable[[str, str], str]


class Output:
    """Prints whole lines, whichever thread they come from.

    Args:
        names: Names of the programs, in the order of their colours.
        show: Prints a line.
        style: Gives a text a colour; None for no colours.

    Attributes:
        is_lost: Whether nothing can be printed any more, as when the reader of a pipe has left.
    """

    def __init__(self, names: Sequence[str], show: Print, style: Style | None = None) -> None:
        self._show = show
        width = max(len(name) for name in (*names, LAUNCH))
        self._heads = {LAUNCH: f"{LAUNCH.ljust(width)} |"}
        for number, name in enumerate(names):
            head = f"{name.ljust(width)} |"
            colour = _COLOURS[number % len(_COLOURS)]
            self._heads[name] = head if style is None else style(head, colour)
        self._lock = threading.Lock()
        self.is_lost = False

    def tell(self, text: str, name: str = LAUNCH) -> None:
        """Prints a line of a program, or of the launch."""
        with self._lock:
            if self.is_lost:
                return
            try:
                self._show(f"{self._heads[name]} {text}" if text else self._heads[name])
            except (OSError, ValueError):
                self.is_lost = True

    def follow(self, name: str, stream: IO[bytes]) -> threading.Thread:
        """Prints what comes through a pipe, in a thread that ends with it."""

        def read() -> None:
            with stream:
                while line := stream.readline(_LONGEST_LINE):
                    text = line.decode("utf-8", "replace").rstrip("\r\n")
                    # Of a line that was written over again and again, the last state.
                    self.tell(text.rpartition("\r")[2], name)

        thread = threading.Thread(target=read, name=f"output of {name}", daemon=True)
        thread.start()
        return thread
