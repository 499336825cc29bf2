"""Times outside the history: tolerance, prediction, and what the error says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.tf import ExtrapolationError, TFTree, Transform

from .strategies import axes, vectors

I = Transform.identity()  # noqa: E741 - as in the literature
NS = 1_000_000_000
YEAR_NS = 365 * 24 * 3600 * NS


def x(metres: float) -> Transform:
    return Transform((metres, 0, 0))


def walker(*stamps_ns: int) -> TFTree:
    """odom -> base, whose x [m] is the stamp."""
    tree = TFTree()
    for stamp_ns in stamps_ns:
        tree.add_transform("odom", "base", x(stamp_ns), stamp_ns)
    return tree


# Tolerance ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("past", [False, True])
@pytest.mark.parametrize("gap_ns", [1, 5, 6, 7])
def test_within_the_tolerance_the_nearest_sample_is_held(gap_ns, past):
    tree = walker(10, 20, 30)
    time_ns, nearest = (10 - gap_ns, 10) if past else (30 + gap_ns, 30)
    assert not tree.can_transform("base", "odom", time_ns)
    if gap_ns <= 6:
        assert tree.lookup_transform("base", "odom", time_ns, tolerance_ns=6) == x(nearest)
        assert tree.frame_pose("base", "odom", time_ns, tolerance_ns=6) == x(nearest)
        assert tree.can_transform("base", "odom", time_ns, tolerance_ns=6)
    else:
        assert not tree.can_transform("base", "odom", time_ns, tolerance_ns=6)
        with pytest.raises(ExtrapolationError) as raised:
            tree.lookup_transform("base", "odom", time_ns, tolerance_ns=6)
        assert raised.value.gap_ns == gap_ns


def test_each_link_is_held_for_itself():
    tree = walker(0, 100)
    tree.add_transform("base", "arm", x(1), 40)
    tree.add_transform("base", "arm", x(3), 60)
    for time_ns, expected in ((30, 30 + 1), (50, 50 + 2), (70, 70 + 3)):
        T = tree.lookup_transform("arm", "odom", time_ns, tolerance_ns=10)
        assert T.translation[0] == pytest.approx(expected)
    assert not tree.can_transform("arm", "odom", 71, tolerance_ns=10)


def test_the_largest_tolerance_covers_every_time():
    tree = walker(0)
    for time_ns in (-(2**63) + 1, 2**63 - 1):
        assert tree.lookup_transform("base", "odom", time_ns, tolerance_ns=2**63 - 1) == I


def test_a_tolerance_changes_nothing_inside_the_history():
    tree = walker(0, 10)
    assert tree.lookup_transform("base", "odom", 5, tolerance_ns=100) == x(5)
    assert tree.lookup_transform("base", "odom", tolerance_ns=100) == x(10)


# Prediction ---------------------------------------------------------------------------------------


@given(vectors, vectors, axes, st.floats(0, 3), st.integers(10**6, 10**8), st.floats(0, 50))
def test_prediction_is_constant_velocity(start, step, axis, turn, step_ns, steps):
    first = Rotation.from_rotvec((0.3, -0.2, 0.1))
    tree = TFTree()
    for k in range(2):
        rotation = first * Rotation.from_rotvec(k * turn * axis)
        tree.add_transform("a", "b", Transform(start + k * step, rotation.as_quat()), k * step_ns)
    time_ns = step_ns + round(steps * step_ns)
    u = time_ns / step_ns
    T = tree.lookup_transform("b", "a", time_ns, predict=True)
    np.testing.assert_allclose(T.translation, start + u * step, rtol=0, atol=1e-9)
    expected = first * Rotation.from_rotvec(u * turn * axis)
    # A rounding error of the two quaternions grows with the distance, and more so for a small turn.
    assert (Rotation.from_quat(T.rotation).inv() * expected).magnitude() < 1e-7
    assert abs(np.linalg.norm(T.rotation) - 1.0) < 1e-12


@pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-8, 1e-4, 1.0, 3.0])
@pytest.mark.parametrize("ahead", [1e1, 1e3, 1e6, 1e10])
def test_a_prediction_has_a_unit_quaternion_however_far(turn, ahead):
    tree = TFTree()
    tree.add_transform("a", "b", Transform.from_euler(rpy=(0.1, 0.2, 0.3)), 0)
    tree.add_transform("a", "b", Transform.from_euler(rpy=(0.1 + turn, 0.2, 0.3)), 1)
    q = tree.lookup_transform("b", "a", round(ahead), predict=True).rotation
    assert abs(np.linalg.norm(q) - 1.0) < 1e-12


def test_prediction_uses_the_last_two_samples_only():
    tree = walker(0, 10)
    tree.add_transform("odom", "base", x(30), 20)
    assert tree.lookup_transform("base", "odom", 25, predict=True) == x(40)
    tree.add_transform("odom", "base", x(28), 19)
    assert tree.lookup_transform("base", "odom", 25, predict=True) == x(40)
    tree.add_transform("odom", "base", x(30), 24)
    assert tree.lookup_transform("base", "odom", 28, predict=True) == x(30)


@pytest.mark.parametrize("count", [2, 15, 16, 17, 18, 32, 33, 100])
def test_prediction_finds_the_last_two_samples(count):
    tree = walker(*range(0, 10 * count, 10))
    newest = 10 * (count - 1)
    assert tree.lookup_transform("base", "odom", newest + 7, predict=True).translation[0] == (
        pytest.approx(newest + 7)
    )


def test_prediction_moves_each_link_for_itself():
    tree = walker(0, 100)
    tree.add_transform("base", "arm", Transform((0, 0, 0)), 0)
    tree.add_transform("base", "arm", Transform((0, 1, 0)), 10)
    T = tree.lookup_transform("arm", "odom", 50, predict=True)
    np.testing.assert_allclose(T.translation, (50, 5, 0), atol=1e-12)
    T = tree.lookup_transform("arm", "odom", 200, predict=True)
    np.testing.assert_allclose(T.translation, (200, 20, 0), atol=1e-12)


def test_a_tolerance_limits_how_far_to_predict():
    tree = walker(0, 10)
    assert tree.lookup_transform("base", "odom", 15, predict=True, tolerance_ns=5) == x(15)
    with pytest.raises(ExtrapolationError) as raised:
        tree.lookup_transform("base", "odom", 16, predict=True, tolerance_ns=5)
    assert not raised.value.predicting
    assert raised.value.gap_ns == 6
    assert tree.lookup_transform("base", "odom", -5, predict=True, tolerance_ns=5) == x(0)


def test_the_past_is_not_predicted():
    tree = walker(10, 20)
    with pytest.raises(ExtrapolationError) as raised:
        tree.lookup_transform("base", "odom", 9, predict=True)
    assert (raised.value.direction, raised.value.predicting) == ("past", False)


def test_one_sample_predicts_nothing():
    tree = walker(10)
    with pytest.raises(ExtrapolationError, match="needs two samples of one parent") as raised:
        tree.lookup_transform("base", "odom", 11, predict=True)
    error = raised.value
    assert (error.predicting, error.direction, error.gap_ns) == (True, "future", 1)
    assert not tree.can_transform("base", "odom", 11, predict=True)
    assert tree.lookup_transform("base", "odom", 10, predict=True) == x(10)


def test_samples_of_two_parents_predict_nothing():
    tree = walker(0, 10)
    tree.add_static_transform("odom", "lift", x(100))
    tree.add_transform("lift", "base", x(1), 20)
    with pytest.raises(ExtrapolationError, match="needs two samples of one parent") as raised:
        tree.lookup_transform("base", "odom", 21, predict=True)
    assert (raised.value.parent, raised.value.child) == ("lift", "base")
    tree.add_transform("lift", "base", x(2), 30)
    assert tree.lookup_transform("base", "odom", 40, predict=True) == x(103)


def test_a_static_frame_needs_no_prediction():
    tree = TFTree()
    tree.add_static_transform("a", "b", x(1))
    assert tree.lookup_transform("b", "a", 99, predict=True) == x(1)


# The error ----------------------------------------------------------------------------------------


def failing_look_up(tree: TFTree, time_ns: int | None, **options) -> ExtrapolationError:
    with pytest.raises(ExtrapolationError) as raised:
        tree.lookup_transform("base", "odom", time_ns, **options)
    return raised.value


def test_the_future():
    tree = TFTree()
    tree.add_transform("odom", "base_link", I, 2_000_000_000)
    tree.add_transform("odom", "base_link", I, 12_180_000_000)
    with pytest.raises(ExtrapolationError) as raised:
        tree.lookup_transform("base_link", "odom", 12_500_000_000)
    error = raised.value
    assert str(error) == (
        "'odom' -> 'base_link' at 12.500 s is 0.320 s after its newest sample (12.180 s); "
        "ask for time=None, wait_for_transform, predict=True or a tolerance_ns."
    )
    assert (error.parent, error.child) == ("odom", "base_link")
    assert (error.oldest_ns, error.newest_ns) == (12_180_000_000, 12_180_000_000)
    assert (error.requested_ns, error.gap_ns) == (12_500_000_000, 320_000_000)
    assert (error.direction, error.predicting) == ("future", False)


def test_the_past():
    error = failing_look_up(walker(3 * NS, 4 * NS), 2_999_999_999)
    assert str(error) == (
        "'odom' -> 'base' at 2.999999999 s is 0.000000001 s before its oldest sample (3.000 s); "
        "ask for a later time, allow tolerance_ns, or build the tree with a longer buffer_duration."
    )
    assert (error.oldest_ns, error.newest_ns) == (3 * NS, 4 * NS)
    assert (error.direction, error.gap_ns) == ("past", 1)


def test_one_sample_and_prediction():
    assert str(failing_look_up(walker(0), NS, predict=True)) == (
        "'odom' -> 'base' at 1.000 s is 1.000 s after its newest sample (0.000 s); predict=True "
        "needs two samples of one parent and there is one: wait for another."
    )


@pytest.mark.parametrize(
    ("time_ns", "side"), [(1_700_000_000 * NS, "after"), (-50 * YEAR_NS, "before")]
)
def test_two_clocks(time_ns, side):
    text = str(failing_look_up(walker(0), time_ns))
    assert f" {side} its " in text
    assert text.endswith(
        f"; they are {abs(time_ns) / YEAR_NS:.1f} years apart, so request and data come from two "
        "clocks (simulated and wall time?): stamp both from the same one."
    )


def test_a_year_apart_may_still_be_one_clock():
    assert "two clocks" not in str(failing_look_up(walker(0), YEAR_NS))
    assert "two clocks" in str(failing_look_up(walker(0), YEAR_NS + 1))


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_direction_and_gap_at_any_two_times(stamp_ns, time_ns):
    tree = walker()
    tree.add_transform("odom", "base", I, stamp_ns)
    if stamp_ns == time_ns:
        assert tree.can_transform("base", "odom", time_ns)
        return
    error = failing_look_up(tree, time_ns)
    assert error.direction == ("past" if time_ns < stamp_ns else "future")
    assert error.gap_ns == abs(time_ns - stamp_ns)
    assert (error.oldest_ns, error.newest_ns, error.requested_ns) == (stamp_ns, stamp_ns, time_ns)


def test_the_link_without_data_is_named_and_not_the_frames_asked_for():
    tree = walker(0, 100)
    tree.add_static_transform("map", "odom", I)
    tree.add_transform("base", "arm", I, 0)
    tree.add_transform("base", "arm", I, 50)
    tree.add_static_transform("arm", "camera", I)
    for source, target in (("camera", "map"), ("map", "camera")):
        with pytest.raises(ExtrapolationError) as raised:
            tree.lookup_transform(source, target, 60)
        assert (raised.value.parent, raised.value.child) == ("base", "arm")


def test_the_parent_named_is_that_of_the_time():
    tree = walker(0)
    tree.add_static_transform("odom", "lift", I)
    tree.add_transform("lift", "base", I, 10)
    assert failing_look_up(tree, -1).parent == "odom"
    assert failing_look_up(tree, 11).parent == "lift"


def test_a_caught_error_reads_the_same_later():
    tree = walker(0)
    error = failing_look_up(tree, NS)
    before = str(error)
    tree.add_transform("odom", "base", I, 2 * NS)
    tree.remove_frame("base")
    assert str(error) == before
    assert math.isclose(error.gap_ns / NS, 1.0)
