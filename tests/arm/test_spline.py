"""Splines against those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from horus_sim.arm.spline import Spline


@pytest.mark.parametrize("count", [4, 5, 6, 40, 700])
def test_a_spline_is_that_of_scipy(count):
    random = np.random.default_rng(count)
    x = np.concatenate(([0.0], np.cumsum(random.random(count - 1) ** 4 + 1e-3)))
    y = np.cumsum(random.normal(size=(count, 6)), axis=0)
    ours, theirs = Spline(x, y), CubicSpline(x, y)
    s = np.concatenate((x, x[-1] * random.random(2_000)))
    for order, values in enumerate(ours.at(s)):
        expected = theirs(s, order)
        assert np.abs(values - expected).max() <= 1e-11 * np.abs(expected).max()


def test_a_cubic_is_its_own_spline():
    x = np.array([0.0, 0.1, 0.5, 0.6, 1.0])
    value, first, second = Spline(x, (x**3 - x)[:, np.newaxis]).at(np.linspace(0, 1, 50))
    s = np.linspace(0, 1, 50)[:, np.newaxis]
    np.testing.assert_allclose(value, s**3 - s, atol=1e-15)
    np.testing.assert_allclose(first, 3 * s**2 - 1, atol=1e-14)
    np.testing.assert_allclose(second, 6 * s, atol=1e-13)
