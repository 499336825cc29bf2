"""The texts of what a transform refuses."""

import math
import re

import numpy as np
import pytest

from horus_sim.tf import InvalidTransformError, Transform

I = Transform.identity()  # noqa: E741 - as in the literature
REFLECTION = np.diag((1.0, 1.0, -1.0))
SHEAR = np.eye(3) + np.eye(3, k=1) * 0.1


def refuses(text):
    return pytest.raises(InvalidTransformError, match=f"^{re.escape(text)}")


@pytest.mark.parametrize(
    ("translation", "text"),
    [
        ((1, 2), "translation must be 3 numbers, got 2"),
        ([1, 2, 3, 4], "translation must be 3 numbers, got 4"),
        ((), "translation must be 3 numbers, got 0"),
        ((1, "two", 3), "translation must be 3 numbers, got 'two' at index 1"),
        ((1, 2, None), "translation must be 3 numbers, got None at index 2"),
        ((1, 2, 1j), "translation must be 3 numbers, got 1j at index 2"),
        ((10**400, 0, 0), "translation must be 3 numbers, got 1000"),
        (5, "translation must be 3 numbers, got an array of shape ()"),
        (None, "translation must be 3 numbers, got"),
        ("abc", "translation must be 3 numbers, got 'abc'"),
        ({1, 2, 3}, "translation must be 3 numbers, got {1, 2, 3}"),
        (np.zeros((3, 1)), "translation must be 3 numbers, got an array of shape (3, 1)"),
        (np.zeros(4), "translation must be 3 numbers, got an array of shape (4,)"),
        (np.zeros(3, complex), "translation must be 3 numbers, got array("),
        ((0, math.nan, 0), "translation[1] is nan; a transform must be finite"),
        ((math.inf, 0, 0), "translation[0] is inf; a transform must be finite"),
        (np.array((0, 0, -math.inf)), "translation[2] is -inf; a transform must be finite"),
    ],
)
def test_translations(translation, text):
    with refuses(text):
        Transform(translation)
    with refuses(text):
        Transform(translation=translation)
    with refuses(text):
        Transform.from_euler(translation)


@pytest.mark.parametrize(
    ("rotation", "text"),
    [
        ((0, 0, 0), "rotation (x, y, z, w) must be 4 numbers, got 3"),
        ((0, 0, "z", 1), "rotation (x, y, z, w) must be 4 numbers, got 'z' at index 2"),
        (np.eye(3), "rotation (x, y, z, w) must be 4 numbers, got an array of shape (3, 3)"),
        ((0, 0, math.nan, 1), "rotation (x, y, z, w)[2] is nan; a transform must be finite"),
        ((0, -math.inf, 0, 1), "rotation (x, y, z, w)[1] is -inf; a transform must be finite"),
        (
            (0, 0, 0, 0),
            "rotation is the zero quaternion, which is no rotation; (0, 0, 0, 1) is the identity",
        ),
        (np.zeros(4), "rotation is the zero quaternion"),
        ((-0.0, 0.0, 0.0, -0.0), "rotation is the zero quaternion"),
    ],
)
def test_rotations(rotation, text):
    with refuses(text):
        Transform((0, 0, 0), rotation)
    with refuses(text):
        Transform(rotation=rotation)


@pytest.mark.parametrize(
    ("rpy", "text"),
    [
        ((0, 0), "rpy must be 3 numbers, got 2"),
        ((0, 0, math.inf), "rpy[2] is inf; a transform must be finite"),
        (1.5, "rpy must be 3 numbers, got an array of shape ()"),
    ],
)
def test_euler_angles(rpy, text):
    with refuses(text):
        Transform.from_euler((0, 0, 0), rpy)


@pytest.mark.parametrize(
    ("matrix", "text"),
    [
        (np.eye(2), "matrix must have shape (4, 4) or (3, 3), got (2, 2)"),
        (np.eye(3, 4), "matrix must have shape (4, 4) or (3, 3), got (3, 4)"),
        (np.zeros(16), "matrix must have shape (4, 4) or (3, 3), got (16,)"),
        ("matrix", "matrix must be numbers of shape (4, 4) or (3, 3), got 'matrix'"),
        ([[1, 2], [3]], "matrix must be numbers of shape (4, 4) or (3, 3), got [[1, 2], [3]]"),
        (np.where(np.eye(4, k=1), np.nan, np.eye(4)), "matrix[0, 1] is not finite"),
        (np.eye(4)[::-1], "matrix is not a rigid transform: its last row must be 0, 0, 0, 1"),
        (2 * np.eye(4), "matrix is not a rigid transform: its last row must be 0, 0, 0, 1"),
        (2 * np.eye(3), "matrix is not a rotation: its rows are not orthonormal (off by 3.0)"),
        (np.zeros((3, 3)), "matrix is not a rotation: its rows are not orthonormal (off by 1.0)"),
        (SHEAR, "matrix is not a rotation: its rows are not orthonormal (off by 0.1)"),
        (REFLECTION, "matrix is a reflection (determinant -1), not a rotation; horus_sim.coords"),
        (-np.eye(3), "matrix is a reflection (determinant -1), not a rotation; horus_sim.coords"),
    ],
)
def test_matrices(matrix, text):
    with refuses(text):
        Transform.from_matrix(matrix)


def test_how_far_from_rigid_a_matrix_may_be():
    assert Transform.from_matrix(np.eye(3) * (1 + 4e-7)).is_close(I)
    with pytest.raises(InvalidTransformError, match="remove scale and shear"):
        Transform.from_matrix(np.eye(3) * (1 + 6e-7))


@pytest.mark.parametrize("fraction", [-1e-9, 1.0000001, math.nan, math.inf, -1])
def test_fractions_outside_zero_to_one(fraction):
    with refuses(f"t must be from 0 to 1, got {fraction!r}"):
        I.interpolate(I, fraction)


def test_fractions_that_are_no_numbers():
    with refuses("t must be a number from 0 to 1, got 'half'"):
        I.interpolate(I, "half")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("other", [None, 5, (0, 0, 0), np.eye(4)])
def test_others_that_are_no_transforms(other):
    for method in (I.compose, I.is_close, lambda T: I.interpolate(T, 0.5)):
        with pytest.raises(
            InvalidTransformError,
            match=r"^expected a Transform, got (?s:.)*; make one with Transform\(translation",
        ):
            method(other)


def test_long_values_are_cut_short_in_the_text():
    with pytest.raises(InvalidTransformError) as raised:
        I.compose("x" * 10_000)  # pyright: ignore[reportArgumentType]
    assert len(str(raised.value)) < 250


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ([1, 2, 3], "points must have shape (N, 3), got (3,)"),
        (np.zeros((5, 2)), "points must have shape (N, 3), got (5, 2)"),
        (np.zeros((2, 5, 3)), "points must have shape (N, 3), got (2, 5, 3)"),
        ([], "points must have shape (N, 3), got (0,)"),
        ([[1, 2, 3], [4, 5]], "points must be an array of shape (N, 3) of numbers, got [[1, 2, 3]"),
        ([[1, 2, "z"]], "points must be an array of shape (N, 3) of numbers, got [[1, 2, 'z']]"),
        (np.zeros((2, 3), complex), "points must be an array of shape (N, 3) of numbers, got arr"),
    ],
)
def test_points(points, text):
    with refuses(text):
        I.transform_points(points)


@pytest.mark.parametrize(
    ("method", "name"), [("transform_point", "point"), ("transform_vector", "vector")]
)
def test_single_points_and_vectors(method, name):
    with refuses(f"{name} must be 3 numbers, got 2"):
        getattr(I, method)((1, 2))
    with refuses(f"{name} must be 3 numbers, got an array of shape (1, 3)"):
        getattr(I, method)(np.zeros((1, 3)))


@pytest.mark.parametrize(
    ("function", "arguments", "keywords", "text"),
    [
        (Transform, ((0, 0, 0), (0, 0, 0, 1), 3), {}, "takes at most 2 arguments, got 3"),
        (Transform, (), {"position": (0, 0, 0)}, "has no argument 'position'"),
        (Transform, ((0, 0, 0),), {"translation": (0, 0, 0)}, "got argument 'translation' twice"),
        (Transform.from_euler, (), {"yaw": 1}, "has no argument 'yaw'"),
        (Transform.from_matrix, (), {}, "exactly one argument"),
        (I.interpolate, (I,), {}, "needs other and t"),
        (I.interpolate, (), {"t": 0.5}, "needs other and t"),
        (I.is_close, (), {}, "needs other"),
        (I.is_close, (I, "near"), {}, "real number"),
    ],
)
def test_calls_with_the_wrong_arguments_are_type_errors(function, arguments, keywords, text):
    with pytest.raises(TypeError, match=text):
        function(*arguments, **keywords)


def test_a_list_that_changes_while_it_is_read():
    class Emptier:
        """A number that empties its list and has the memory used for something else."""

        def __float__(self):
            numbers.clear()
            others.extend(["other", "other", "other"] for _ in range(100))
            return 1.0

    others: list[list[str]] = []
    numbers: list = [Emptier(), 2.0, 3.0]
    try:
        assert Transform(numbers).translation.tolist() == [1, 2, 3]
    except InvalidTransformError as error:
        assert "other" not in str(error)  # noqa: PT017 - either answer is fine, garbage is not
