"""Poses between two poses, against SciPy's Slerp."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from horus_sim.tf import Transform

from .strategies import axes, bits_of, quats, transforms, vectors

fractions = st.floats(0.0, 1.0)
# On both sides of the angles where a short series hands over to a longer one and to sines.
arcs = st.floats(0.0, 3.1415) | st.sampled_from(
    (
        1e-300,
        1e-12,
        1e-8,
        1e-4,
        0.028,
        0.0282,
        0.0283,
        0.0894,
        0.0895,
        0.399,
        0.4,
        0.401,
        math.pi - 1e-9,
    )
)


def rotation_of(T: Transform) -> Rotation:
    return Rotation.from_quat(T.rotation)


def angle_between(a: Rotation, b: Rotation) -> float:
    return float((a.inv() * b).magnitude())


@given(transforms, vectors, axes, arcs, fractions)
def test_rotation_is_scipys_slerp(a, translation, axis, arc, t):
    end = rotation_of(a) * Rotation.from_rotvec(arc * axis)
    b = Transform(translation, end.as_quat())
    expected = Slerp([0.0, 1.0], Rotation.concatenate([rotation_of(a), end]))(t)
    between = a.interpolate(b, t)
    assert angle_between(rotation_of(between), expected) < (1e-14 if arc < 1.0 else 1e-12)
    assert abs(np.linalg.norm(between.rotation) - 1.0) < 1e-14


@given(axes, st.sampled_from((1e-15, 1e-12, 1e-9, 1e-6)), fractions)
def test_tiny_angles_keep_their_relative_accuracy(axis, arc, t):
    b = Transform((0, 0, 0), Rotation.from_rotvec(arc * axis).as_quat())
    vector_part = Transform().interpolate(b, t).rotation[:3]
    np.testing.assert_allclose(vector_part, 0.5 * t * arc * axis, rtol=1e-9, atol=1e-9 * arc)


@given(transforms, transforms, fractions)
def test_translation_is_linear(a, b, t):
    expected = (1 - t) * a.translation + t * b.translation
    actual = a.interpolate(b, t).translation
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12)


@given(transforms, transforms)
def test_the_ends_keep_their_bits(a, b):
    assert bits_of(a.interpolate(b, 0)) == bits_of(a)
    assert bits_of(a.interpolate(b, 1)) == bits_of(b)


@given(transforms, transforms, fractions)
def test_the_sign_of_a_quaternion_does_not_matter(a, b, t):
    assume(abs(a.rotation @ b.rotation) > 1e-6)  # half a turn has two shortest arcs
    other_sign = Transform(b.translation, -b.rotation)
    assert a.interpolate(b, t).is_close(a.interpolate(other_sign, t), 1e-12, 1e-12)


@given(quats, axes, fractions)
def test_half_a_turn_goes_one_of_the_two_ways(quat, axis, t):
    start = Rotation.from_quat(quat)
    end = start * Rotation.from_rotvec(math.pi * axis)
    a, b = Transform((0, 0, 0), quat), Transform((0, 0, 0), end.as_quat())
    between = rotation_of(a.interpolate(b, t))
    assert angle_between(start, between) == pytest.approx(t * math.pi, abs=1e-7)
    assert angle_between(between, end) == pytest.approx((1 - t) * math.pi, abs=1e-7)


@given(transforms, transforms, fractions)
def test_the_way_back_is_the_same_way(a, b, t):
    assume(abs(a.rotation @ b.rotation) > 1e-6)
    assert a.interpolate(b, t).is_close(b.interpolate(a, 1 - t), 1e-12, 1e-12)


@given(transforms, fractions)
def test_between_equals_is_the_same(a, t):
    assert a.interpolate(a, t).is_close(a, 1e-12, 1e-12)


def test_arguments_have_names():
    a, b = Transform.identity(), Transform((2, 0, 0))
    assert a.interpolate(other=b, t=0.5).translation.tolist() == [1, 0, 0]
