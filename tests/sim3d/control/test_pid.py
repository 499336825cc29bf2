"""PID against what control theory says of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from horus_sim.errors import CommandError
from horus_sim.sim3d.control import PIDConfig


def test_proportional_part():
    pid = PIDConfig(kp=3.0).build(2)
    np.testing.assert_allclose(pid.update([1.0, -2.0], 0.01), [3.0, -6.0])


def test_integral_of_a_constant_error_is_a_ramp():
    pid = PIDConfig(kp=0.0, ki=2.0).build()
    outputs = [float(pid.update(0.5, 0.1)[0]) for _ in range(10)]
    np.testing.assert_allclose(outputs, 0.1 * np.arange(1, 11))


def test_derivative_of_a_ramp_is_its_slope():
    pid = PIDConfig(kp=0.0, kd=4.0).build()
    outputs = [float(pid.update(0.3 * step, 0.1)[0]) for step in range(4)]
    np.testing.assert_allclose(outputs, [0.0, 12.0, 12.0, 12.0])


def test_filtered_derivative_settles_with_its_time_constant():
    pid = PIDConfig(kp=0.0, kd=1.0, derivative_filter=0.2).build()
    outputs = [float(pid.update(0.0, 0.001, error_rate=1.0)[0]) for _ in range(200)]
    assert outputs[-1] == pytest.approx(1.0 - math.exp(-1.0), abs=2e-3)


def test_measured_rate_replaces_the_difference():
    pid = PIDConfig(kp=0.0, kd=2.0).build()
    assert pid.update(10.0, 0.1, error_rate=-0.5)[0] == pytest.approx(-1.0)


@pytest.mark.parametrize("damping", [0.2, 0.5, 0.8])
def test_step_response_of_a_mass_overshoots_and_settles_as_theory_says(damping: float):
    mass, natural, dt = 2.0, 3.0, 1e-3
    config = PIDConfig(kp=mass * natural**2, kd=2.0 * damping * mass * natural)
    pid = config.build()
    position = velocity = 0.0
    path = []
    for _ in range(int(6.0 / dt)):
        force = float(pid.update(1.0 - position, dt, error_rate=-velocity)[0])
        velocity += force / mass * dt
        position += velocity * dt
        path.append(position)
    root = math.sqrt(1.0 - damping**2)
    assert max(path) - 1.0 == pytest.approx(math.exp(-math.pi * damping / root), rel=0.02)
    assert np.argmax(path) * dt == pytest.approx(math.pi / (natural * root), rel=0.02)
    envelope = [math.exp(-damping * natural * step * dt) / root for step in range(0, len(path), 10)]
    assert all(
        abs(1.0 - place) <= bound + 5e-3 for place, bound in zip(path[::10], envelope, strict=True)
    )


def test_saturation_does_not_wind_up():
    wound = PIDConfig(kp=1.0, ki=5.0, output_limit=1.0).build()
    for _ in range(1000):
        wound.update(2.0, 0.01)
    assert wound.integral[0] == pytest.approx(0.0)
    assert wound.update(-0.1, 0.01)[0] < 0.0, "the output turns with the error"


def test_integral_limit():
    pid = PIDConfig(kp=0.0, ki=1.0, integral_limit=0.25).build()
    outputs = [pid.update(1.0, 0.1) for _ in range(100)]
    assert outputs[-1][0] == 0.25


@given(
    errors=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20),
    gains=st.tuples(*[st.floats(0.0, 100.0)] * 3),
    limit=st.floats(0.1, 50.0),
)
def test_output_never_exceeds_its_limit(
    errors: list[float], gains: tuple[float, float, float], limit: float
):
    kp, ki, kd = gains
    pid = PIDConfig(kp=kp, ki=ki, kd=kd, output_limit=limit).build()
    assert all(abs(pid.update(error, 0.01)[0]) <= limit for error in errors)


def test_state_continues_bit_by_bit():
    config = PIDConfig(kp=1.1, ki=0.7, kd=0.3, derivative_filter=0.02)
    pid = config.build(3)
    errors = np.random.default_rng(1).normal(size=(20, 3))
    for error in errors[:10]:
        pid.update(error, 0.01)
    twin = config.build(3)
    twin.set_state(pid.get_state())
    for error in errors[10:]:
        assert np.array_equal(pid.update(error, 0.01), twin.update(error, 0.01))


def test_reset_forgets():
    pid = PIDConfig(kp=1.0, ki=1.0, kd=1.0).build()
    first = pid.update(1.0, 0.1)
    pid.update(2.0, 0.1)
    pid.reset()
    assert pid.update(1.0, 0.1) == first


def test_misspelt_gain_is_refused():
    with pytest.raises(ValidationError, match="kpp"):
        PIDConfig(kpp=1.0)  # type: ignore[call-arg]


@pytest.mark.parametrize("dt", [0.0, -0.1, math.nan, math.inf])
def test_time_goes_forward(dt: float):
    controller = PIDConfig(kp=1.0, kd=0.1).build()
    with pytest.raises(CommandError, match="give the positive time since the last update"):
        controller.update(1.0, dt)


def test_an_error_that_is_no_number_is_refused_and_leaves_no_trace():
    controller = PIDConfig(kp=1.0, ki=1.0, kd=0.1).build()
    before = controller.update(1.0, 0.1)
    with pytest.raises(CommandError, match="is not finite; check what it is measured with"):
        controller.update(math.nan, 0.1)
    assert np.isfinite(controller.update(1.0, 0.1)).all()
    assert np.isfinite(before).all()
