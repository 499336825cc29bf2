"""Rotations as quaternions, matrices and Euler angles, against SciPy's rotations."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.tf import Transform

from .strategies import angles, bits_of, matrix_of, quats, transforms, vectors


def rotation_of(T: Transform) -> Rotation:
    return Rotation.from_quat(T.rotation)


def angle_between(a: Rotation, b: Rotation) -> float:
    return float((a.inv() * b).magnitude())


@given(transforms)
def test_to_matrix_is_scipys(a):
    np.testing.assert_allclose(a.to_matrix(), matrix_of(a), rtol=0, atol=1e-14)


@given(vectors, quats)
def test_from_matrix_of_scipy_is_that_rotation(translation, quat):
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(quat).as_matrix()
    matrix[:3, 3] = translation
    a = Transform.from_matrix(matrix)
    assert a.translation.tolist() == translation.tolist()
    assert angle_between(rotation_of(a), Rotation.from_quat(quat)) < 1e-12


@given(transforms)
def test_a_rotation_matrix_is_enough(a):
    only_rotation = Transform.from_matrix(matrix_of(a)[:3, :3])
    assert only_rotation.translation.tolist() == [0, 0, 0]
    assert angle_between(rotation_of(only_rotation), rotation_of(a)) < 1e-12


@given(transforms)
def test_matrix_round_trip(a):
    assert a.is_close(Transform.from_matrix(a.to_matrix()), 0.0, 1e-12)


def test_a_matrix_in_single_precision_is_rigid_enough():
    matrix = Rotation.from_rotvec((0.3, -0.2, 0.9)).as_matrix().astype(np.float32)
    a = Transform.from_matrix(matrix)
    assert abs(np.linalg.norm(a.rotation) - 1.0) < 1e-15
    np.testing.assert_allclose(matrix_of(a)[:3, :3], matrix, atol=1e-6)


def test_a_matrix_may_be_lists_or_in_fortran_order():
    matrix = matrix_of(Transform((1, 2, 3), (0.1, 0.2, 0.3, 0.9)))
    expected = Transform.from_matrix(matrix)
    assert Transform.from_matrix(matrix.tolist()) == expected
    assert Transform.from_matrix(np.asfortranarray(matrix)) == expected
    assert Transform.from_matrix(np.eye(4, dtype=int)) == Transform.identity()


def test_to_matrix_gives_an_array_of_its_own():
    a = Transform()
    a.to_matrix()[0, 3] = 9.0
    assert a.to_matrix().tolist() == np.eye(4).tolist()


@given(angles, angles, angles)
def test_from_euler_turns_about_fixed_axes(roll, pitch, yaw):
    a = Transform.from_euler((1, 2, 3), (roll, pitch, yaw))
    expected = Rotation.from_euler("xyz", (roll, pitch, yaw))
    assert a.translation.tolist() == [1, 2, 3]
    assert angle_between(rotation_of(a), expected) < 1e-14


def test_from_euler_takes_many_turns():
    a = Transform.from_euler(rpy=(100.0, -200.0, 300.0))
    assert angle_between(rotation_of(a), Rotation.from_euler("xyz", (100, -200, 300))) < 1e-12


@given(quats)
def test_the_rotation_comes_back_from_euler_angles(quat):
    rpy = Transform((0, 0, 0), quat).to_euler()
    assert angle_between(Rotation.from_euler("xyz", rpy), Rotation.from_quat(quat)) < 1e-9


@given(
    angles,
    st.sampled_from((-1, 1)),
    angles,
    st.sampled_from((0.0, 1e-16, 1e-13, 1e-12, 3e-12, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3)),
)
def test_the_rotation_comes_back_at_and_near_gimbal_lock(roll, pole, yaw, off):
    rotation = Rotation.from_euler("xyz", (roll, pole * (math.pi / 2 - off), yaw))
    rpy = Transform((0, 0, 0), rotation.as_quat()).to_euler()
    assert angle_between(Rotation.from_euler("xyz", rpy), rotation) < 1e-9


@given(quats)
def test_euler_angles_are_in_their_ranges(quat):
    roll, pitch, yaw = Transform((0, 0, 0), quat).to_euler()
    assert abs(roll) <= math.pi
    assert abs(pitch) <= math.pi / 2
    assert abs(yaw) <= math.pi


@given(
    st.floats(-3.14, 3.14, allow_subnormal=False),
    st.floats(-1.5, 1.5, allow_subnormal=False),
    st.floats(-3.14, 3.14, allow_subnormal=False),
)
def test_euler_angles_come_back_away_from_gimbal_lock(roll, pitch, yaw):
    rpy = Transform.from_euler((0, 0, 0), (roll, pitch, yaw)).to_euler()
    np.testing.assert_allclose(rpy, (roll, pitch, yaw), rtol=0, atol=1e-12)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
def test_roll_is_zero_at_gimbal_lock(pitch):
    rpy = Transform.from_euler((0, 0, 0), (0.3, pitch, 0.5)).to_euler()
    assert rpy[0] == 0.0
    assert rpy[1] == pytest.approx(pitch, abs=1e-7)
    assert rpy[2] == pytest.approx(0.5 - math.copysign(0.3, pitch), abs=1e-12)


@given(quats, st.sampled_from((1e-200, 1e-20, 0.5, 3.0, 1e20, 1e200, 1e308)))
def test_a_quaternion_of_any_length_is_normalized(quat, scale):
    a = Transform((0, 0, 0), quat * scale)
    np.testing.assert_allclose(a.rotation, quat / np.linalg.norm(quat), rtol=0, atol=1e-15)


@given(st.tuples(*[st.integers(-3, 3)] * 4))
@example((1, 0, 0, 0))
def test_even_a_subnormal_quaternion_has_a_direction(digits):
    assume(any(digits))
    expected = np.array(digits) / np.linalg.norm(digits)
    a = Transform((0, 0, 0), [5e-324 * digit for digit in digits])
    np.testing.assert_allclose(a.rotation, expected, rtol=0, atol=1e-15)


@given(quats)
def test_normalizing_twice_changes_nothing(quat):
    once = Transform((0, 0, 0), 1.7 * quat)
    assert abs(np.linalg.norm(once.rotation) - 1.0) < 1e-15
    assert bits_of(Transform(once.translation, once.rotation)) == bits_of(once)


def test_integers_and_arrays_are_numbers_too():
    expected = Transform((1.0, 2.0, 3.0), (0.0, 0.0, 1.0, 0.0))
    assert Transform((1, 2, 3), (0, 0, 2, 0)) == expected
    assert Transform(np.array([1, 2, 3]), np.array([0, 0, 2, 0], np.float32)) == expected
    assert Transform(np.arange(6)[1::2] * 0 + [1, 2, 3], [0, 0, np.float64(2), 0]) == expected
    assert Transform(rotation=(0, 0, 5, 0), translation=[1, 2, 3]) == expected
