"""What is told about the newest messages of a topic: how often, how much, how late."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from horus_sim.hub.topic_rate import rate_of


class Sample(NamedTuple):
    """A message that arrived.

    Attributes:
        arrival_ns: When [ns].
        value: What was measured: its size [bytes] or its age [ns]; 0 where nothing was.
    """

    arrival_ns: int
    value: int


def rate_line(samples: Sequence[Sample]) -> str | None:
    """How often messages arrive; None when that cannot be told."""
    rate = rate_of([sample.arrival_ns for sample in samples])
    return None if rate is None else str(rate)


def bandwidth_line(samples: Sequence[Sample]) -> str | None:
    """How many bytes arrive; None when that cannot be told."""
    rate = rate_of([sample.arrival_ns for sample in samples])
    if rate is None:
        return None
    sizes = [sample.value for sample in samples]
    # Between the first and the last arrival came all but the first.
    per_second = statistics.fmean(sizes[1:]) * rate.mean_hz
    return (
        f"{bytes_text(per_second)}/s over {len(sizes)} messages: mean "
        f"{bytes_text(statistics.fmean(sizes))} (min {bytes_text(min(sizes))}, "
        f"max {bytes_text(max(sizes))})"
    )


def delay_line(samples: Sequence[Sample]) -> str | None:
    """How old messages are when they arrive; None when that cannot be told."""
    if not samples:
        return None
    delays_ms = [sample.value / 1e6 for sample in samples]
    return (
        f"{statistics.fmean(delays_ms):.3f} ms over {len(delays_ms)} messages "
        f"(min {min(delays_ms):.3f}, max {max(delays_ms):.3f}), "
        f"jitter {statistics.pstdev(delays_ms):.3f} ms"
    )


def bytes_text(count: float) -> str:
    """A number of bytes with a unit, as ``1.50 MB``."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count:.0f} B"
