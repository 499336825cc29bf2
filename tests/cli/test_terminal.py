"""Signs of life on the terminal."""

from __future__ import annotations

import pytest

from horus_sim.cli.terminal import time_bar


@pytest.mark.parametrize("duration", [None, 0.5, 10.0])
def test_a_bar_takes_any_time_with_and_without_an_end(duration: float | None):
    with time_bar("a run", duration) as show:
        for passed in (0.0, 0.25, 100.0):
            show(passed)
