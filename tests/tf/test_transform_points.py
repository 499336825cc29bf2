"""Points and vectors through a transform, against NumPy's matrix product."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from horus_sim.tf import Transform

from .strategies import coordinates, matrix_of, transforms, vectors

clouds = arrays.arrays(np.float64, st.tuples(st.integers(0, 40), st.just(3)), elements=coordinates)


def moved(T: Transform, points) -> np.ndarray:
    """The oracle: rows through the homogeneous matrix."""
    points = np.asarray(points, dtype=np.float64)
    matrix = matrix_of(T)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


@given(transforms, vectors)
def test_a_point_is_rotated_and_translated(T, p):
    actual = T.transform_point(p)
    assert actual.dtype == np.float64
    np.testing.assert_allclose(actual, moved(T, [p])[0], rtol=0, atol=1e-11)


@given(transforms, vectors)
def test_a_vector_is_only_rotated(T, v):
    expected = matrix_of(T)[:3, :3] @ v
    np.testing.assert_allclose(T.transform_vector(v), expected, rtol=0, atol=1e-11)


@given(transforms, clouds)
def test_points_are_all_moved(T, points):
    before = points.copy()
    actual = T.transform_points(points)
    assert actual.shape == points.shape
    assert actual.dtype == np.float64
    np.testing.assert_allclose(actual, moved(T, points), rtol=0, atol=1e-11)
    np.testing.assert_array_equal(points, before)


@given(transforms, clouds)
def test_single_precision_stays_and_rounds_once(T, points):
    single = points.astype(np.float32)
    actual = T.transform_points(single)
    assert actual.dtype == np.float32
    # Sums are done in double precision, so the result is the nearest or next to nearest float.
    np.testing.assert_allclose(actual, moved(T, single), rtol=1.3e-7, atol=1e-11)


@given(transforms, clouds)
def test_the_way_back_leads_back(T, points):
    back = T.inverse().transform_points(T.transform_points(points))
    np.testing.assert_allclose(back, points, rtol=0, atol=1e-11)


LAYOUTS = {
    "every second row": lambda p: np.repeat(p, 2, axis=0)[::2],
    "reversed": lambda p: p[::-1].copy()[::-1],
    "columns of a wider array": lambda p: np.hstack([p, p])[:, :3],
    "Fortran order": np.asfortranarray,
    "not aligned": lambda p: (
        np.frombuffer(b"\0" + p.tobytes(), np.uint8)[1:].view(p.dtype).reshape(p.shape)
    ),
    "read-only": lambda p: np.frombuffer(p.tobytes(), p.dtype).reshape(p.shape),
    "other byte order": lambda p: p.astype(p.dtype.newbyteorder(">")),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_layout_in_memory_does_not_matter(layout, dtype):
    T = Transform((1, 2, 3), (0.1, 0.2, 0.3, 0.9))
    points = np.random.default_rng(0).normal(size=(37, 3)).astype(dtype)
    actual = T.transform_points(layout(points))
    assert actual.dtype == dtype
    np.testing.assert_array_equal(actual, T.transform_points(points))
    np.testing.assert_allclose(actual, moved(T, points), atol=1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.float16, np.bool_])
def test_other_numbers_give_double_precision(dtype):
    T = Transform((0.5, 0, 0), (0.1, 0.2, 0.3, 0.9))
    points = np.array([[1, 0, 1], [0, 1, 1]], dtype=dtype)
    actual = T.transform_points(points)
    assert actual.dtype == np.float64
    np.testing.assert_allclose(actual, moved(T, points), atol=1e-15)


def test_lists_and_tuples_are_points():
    T = Transform((1, 2, 3))
    assert T.transform_points([[1, 2, 3], (4.0, 5, 6)]).tolist() == [[2, 4, 6], [5, 7, 9]]
    assert T.transform_point([1, 2, 3]).tolist() == [2, 4, 6]
    assert T.transform_point(np.array([1, 2, 3], np.float32)).dtype == np.float64
    assert T.transform_vector((1, 2, 3)).tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_points_give_no_points(dtype):
    actual = Transform((1, 2, 3)).transform_points(np.zeros((0, 3), dtype))
    assert actual.shape == (0, 3)
    assert actual.dtype == dtype


def test_what_is_not_finite_stays_so():
    # A lidar reports infinity or NaN where it has no echo; the other points must not suffer.
    points = np.array([[np.nan, 0, 0], [np.inf, 0, 0], [1, 0, 0]])
    actual = Transform((1, 2, 3)).transform_points(points)
    assert not np.isfinite(actual[:2]).all(axis=1).any()
    assert actual[2].tolist() == [2, 2, 3]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 1000])
def test_every_point_of_any_count_is_moved_alike(count):
    T = Transform((1, 2, 3), (0.1, 0.2, 0.3, 0.9))
    points = np.random.default_rng(count).normal(size=(count, 3))
    together = T.transform_points(points)
    alone = np.concatenate([T.transform_points(point[None]) for point in points])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_allclose(together, moved(T, points), atol=1e-14)
