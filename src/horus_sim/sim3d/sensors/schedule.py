"""When a sensor measures: a grid in simulated time, in whole nanoseconds, that never drifts."""

from __future__ import annotations

from fractions import Fraction

_NS = 1_000_000_000


class Grid:
    """The times k / rate, k = 1, 2, ..., each cut to whole nanoseconds.

    The grid begins at simulated time 0 for every sensor, so that equal rates coincide.

    Args:
        rate_hz: [Hz].
    """

    __slots__ = ("_denominator", "_numerator")

    def __init__(self, rate_hz: float) -> None:
        period_ns = _NS / Fraction(rate_hz)
        self._numerator, self._denominator = period_ns.as_integer_ratio()

    def after(self, stamp_ns: int) -> int:
        """The first time of the grid [ns] that is later than a stamp [ns]."""
        # The smallest k whose time is at least the next nanosecond: a division that rounds up.
        k = -(-(stamp_ns + 1) * self._denominator // self._numerator)
        return k * self._numerator // self._denominator
