"""What sensors give, as points, pictures and numbers; and units of positions."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from PIL import Image as Picture

from horus_sim.errors import UiError
from horus_sim.hub.messages import DepthImage, Image, Imu, LaserScan, PointCloud, SegmentationImage
from horus_sim.sim3d import World
from horus_sim.ui.shell.units import Units
from horus_sim.ui.stream.sensor_stream import SensorStream, picture_of, points_of, values_of
from horus_sim.ui.world.panels.sensors import Reading, summary


class Listening:
    """A stream to which somebody listens."""

    def __init__(self) -> None:
        self.sent: dict[str, bytes] = {}

    def is_wanted(self, channel: str) -> bool:
        return channel == "cloud"

    def publish(self, channel: str, message: bytes) -> None:
        self.sent[channel] = message


def test_points_of_a_scan_are_on_its_rays():
    ranges = np.array([1.0, np.inf, 2.0, np.nan], dtype=np.float32)
    scan = LaserScan(0, "scan", 0.0, np.pi / 2, 0.1, 5.0, ranges)
    points = points_of(scan)
    assert points is not None
    np.testing.assert_allclose(points, [[1, 0, 0], [-2, 0, 0]], atol=1e-6)
    assert summary(Reading("s", "laser_scan", "scan", scan)) == "2 hits, nearest 1.00 m"


def test_points_of_a_cloud_are_those_that_hit():
    cloud = PointCloud(0, "l", np.array([[1, 2, 3], [np.nan, 0, 0]], dtype=np.float32))
    np.testing.assert_array_equal(points_of(cloud), [[1, 2, 3]])
    assert points_of(Imu(0, "imu")) is None


def test_a_lidar_of_a_world_is_streamed_in_the_world_frame():
    world = World.load("warehouse")
    stream = Listening()
    sensors = SensorStream(stream)  # type: ignore[arg-type]
    world.move("burger", world.robots["burger"].pose)
    world.step(240)
    sensors.publish(world)
    reading = next(item for item in sensors.readings.values() if item.kind == "laser_scan")
    [message] = stream.sent.values()
    rows = np.frombuffer(message, np.float32, offset=12).reshape(-1, 3)
    T = world.tf.frame_pose(reading.frame, "world")
    np.testing.assert_allclose(rows[0], T.translation, atol=1e-4)
    points = points_of(reading.message)
    assert points is not None
    np.testing.assert_allclose(rows[1:], T.transform_points(points), atol=1e-3)
    stream.sent.clear()
    sensors.publish(world)
    assert stream.sent == {}, "the same measurement is not sent again"
    assert struct.unpack_from("<Id", message) == (list(sensors.readings).index(reading.name), 1.0)


def test_a_page_takes_no_message_from_a_controller():
    world = World.load("warehouse")
    scan = world.sensors["burger/scan"]
    met: list[int] = []

    class Controller:
        def update(self, world: World, dt: float) -> None:
            if scan.has_new:
                met.append(scan.read().stamp_ns)

    world.controllers.append(Controller())
    sensors = SensorStream(Listening())  # type: ignore[arg-type]
    sensors.is_watched = True
    for _ in range(100):
        world.step()
        sensors.publish(world)
    assert len(met) == scan.sequence == len(set(met))


def test_pictures():
    colours = np.zeros((4, 6, 3), dtype=np.uint8)
    colours[..., 0] = 255
    for data, encoding in ((colours, "rgb8"), (colours[..., ::-1].copy(), "bgr8")):
        picture = picture_of(Image(0, "c", data, encoding))
        assert picture is not None
        shown = np.asarray(Picture.open(io.BytesIO(picture)))
        assert shown.shape == (4, 6, 3)
        assert shown[0, 0, 0] > 240
        assert shown[0, 0, 2] < 20
    depth = np.array([[1.0, 2.0], [np.inf, 4.0]], dtype=np.float32)
    picture = picture_of(DepthImage(0, "c", depth))
    assert picture is not None
    assert Picture.open(io.BytesIO(picture)).size == (2, 2)
    labels = np.array([[0, 1]], dtype=np.int32)
    assert picture_of(SegmentationImage(0, "c", labels, ("", "box"))) is not None
    assert picture_of(Imu(0, "imu")) is None


def test_numbers_and_summaries():
    imu = Imu(5, "imu", (0.1, 0.2, 0.3), (0.0, 0.0, 9.81))
    values = values_of(imu)
    assert values["linear_acceleration"] == [0.0, 0.0, 9.81]
    assert "stamp_ns" not in values
    assert "angular_velocity 0.100, 0.200, 0.300" in summary(Reading("i", "imu", "imu", imu))
    assert summary(Reading("i", "imu", "imu", None)) == "no message yet"


def test_units():
    units = Units()
    assert units.text((1.0, 2.0, -0.0)) == "1.000, 2.000, 0.000 m"
    units.set("mm")
    # CAD has x to the right and y forward: forward 1 m is y = 1000, left 2 m is x = -2000.
    assert units.text((1.0, 2.0, 0.5)) == "-2000, 1000, 500 mm"
    np.testing.assert_allclose(units.read(units.show((1.0, 2.0, 0.5))), (1.0, 2.0, 0.5))
    with pytest.raises(UiError, match="choose 'm' or 'mm'"):
        units.set("inch")
