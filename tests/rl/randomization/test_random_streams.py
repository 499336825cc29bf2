"""Random numbers by counter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim._native import rl_draw
from horus_sim.rl.randomization.random_streams import RandomStreams


def reference(counter, key):
    """Philox4x32-10 in plain Python."""
    mask = 0xFFFFFFFF
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


@given(
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
)
def test_numbers_are_philox(seed, episode, step, stream):
    out = np.empty((1, 3))
    seeds = np.array([seed], np.uint64)
    episodes, steps = np.array([episode], np.uint32), np.array([step], np.uint32)
    rl_draw(out, np.zeros(1, np.int64), seeds, episodes, steps, stream, False)
    key = (seed & 0xFFFFFFFF, seed >> 32)
    first = reference((0, stream, step, episode), key)
    second = reference((1, stream, step, episode), key)
    words = [first[:2], first[2:], second[:2]]
    expected = [((high << 32 | low) >> 11) * 2.0**-53 for high, low in words]
    np.testing.assert_array_equal(out[0], expected)


def test_rows_belong_to_their_environments_and_names_are_streams():
    random = RandomStreams(6)
    random.seed(random.ids, np.arange(100, 106, dtype=np.uint64))
    random.begin_episode(random.ids)
    everything = random.uniform("a", random.ids, 4)
    np.testing.assert_array_equal(random.uniform("a", np.array([1, 4]), 4), everything[[1, 4]])
    assert (random.uniform("b", random.ids, 4) != everything).all()
    random.begin_episode(np.array([2]))
    again = random.uniform("a", random.ids, 4)
    assert (again[2] != everything[2]).all()
    np.testing.assert_array_equal(np.delete(again, 2, 0), np.delete(everything, 2, 0))
    random.steps += 1
    np.testing.assert_array_equal(random.uniform("a", random.ids, 4), again)
    before = random.step_normal("a", None, 3)
    random.steps += 1
    assert (random.step_normal("a", None, 3) != before).all()


def test_moments():
    random = RandomStreams(500)
    random.seed(random.ids, random.ids.astype(np.uint64))
    random.begin_episode(random.ids)
    normal = random.normal("n", random.ids, 101)
    assert normal.mean() == pytest.approx(0, abs=0.02)
    assert normal.std() == pytest.approx(1, rel=0.02)
    assert np.abs(np.corrcoef(normal[:, :5].T) - np.eye(5)).max() < 0.2
    uniform = random.uniform("u", random.ids, 100, 2.0, 4.0)
    assert uniform.min() >= 2
    assert uniform.max() < 4
    assert uniform.mean() == pytest.approx(3, abs=0.02)


def test_arrays_that_do_not_fit_are_refused():
    ok, counts = np.zeros(2, np.uint64), np.zeros(2, np.uint32)
    with pytest.raises(ValueError, match="a row for each of ids"):
        rl_draw(np.empty((2, 1)), np.zeros(1, np.int64), ok, counts, counts, 0, False)
    with pytest.raises(IndexError, match="no environment"):
        rl_draw(np.empty((1, 1)), np.array([2]), ok, counts, counts, 0, False)
    with pytest.raises(ValueError, match="same length"):
        rl_draw(np.empty((1, 1)), np.array([0]), ok, counts[:1], counts, 0, False)
