"""Trajectories against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import CommandError
from horus_sim.sim3d.control import JointTrajectory

METHODS = ("cubic", "quintic")


def make(method: str = "cubic") -> JointTrajectory:
    return JointTrajectory(
        ("a", "b"),
        np.array([0.0, 1.0, 2.5, 3.0]),
        np.array([[0.0, 1.0], [0.8, -0.3], [-0.5, 0.2], [0.1, 0.4]]),
        method,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("method", METHODS)
def test_passes_through_its_waypoints_at_their_times(method: str):
    trajectory = make(method)
    for time, position in zip(trajectory.times, trajectory.positions, strict=True):
        np.testing.assert_allclose(trajectory.sample(time)[0], position, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_rests_at_both_ends_and_beyond(method: str):
    trajectory = make(method)
    for time in (0.0, 3.0, -1.0, 9.0):
        np.testing.assert_allclose(trajectory.sample(time)[1], 0.0, atol=1e-12)
    np.testing.assert_array_equal(trajectory.sample(-1.0)[0], trajectory.positions[0])
    np.testing.assert_array_equal(trajectory.sample(9.0)[0], trajectory.positions[-1])


def test_quintic_starts_and_ends_without_acceleration():
    trajectory = make("quintic")
    for time in (0.0, 3.0):
        np.testing.assert_allclose(trajectory.sample(time)[2], 0.0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_velocity_and_acceleration_are_continuous_and_true_derivatives(method: str):
    trajectory = make(method)
    step = 1e-5
    for time in (0.3, 1.0 - step, 1.0, 1.7, 2.5, 2.9):
        before, now, after = (trajectory.sample(time + shift) for shift in (-step, 0.0, step))
        np.testing.assert_allclose(now[1], (after[0] - before[0]) / (2 * step), atol=1e-4)
        np.testing.assert_allclose(now[2], (after[1] - before[1]) / (2 * step), atol=2e-3)


@pytest.mark.parametrize(
    ("method", "shape", "peak"),
    [
        ("cubic", lambda s: 3 * s**2 - 2 * s**3, 1.5),
        ("quintic", lambda s: 10 * s**3 - 15 * s**4 + 6 * s**5, 1.875),
    ],
)
def test_between_two_waypoints_it_is_the_textbook_polynomial(method, shape, peak):
    trajectory = JointTrajectory(("a",), np.array([0.0, 2.0]), np.array([[1.0], [4.0]]), method)
    for time in np.linspace(0.0, 2.0, 21):
        assert trajectory.sample(time)[0][0] == pytest.approx(1.0 + 3.0 * shape(time / 2.0))
    assert trajectory.peak_velocities()[0] == pytest.approx(peak * 3.0 / 2.0)


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 10_000))
def test_peaks_bound_every_sample(method: str, seed: int):
    random = np.random.default_rng(seed)
    times = np.concatenate(([0.0], np.cumsum(random.uniform(0.2, 1.5, 4))))
    trajectory = JointTrajectory(("a",), times, random.normal(size=(5, 1)), method)  # type: ignore[arg-type]
    samples = [trajectory.sample(time) for time in np.linspace(0.0, times[-1], 200)]
    low, high = trajectory.peak_positions()
    assert all(low[0] - 1e-9 <= sample[0][0] <= high[0] + 1e-9 for sample in samples)
    fastest = trajectory.peak_velocities()[0]
    assert max(abs(sample[1][0]) for sample in samples) <= fastest + 1e-9
    assert max(abs(sample[1][0]) for sample in samples) >= 0.95 * fastest


def test_stretching_keeps_the_path_and_divides_the_speed():
    slow = make().stretched(2.0)
    assert slow.duration == 6.0
    np.testing.assert_allclose(slow.peak_velocities(), make().peak_velocities() / 2.0)
    np.testing.assert_allclose(slow.sample(1.4)[0], make().sample(0.7)[0])


def test_coming_from_elsewhere():
    late = JointTrajectory(("a",), np.array([1.0, 2.0]), np.array([[1.0], [2.0]]))
    whole = late.coming_from([5.0])
    np.testing.assert_array_equal(whole.times, [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(whole.positions, [[5.0], [1.0], [2.0]])
    np.testing.assert_array_equal(late.sample(0.5)[0], [1.0])
    with pytest.raises(CommandError, match="start at 0 or later and grow"):
        whole.coming_from([0.0])


def test_by_name():
    trajectory = JointTrajectory.through([{"a": 0.0, "b": 1.0}, {"b": 2.0, "a": 3.0}], [0.0, 1.0])
    np.testing.assert_array_equal(trajectory.positions, [[0.0, 1.0], [3.0, 2.0]])


@pytest.mark.parametrize(
    ("names", "times", "positions", "text"),
    [
        (("a",), [0.0, 0.0], [[0.0], [1.0]], "must start at 0 or later and grow"),
        (("a",), [-1.0, 2.0], [[0.0], [1.0]], "must start at 0 or later"),
        (("a",), [0.0], [[0.0]], "needs N >= 2 times"),
        (("a", "b"), [0.0, 1.0], [[0.0], [1.0]], r"positions of shape \(N, 2\)"),
        (("a", "a"), [0.0, 1.0], [[0.0, 0.0], [1.0, 1.0]], "each joint once"),
        ((), [0.0, 1.0], np.zeros((2, 0)), "each joint once; got none"),
        (("a",), [0.0, np.inf], [[0.0], [1.0]], "not finite"),
        (("a",), [0.0, 1.0], [[0.0], [np.nan]], "not finite"),
    ],
)
def test_errors_say_what_is_wrong(names, times, positions, text):
    with pytest.raises(CommandError, match=text):
        JointTrajectory(names, np.array(times), np.array(positions))


def test_unknown_method():
    with pytest.raises(CommandError, match="'septic' is unknown; use 'cubic' or 'quintic'"):
        make("septic")


def test_waypoints_must_name_the_same_joints():
    with pytest.raises(CommandError, match=r"way-point 1 .* \('b'\)"):
        JointTrajectory.through([{"a": 0.0}, {"a": 1.0, "b": 1.0}], [0.0, 1.0])
    with pytest.raises(CommandError, match="got none"):
        JointTrajectory.through([], [])


def test_coming_from_a_motion_goes_on_with_its_speed():
    points = np.array([[1.2], [1.4]])
    late = JointTrajectory(("a",), np.array([0.1, 0.2]), points, velocities=np.full((2, 1), 2.0))
    whole = late.coming_from([1.0], [2.0])
    for time in (0.0, 0.05, 0.1):
        position, velocity, _ = whole.sample(time)
        assert position == pytest.approx([1.0 + 2.0 * time])
        assert velocity == pytest.approx([2.0])
