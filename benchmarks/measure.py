"""CPU time of small calls: medians over repeats, with the cost of the empty loop taken off."""

from __future__ import annotations

import statistics
import time
from itertools import repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 15


def cpu_ns(run: Callable[[], object], divide_by: int = 1, repeats: int = REPEATS) -> float:
    """Median CPU time of this thread for one `run` [ns], divided by the number of its items."""
    run()
    times = []
    for _ in range(repeats):
        start = time.thread_time_ns()
        run()
        times.append(time.thread_time_ns() - start)
    return statistics.median(times) / divide_by


def loop(statement: Callable[..., object], *arguments: object, calls: int) -> Callable[[], None]:
    """A run that calls `statement(*arguments)` many times."""

    def run() -> None:
        for _ in repeat(None, calls):
            statement(*arguments)

    return run


def call_ns(statement: Callable[..., object], *arguments: object, calls: int = 20_000) -> float:
    """Median CPU time of one call [ns], without the loop around it."""
    empty = cpu_ns(lambda: [None for _ in repeat(None, calls)], calls)
    return cpu_ns(loop(statement, *arguments, calls=calls), calls) - empty
