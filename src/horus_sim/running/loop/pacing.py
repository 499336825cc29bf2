"""Simulated time against the clock on the wall: fixed steps, and a bound on what is made up for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from horus_sim.errors import UiError

SLOWEST, FASTEST = 0.1, 10.0


class Pacer:
    """Says how many fixed steps are due, from the time that passed.

    Time that passed is collected and spent in whole steps; the rest stays. A simulation that
    cannot keep up, or was stopped for a while, makes up for `longest_backlog` at most: the rest is
    dropped and counted, so that it never runs ever further behind.

    Args:
        timestep: Simulated time of one step [s].
        speed: Simulated seconds in one second.
        longest_backlog: Most time [s] that is made up for at once.
        clock: Gives the time [s]; monotonic.

    Attributes:
        dropped: Time [s] that was not made up for.
    """

    def __init__(
        self,
        timestep: float,
        speed: float = 1.0,
        longest_backlog: float = 0.1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not timestep > 0 or not speed > 0 or not longest_backlog >= 0:
            raise ValueError("timestep and speed are positive, longest_backlog is not negative")
        self.timestep = timestep
        self.speed = speed
        self.longest_backlog = max(longest_backlog, timestep / speed)
        self.dropped = 0.0
        self._clock = clock
        self._last = clock()
        self._collected = 0.0

    def due(self) -> int:
        """How many steps are due now; call it often and step as many."""
        now = self._clock()
        passed = now - self._last
        self._last = now
        if passed > self.longest_backlog:
            self.dropped += passed - self.longest_backlog
            passed = self.longest_backlog
        self._collected += passed * self.speed
        # A step that is due but for rounding is due.
        steps = int(self._collected / self.timestep + 1e-9)
        self._collected -= steps * self.timestep
        return steps

    def wait_time(self) -> float:
        """Time [s] until the next step is due."""
        missing = (self.timestep - self._collected) / self.speed
        return max(0.0, missing - (self._clock() - self._last))

    def restart(self) -> None:
        """Begins anew from now, as after a pause."""
        self._last = self._clock()
        self._collected = 0.0


def checked_speed(speed: float) -> float:
    """The wanted simulated seconds a second.

    Raises:
        UiError: They are not from 0.1 to 10.
    """
    if not SLOWEST <= speed <= FASTEST:
        raise UiError(f"the speed is {speed:g}; choose one from {SLOWEST:g} to {FASTEST:g}")
    return float(speed)


def nearest_speed(speed: float) -> float:
    """The speed that is allowed and nearest; the usual one if it is not a number."""
    return 1.0 if math.isnan(speed) else min(max(speed, SLOWEST), FASTEST)


def slider_speed(exponent: float | None) -> float:
    """What a slider over powers of ten stands for."""
    return nearest_speed(round(10.0 ** (exponent or 0.0), 2))
