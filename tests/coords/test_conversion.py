"""Conversions: numbers worked out by hand, types, and what is refused."""

import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from horus_sim.coords import (
    BABYLON,
    CAD,
    JT,
    ROS,
    THREE,
    URDF,
    Convention,
    ConventionError,
    Conversion,
    convert,
)
from horus_sim.tf import Transform

HALF = np.sqrt(0.5)
INCH = CAD.model_copy(update={"name": "inch", "unit": "inch"})
FOOT = CAD.model_copy(update={"name": "foot", "unit": "ft"})


def test_cad_to_babylon_by_hand():
    c = convert(CAD, BABYLON)
    assert c.point((100, 0, 1000)).tolist() == [0.1, 1.0, 0.0]
    assert c.vector((0, 3, 4)).tolist() == [0.0, 4.0, 3.0]
    assert c.axes.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert c.scale == 0.001
    assert c.is_proper is False


def test_urdf_to_babylon_maps_forward_to_forward():
    c = convert(URDF, BABYLON)
    assert c.point((1, 2, 3)).tolist() == [-2.0, 3.0, 1.0]


def test_urdf_to_three_is_a_rotation():
    c = convert(URDF, THREE)
    assert c.point((1, 2, 3)).tolist() == [-2.0, 3.0, -1.0]
    assert c.is_proper is True


def test_a_left_turn_stays_a_left_turn():
    # Counter-clockwise from above: about +z in URDF, about +y in three.js, about -y in Babylon.
    left = (0.0, 0.0, HALF, HALF)
    np.testing.assert_allclose(convert(URDF, THREE).rotation(left), (0, HALF, 0, HALF))
    np.testing.assert_allclose(convert(URDF, BABYLON).rotation(left), (0, -HALF, 0, HALF))


def test_identical_conventions_under_other_names_convert_as_identity():
    other = Convention("other", right="-y", forward="x", up="z", unit=1.0)
    for c in (convert(URDF, other), convert(URDF, ROS), convert(CAD, CAD)):
        assert c.is_proper
        assert c.scale == 1.0
        assert c.axes.tolist() == np.eye(3).tolist()
        assert c.point((0.1, -0.2, 0.3)).tolist() == [0.1, -0.2, 0.3]


@pytest.mark.parametrize(
    ("source", "target", "scale"),
    [(INCH, CAD, 25.4), (FOOT, INCH, 12.0), (BABYLON, CAD, 1000.0), (FOOT, URDF, 0.3048)],
)
def test_scale_is_the_exact_ratio(source, target, scale):
    assert convert(source, target).scale == scale


def test_length_of_numbers_and_arrays():
    c = convert(CAD, URDF)
    assert c.length(250) == 0.25
    assert isinstance(c.length(250), float)
    assert c.length([250, 500]).tolist() == [0.25, 0.5]
    assert c.length(np.ones((2, 2), np.float32)).dtype == np.float32


def test_negated_zeros_lose_their_sign():
    converted = convert(URDF, BABYLON).point((0, 0, 0))
    assert not np.signbit(converted).any()
    assert not np.signbit(convert(URDF, BABYLON).matrix(np.eye(4))).any()


def test_a_homogeneous_matrix_scales_its_translation_only():
    m = np.eye(4)
    m[:3, 3] = (100, 200, 300)
    converted = convert(CAD, BABYLON).matrix(m)
    np.testing.assert_allclose(converted[:3, 3], (0.1, 0.3, 0.2))
    assert converted[:3, :3].tolist() == np.eye(3).tolist()
    assert converted[3].tolist() == [0, 0, 0, 1]


def test_inertia_of_a_box_follows_its_axes_and_unit():
    # A steel part in CAD: 1 kg, principal moments about right, forward, up [kg mm^2].
    converted = convert(CAD, URDF).inertia(np.diag((1e6, 2e6, 3e6)))
    np.testing.assert_allclose(converted, np.diag((2.0, 1.0, 3.0)))


def test_rotations_of_any_norm_become_unit_quaternions():
    c = convert(URDF, URDF)
    for size in (1e-320, 1e-200, 0.5, 1e200, 1.7e308):
        np.testing.assert_allclose(
            c.rotation((0, 0, size, size)),
            (0, 0, HALF, HALF),
            rtol=1e-3 if size < 1e-300 else 1e-15,
        )


def test_a_unit_quaternion_keeps_its_bits_there_and_back():
    rng = np.random.default_rng(3)
    quats = rng.normal(size=(200, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    c = convert(CAD, BABYLON)
    assert (c.inverse().rotations(c.rotations(quats)) == quats).all()


@pytest.mark.parametrize("method", ["points", "vectors", "axials"])
def test_arrays_keep_their_shape_and_float32(method: str):
    function = getattr(convert(CAD, BABYLON), method)
    for dtype, expected in [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.float16, np.float64),
        (np.int32, np.float64),
    ]:
        for shape in [(3,), (0, 3), (5, 3), (2, 4, 3)]:
            converted = function(np.ones(shape, dtype))
            assert converted.dtype == expected
            assert converted.shape == shape
            assert converted.flags.c_contiguous


def test_float32_points_are_as_good_as_float32_can_be():
    points = np.random.default_rng(5).uniform(-1e4, 1e4, (1000, 3))
    c = convert(CAD, BABYLON)
    exact = c.points(points.astype(np.float32).astype(np.float64))
    np.testing.assert_allclose(c.points(points.astype(np.float32)), exact, rtol=6e-8)


def test_rotations_keep_their_shape_and_float32():
    c = convert(CAD, BABYLON)
    quats = np.full((2, 3, 4), 0.5, np.float32)
    assert c.rotations(quats).dtype == np.float32
    assert c.rotations(quats).shape == (2, 3, 4)
    assert c.rotations(quats.astype(np.float64)).dtype == np.float64


def test_single_values_come_out_as_float64():
    c = convert(CAD, BABYLON)
    single = np.ones(3, np.float32)
    assert c.point(single).dtype == np.float64
    assert c.vector(single).dtype == np.float64
    assert c.axial(single).dtype == np.float64
    assert c.rotation(np.ones(4, np.float32)).dtype == np.float64
    assert c.matrix(np.eye(3, dtype=np.float32)).dtype == np.float64


def test_results_are_the_callers_own():
    c = convert(URDF, ROS)
    points, quat, matrix = np.ones((4, 3)), np.array([0.0, 0, 0, 1]), np.eye(4)
    c.points(points)[:] = 7
    c.rotation(quat)[:] = 7
    c.matrix(matrix)[:] = 7
    assert (points == 1).all()
    assert quat.tolist() == [0, 0, 0, 1]
    assert (matrix == np.eye(4)).all()


def test_conversions_are_shared_immutable_and_survive_pickle():
    c = convert(CAD, BABYLON)
    assert convert(CAD, BABYLON) is c
    assert c.inverse() is convert(BABYLON, CAD)
    with pytest.raises(FrozenInstanceError):
        c.source = URDF  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValueError, match="read-only"):
        c.axes[0, 0] = 5
    assert pickle.loads(pickle.dumps(c)) == c  # noqa: S301 - own bytes
    assert Conversion(CAD, BABYLON) == c


def test_a_conversion_describes_itself():
    assert str(convert(CAD, BABYLON)) == (
        "cad -> babylon: (x, y, z) -> 0.001 * (x, z, y), a reflection: handedness changes"
    )
    assert str(convert(URDF, THREE)) == "urdf -> three: (x, y, z) -> (-y, z, -x), a rotation"


def test_rotation_matrices_in_float32_are_exact_enough():
    quats = np.random.default_rng(7).normal(size=(1000, 4))
    matrices = Rotation.from_quat(quats).as_matrix().astype(np.float32)
    converted = convert(CAD, BABYLON).matrix(matrices)
    np.testing.assert_allclose(np.linalg.det(converted), 1.0, atol=1e-6)


def test_a_transform_by_hand():
    # 2 m ahead, turned left: three.js sees it 2 m along -z, turned about +y.
    T_world_robot = Transform((2.0, 0.0, 0.0), (0.0, 0.0, HALF, HALF))
    converted = convert(URDF, THREE).transform(T_world_robot)
    np.testing.assert_allclose(converted.translation, (0, 0, -2))
    np.testing.assert_allclose(converted.rotation, (0, HALF, 0, HALF))


def skewed() -> np.ndarray:
    return np.array([[1.0, 0.5, 0.0], [0.0, np.sqrt(0.75), 0.0], [0.0, 0.0, 1.0]])


def last_row_translation() -> np.ndarray:
    matrices = np.tile(np.eye(4), (3, 1, 1))
    matrices[1, 3, :3] = (1, 2, 3)
    return matrices


@pytest.mark.parametrize(
    ("method", "value", "text"),
    [
        ("point", (1, 2), r"point has shape \(2,\); pass x, y and z"),
        ("point", [[1, 2, 3]], r"point has shape \(1, 3\); .* points\(\) takes many"),
        ("point", "abc", r"point holds <U3, not real numbers; pass x, y and z"),
        ("point", (1, 2j, 3), r"point holds complex128, not real numbers"),
        ("point", (True, False, True), r"point holds bool, not real numbers"),
        ("point", (1, None, 3), r"point holds object, not real numbers"),
        ("point", (1, float("inf"), 3), r"point\[1\] is inf; remove or replace"),
        ("points", [[1, 2, 3], [4, 5, np.nan]], r"points\[1, 2\] is nan; remove or replace"),
        ("points", [[1, 2], [3]], r"points has rows of unequal length; pass an array of shape"),
        ("points", 5.0, r"points has shape \(\); pass an array of shape \(..., 3\)"),
        ("vector", (1, 2, 3, 4), r"vector has shape \(4,\); .* vectors\(\) takes many"),
        ("vectors", np.ones((3, 2)), r"vectors has shape \(3, 2\); pass"),
        ("axial", 1.0, r"axial has shape \(\); .* axials\(\) takes many"),
        ("axials", [[-np.inf, 0, 0]], r"axials\[0, 0\] is -inf"),
        ("rotation", (0, 0, 1), r"rotation has shape \(3,\); pass a quaternion x, y, z, w"),
        ("rotation", (0, 0, 0, 0), r"rotation is the zero quaternion, .* \(0, 0, 0, 1\) in xyzw"),
        ("rotations", [[[0, 0, 0, 1], [0, 0, 0, 0]]], r"rotations\[0, 1\] is the zero quaternion"),
        ("rotations", np.ones((4, 3)), r"rotations has shape \(4, 3\); pass quaternions xyzw"),
        ("rpy", (1, 2), r"rpy has shape \(2,\); pass roll, pitch and yaw \[rad\]"),
        ("rpy", (0, np.nan, 0), r"rpy\[1\] is nan"),
        ("matrix", 1.0, r"matrix has shape \(\); pass a rotation \(3, 3\), a transform \(4, 4\)"),
        ("matrix", np.ones((3, 4)), r"matrix has shape \(3, 4\); pass a rotation"),
        (
            "matrix",
            np.diag((1.0, 1, -1)),
            r"matrix is not a rotation: its determinant is -1, .* mi",
        ),
        (
            "matrix",
            np.diag((2.0, 1, 1)),
            r"determinant is 2, its columns have lengths 2, 1, 1; take",
        ),
        ("matrix", np.zeros((3, 3)), r"determinant is 0, its columns have lengths 0, 0, 0"),
        ("matrix", skewed(), r"determinant is 0.866025, its columns are not perpendicular"),
        ("matrix", [np.eye(3), 2 * np.eye(3)], r"matrix\[1\] is not a rotation: .* is 8, "),
        ("matrix", last_row_translation(), r"matrix\[1\] ends in the row \[1, 2, 3, 1\] .* transp"),
        ("transform", np.eye(4), r"transform is a ndarray; pass a horus_sim.tf.Transform, or"),
        ("inertia", np.ones(3), r"inertia has shape \(3,\); pass the symmetric 3 x 3 tensor"),
        ("inertia", skewed(), r"inertia is not symmetric: \[0, 1\] is 0.5 and \[1, 0\] is 0; pass"),
        ("length", "long", r"length holds <U4, not real numbers; pass one number or an array"),
        ("length", [1, np.inf], r"length\[1\] is inf"),
    ],
)
def test_what_does_not_fit_is_named_with_a_remedy(method: str, value: Any, text: str):
    with pytest.raises(ConventionError, match=text):
        getattr(convert(CAD, JT), method)(value)
