"""What holds for every pair of conventions, against the meaning of axes and SciPy's rotations."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.coords import KINETICORE_URDF, PRESETS, Convention, Conversion, convert
from horus_sim.tf import Transform

EVERY_CONVENTION = (
    *PRESETS.values(),
    KINETICORE_URDF,
    Convention("unreal", right="y", forward="x", up="z", unit="cm"),
    Convention("ned_feet", right="y", forward="x", up="-z", unit="ft"),
    Convention("odd", right="-z", forward="-x", up="-y", unit=0.37),
)
EVERY_CONVERSION = tuple(
    convert(source, target) for source, target in itertools.product(EVERY_CONVENTION, repeat=2)
)

# Fewer than elsewhere, as each example runs through every conversion.
every_example = settings(max_examples=settings().max_examples * 2 // 5)
coordinates = st.floats(-1e3, 1e3, allow_subnormal=False)
points = st.tuples(coordinates, coordinates, coordinates).map(np.array)
quats = (
    st.tuples(*[st.floats(-1, 1, allow_subnormal=False)] * 4)
    .map(np.array)
    .filter(lambda quat: np.linalg.norm(quat) > 0.1)
    .map(lambda quat: quat / np.linalg.norm(quat))
)
angles = st.floats(-math.pi, math.pi, allow_subnormal=False)
pitches = angles | st.sampled_from((math.pi / 2, -math.pi / 2))


def assert_close(
    actual, expected, conversion: Conversion, *, terms: float = 0.0, tolerance: float = 1e-12
) -> None:
    """Equal to rounding, relative to what was summed if that may have cancelled (`terms`)."""
    size = max(1.0, float(np.abs(expected).max()), terms)
    error = float(np.abs(np.asarray(actual) - expected).max())
    assert error <= tolerance * size, f"{conversion}: {actual} is not {expected}"


def meaning_m(convention: Convention, p: np.ndarray) -> np.ndarray:
    """Metres to the right, forward and up, read off the fields one at a time."""
    own = dict(zip("xyz", p * convention.metres_per_unit, strict=True))
    return np.array(
        [
            -own[axis[1]] if axis.startswith("-") else own[axis]
            for axis in (convention.right, convention.forward, convention.up)
        ]
    )


def test_left_and_right_handed_conventions_are_both_among_them():
    assert {c.is_right_handed for c in EVERY_CONVENTION} == {True, False}
    assert {c.is_proper for c in EVERY_CONVERSION} == {True, False}


@every_example
@given(points)
def test_a_point_keeps_its_meaning(p):
    for c in EVERY_CONVERSION:
        expected = meaning_m(c.source, p) / c.target.metres_per_unit
        actual = meaning_m(c.target, c.point(p)) / c.target.metres_per_unit
        assert_close(actual, expected, c)


@every_example
@given(points)
def test_a_vector_keeps_its_length_and_points_where_the_point_lies(p):
    for c in EVERY_CONVERSION:
        vector = c.vector(p)
        assert_close(np.linalg.norm(vector), np.linalg.norm(p), c)
        assert_close(c.length(vector), c.point(p), c)


@every_example
@given(quats, points)
@example(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 2.0, 3.0]))
def test_turning_and_converting_commute(quat, p):
    R = Rotation.from_quat(quat)
    for c in EVERY_CONVERSION:
        turned = c.point(R.as_matrix() @ p)
        assert_close(c.matrix(R.as_matrix()) @ c.point(p), turned, c)
        assert_close(Rotation.from_quat(c.rotation(quat)).apply(c.point(p)), turned, c)


@every_example
@given(quats)
def test_converted_rotations_are_rotations(quat):
    R = Rotation.from_quat(quat).as_matrix()
    for c in EVERY_CONVERSION:
        converted = c.matrix(R)
        assert_close(converted @ converted.T, np.eye(3), c)
        assert_close(np.linalg.det(converted), 1.0, c)
        assert_close(np.linalg.norm(c.rotation(quat)), 1.0, c)


@every_example
@given(angles, pitches, angles)
@example(0.3, math.pi / 2, -0.4)
@example(0.0, -math.pi / 2, 0.0)
def test_rpy_quaternion_and_matrix_agree(roll, pitch, yaw):
    R = Rotation.from_euler("xyz", (roll, pitch, yaw))
    for c in EVERY_CONVERSION:
        matrix = c.matrix(R.as_matrix())
        assert_close(Rotation.from_quat(c.rotation(R.as_quat())).as_matrix(), matrix, c)
        # Within 1e-7 rad of a pole roll is dropped, which costs as much.
        rpy = c.rpy((roll, pitch, yaw))
        assert_close(Rotation.from_euler("xyz", rpy).as_matrix(), matrix, c, tolerance=3e-7)
        assert abs(rpy[1]) <= math.pi / 2


@every_example
@given(points, points)
def test_angular_velocities_commute_with_the_cross_product(omega, p):
    for c in EVERY_CONVERSION:
        velocity = c.point(np.cross(omega, p))
        terms = c.length(float(np.linalg.norm(omega) * np.linalg.norm(p)))
        assert_close(np.cross(c.axial(omega), c.point(p)), velocity, c, terms=terms)


@every_example
@given(points, points, quats, st.floats(-3, 3))
def test_there_and_back_again(p, vector, quat, length):
    R = Rotation.from_quat(quat).as_matrix()
    for c in EVERY_CONVERSION:
        back = c.inverse()
        assert_close(back.point(c.point(p)), p, c)
        assert_close(back.vector(c.vector(vector)), vector, c)
        assert_close(back.axial(c.axial(vector)), vector, c)
        assert_close(back.rotation(c.rotation(quat)), quat, c)
        assert_close(back.matrix(c.matrix(R)), R, c)
        assert_close(back.length(c.length(length)), length, c)
        assert_close(back.inertia(c.inertia(R + R.T)), R + R.T, c)


@every_example
@given(quats, points, points)
def test_poses_commute_with_points(quat, translation, p):
    T = Transform(translation, quat)
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(quat).as_matrix()
    matrix[:3, 3] = translation
    p_mapped = matrix[:3, :3] @ p + translation
    for c in EVERY_CONVERSION:
        expected = c.point(p_mapped)
        terms = c.length(float(np.linalg.norm(p) + np.linalg.norm(translation)))
        assert_close(c.transform(T).transform_point(c.point(p)), expected, c, terms=terms)
        assert_close((c.matrix(matrix) @ (*c.point(p), 1.0))[:3], expected, c, terms=terms)


@every_example
@given(quats, points, quats, points)
def test_chains_of_poses_can_be_converted_link_by_link(quat_a, t_a, quat_b, t_b):
    a, b = Transform(t_a, quat_a), Transform(t_b, quat_b)
    for c in EVERY_CONVERSION:
        chained, linked = c.transform(a @ b), c.transform(a) @ c.transform(b)
        terms = c.length(float(np.linalg.norm(t_a) + np.linalg.norm(t_b)))
        assert_close(linked.translation, chained.translation, c, terms=terms)
        assert_close(abs(linked.rotation @ chained.rotation), 1.0, c)


def moments(masses_kg: np.ndarray, places: np.ndarray) -> np.ndarray:
    squares = (places**2).sum(axis=1)
    return (masses_kg * squares).sum() * np.eye(3) - (masses_kg[:, None] * places).T @ places


@every_example
@given(st.lists(points, min_size=1, max_size=5), points)
def test_inertia_is_that_of_the_converted_masses_and_stores_the_same_energy(places, omega):
    masses_kg = np.arange(1.0, len(places) + 1)
    inertia = moments(masses_kg, np.array(places))
    energy = omega @ inertia @ omega
    for c in EVERY_CONVERSION:
        converted = c.inertia(inertia)
        assert_close(converted, moments(masses_kg, c.points(places)), c, tolerance=1e-11)
        omega_target = c.axial(omega)
        terms = c.scale**2 * float(np.abs(inertia).max() * (omega @ omega))
        actual = omega_target @ converted @ omega_target
        assert_close(actual, c.scale**2 * energy, c, terms=terms, tolerance=1e-11)


@every_example
@given(quats, st.tuples(*[st.floats(0.1, 10)] * 3))
def test_principal_moments_scale_with_length_squared(quat, principal):
    R = Rotation.from_quat(quat).as_matrix()
    inertia = R @ np.diag(principal) @ R.T
    for c in EVERY_CONVERSION:
        eigenvalues = np.linalg.eigvalsh(c.inertia((inertia + inertia.T) / 2))
        assert_close(eigenvalues / c.scale**2, np.sort(principal), c)


@every_example
@given(points, quats)
def test_batches_are_their_items(p, quat):
    rows = np.array([p, -p, p[::-1]])
    for c in EVERY_CONVERSION:
        for many, one in ((c.points, c.point), (c.vectors, c.vector), (c.axials, c.axial)):
            assert (many(rows) == [one(row) for row in rows]).all(), c
        R = Rotation.from_quat([quat, quat[::-1]])
        quats_xyzw = R.as_quat()
        assert (c.rotations(quats_xyzw) == [c.rotation(quat) for quat in quats_xyzw]).all(), c
        assert (c.matrix(R.as_matrix()) == [c.matrix(m) for m in R.as_matrix()]).all(), c


def test_a_detour_over_a_third_convention_changes_nothing():
    p, quat = np.array([0.3, -1.7, 2.9]), np.array([0.1, -0.5, 0.7, 0.5])
    I = np.array([[3.0, 0.2, -0.1], [0.2, 2.0, 0.4], [-0.1, 0.4, 1.5]])  # noqa: E741 - inertia
    for a, b, c in itertools.product(EVERY_CONVENTION, repeat=3):
        ab, bc, ac = convert(a, b), convert(b, c), convert(a, c)
        assert ac.is_proper == (ab.is_proper == bc.is_proper)
        assert (bc.axes @ ab.axes == ac.axes).all()
        assert math.isclose(bc.scale * ab.scale, ac.scale, rel_tol=1e-15)
        assert_close(bc.point(ab.point(p)), ac.point(p), ac)
        assert_close(bc.axial(ab.axial(p)), ac.axial(p), ac)
        assert_close(bc.rotation(ab.rotation(quat)), ac.rotation(quat), ac)
        assert_close(bc.inertia(ab.inertia(I)), ac.inertia(I), ac)


def test_the_inverse_undoes_axes_and_scale():
    for c in EVERY_CONVERSION:
        assert (c.inverse().axes == np.linalg.inv(c.axes)).all()
        assert math.isclose(c.inverse().scale * c.scale, 1.0, rel_tol=1e-15)
        assert c.inverse().inverse() is c
        assert c.is_proper == (np.linalg.det(c.axes) > 0)


EVERY_ORIENTATION = tuple(
    Convention(f"{right}{forward}{up}", right=right, forward=forward, up=up, unit="m")
    for x, y, z in itertools.permutations("xyz")
    for right, forward, up in itertools.product((x, f"-{x}"), (y, f"-{y}"), (z, f"-{z}"))
)


@pytest.mark.parametrize("target", EVERY_ORIENTATION, ids=lambda target: target.name)
def test_every_one_of_the_48_orientations_from_every_other(target):
    R = Rotation.from_euler("xyz", (0.4, -0.9, 2.1))
    p, omega = np.array([0.3, -1.7, 2.9]), np.array([1.1, 0.2, -0.6])
    turned = R.as_matrix() @ p
    assert len(set(EVERY_ORIENTATION)) == 48
    for source in EVERY_ORIENTATION:
        c = Conversion(source, target)
        assert_close(meaning_m(target, c.point(turned)), meaning_m(source, turned), c)
        assert_close(c.matrix(R.as_matrix()) @ c.point(p), c.point(turned), c)
        quat_turned = Rotation.from_quat(c.rotation(R.as_quat())).apply(c.point(p))
        assert_close(quat_turned, c.point(turned), c)
        assert_close(np.cross(c.axial(omega), c.point(p)), c.point(np.cross(omega, p)), c)
