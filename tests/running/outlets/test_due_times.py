"""The grid of measuring times."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from horus_sim.running.outlets.due_times import Grid

rates = st.floats(1e-3, 1e8) | st.sampled_from([10.0, 30.0, 60.0, 100.0, 240.0, 1000.0])


@given(rates, st.integers(0, 2**60))
def test_the_next_time_is_the_first_of_the_grid_that_is_later(rate, stamp):
    found = Grid(rate).after(stamp)
    period = 1_000_000_000 / Fraction(rate)
    assert found > stamp
    # Some k has this time, and the one before it is not later than the stamp.
    k = -(-found // period)
    assert any(int(n * period) == found for n in (k - 1, k, k + 1) if n >= 0)
    earlier = max(n for n in (k - 2, k - 1, k) if int(n * period) < found)
    assert int(earlier * period) <= stamp


def test_the_grid_never_drifts():
    grid, stamp = Grid(30.0), 0
    for _ in range(30 * 3600):
        stamp = grid.after(stamp)
    assert stamp == 3600 * 1_000_000_000
