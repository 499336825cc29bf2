"""Projection and distortion: inverses, closed forms, and the textbook's formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import SceneError
from horus_sim.sim3d.rendering.distortion import distort, undistort
from horus_sim.sim3d.rendering.intrinsics import Intrinsics
from horus_sim.sim3d.sensors.cameras.lens import Lens

MILD = (-0.25, 0.08, 0.001, -0.002, -0.01)


def test_the_field_of_view_reaches_from_edge_to_edge():
    camera = Intrinsics.from_fov(640, 480, math.radians(90.0))
    assert camera.fx == camera.fy == pytest.approx(320.0)
    assert (camera.cx, camera.cy) == (319.5, 239.5)
    assert camera.edges == pytest.approx((-1.0, 1.0, -0.75, 0.75))
    np.testing.assert_allclose(camera.K, [[320, 0, 319.5], [0, 320, 239.5], [0, 0, 1]])
    assert Intrinsics.from_matrix(640, 480, camera.K) == camera


@given(
    st.floats(-2, 2), st.floats(-2, 2), st.floats(0.1, 50), st.floats(100, 900), st.floats(100, 900)
)
def test_project_is_what_the_matrix_says(x, y, z, fx, fy):
    camera = Intrinsics(640, 480, fx, fy, 300.0, 250.0)
    u, v, w = camera.K @ (x, y, z)
    np.testing.assert_allclose(camera.project([(x, y, z)]), [(u / w, v / w)], atol=1e-9)


def test_unproject_is_the_inverse_of_project():
    camera = Intrinsics(40, 30, 35.0, 31.0, 18.0, 16.5)
    depth = np.random.default_rng(0).uniform(0.5, 5.0, (30, 40))
    points = camera.unproject(depth)
    np.testing.assert_array_equal(points[..., 2], depth)
    v, u = np.mgrid[:30, :40]
    np.testing.assert_allclose(
        camera.project(points.reshape(-1, 3)), np.column_stack((u.ravel(), v.ravel())), atol=1e-9
    )
    assert not np.isfinite(camera.unproject(np.full((30, 40), np.inf))[0, 0, 2])


def test_larger_pixels_look_at_the_same():
    camera = Intrinsics(640, 480, 500.0, 510.0, 300.0, 250.0)
    small = camera.reduced(4)
    assert (small.width, small.height) == (160, 120)
    assert small.edges == pytest.approx(camera.edges)


def test_distortion_is_the_textbooks():
    k1, k2, p1, p2, k3 = MILD
    x, y = 0.3, -0.4
    r2 = 0.25
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    expected = (
        x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x**2),
        y * radial + p1 * (r2 + 2 * y**2) + 2 * p2 * x * y,
    )
    found = distort(np.array(x), np.array(y), MILD)
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@given(st.floats(-0.8, 0.8), st.floats(-0.6, 0.6))
def test_undistort_is_the_inverse_of_distort(x, y):
    at = distort(np.array([x]), np.array([y]), MILD)
    np.testing.assert_allclose(undistort(*at, MILD), [[x], [y]], atol=1e-9)


def test_what_no_ray_reaches_is_no_number():
    x, _ = undistort(np.array([0.0, 5.0]), np.zeros(2), (-0.5, 0.0, 0.0, 0.0, 0.0))
    assert x[0] == 0.0
    assert np.isnan(x[1])


def test_a_lens_moves_pixels_where_the_formula_says():
    camera = Intrinsics.from_fov(200, 150, math.radians(80.0), MILD)
    lens = Lens(camera)
    v, u = np.mgrid[: lens.ideal.height, : lens.ideal.width].astype(float)
    # An image of its own coordinates on the plane z = 1.
    x, y = (u - lens.ideal.cx) / lens.ideal.fx, (v - lens.ideal.cy) / lens.ideal.fy
    at_x, at_y = distort(lens.resampling.pick(x, 0), lens.resampling.pick(y, 0), MILD)
    rows, columns = np.mgrid[:150, :200]
    assert np.abs(camera.fx * at_x + camera.cx - columns).max() < 0.75
    assert np.abs(camera.fy * at_y + camera.cy - rows).max() < 0.75
    ramp = np.repeat(np.clip(u * 0.5, 0, 255)[..., None], 3, axis=2).astype(np.uint8)
    blended = lens.resampling.blend(ramp)
    assert blended.shape == (150, 200, 3)
    assert blended.dtype == np.uint8


def test_impossible_lenses_are_explained():
    camera = Intrinsics(4000, 2, 4000.0, 4000.0, 1999.5, 0.5, (-0.3, 0.0, 0.0, 0.0, 0.0))
    with pytest.raises(SceneError, match=r"needs a picture of \d+ by \d+ pixels.*smaller"):
        Lens(camera)
    with pytest.raises(SceneError, match="sees nothing; use smaller numbers"):
        Lens(Intrinsics(2, 2, 1.0, 1.0, 500.0, 500.0, (-9.0, 0.0, 0.0, 0.0, 0.0)))
