"""A velocity command is only good for a while."""

from __future__ import annotations

_ROUNDING = 1e-9  # [s]; a sum of time steps is not exactly a multiple of one


class Watchdog:
    """Tells when nobody has commanded for too long, in simulated time.

    Args:
        timeout: How long a command holds [s]; None for ever.
    """

    __slots__ = ("_deadline", "timeout")

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self._deadline = -1.0

    def feed(self, time: float) -> None:
        """A command came at this simulated time [s]."""
        self._deadline = float("inf") if self.timeout is None else time + self.timeout - _ROUNDING

    def has_expired(self, time: float) -> bool:
        """Whether the last command is too old at this simulated time [s], or none ever came."""
        return time >= self._deadline

    def get_state(self) -> float:
        """The time [s] at which the last command expires."""
        return self._deadline

    def set_state(self, state: float) -> None:
        """Continues from what `get_state` gave."""
        self._deadline = state
