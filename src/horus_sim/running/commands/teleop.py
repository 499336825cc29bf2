"""Driving by hand: a robot goes on only as long as somebody keeps asking for it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from horus_sim.errors import CommandError

if TYPE_CHECKING:
    from horus_sim.running.world.running_world import RunningWorld

PATIENCE_S = 0.15
"""How long [s] a wish counts that is not repeated."""
_AGAIN_S = 0.02


@dataclass(frozen=True, slots=True)
class _Wish:
    client: int
    linear: float
    angular: float
    vertical: float
    until: float


class Teleop:
    """The wishes of those who drive; `update` hands them to the robots.

    A wish ends with the key, with the connection of its client, or when it was not repeated for
    `PATIENCE_S` of wall time: the robot then gets zero once and is left to others.

    Args:
        clock: Seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._wishes: dict[str, _Wish] = {}
        self._told: dict[str, tuple[tuple[float, float, float], float]] = {}

    def drive(
        self, client: int, robot: str, linear: float, angular: float, vertical: float = 0.0
    ) -> None:
        """Somebody wants a robot to move; the last one who wants something gets it.

        Args:
            client: Who.
            robot: Its name.
            linear: Ahead [m/s].
            angular: To the left [rad/s].
            vertical: Up [m/s], for what flies.

        Raises:
            CommandError: A number is not finite.
        """
        if not all(math.isfinite(value) for value in (linear, angular, vertical)):
            raise CommandError(f"robot '{robot}' cannot be driven with numbers that are not finite")
        until = self._clock() + PATIENCE_S
        with self._lock:
            self._wishes[robot] = _Wish(client, linear, angular, vertical, until)

    def release(self, client: int) -> None:
        """A client has let go of everything, or is gone."""
        with self._lock:
            for robot, wish in self._wishes.items():
                if wish.client == client:
                    self._wishes[robot] = _Wish(client, 0.0, 0.0, 0.0, -math.inf)

    def update(self, running: RunningWorld) -> None:
        """Commands the robots; the thread of the loop calls this before its steps."""
        now = self._clock()
        with self._lock:
            wishes = dict(self._wishes)
            for robot, wish in wishes.items():
                if wish.until < now:
                    del self._wishes[robot]
        for name, wish in wishes.items():
            motion = (wish.linear, wish.angular, wish.vertical)
            is_over = wish.until < now
            if is_over:
                self._told.pop(name, None)
                motion = (0.0, 0.0, 0.0)
            elif not self._is_due(name, motion, now):
                continue
            command = running.exchange.hand_command(name, *motion)
            if command is not None:
                running.commands.drive_by_hand(name, command)

    def _is_due(self, robot: str, motion: tuple[float, float, float], now: float) -> bool:
        """Whether a wish is to be told: at once when it is new, then now and then."""
        told = self._told.get(robot)
        if told is not None and told[0] == motion and now < told[1] + _AGAIN_S:
            return False
        self._told[robot] = (motion, now)
        return True
