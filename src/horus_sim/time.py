"""The time of day, and the unit of stamps."""

from __future__ import annotations

import time

NS_PER_S = 1_000_000_000
"""Nanoseconds in a second; stamps are integers [ns]."""


def now() -> float:
    """Wall time [s] since 1970."""
    return time.time()


def now_ns() -> int:
    """Wall time [ns] since 1970, the unit of stamps."""
    return time.time_ns()
