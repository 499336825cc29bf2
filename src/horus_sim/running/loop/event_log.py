"""What happened, for the log panel: a bounded list that any thread may add to."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Literal

Level = Literal["info", "warning", "error"]
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log.

    Attributes:
        number: Counts up from 1.
        wall_s: When, seconds since the epoch.
        level: How bad it is.
        text: What happened.
    """

    number: int
    wall_s: float
    level: Level
    text: str


class EventLog:
    """The last events; safe to use from several threads."""

    def __init__(self, longest: int = _LONGEST) -> None:
        self._lock = threading.Lock()
        self._events: deque[Event] = deque(maxlen=longest)
        self._count = 0

    def add(self, text: str, level: Level = "info") -> None:
        """Adds a line; the same line again at once is not repeated."""
        with self._lock:
            last = self._events[-1] if self._events else None
            if last is not None and (last.text, last.level) == (text, level):
                self._events.pop()
            self._count += 1
            self._events.append(Event(self._count, time.time(), level, text))

    def since(self, number: int = 0) -> list[Event]:
        """The events after that number, oldest first."""
        with self._lock:
            return [event for event in self._events if event.number > number]
