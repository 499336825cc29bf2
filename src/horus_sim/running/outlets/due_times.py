"""When something is due in simulated time."""

from __future__ import annotations

from fractions import Fraction

from horus_sim.time import NS_PER_S

NEVER_NS = 2**63


class Grid:
    """The times k / rate, k = 1, 2, ..., each cut to whole nanoseconds.

    The grid begins at simulated time 0 for every sensor, so that equal rates coincide.

    Args:
        rate_hz: [Hz].
    """

    __slots__ = ("_denominator", "_numerator")

    def __init__(self, rate_hz: float) -> None:
        period_ns = NS_PER_S / Fraction(rate_hz)
        self._numerator, self._denominator = period_ns.as_integer_ratio()

    def after(self, stamp_ns: int) -> int:
        """The first time of the grid [ns] that is later than a stamp [ns]."""
        # The smallest k whose time is at least the next nanosecond: a division that rounds up.
        k = -(-(stamp_ns + 1) * self._denominator // self._numerator)
        return k * self._numerator // self._denominator


class Due:
    """A grid in simulated time that is due at once and then at k / rate.

    Args:
        rate_hz: [Hz]; None is never.

    Attributes:
        next_ns: Simulated time [ns] at which it is due.
    """

    __slots__ = ("_grid", "next_ns")

    def __init__(self, rate_hz: float | None) -> None:
        self._grid = None if rate_hz is None else Grid(rate_hz)
        self.next_ns = NEVER_NS
        self.restart()

    def restart(self) -> None:
        """Is due at once."""
        self.next_ns = NEVER_NS if self._grid is None else 0

    def pop(self, stamp_ns: int) -> bool:
        """Whether it is due; if so, the next time comes later than `stamp_ns`."""
        if stamp_ns < self.next_ns or self._grid is None:
            return False
        self.next_ns = self._grid.after(stamp_ns)
        return True
