"""What a segmentation camera says about its pixels."""

from __future__ import annotations

import os

import numpy as np
import pytest

from horus_sim.errors import RenderError
from horus_sim.sim3d import ObjectConfig, World
from horus_sim.sim3d.rendering import gl
from horus_sim.sim3d.sensors.cameras.segmentation import (
    SegmentationCamera,
    SegmentationCameraConfig,
)
from horus_sim.tf import Transform

from ..poses import posed


def has_gl() -> bool:
    try:
        gl.choose_backend()
    except RenderError:
        return os.environ.get("CI") == "true"  # there it is required
    return True


needs_gl = pytest.mark.skipif(not has_gl(), reason=f"no OpenGL: {gl.REMEDY}")


@pytest.fixture
def world() -> World:
    return World.load("warehouse")


def camera(world: World, **fields) -> SegmentationCamera:
    options = {"mount": "world", "xyz": (-1.0, -1.0, 0.6), "rpy": (0, 0.4, 0.78)} | fields
    return SegmentationCameraConfig(**posed(**options), width=160, height=120, fov_deg=70.0).build(
        world
    )


def by_projection(sensor: SegmentationCamera, point) -> tuple[int, int]:
    local = sensor.T_world_optical.inverse().transform_point(point)
    u, v = np.rint(sensor.intrinsics.project([local])[0]).astype(int)
    return v, u


@needs_gl
def test_things_are_told_apart(world):
    sensor = camera(world)
    image = sensor.measure()
    assert image.names[0] == "background"
    assert image.names[1] == "burger"
    assert set(image.names[2:]) == set(world.objects)
    robot = by_projection(sensor, world.robots["burger"].link_pose("base_scan").translation)
    assert image.names[image.labels[robot]] == "burger"
    assert image.names[image.labels[-1, 80]] == "ground"
    carton = by_projection(sensor, world.objects["carton_5"].pose.translation)
    assert image.names[image.labels[carton]] == "carton_5"


@needs_gl
@pytest.mark.parametrize("level", ["thing", "body", "geom"])
def test_levels_agree_with_rays(world, level, monkeypatch):
    drawn = camera(world, level=level).measure()
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl, "_loads", lambda library: False)
    rays = camera(world, level=level, name="rays")
    assert rays.backend == "rays"
    cast = rays.measure()
    assert cast.names == drawn.names
    assert cast.labels.shape == drawn.labels.shape
    # Edges of what is drawn may fall on the other side of a pixel's middle.
    assert (cast.labels == drawn.labels).mean() > 0.99
    seen = {drawn.names[i] for i in np.unique(drawn.labels)}
    expected = {"thing": "burger", "body": "burger/base_link", "geom": "burger/base_link#visual0"}
    assert expected[level] in seen


@needs_gl
def test_labels_follow_a_world_that_changes(world):
    sensor = camera(world, distortion=(-0.1, 0.0, 0.0, 0.0, 0.0))
    cube = {"name": "cube", "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]}}
    world.spawn(ObjectConfig.model_validate(cube), pose=Transform((-0.4, -0.4, 0.4)))
    sensor.rebind()
    image = sensor.measure()
    assert "cube" in {image.names[i] for i in np.unique(image.labels)}
    assert "cube" in {image.names[i] for i in np.unique(sensor.read().labels)}
