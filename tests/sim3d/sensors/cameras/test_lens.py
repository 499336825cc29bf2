"""Cameras with a lens: OpenCV's documented model, its inverse, and what pictures really show."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from scipy.optimize import root

from horus_sim.errors import RenderError, SceneError
from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.rendering import gl
from horus_sim.sim3d.rendering.intrinsics import Intrinsics
from horus_sim.sim3d.sensors import (
    DepthCameraConfig,
    RgbCameraConfig,
    RgbdCameraConfig,
    SegmentationCameraConfig,
)

from ..poses import posed

BARREL = (-0.25, 0.0, 0.0, 0.0, 0.0)
FULL = (-0.25, 0.08, 0.002, -0.003, -0.01)
POST = (1.45, 1.55)  # [m], to the left
AHEAD = 2.0
WORLD = {
    "objects": [
        {
            "name": "post",
            "shape": {"kind": "box", "size": [0.1, POST[1] - POST[0], 0.6]},
            "pose": {"xyz": [AHEAD + 0.05, 1.5, 1.0]},
            "material": {"rgba": [1, 0, 0, 1]},
        },
        {
            "name": "wall",
            "shape": {"kind": "box", "size": [0.2, 40, 40]},
            "pose": {"xyz": [4.0, 0, 1], "rpy_deg": [0, 0, 30]},
            "material": {"rgba": [0.2, 0.9, 0.2, 1]},
        },
    ]
}


def has_gl() -> bool:
    try:
        gl.choose_backend()
    except RenderError:
        return os.environ.get("CI") == "true"  # there it is required
    return True


needs_gl = pytest.mark.skipif(not has_gl(), reason=f"no OpenGL: {gl.REMEDY}")


def opencv(point, K, distortion) -> tuple[float, float]:
    """A pixel by the formulas of OpenCV's page on camera calibration, in plain numbers."""
    (x, y, z), (k1, k2, p1, p2, k3) = point, distortion
    a, b = x / z, y / z
    r2 = a**2 + b**2
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    u = a * radial + 2 * p1 * a * b + p2 * (r2 + 2 * a**2)
    v = b * radial + p1 * (r2 + 2 * b**2) + 2 * p2 * a * b
    return K[0, 0] * u + K[0, 2], K[1, 1] * v + K[1, 2]


def camera(distortion=FULL) -> Intrinsics:
    return Intrinsics(64, 48, 45.0, 43.0, 30.0, 25.5, distortion)


def looking_left(config: type, world: World, distortion=BARREL, **fields):
    """Level, one metre up, with the post near the left edge of the picture."""
    options = {"mount": "world", "xyz": (0.0, 0.0, 1.0), "width": 320, "height": 240}
    return config(**posed(**options | fields), fov_deg=70.0, distortion=distortion).build(world)


def test_project_is_opencvs():
    lens = camera()
    rng = np.random.default_rng(3)
    points = np.column_stack((rng.uniform(-0.8, 0.8, (200, 2)), np.ones(200)))
    points *= rng.uniform(0.2, 9.0, (200, 1))
    expected = [opencv(point, lens.K, FULL) for point in points]
    np.testing.assert_allclose(lens.project(points), expected, atol=1e-9)


def test_unproject_is_the_root_of_opencvs_formula():
    lens = camera()
    depth = np.random.default_rng(1).uniform(0.5, 5.0, (48, 64))
    points = lens.unproject(depth)
    np.testing.assert_array_equal(points[..., 2], depth)
    for v, u in ((0, 0), (0, 63), (47, 5), (24, 31), (11, 50)):
        found = root(
            lambda xy, at=(u, v): np.subtract(opencv((*xy, 1.0), lens.K, FULL), at),
            ((u - 30.0) / 45.0, (v - 25.5) / 43.0),
            tol=1e-13,
        )
        assert found.success
        np.testing.assert_allclose(points[v, u, :2] / depth[v, u], found.x, atol=1e-9)
    v, u = np.mgrid[:48, :64]
    pixels = np.column_stack((u.ravel(), v.ravel()))
    np.testing.assert_allclose(lens.project(points.reshape(-1, 3)), pixels, atol=1e-8)


def test_points_are_undistorted_as_the_ideal_camera_sees_them():
    lens = camera()
    ideal = Intrinsics.from_matrix(64, 48, lens.K)
    points = np.column_stack((np.random.default_rng(2).uniform(-0.5, 0.5, (50, 2)), np.ones(50)))
    np.testing.assert_allclose(
        lens.undistort_points(lens.project(points)), ideal.project(points), atol=1e-8
    )
    np.testing.assert_array_equal(ideal.undistort_points([(3.0, 4.0)]), [(3.0, 4.0)])


def test_what_no_pixel_shows_is_no_number():
    lens = camera((-0.5, 0.0, 0.0, 0.0, 0.0))
    edge = math.sqrt(1 / 1.5)  # where r - 0.5 r^3 turns back
    found = lens.project([(0.9 * edge, 0, 1), (1.1 * edge, 0, 1), (0.0, 0.0, -1.0), (0, 0, 0)])
    np.testing.assert_array_equal(np.isnan(found[:, 0]), (False, True, True, True))
    assert np.isnan(lens.undistort_points([(500.0, 500.0)])).all()


@needs_gl
def test_a_post_is_where_it_stands():
    world = World.load(Scene.model_validate(WORLD))
    labels = looking_left(SegmentationCameraConfig, world).measure()
    sensor = looking_left(DepthCameraConfig, world, name="d")
    image = sensor.measure()
    is_post = labels.labels == labels.names.index("post")
    # The side of the post that is seen besides its face is farther away.
    is_post &= image.depth < AHEAD + 0.001
    points = world.tf.transform_points(
        sensor.intrinsics.unproject(image.depth)[is_post], sensor.optical_frame, "world"
    )
    pixel = AHEAD / sensor.intrinsics.fx / 0.7  # a lens shows less there
    assert points[:, 0] == pytest.approx(AHEAD, abs=1e-3)
    assert points[:, 1].min() == pytest.approx(POST[0], abs=pixel)
    assert points[:, 1].max() == pytest.approx(POST[1], abs=pixel)
    assert points[:, 1].min() > POST[0] - 0.5 * pixel
    assert points[:, 1].max() < POST[1] + 0.5 * pixel
    # And the other way: its corners are at the edge of what the picture shows of it.
    corners_w = [(AHEAD, y, z) for y in POST for z in (0.7, 1.3)]
    corners = world.tf.transform_points(np.array(corners_w), "world", sensor.optical_frame)
    found = sensor.intrinsics.project(corners)
    rows, columns = np.nonzero(is_post)
    assert columns.min() == pytest.approx(found[:, 0].min(), abs=1.2)
    assert columns.max() == pytest.approx(found[:, 0].max(), abs=1.2)
    assert rows.min() == pytest.approx(found[:, 1].min(), abs=1.2)
    assert rows.max() == pytest.approx(found[:, 1].max(), abs=1.2)


def wall_depths(intrinsics: Intrinsics) -> np.ndarray:
    """Depth of the face of the wall, whose normal is turned by 30 degrees; NaN for blind pixels."""
    x, _ = intrinsics.rays()
    cos, sin = math.cos(math.radians(30.0)), math.sin(math.radians(30.0))
    return (4.0 * cos - 0.1) / (cos - x * sin)


@needs_gl
@pytest.mark.parametrize("distortion", [BARREL, FULL, (0.15, 0.0, 0.0, 0.0, 0.0)])
def test_depth_of_an_oblique_wall_is_its_closed_form(distortion):
    world = World.load(Scene.model_validate({"objects": WORLD["objects"][1:]}))
    sensor = looking_left(DepthCameraConfig, world, distortion)
    depth, expected = sensor.measure().depth, wall_depths(sensor.intrinsics)
    seen = np.isfinite(expected)
    assert seen.mean() > 0.9
    assert (depth[~seen] == np.inf).all()
    assert np.abs(depth - expected)[seen].max() < 2e-4


@needs_gl
def test_depths_beside_a_jump_are_those_of_one_side():
    world = World.load(Scene.model_validate(WORLD))
    sensor = looking_left(DepthCameraConfig, world)
    depth, expected = sensor.measure().depth, wall_depths(sensor.intrinsics)
    front = depth < AHEAD + 0.2
    assert front.sum() > 100
    assert depth[front].min() > AHEAD - 0.001
    assert depth[front].max() < AHEAD + 0.11
    wall = ~front & np.isfinite(expected)
    off = np.abs(depth - expected)[wall]
    assert off.max() < 0.02, "half a pixel on the wall"
    assert (off < 2e-4).mean() > 0.99


def test_rays_look_through_the_lens(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl, "_loads", lambda library: False)
    world = World.load(Scene.model_validate({"objects": WORLD["objects"][1:]}))
    sensor = looking_left(DepthCameraConfig, world, width=64, height=48)
    assert sensor.backend == "rays"
    depth, expected = sensor.measure().depth, wall_depths(sensor.intrinsics)
    seen = np.isfinite(expected)
    np.testing.assert_allclose(depth[seen], expected[seen], rtol=1e-6)
    assert (depth[~seen] == np.inf).all()
    labels = looking_left(SegmentationCameraConfig, world, name="s", width=64, height=48)
    np.testing.assert_array_equal(labels.measure().labels, seen)


@needs_gl
def test_undistorted_pictures_are_those_without_a_lens():
    world = World.load(Scene.model_validate(WORLD))
    config = {"name": "a", "rpy": (0.0, 0.1, 0.2)}
    bent = looking_left(RgbdCameraConfig, world, **config)
    plain = looking_left(RgbdCameraConfig, world, None, **config | {"name": "b"})
    found, expected = bent.measure(), plain.measure()
    ideal = bent.intrinsics.undistort(found.data)
    assert ideal.shape == expected.data.shape
    assert ideal.dtype == np.uint8
    # A barrel shows all of the plain picture, but for what lies on the edges of things.
    off = np.abs(ideal.astype(int) - expected.data).max(axis=2)
    assert (off <= 6).mean() > 0.97
    depth = bent.intrinsics.undistort(found.depth)
    error = np.abs(depth - expected.depth)
    assert np.isfinite(error).all()
    assert (error < 1e-3).mean() > 0.97
    labels = looking_left(SegmentationCameraConfig, world, **config | {"name": "c"}).measure()
    flat = bent.intrinsics.undistort(labels.labels)
    assert flat.dtype == labels.labels.dtype
    assert set(np.unique(flat)) <= set(np.unique(labels.labels)) | {0}
    points, colours = bent.points(found)
    in_world = world.tf.transform_points(points, bent.optical_frame, "world")
    is_red = colours[:, 0] > 1.5 * colours[:, 1]
    # Colours are mixed on its edges, depths are not.
    assert (np.abs(in_world[is_red, 1] - 1.5) < 0.051).mean() > 0.9


def test_wrong_pictures_are_refused():
    lens = camera()
    with pytest.raises(SceneError, match=r"of 48 by 64 pixels.*the camera has 64 by 48"):
        lens.undistort(np.zeros((64, 48), np.uint8))


def test_a_configuration_knows_its_lens():
    config = RgbCameraConfig(mount="world", distortion=FULL)
    assert config.intrinsics.distortion == FULL
    assert config.intrinsics.reduced(2).distortion == FULL


def test_an_undistorted_image_keeps_its_type_and_shades():
    camera = Intrinsics.from_fov(64, 48, math.radians(60), BARREL)
    shades = np.linspace(0.2, 0.8, 64)
    image = np.broadcast_to(shades[None, :, None], (48, 64, 3)).copy()
    plain = camera.undistort(image)
    assert plain.dtype == image.dtype
    u = camera.project([[x, 0.0, 1.0] for x in camera.normalized()[0]])[:, 0]
    inside = (u >= 0) & (u <= 63)
    np.testing.assert_allclose(
        plain[24, inside, 0], np.interp(u, range(64), shades)[inside], atol=2e-3
    )


@pytest.mark.parametrize("points", [[[1.0, 2.0]], 3.0, np.zeros((2, 2, 3))])
def test_points_of_another_shape_are_refused(points):
    camera = Intrinsics.from_fov(64, 48, math.radians(60))
    with pytest.raises(SceneError, match=r"points must have the shape \(n, 3\), not \("):
        camera.project(points)
    with pytest.raises(SceneError, match=r"points must be numbers, shape \(n, 3\)"):
        camera.project("far away")
