"""Stamps are integer nanoseconds; this is the way there from seconds."""

from __future__ import annotations

import math

from horus_sim.errors import InvalidTransformError
from horus_sim.time import NS_PER_S


def to_ns(seconds: float) -> int:
    """A time or duration [s] as integer nanoseconds, rounded to the nearest.

    Args:
        seconds: Time or duration [s].

    Raises:
        InvalidTransformError: It is not finite.
    """
    if not math.isfinite(seconds):
        raise InvalidTransformError(f"a time must be finite, got {seconds!r} seconds")
    whole, fraction = divmod(seconds, 1)
    # Apart, because a float of 1.7e9 s times 1e9 has lost its nanoseconds.
    return int(whole) * NS_PER_S + round(fraction * 1e9)
