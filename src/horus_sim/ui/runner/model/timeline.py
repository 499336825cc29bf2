"""Snapshots: the last minute for the time slider, and those that were kept by name."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

_MOST_RECENT = 400
_MOST_BYTES = 64_000_000
_MOST_KEPT = 50


@dataclass(frozen=True, slots=True)
class Moment:
    """A snapshot.

    Attributes:
        time: Simulated time [s].
        data: Everything that a replay needs.
        name: Name under which it was kept, or ''.
    """

    time: float
    data: bytes
    name: str = ""


class Timeline:
    """Moments of one run; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._recent: deque[Moment] = deque()
        self._size = 0
        self._kept: list[Moment] = []
        self._count = 0

    def add(self, time: float, data: bytes) -> None:
        """Adds one to the slider; those of a future that was undone are forgotten."""
        with self._lock:
            while self._recent and self._recent[-1].time >= time:
                self._size -= len(self._recent.pop().data)
            self._recent.append(Moment(time, data))
            self._size += len(data)
            while len(self._recent) > _MOST_RECENT or self._size > _MOST_BYTES:
                self._size -= len(self._recent.popleft().data)

    def keep(self, time: float, data: bytes) -> Moment:
        """Keeps one until it is forgotten."""
        with self._lock:
            self._count += 1
            moment = Moment(time, data, f"{self._count}: {time:.2f} s")
            self._kept = [*self._kept, moment][-_MOST_KEPT:]
        return moment

    def forget(self, name: str) -> None:
        """Forgets one that was kept."""
        with self._lock:
            self._kept = [moment for moment in self._kept if moment.name != name]

    def restart(self) -> None:
        """Time begins anew: the slider is empty, what was kept stays."""
        with self._lock:
            self._recent.clear()
            self._size = 0

    def clear(self) -> None:
        """Forgets everything, as with another scenario."""
        self.restart()
        with self._lock:
            self._kept = []
            self._count = 0

    @property
    def kept(self) -> list[Moment]:
        """Those that were kept."""
        return self._kept

    @property
    def span(self) -> tuple[float, float] | None:
        """First and last time of the slider [s]."""
        with self._lock:
            return (self._recent[0].time, self._recent[-1].time) if self._recent else None

    @property
    def newest(self) -> Moment | None:
        """The last one of the slider."""
        with self._lock:
            return self._recent[-1] if self._recent else None

    def at(self, time: float) -> Moment | None:
        """The one of the slider that is nearest to a time."""
        with self._lock:
            return min(self._recent, key=lambda moment: abs(moment.time - time), default=None)
