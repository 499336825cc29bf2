"""Depth against closed forms and rays, with OpenGL and without."""

from __future__ import annotations

import logging
import os
import re

import numpy as np
import pytest
from pydantic import ValidationError

from horus_sim.errors import RenderError
from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.rendering import gl
from horus_sim.sim3d.rendering.distortion import undistort
from horus_sim.sim3d.sensors.cameras.depth import DepthCamera, DepthCameraConfig
from horus_sim.sim3d.sensors.cameras.rgbd import RgbdCameraConfig
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.rays.caster import RayCaster, seen_geoms

from ..poses import posed

WALL = {
    "objects": [
        {
            "name": "wall",
            "shape": {"kind": "box", "size": [0.2, 60, 40]},
            "pose": {"xyz": [4.1, 0, 1]},
            "material": {"rgba": [0.2, 0.9, 0.2, 1]},
        },
        {
            "name": "ball",
            "shape": {"kind": "sphere", "radius": 0.5},
            "pose": {"xyz": [3, 0, 1]},
            "material": {"rgba": [1, 0, 0, 1]},
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


@pytest.fixture
def world() -> World:
    return World.load(Scene.model_validate(WALL))


@pytest.fixture
def no_gl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl, "_loads", lambda library: False)


def depth_camera(world: World, **fields) -> DepthCamera:
    options = {"mount": "world", "xyz": (0, 0, 1), "width": 320, "height": 240} | fields
    return DepthCameraConfig(**posed(**options)).build(world)


def rays_of(sensor: DepthCamera) -> np.ndarray:
    """The oracle: the depth of every pixel by its ray, shape (height, width)."""
    world, shape = sensor.world, (sensor.intrinsics.height, sensor.intrinsics.width)
    directions = sensor.intrinsics.unproject(np.ones(shape)).reshape(-1, 3)
    lengths = np.linalg.norm(directions, axis=1)
    T = sensor.T_world_optical.to_matrix()
    caster = RayCaster(world.model, seen_geoms(world.model, "visual"))
    hits = caster.cast(
        world.data, T[:3, 3].copy(), (directions / lengths[:, None]) @ T[:3, :3].T, 1000.0
    )
    return (hits.distances / lengths).reshape(shape)


def near_edges(depth: np.ndarray) -> np.ndarray:
    """Pixels beside a jump in depth, where half a pixel decides what is seen."""
    finite = np.where(np.isfinite(depth), depth, 1e3)
    jumps = np.zeros(depth.shape, bool)
    for axis in (0, 1):
        step = np.abs(np.diff(finite, n=2, axis=axis)) > 0.02
        inner = [slice(None)] * 2
        inner[axis] = slice(1, -1)
        jumps[tuple(inner)] |= step
    grown = jumps.copy()
    for axis in (0, 1):
        for shift in (-1, 1):
            grown |= np.roll(jumps, shift, axis)
    return grown


@needs_gl
def test_depth_is_along_the_axis_and_not_along_the_ray(world):
    """A wall across the axis has one depth; the ball the closed form of a sphere."""
    sensor = depth_camera(world)
    image = sensor.measure()
    assert image.frame_id == sensor.optical_frame
    assert image.depth.dtype == np.float32
    assert image.depth[[0, 0, -1, -1], [0, -1, 0, -1]] == pytest.approx(4.0, abs=1e-4)
    x, y = sensor.intrinsics.normalized()
    cosine2 = 1.0 / (1.0 + x[None, :] ** 2 + y[:, None] ** 2)
    off2 = 9.0 * (1.0 - cosine2)
    inside = off2 < 0.24
    depth = (3.0 * np.sqrt(cosine2) - np.sqrt(np.maximum(0.25 - off2, 0.0))) * np.sqrt(cosine2)
    assert inside.sum() > 500
    np.testing.assert_allclose(image.depth[inside], depth[inside], atol=1e-3)


@needs_gl
@pytest.mark.parametrize("scene", ["warehouse", "tabletop", "rough_terrain", "apartment"])
def test_depth_is_what_rays_measure(scene):
    world = World.load(scene)
    world.step(10)
    sensor = depth_camera(
        world, xyz=(-2.0, -3.0, 1.6), rpy=(0.02, 0.25, 0.7), fov_deg=70.0, range_max=1000.0
    )
    depth, expected = sensor.measure().depth, rays_of(sensor)
    clear = ~near_edges(expected) & ~near_edges(depth)
    assert clear.mean() > 0.6
    np.testing.assert_array_equal(np.isfinite(depth[clear]), np.isfinite(expected[clear]))
    seen = clear & np.isfinite(expected) & (expected > 0.1)
    assert np.abs(depth[seen] - expected[seen]).max() < 1e-3


@needs_gl
def test_an_axis_beside_the_middle_and_pixels_that_are_not_square(world):
    K = ((250.0, 0, 140.0), (0, 200.0, 150.0), (0, 0, 1))
    sensor = depth_camera(world, K=K, rpy=(0.1, 0.2, -0.2))
    depth, expected = sensor.measure().depth, rays_of(sensor)
    clear = ~near_edges(expected)
    np.testing.assert_allclose(depth[clear], expected[clear], rtol=0, atol=1e-3)


@needs_gl
def test_a_lens_bends_depth(world):
    lens = (-0.2, 0.03, 0.0, 0.0, 0.0)
    sensor = depth_camera(world, rpy=(0.0, 0.0, 0.3), distortion=lens)
    x, y = sensor.intrinsics.normalized()
    shape = (240, 320)
    x, y = undistort(np.broadcast_to(x, shape), np.broadcast_to(y[:, None], shape), lens)
    depth = sensor.measure().depth
    # The wall: x_world = 4 for points depth * (x, y, 1) in the turned optical frame.
    expected = 4.0 / (np.cos(0.3) + x * np.sin(0.3))
    clear = np.abs(depth - expected) < 0.2
    assert clear.mean() > 0.9
    assert np.abs(depth - expected)[clear].max() < 0.02


@needs_gl
def test_too_near_too_far_and_noise(world):
    sensor = depth_camera(world, range_min=3.0, range_max=3.9)
    depth = sensor.measure().depth
    assert depth[120, 160] == -np.inf
    assert depth[0, 0] == np.inf
    noisy = depth_camera(world, name="b", noise=NoiseConfig(std=0.01, std_relative=0.01))
    errors = noisy.read().depth[:20] - 4.0
    assert errors.std() == pytest.approx(np.hypot(0.01, 0.04), rel=0.05)


def test_without_opengl_rays_give_a_smaller_image(world, no_gl, caplog):
    with caplog.at_level(logging.WARNING, "horus_sim.sim3d"):
        sensor = depth_camera(world, width=640, height=480, rpy=(0.1, 0.2, -0.2))
    assert sensor.backend == "rays"
    assert "camera 'depth' casts rays for 160 by 120 pixels instead of 640 by 480" in caplog.text
    assert gl.REMEDY in caplog.text
    image = sensor.read()
    assert image.depth.shape == (120, 160)
    assert (sensor.info().width, sensor.info().height) == (160, 120)
    np.testing.assert_allclose(image.depth, rays_of(sensor), rtol=1e-6)
    lens = depth_camera(world, name="b", distortion=(-0.1, 0, 0, 0, 0), width=64, height=48)
    assert lens.read().depth.shape == (48, 64)
    both = RgbdCameraConfig(**posed(mount="world", xyz=(0, 0, 1))).build(world).read()
    assert both.data.shape == (120, 160, 3)
    assert both.data[60, 80, 0] > 200
    for kind in (DepthCameraConfig, RgbdCameraConfig):
        wants = kind(mount="world", name="c", backend="gl").build(world)
        with pytest.raises(RenderError, match=re.escape(gl.REMEDY)):
            wants.read()
        wants.detach()


def test_depth_by_rays_is_that_of_the_plane(world):
    """A plane n.p = d has the depth d / (n . ray), with the ray's third component 1."""
    sensor = depth_camera(world, xyz=(0, -8, 1), rpy=(0.1, -0.2, 0.4), backend="rays")
    rays = sensor.intrinsics.unproject(np.ones((240, 320)))
    normal = sensor.T_world_optical.inverse().transform_vector((1.0, 0.0, 0.0))
    np.testing.assert_allclose(sensor.read().depth, 4.0 / (rays @ normal), rtol=1e-6)


@needs_gl
def test_depth_by_rays_is_that_of_opengl(world):
    drawn = depth_camera(world, rpy=(0.1, 0.1, 0.2)).read().depth
    cast = depth_camera(world, name="b", rpy=(0.1, 0.1, 0.2), backend="rays").read().depth
    off = np.abs(drawn - cast) > 1e-3
    # A pixel on the outline of the ball may fall on either side.
    assert off.mean() < 0.005


@needs_gl
def test_rgbd_is_both_cameras_at_once(world):
    options = posed(mount="world", xyz=(0, 0, 1), width=320, height=240)
    sensor = RgbdCameraConfig(**options, noise=NoiseConfig(dropout=0.3)).build(world)
    image = sensor.measure()
    np.testing.assert_array_equal(image.depth, depth_camera(world).measure().depth)
    assert image.data[120, 160, 0] > image.data[120, 160, 1]
    assert image.data[5, 5, 1] > image.data[5, 5, 0]
    points, colours = sensor.points(sensor.read())
    assert len(points) == len(colours) == pytest.approx(0.7 * 320 * 240, rel=0.02)
    in_world = world.tf.transform_points(points, sensor.optical_frame, "world")
    on_wall = colours[:, 1] > colours[:, 0]
    assert in_world[on_wall, 0] == pytest.approx(4.0, abs=1e-3)
    bent = RgbdCameraConfig(**options, name="c", distortion=(-0.1, 0, 0, 0, 0)).build(world)
    assert bent.measure().data.shape == (240, 320, 3)


def test_wrong_ranges_are_refused():
    with pytest.raises(ValidationError, match="'range_min' must be less than 'range_max'"):
        DepthCameraConfig(mount="world", range_min=3.0, range_max=2.0)
