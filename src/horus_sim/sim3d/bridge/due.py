"""When something is due in simulated time."""

from __future__ import annotations

from horus_sim.sim3d.sensors.schedule import Grid

NEVER_NS = 2**63


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
