"""One range of speeds for all pages."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import UiError
from horus_sim.running.speed import FASTEST, SLOWEST, checked_speed, nearest_speed, slider_speed


@given(st.floats())
def test_the_nearest_speed_is_always_allowed_and_an_allowed_one_is_its_own(speed):
    nearest = nearest_speed(speed)
    assert checked_speed(nearest) == nearest
    if SLOWEST <= speed <= FASTEST:
        assert nearest == speed


@pytest.mark.parametrize("speed", [0.0, -1.0, 0.099, 10.1, math.inf, math.nan])
def test_others_are_refused(speed):
    with pytest.raises(UiError, match=rf"the speed is {speed:g}; choose one from 0\.1 to 10"):
        checked_speed(speed)


@pytest.mark.parametrize(("exponent", "speed"), [(None, 1.0), (-1.0, 0.1), (1.0, 10.0), (0.3, 2.0)])
def test_a_slider_goes_over_powers_of_ten(exponent, speed):
    assert slider_speed(exponent) == speed
