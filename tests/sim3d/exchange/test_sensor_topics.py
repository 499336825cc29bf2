"""The topics of sensors, where ROS programs look for them."""

from __future__ import annotations

import os
import uuid
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import RenderError, SceneError
from horus_sim.hub import connect
from horus_sim.hub.messages import (
    CameraInfo,
    CmdVel,
    DepthImage,
    Image,
    NavSatFix,
    TwistStamped,
)
from horus_sim.running import RunningWorld
from horus_sim.sim3d import World
from horus_sim.sim3d.exchange.sensor_topics import sensor_topics
from horus_sim.sim3d.rendering import gl


def has_gl() -> bool:
    try:
        gl.choose_backend()
    except RenderError:
        return os.environ.get("CI") == "true"  # there it is required
    return True


needs_gl = pytest.mark.skipif(not has_gl(), reason=f"no OpenGL: {gl.REMEDY}")


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


def add(world, kind, **fields) -> Any:
    size = {"width": 8, "height": 6, "rate_hz": 50.0}
    return world.sensors.add({"kind": kind, "mount": "burger/base_scan", **size, **fields})


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("camera", {}, {"burger/camera/image_raw": Image, "burger/camera/camera_info": CameraInfo}),
        (
            "depth_camera",
            {},
            {"burger/depth/image_raw": DepthImage, "burger/depth/camera_info": CameraInfo},
        ),
        (
            "rgbd_camera",
            {},
            {
                "burger/rgbd/image_raw": Image,
                "burger/rgbd/camera_info": CameraInfo,
                "burger/rgbd/depth/image_raw": DepthImage,
                "burger/rgbd/depth/camera_info": CameraInfo,
            },
        ),
        (
            "camera",
            {"topic": "front/image"},
            {"front/image": Image, "front/camera_info": CameraInfo},
        ),
        ("camera", {"topic": "picture"}, {"picture": Image, "camera_info": CameraInfo}),
    ],
)
def test_images_and_how_they_project_are_neighbours(kind, fields, expected):
    assert sensor_topics(add(World.load("warehouse"), kind, **fields)).kinds == expected


@pytest.mark.parametrize("has_velocity", [True, False])
def test_the_velocity_of_a_receiver_is_a_topic_that_leaves_the_process(hub, has_velocity):
    world = World.load("warehouse")
    sensor = world.sensors.add(
        {
            "kind": "gps",
            "name": "gps",
            "mount": "burger",
            "rate_hz": 10.0,
            "origin": {"heading_deg": 90.0},
            "has_velocity": has_velocity,
        }
    )
    with RunningWorld(world, hub) as running:
        fixes = hub.subscribe("burger/gps", NavSatFix)
        velocities = hub.subscribe("burger/gps/velocity", TwistStamped)
        running.command("burger", CmdVel(linear=0.2))
        running.step(round(0.45 / world.timestep))
        fix, velocity = fixes.latest(), velocities.latest()
    assert fix is not None
    expected = {"burger/gps": NavSatFix}
    if not has_velocity:
        assert sensor_topics(sensor).kinds == expected
        assert velocity is None
        return
    assert sensor_topics(sensor).kinds == expected | {"burger/gps/velocity": TwistStamped}
    assert velocity is not None
    assert (velocity.stamp_ns, velocity.frame_id) == (fix.stamp_ns, fix.frame_id)
    assert velocity.linear == pytest.approx(fix.velocity, abs=0)
    # x, along which it drives, points north.
    east, north, up = velocity.linear
    assert (east, north, up) == pytest.approx((0.0, 0.2, 0.0), abs=0.02)


@needs_gl
def test_colours_and_depths_of_one_camera_are_two_images(hub):
    world = World.load("warehouse")
    sensor = add(world, "rgbd_camera", name="eye")
    heard = {
        what: hub.subscribe(f"burger/eye/{what}", kind)
        for what, kind in (
            ("image_raw", Image),
            ("camera_info", CameraInfo),
            ("depth/image_raw", DepthImage),
            ("depth/camera_info", CameraInfo),
        )
    }
    with RunningWorld(world, hub) as running:
        running.step(10)
        measured = sensor.read()
    colours, info, depths, depth_info = (heard[what].latest() for what in heard)
    np.testing.assert_array_equal(colours.data, measured.data)
    np.testing.assert_array_equal(depths.depth, measured.depth)
    np.testing.assert_array_equal(info.K, sensor.intrinsics.K)
    np.testing.assert_array_equal(depth_info.K, info.K)
    frames = {message.frame_id for message in (colours, info, depths, depth_info)}
    assert frames == {"burger/eye_optical_frame"}
    stamps = {message.stamp_ns for message in (colours, info, depths, depth_info)}
    assert stamps == {measured.stamp_ns}


def test_two_cameras_that_would_share_camera_info_are_refused():
    world = World.load("warehouse")
    add(world, "camera", name="a", topic="front")
    add(world, "camera", name="b", topic="rear")
    with pytest.raises(SceneError, match="sensor 'burger/b' has the topic 'camera_info' of sensor"):
        RunningWorld(world)
