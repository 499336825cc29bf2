"""What controllers print: the last lines, however many there are."""

from __future__ import annotations

import io
import threading
from collections import deque

_MOST_LINES = 20
_LONGEST_LINE = 400


class PrintBuffer(io.TextIOBase):
    """Takes the place of `sys.stdout`; costs little memory even for who prints without end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: deque[str] = deque(maxlen=_MOST_LINES)
        self._open = ""
        self._left_out = 0

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def write(self, text: str) -> int:
        """Adds text; lines end with newlines, or when they become too long."""
        with self._lock:
            *lines, self._open = (self._open + text).split("\n")
            if len(self._open) >= _LONGEST_LINE:
                lines.append(self._open)
                self._open = ""
            self._left_out += max(0, len(self._lines) + len(lines) - _MOST_LINES)
            self._lines.extend(line[:_LONGEST_LINE] for line in lines)
        return len(text)

    def take(self) -> tuple[list[str], int]:
        """The lines since it was last asked, and how many more there were."""
        with self._lock:
            lines, left_out = list(self._lines), self._left_out
            self._lines.clear()
            self._left_out = 0
        return lines, left_out
