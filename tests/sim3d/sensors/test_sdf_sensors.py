"""Sensors of SDF files: those of real ones measure, with what the file says."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors.rays.lidar import Lidar

ROOM = """
<sdf version="1.9"><world name="room"><gravity>0 0 -1.62</gravity>
  <model name="wall"><static>true</static><pose>2.5 0 1 0 0 0</pose><link name="l">
    <collision name="c"><geometry><box><size>1 20 2</size></box></geometry></collision>
    <visual name="v"><geometry><box><size>1 20 2</size></box></geometry></visual></link></model>
  <model name="post"><static>true</static><link name="top">{sensors}</link></model>
</world></sdf>
"""


def room(tmp_path: Path, sensors: str) -> World:
    path = tmp_path / "room.sdf"
    path.write_text(ROOM.replace("{sensors}", sensors))
    return World.load(path)


def scan(horizontal: str, vertical: str = "") -> str:
    return f"""
    <sensor name="beam" type="gpu_lidar"><pose>0 0 1 0 0 0</pose><update_rate>10</update_rate>
      <topic>scan</topic><lidar><scan><horizontal>{horizontal}</horizontal>{vertical}</scan>
      <range><min>0.1</min><max>10</max></range></lidar></sensor>"""


def test_a_scan_has_the_rays_of_the_file(tmp_path: Path):
    wide = "<samples>5</samples><min_angle>-0.5</min_angle><max_angle>0.5</max_angle>"
    world = room(tmp_path, scan(wide))
    beam = world.sensors["post/beam"]
    assert beam.topic == "post/scan"
    message = beam.measure()
    np.testing.assert_allclose(message.ranges, 2.0 / np.cos(np.linspace(-0.5, 0.5, 5)), atol=1e-6)


def test_a_scan_to_one_side_has_the_angles_of_the_file(tmp_path: Path):
    left = "<samples>3</samples><min_angle>0.2</min_angle><max_angle>0.8</max_angle>"
    world = room(tmp_path, scan(left))
    message = world.sensors["post/beam"].measure()
    np.testing.assert_allclose(message.ranges, 2.0 / np.cos([0.2, 0.5, 0.8]), atol=1e-6)
    assert message.angle_min == pytest.approx(0.2)
    assert message.angle_increment == pytest.approx(0.3)


def test_a_circle_begins_where_the_file_says(tmp_path: Path):
    # As TurtleBot3's nodes expect: ranges[0] is straight ahead, the rest goes round to the left.
    circle = "<samples>360</samples><min_angle>0</min_angle><max_angle>6.28</max_angle>"
    message = room(tmp_path, scan(circle)).sensors["post/beam"].measure()
    assert message.angle_min == pytest.approx(0.0, abs=1e-12)
    assert message.angle_increment == pytest.approx(math.radians(1.0))
    assert message.ranges[0] == pytest.approx(2.0, abs=1e-6)
    assert message.ranges[30] == pytest.approx(2.0 / math.cos(math.radians(30.0)), abs=1e-5)
    assert np.isinf(message.ranges[180])


def test_rings_lie_where_the_file_puts_them(tmp_path: Path):
    ahead = "<samples>1</samples>"
    rings = (
        "<vertical><samples>3</samples><min_angle>-0.1</min_angle><max_angle>0.3</max_angle>"
        "</vertical>"
    )
    world = room(tmp_path, scan(ahead, rings))
    lidar = world.sensors["post/beam"]
    assert isinstance(lidar, Lidar)
    ranges = lidar.scan().ranges[:, 0]
    np.testing.assert_allclose(ranges, 2.0 / np.cos([-0.1, 0.1, 0.3]), atol=1e-9)


def test_noise_and_gravity_come_from_the_file(tmp_path: Path):
    axis = "<noise type='gaussian'><mean>{}</mean><stddev>0.5</stddev></noise>"
    rates = "".join(f"<{n}>{axis.format(m)}</{n}>" for n, m in zip("xyz", (1, 2, 3), strict=True))
    slow = (
        "<noise type='gaussian'><bias_stddev>0.2</bias_stddev>"
        "<dynamic_bias_stddev>0.3</dynamic_bias_stddev>"
        "<dynamic_bias_correlation_time>8</dynamic_bias_correlation_time></noise>"
    )
    imu = (
        "<sensor name='imu' type='imu'><update_rate>0</update_rate><imu>"
        f"<angular_velocity>{rates}</angular_velocity>"
        f"<linear_acceleration><z>{slow}</z></linear_acceleration></imu></sensor>"
    )
    world = room(tmp_path, imu)
    sensor = world.sensors["post/imu"]
    gyroscope, accelerometer = sensor.config.gyroscope_noise, sensor.config.accelerometer_noise
    assert (gyroscope.offset, gyroscope.std) == ((1, 2, 3), (0.5, 0.5, 0.5))
    assert accelerometer.bias_std == (0, 0, 0.2)
    assert accelerometer.bias_time == 8
    assert accelerometer.bias_walk == pytest.approx((0, 0, 0.3 * math.sqrt(2 / 8)))
    assert sensor.config.rate_hz == pytest.approx(1 / world.timestep)
    world.step(3)
    assert sensor.sequence == 3
    np.testing.assert_allclose(sensor.measure().linear_acceleration, (0, 0, 1.62), atol=1e-9)


def test_cameras_project_as_the_file_says(tmp_path: Path):
    camera = (
        "<sensor name='eye' type='rgbd_camera'><update_rate>5</update_rate><camera>"
        "<horizontal_fov>1.2</horizontal_fov><image><width>64</width><height>48</height></image>"
        "<clip><near>0.3</near><far>7</far></clip></camera></sensor>"
    )
    config = room(tmp_path, camera).sensors["post/eye"].config
    assert (config.width, config.height) == (64, 48)
    assert (config.range_min, config.range_max) == (0.3, 7)
    assert config.intrinsics.K[0, 0] == pytest.approx(32 / math.tan(0.6))


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("gz_sensors/sensors.sdf", {"imu": 100, "magnetometer": 100, "force_torque": 10}),
        ("gz_gpu_lidar_sensor/gpu_lidar_sensor.sdf", {"lidar": 10}),
        (
            "turtlebot3_world/models/turtlebot3_burger/model.sdf",
            {"imu": 200, "laser_scan": 5, "odometry": 30, "joint_state": 50},
        ),
        (
            "px4_rover_ackermann/models/rover_ackermann/model.sdf",
            {"magnetometer": 100, "imu": 250, "gps": 30, "joint_state": 50},
        ),
    ],
)
def test_sensors_of_real_files_measure(shared: Path, path: str, kinds: dict[str, float]):
    world = World.load(shared / "robots" / "sdf" / path)
    world.step(2)
    found = {sensor.config.kind: sensor.config.rate_hz for sensor in world.sensors.values()}
    assert found == kinds
    for sensor in world.sensors.values():
        assert sensor.frame
        assert sensor.read() is not None
    ignored = [note for note in world.report.notes if "no sensor of SDF's type" in note.text]
    assert all(note.kind == NoteKind.IGNORED for note in ignored)
    if "gz_sensors" in path:
        assert len(ignored) == 3
