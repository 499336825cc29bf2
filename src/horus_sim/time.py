"""The time of the day, for stamps that people read."""

from __future__ import annotations

import time


def now() -> float:
    """Wall time [s] since 1970."""
    return time.time()


def now_ns() -> int:
    """Wall time [ns] since 1970, the unit of stamps."""
    return time.time_ns()
