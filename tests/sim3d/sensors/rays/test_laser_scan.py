"""A laser scanner in a plane against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.rays.laser_scan import LaserScanConfig

CORRIDOR = Scene.model_validate(
    {
        "physics": {"gravity": [0, 0, 0]},
        "objects": [
            {
                "name": "wall",
                "shape": {"kind": "box", "size": [0.2, 60, 6]},
                "pose": {"xyz": [5.1, 0, 0]},
            },
            {
                "name": "pillar",
                "shape": {"kind": "cylinder", "radius": 0.5, "length": 3},
                "pose": {"xyz": [0, 3, 0]},
            },
            {
                "name": "cart",
                "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]},
                "dynamic": True,
            },
        ],
    }
)


@pytest.fixture
def world() -> World:
    return World.load(CORRIDOR)


def test_ranges_and_angles(world):
    sensor = LaserScanConfig(mount="cart", noise=NoiseConfig()).build(world)
    message = sensor.measure()
    assert sensor.name == "cart/scan"
    assert message.frame_id == sensor.frame
    assert message.angle_min == -np.pi
    assert message.angle_increment == pytest.approx(np.deg2rad(0.5), abs=1e-15)
    assert (message.range_min, message.range_max) == (0.1, 20.0)
    ranges = sensor.ranges()
    angles = message.angle_min + message.angle_increment * np.arange(720)
    ahead = np.abs(angles) < 1.0
    np.testing.assert_allclose(ranges[ahead], 5.0 / np.cos(angles[ahead]), rtol=0, atol=1e-9)
    off = 3.0 * np.sin(angles - np.pi / 2)
    beside = np.abs(angles - np.pi / 2) < 0.16
    expected = 3.0 * np.cos(angles - np.pi / 2) - np.sqrt(0.25 - off**2, where=beside, out=off)
    np.testing.assert_allclose(ranges[beside], expected[beside], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(message.ranges, ranges.astype(np.float32))
    assert ranges[0] == np.inf
    assert message.intensities is not None
    assert message.intensities[360] > 0.0
    assert message.intensities[0] == 0.0
    without = LaserScanConfig(mount="cart", name="b", intensities=False).build(world)
    assert without.measure().intensities is None


def test_a_narrow_scan_includes_its_edges(world):
    sensor = LaserScanConfig(mount="cart", rays=181, fov_deg=180.0).build(world)
    message = sensor.measure()
    assert message.angle_min == pytest.approx(-np.pi / 2)
    assert message.angle_min + 180 * message.angle_increment == pytest.approx(np.pi / 2)
    single = LaserScanConfig(mount="cart", name="one", rays=1, noise=NoiseConfig()).build(world)
    assert single.measure().ranges == pytest.approx([5.0])


def test_too_near_is_minus_infinite(world):
    sensor = LaserScanConfig(mount="cart", range_min=4.0, range_max=6.0).build(world)
    message = sensor.measure()
    assert message.ranges[540] == -np.inf
    assert message.ranges[360] == pytest.approx(5.0)
    assert message.ranges[0] == np.inf
    noisy = sensor.read()
    assert noisy.ranges[540] == -np.inf
    assert noisy.ranges[0] == np.inf


def test_noise(world):
    sensor = LaserScanConfig(mount="cart", noise=NoiseConfig(std=0.02, dropout=0.2)).build(world)
    ideal = sensor.measure().ranges
    hit = np.isfinite(ideal)
    errors = sensor.read().ranges[hit] - ideal[hit]
    lost = np.isnan(errors)
    assert lost.mean() == pytest.approx(0.2, abs=4 * 0.4 / np.sqrt(hit.sum()))
    kept = errors[~lost]
    assert kept.std() == pytest.approx(0.02, rel=4 / np.sqrt(2 * len(kept)))


def test_motion_distortion_stamps_the_first_ray(world):
    sensor = LaserScanConfig(mount="cart", motion_distortion=True, noise=NoiseConfig()).build(world)
    assert sensor.measure().stamp_ns == 0
    world.step(240)
    world.objects["cart"].set_velocity(linear=(1.0, 0.0, 0.0))
    x = world.objects["cart"].pose.translation[0]
    message = sensor.measure()
    assert message.time_increment == pytest.approx(0.1 / 720)
    assert message.stamp_ns == world.stamp_ns - round(1e8 * 719 / 720)
    late = (np.arange(720) - 719) * message.time_increment
    ahead = np.abs(sensor.azimuths) < 1.0
    expected = (5.0 - x - late) / np.cos(sensor.azimuths)
    np.testing.assert_allclose(sensor.ranges()[ahead], expected[ahead], rtol=0, atol=1e-9)


def test_wrong_ranges_are_refused():
    with pytest.raises(ValidationError, match="'range_min' must be less than 'range_max'"):
        LaserScanConfig(mount="cart", range_min=1.0, range_max=1.0)


def test_noise_stays_within_the_range_and_leaves_no_echo_alone():
    scene = {
        "objects": [
            {"name": "cart", "shape": {"kind": "box", "size": [0.1, 0.1, 0.1]}},
            {
                "name": "wall",
                "shape": {"kind": "box", "size": [1, 2, 2]},
                "pose": {"xyz": [2.5, 0, 0]},
            },
        ]
    }
    world = World.load(Scene.model_validate(scene))
    sensor = LaserScanConfig(
        mount="cart", range_min=0.5, range_max=2.5, noise=NoiseConfig(std=3.0)
    ).build(world)
    ideal = sensor.measure().ranges
    sensor.update(world.stamp_ns)
    ranges = sensor.read().ranges
    np.testing.assert_array_equal(np.isinf(ranges), np.isinf(ideal))
    finite = ranges[np.isfinite(ranges)]
    assert (finite.min(), finite.max()) == (0.5, 2.5)
