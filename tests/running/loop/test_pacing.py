"""Fixed steps against a clock, on a clock that the test turns."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import UiError
from horus_sim.running import Pacer
from horus_sim.running.loop.pacing import (
    FASTEST,
    SLOWEST,
    checked_speed,
    nearest_speed,
    slider_speed,
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_steps_follow_the_clock():
    clock = Clock()
    pacer = Pacer(1 / 240, clock=clock)
    assert pacer.due() == 0
    total = 0
    for _ in range(60):
        clock.now += 1 / 60
        total += pacer.due()
    assert total == 240
    assert pacer.dropped == 0.0


def test_twice_as_fast_is_twice_as_many():
    clock = Clock()
    pacer = Pacer(0.01, speed=2.0, clock=clock)
    clock.now += 0.05
    assert pacer.due() == 10


def test_a_long_pause_is_not_made_up_for():
    clock = Clock()
    pacer = Pacer(0.01, longest_backlog=0.1, clock=clock)
    clock.now += 3.0
    assert pacer.due() == 10
    assert pacer.dropped == pytest.approx(2.9)
    clock.now += 0.02
    assert pacer.due() == 2


def test_the_wait_is_the_rest_of_the_step():
    clock = Clock()
    pacer = Pacer(0.01, clock=clock)
    clock.now += 0.004
    assert pacer.due() == 0
    assert pacer.wait_time() == pytest.approx(0.006)
    clock.now += 0.002
    assert pacer.wait_time() == pytest.approx(0.004)
    clock.now += 0.1
    assert pacer.wait_time() == 0.0
    pacer.restart()
    assert pacer.due() == 0


@given(st.lists(st.floats(0.0, 0.09), max_size=50), st.floats(0.001, 0.05))
def test_no_time_is_lost_or_made(passed: list[float], timestep: float):
    clock = Clock()
    pacer = Pacer(timestep, clock=clock)
    steps = 0
    for duration in passed:
        clock.now += duration
        steps += pacer.due()
    assert abs(steps * timestep - sum(passed)) <= timestep * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("values", [(0.0, 1.0), (0.01, 0.0), (float("nan"), 1.0)])
def test_nonsense_is_refused(values: tuple[float, float]):
    with pytest.raises(ValueError, match="timestep and speed are positive"):
        Pacer(*values)


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
