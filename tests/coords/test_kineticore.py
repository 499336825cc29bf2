"""The named functions: the reference's own tests, and its rules where they hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.coords import (
    BABYLON,
    KINETICORE_URDF,
    URDF,
    ConventionError,
    babylon_rotation_to_user,
    babylon_to_urdf_axis,
    babylon_to_urdf_position,
    babylon_to_urdf_rpy,
    babylon_to_user,
    babylon_vector_to_user,
    convert,
    urdf_rpy_to_babylon,
    urdf_to_babylon_axis,
    urdf_to_babylon_position,
    user_rotation_to_babylon,
    user_to_babylon,
    user_vector_to_babylon,
)

lengths = st.floats(-1e4, 1e4)
points = st.tuples(lengths, lengths, lengths)
angles = st.floats(-math.pi, math.pi)
quats = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)


def test_user_z_up_to_babylon_y_up():
    assert user_to_babylon((100, 0, 1000)).tolist() == [0.1, 1.0, 0.0]


def test_urdf_z_up_to_babylon_y_up():
    assert urdf_to_babylon_position([0.5, 0.0, 1.0]).tolist() == [0.5, 1.0, 0.0]


def test_user_to_babylon_and_back():
    restored = babylon_to_user(user_to_babylon((100, 200, 300)))
    np.testing.assert_allclose(restored, (100, 200, 300), rtol=1e-15)


@given(points)
def test_positions_follow_the_reference_to_the_letter(p: tuple[float, float, float]):
    x, y, z = p
    np.testing.assert_allclose(user_to_babylon(p), (x * 0.001, z * 0.001, y * 0.001), rtol=1e-15)
    np.testing.assert_allclose(babylon_to_user(p), (x * 1000, z * 1000, y * 1000), rtol=1e-15)
    assert urdf_to_babylon_position(p).tolist() == [x, z, y]
    assert babylon_to_urdf_position(p).tolist() == [x, z, y]


@given(points)
def test_vectors_and_axes_swap_y_and_z_without_scaling(p: tuple[float, float, float]):
    x, y, z = p
    for swap in (
        user_vector_to_babylon,
        babylon_vector_to_user,
        urdf_to_babylon_axis,
        babylon_to_urdf_axis,
    ):
        assert swap(p).tolist() == [x, z, y]


@given(quats, points)
def test_user_rotations_agree_with_positions(quat, p):
    turned = Rotation.from_quat(quat).apply(p)
    in_babylon = Rotation.from_quat(user_rotation_to_babylon(quat))
    np.testing.assert_allclose(
        in_babylon.apply(user_to_babylon(p)), user_to_babylon(turned), atol=1e-10
    )


@given(quats)
def test_user_rotations_come_back(quat):
    back = babylon_rotation_to_user(user_rotation_to_babylon(quat))
    np.testing.assert_allclose(back, quat / np.linalg.norm(quat), atol=1e-15)


@given(angles, angles, angles, points)
def test_rpy_agrees_with_positions(roll, pitch, yaw, p):
    turned = Rotation.from_euler("xyz", (roll, pitch, yaw)).apply(p)
    in_babylon = Rotation.from_quat(urdf_rpy_to_babylon((roll, pitch, yaw)))
    np.testing.assert_allclose(
        in_babylon.apply(urdf_to_babylon_position(p)), urdf_to_babylon_position(turned), atol=1e-8
    )


@given(angles, st.floats(-1.5, 1.5), angles)
def test_rpy_comes_back_as_the_same_rotation(roll, pitch, yaw):
    back = babylon_to_urdf_rpy(urdf_rpy_to_babylon((roll, pitch, yaw)))
    difference = Rotation.from_euler("xyz", back).inv() * Rotation.from_euler(
        "xyz", (roll, pitch, yaw)
    )
    assert difference.magnitude() < 1e-7


def test_a_roll_of_a_quarter_turn():
    # In the reference's axes, roll carries forward (y) to up (z); in Babylon's, z to y: -90 deg.
    half = math.sqrt(0.5)
    np.testing.assert_allclose(urdf_rpy_to_babylon((math.pi / 2, 0, 0)), (-half, 0, 0, half))


def test_the_reference_rotation_rules_contradict_its_positions():
    # Why rotations do not follow it: its own rules, applied to its own positions, disagree.
    quarter_yaw = Rotation.from_euler("z", 90, degrees=True)
    p = np.array([1.0, 2.0, 3.0])
    wanted = urdf_to_babylon_position(quarter_yaw.apply(p))
    x, y, z, w = quarter_yaw.as_quat()
    swapped = Rotation.from_quat((x, z, y, w))
    tilted = Rotation.from_euler("x", 90, degrees=True) * quarter_yaw
    for rule in (swapped, tilted):
        assert np.abs(rule.apply(urdf_to_babylon_position(p)) - wanted).max() > 0.9
    ours = Rotation.from_quat(urdf_rpy_to_babylon((0, 0, math.pi / 2)))
    np.testing.assert_allclose(ours.apply(urdf_to_babylon_position(p)), wanted, atol=1e-15)


def test_a_hinge_turns_the_other_way_round_the_axis_of_the_reference():
    angle, p = 0.3, np.array([0.4, -0.7, 0.2])
    axis = np.array([0.6, 0.0, 0.8])
    wanted = urdf_to_babylon_position(Rotation.from_rotvec(angle * axis).apply(p))
    babylon_p = urdf_to_babylon_position(p)
    negated = Rotation.from_rotvec(-angle * urdf_to_babylon_axis(axis))
    np.testing.assert_allclose(negated.apply(babylon_p), wanted, atol=1e-15)
    axial = convert(KINETICORE_URDF, BABYLON).axial(axis)
    np.testing.assert_allclose(
        Rotation.from_rotvec(angle * axial).apply(babylon_p), wanted, atol=1e-15
    )


def test_urdf_by_the_reference_and_by_meaning_differ_by_a_quarter_turn_about_up():
    by_reference = convert(KINETICORE_URDF, BABYLON)
    by_meaning = convert(URDF, BABYLON)
    ahead = (1.0, 0.0, 0.0)
    assert by_meaning.point(ahead).tolist() == [0.0, 0.0, 1.0]
    assert urdf_to_babylon_position(ahead).tolist() == [1.0, 0.0, 0.0]
    turn = Rotation.from_matrix(by_meaning.axes @ by_reference.axes.T)
    np.testing.assert_allclose(np.abs(turn.as_rotvec(degrees=True)), (0, 90, 0), atol=1e-12)


@pytest.mark.parametrize("function", [urdf_rpy_to_babylon, user_to_babylon, urdf_to_babylon_axis])
def test_a_wrong_shape_is_refused(function):
    with pytest.raises(ConventionError, match=r"has shape \(2,\); pass"):
        function((1, 2))
