"""Transforms as a group and as values, against 4x4 matrices."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.tf import Transform

from .strategies import axes, bits_of, matrix_of, quats, transforms, vectors

QUARTER_TURN_Z = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))
fractions = st.floats(0.0, 1.0)


def assert_same_pose(actual: Transform, expected_matrix, tolerance: float = 1e-8) -> None:
    np.testing.assert_allclose(matrix_of(actual), expected_matrix, rtol=0, atol=tolerance)


@given(transforms)
def test_identity_changes_nothing(a):
    assert (a @ Transform.identity()).is_close(a, 0.0, 1e-15)
    assert (Transform.identity() @ a).is_close(a, 0.0, 1e-15)


def test_the_default_is_the_identity():
    assert Transform() == Transform.identity() == Transform.from_euler()
    assert Transform.identity().translation.tolist() == [0, 0, 0]
    assert Transform.identity().rotation.tolist() == [0, 0, 0, 1]


@given(transforms)
def test_inverse_undoes_on_both_sides(a):
    assert_same_pose(a @ a.inverse(), np.eye(4))
    assert_same_pose(a.inverse() @ a, np.eye(4))


@given(transforms)
def test_inverse_is_the_inverse_matrix(a):
    assert_same_pose(a.inverse(), np.linalg.inv(matrix_of(a)))


@given(transforms, transforms, transforms)
def test_composition_is_associative(a, b, c):
    assert_same_pose((a @ b) @ c, matrix_of(a @ (b @ c)))


@given(transforms, transforms)
def test_composition_is_the_product_of_matrices(a, b):
    assert_same_pose(a @ b, matrix_of(a) @ matrix_of(b))


@given(transforms, transforms)
def test_compose_is_the_operator(a, b):
    assert bits_of(a.compose(b)) == bits_of(a @ b)


def test_neighbours_cancel_in_a_chain():
    T_world_base = Transform((1, 0, 0), QUARTER_TURN_Z)
    T_base_tool = Transform((2, 0, 0))
    T_world_tool = T_world_base @ T_base_tool
    np.testing.assert_allclose(T_world_tool.translation, (1, 2, 0), atol=1e-15)


def test_a_transform_times_anything_else_is_a_type_error():
    for other in (5, (1, 2, 3), None):
        with pytest.raises(TypeError):
            _ = Transform() @ other  # pyright: ignore[reportOperatorIssue]
        with pytest.raises(TypeError):
            _ = other @ Transform()  # pyright: ignore[reportOperatorIssue]


@pytest.mark.parametrize("seed", range(3))
def test_a_hundred_thousand_compositions_keep_the_norm(seed):
    rng = np.random.default_rng(seed)
    steps = [Transform(rng.normal(size=3), rng.normal(size=4)) for _ in range(100)]
    T = Transform.identity()
    for _ in range(1000):
        for step in steps:
            T = T @ step
    assert abs(np.linalg.norm(T.rotation) - 1.0) < 1e-12


def test_a_hundred_turns_end_where_they_began():
    step = Transform((0.001, 0, 0), Rotation.from_rotvec((0, 0, 2 * math.pi / 1000)).as_quat())
    T = Transform.identity()
    for _ in range(100_000):
        T = T @ step
    np.testing.assert_allclose(T.to_matrix(), np.eye(4), atol=1e-9)


@given(transforms)
def test_equal_transforms_hash_alike(a):
    twin = Transform(a.translation, a.rotation)
    assert twin == a
    assert hash(twin) == hash(a)
    assert len({a, twin}) == 1


@given(st.tuples(*[st.booleans()] * 6))
def test_minus_zero_is_zero(signs):
    numbers = [-0.0 if minus else 0.0 for minus in signs]
    a = Transform(numbers[:3], (*numbers[3:], 1.0))
    assert a == Transform.identity()
    assert hash(a) == hash(Transform.identity())


@given(transforms, st.integers(0, 6))
def test_one_different_bit_is_another_transform(a, index):
    numbers = [*a.translation, *a.rotation]
    numbers[index] = math.nextafter(numbers[index], math.inf)
    b = Transform(numbers[:3], numbers[3:])
    # A quaternion may be normalized back to where it was; then the two are equal, and rightly so.
    assert (a == b) == (
        a.translation.tolist() == b.translation.tolist()
        and a.rotation.tolist() == b.rotation.tolist()
    )
    if index < 3:
        assert a != b


def test_a_transform_equals_no_other_type():
    assert Transform() != ((0, 0, 0), (0, 0, 0, 1))
    assert Transform() != "Transform"
    assert Transform() is not None
    with pytest.raises(TypeError):
        _ = Transform() < Transform()  # pyright: ignore[reportOperatorIssue]


@given(transforms, transforms, fractions, vectors, axes)
def test_pickles_and_copies_keep_every_bit(a, b, t, rpy, axis):
    turned = Transform((0, 0, 0), Rotation.from_rotvec(t * axis).as_quat())
    made = (a, a @ b, a.inverse(), a.interpolate(b, t), a.interpolate(a @ turned, t))
    for T in (*made, Transform.from_euler(rpy, rpy / 1e3), Transform.from_matrix(a.to_matrix())):
        assert bits_of(copy.copy(T)) == bits_of(T)
        assert bits_of(copy.deepcopy(T)) == bits_of(T)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert bits_of(pickle.loads(pickle.dumps(T, protocol))) == bits_of(T)  # noqa: S301


def test_copies_of_interpolated_transforms_keep_every_bit():
    rng = np.random.default_rng(0)
    for _ in range(20_000):
        a = Transform((0, 0, 0), rng.normal(size=4))
        b = Transform((0, 0, 0), rng.normal(size=4))
        T = a.interpolate(b, rng.random())
        assert bits_of(Transform(T.translation, T.rotation)) == bits_of(T)


@given(transforms)
def test_repr_reads_back_with_every_bit(a):
    assert bits_of(eval(repr(a), {"Transform": Transform})) == bits_of(a)  # noqa: S307


def test_a_transform_does_not_change():
    a = Transform((1, 2, 3))
    for name in ("translation", "rotation", "other"):
        with pytest.raises(AttributeError):
            setattr(a, name, (0, 0, 0))
    with pytest.raises(TypeError):
        Transform.identity = None  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError):
        type("Sub", (Transform,), {})


@pytest.mark.parametrize("part", ["translation", "rotation"])
def test_its_arrays_are_read_only_copies(part):
    a = Transform((1, 2, 3), QUARTER_TURN_Z)
    before = bits_of(a)
    array = getattr(a, part)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 9.0
    array.setflags(write=True)
    array[0] = 9.0
    assert bits_of(a) == before


def test_what_it_was_made_from_may_change():
    translation, rotation = np.array((1.0, 2.0, 3.0)), np.array((0.0, 0.0, 0.0, 1.0))
    a = Transform(translation, rotation)
    before = bits_of(a)
    translation[0] = rotation[0] = 9.0
    assert bits_of(a) == before


@given(transforms)
def test_is_close_takes_both_signs_of_a_quaternion(a):
    other_sign = Transform(a.translation, -a.rotation)
    assert a.is_close(other_sign)
    assert a != other_sign


@given(transforms, axes, st.floats(1e-6, 3.1), st.floats(1e-6, 1e3))
def test_is_close_measures_angle_and_distance(a, axis, angle, distance):
    turned = a @ Transform((0, 0, 0), Rotation.from_rotvec(angle * axis).as_quat())
    assert a.is_close(turned, 1e-9, 1.001 * angle)
    assert not a.is_close(turned, 1e9, 0.999 * angle)
    moved = a @ Transform(distance * axis)
    assert a.is_close(moved, 1.001 * distance, 1e-9)
    assert not a.is_close(moved, 0.999 * distance, 1e9)


def test_is_close_defaults_to_a_nanometre_and_a_nanoradian():
    assert Transform().is_close(Transform((0.9e-9, 0, 0)))
    assert not Transform().is_close(Transform((1.1e-9, 0, 0)))
    assert Transform().is_close(Transform.from_euler(rpy=(0.9e-9, 0, 0)))
    assert not Transform().is_close(Transform.from_euler(rpy=(1.1e-9, 0, 0)))
    assert not Transform().is_close(other=Transform((1e-3, 0, 0)), tolerance_m=1e-4)
    assert not Transform().is_close(Transform.from_euler(rpy=(1e-3, 0, 0)), tolerance_rad=1e-4)


@given(quats)
def test_the_order_of_a_quaternion_is_x_y_z_w(quat):
    # The zero-angle end of SciPy's scalar-last order, spelled out with the rotation's own formula.
    x, y, z, w = quat
    first_column = (1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w))
    actual = Transform((0, 0, 0), quat).transform_vector((1, 0, 0))
    np.testing.assert_allclose(actual, first_column, rtol=0, atol=1e-14)
