"""Who drives a robot, when several want to.

Whoever holds a key or the pad of a page owns the robot until half a second after letting go. Then
it is the newest commander on topics: the one that began last and has not been silent for half a
second. Only driving is owned; joints may be commanded by several nodes at once, as an arm and its
gripper are.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

HAND_S = 0.5
"""Wall time [s] for which a hand owns a robot after it let go."""
SILENCE_NS = 500_000_000
"""Simulated time [ns] after which a silent commander is gone."""
HAND = "page"
"""Name of a hand on a page or a pad."""


@dataclass(slots=True)
class _Seat:
    """The driver's seat of one robot."""

    hand_until: float = 0.0
    last_ns: dict[str, int] = field(default_factory=dict)
    """By commander on topics, in the order in which they began: when it was last heard [ns]."""


class Commanders:
    """Decides whose commands a robot obeys.

    Args:
        clock: Wall time [s], monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seats: dict[str, _Seat] = {}

    def take_by_hand(self, robot: str) -> None:
        """A hand drives the robot, or lets go of it: it owns it for another half a second."""
        self._seat(robot).hand_until = self._clock() + HAND_S

    def may_drive(self, robot: str, commander: str, stamp_ns: int) -> bool:
        """Notes a command on topics. Returns whether the robot obeys it.

        Args:
            robot: Its name.
            commander: Name of the connection that sent it.
            stamp_ns: Simulated time [ns] now.
        """
        seat = self._seat(robot)
        self._forget_silent(seat, stamp_ns)
        seat.last_ns[commander] = stamp_ns
        return self._driver(seat) == commander

    def driver(self, robot: str, stamp_ns: int) -> str:
        """Who drives the robot now: `HAND`, the name of a connection, or nobody ('').

        Args:
            robot: Its name.
            stamp_ns: Simulated time [ns] now.
        """
        seat = self._seats.get(robot)
        if seat is None:
            return ""
        self._forget_silent(seat, stamp_ns)
        return self._driver(seat)

    def clear(self) -> None:
        """Everybody has left, as when a run begins."""
        self._seats.clear()

    def _seat(self, robot: str) -> _Seat:
        return self._seats.setdefault(robot, _Seat())

    def _driver(self, seat: _Seat) -> str:
        if self._clock() < seat.hand_until:
            return HAND
        return next(reversed(seat.last_ns), "")

    @staticmethod
    def _forget_silent(seat: _Seat, stamp_ns: int) -> None:
        silent = [name for name, at in seat.last_ns.items() if stamp_ns - at > SILENCE_NS]
        for name in silent:
            del seat.last_ns[name]
