"""How regularly messages arrive."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_SHORTEST_SILENCE_S = 0.9


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of a row of messages.

    Attributes:
        messages: Number of messages.
        mean_hz: Mean rate [Hz].
        mean_ms: Mean interval [ms].
        shortest_ms: Shortest interval [ms].
        longest_ms: Longest interval [ms].
        jitter_ms: Standard deviation of the intervals [ms].
    """

    messages: int
    mean_hz: float
    mean_ms: float
    shortest_ms: float
    longest_ms: float
    jitter_ms: float

    def __str__(self) -> str:
        return (
            f"{self.mean_hz:.3f} Hz over {self.messages} messages: "
            f"interval {self.mean_ms:.3f} ms (min {self.shortest_ms:.3f}, "
            f"max {self.longest_ms:.3f}), jitter {self.jitter_ms:.3f} ms"
        )


def rate_of(arrivals_ns: Sequence[int]) -> Rate | None:
    """The rate of messages by their times of arrival.

    Args:
        arrivals_ns: Times [ns], ascending.

    Returns:
        The rate; None when the times are fewer than two, or all the same.
    """
    if len(arrivals_ns) < 2 or arrivals_ns[-1] == arrivals_ns[0]:
        return None
    intervals_ms = [(later - earlier) / 1e6 for earlier, later in itertools.pairwise(arrivals_ns)]
    mean_ms = statistics.fmean(intervals_ms)
    return Rate(
        len(arrivals_ns),
        1e3 / mean_ms,
        mean_ms,
        min(intervals_ms),
        max(intervals_ms),
        statistics.pstdev(intervals_ms),
    )


def silence_s(arrivals_ns: Sequence[int], begin_ns: int, now_ns: int) -> float | None:
    """How long nothing has arrived, where that is longer than the pauses between messages.

    Args:
        arrivals_ns: Times of arrival [ns], ascending.
        begin_ns: Time [ns] since which messages are awaited.
        now_ns: Time now [ns].

    Returns:
        Time [s] since the last message, or since the beginning without any; None while messages
        arrive.
    """
    silent_s = (now_ns - (arrivals_ns[-1] if arrivals_ns else begin_ns)) / 1e9
    rate = rate_of(arrivals_ns)
    usual_s = 0.0 if rate is None else rate.mean_ms / 1e3
    return silent_s if silent_s > max(_SHORTEST_SILENCE_S, 3.0 * usual_s) else None
