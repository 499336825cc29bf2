"""Lidars on the market: published angles, rates and fields of view, and a curve without end."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError

from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.sensors.rays.lidar import Lidar, LidarConfig
from horus_sim.sim3d.sensors.rays.patterns import PATTERNS

from ..poses import posed

ROOM = {
    "objects": [
        {"name": name, "shape": {"kind": "box", "size": size}, "pose": {"xyz": xyz}}
        for name, size, xyz in (
            ("ahead", [1, 40, 40], [8.5, 0, 0]),
            ("behind", [1, 40, 40], [-8.5, 0, 0]),
            ("left", [40, 1, 40], [0, 8.5, 0]),
            ("right", [40, 1, 40], [0, -8.5, 0]),
            ("below", [40, 40, 1], [0, 0, -8.5]),
            ("above", [40, 40, 1], [0, 0, 8.5]),
        )
    ]
}


@pytest.fixture
def room() -> World:
    return World.load(Scene.model_validate(ROOM))


def lidar(world: World, **fields) -> Lidar:
    return LidarConfig(**posed(mount="world", xyz=(0, 0, 0)) | fields).build(world)


@pytest.mark.parametrize(
    ("name", "rings", "lowest", "highest", "columns"),
    [
        ("vlp16", 16, -15.0, 15.0, 1808),
        ("VLP-16", 16, -15.0, 15.0, 1808),
        ("vlp16_hires", 16, -10.0, 10.0, 1808),
        ("VLP-32C", 32, -25.0, 15.0, 1808),
        ("HDL-32E", 32, -30.67, 10.67, 2170),
        ("HDL-64E", 64, -24.33, 2.0, 2083),
        ("OS0-128", 128, -45.0, 45.0, 1024),
        ("OS1-64", 64, -22.5, 22.5, 1024),
        ("os2_128", 128, -11.25, 11.25, 1024),
    ],
)
def test_rings_are_where_the_maker_puts_them(name, rings, lowest, highest, columns):
    config = LidarConfig(mount="world", pattern=name)
    assert config.elevations_deg is not None
    angles = np.array(config.elevations_deg)
    assert (len(angles), config.rays_vertical, config.rays_horizontal) == (rings, rings, columns)
    assert angles[0] == pytest.approx(lowest, abs=0.005)
    assert angles[-1] == pytest.approx(highest, abs=0.005)
    assert (np.diff(angles) > 0).all()


def test_the_finest_rings_of_a_vlp32c_are_a_third_of_a_degree_apart():
    angles = np.array(PATTERNS["vlp32c"].elevations_deg)
    assert np.diff(angles).min() == pytest.approx(1 / 3, abs=1e-3)
    assert np.diff(angles)[0] == pytest.approx(25 - 15.639)


def test_the_two_blocks_of_an_hdl64e():
    angles = np.array(PATTERNS["hdl64e"].elevations_deg)
    np.testing.assert_allclose(np.diff(angles[:32]), 1 / 2)
    np.testing.assert_allclose(np.diff(angles[32:]), 1 / 3)


def test_what_is_given_beside_wins():
    config = LidarConfig(mount="world", pattern="vlp16", rate_hz=20, range_max=30.0)
    assert (config.rate_hz, config.range_max, config.rays_horizontal) == (20, 30.0, 904)
    few = LidarConfig(mount="world", pattern="os1_32", rays_horizontal=512, rate_hz=20)
    assert (few.rays_horizontal, few.rays_vertical) == (512, 32)
    assert LidarConfig(mount="world", pattern="os1_32", rate_hz=20).rays_horizontal == 1024


def test_a_pattern_in_a_scene_measures(room):
    sensor = room.sensors.add(
        {"kind": "lidar", "name": "puck", "mount": "world", "pattern": "VLP-16"}
    )
    assert isinstance(sensor, Lidar)
    scan = sensor.scan()
    # Straight ahead, where column 904 points, the wall is 8 m away along x.
    np.testing.assert_allclose(scan.azimuths[904], 0.0, atol=1e-12)
    expected = 8.0 / np.cos(np.deg2rad(np.arange(-15, 16, 2)))
    np.testing.assert_allclose(scan.ranges[:, 904], expected, rtol=1e-9)


def test_an_unknown_lidar_is_explained():
    with pytest.raises(ValidationError, match="no lidar is called 'vlp61'; did you mean 'vlp16'"):
        LidarConfig(mount="world", pattern="vlp61")
    with pytest.raises(ValidationError, match="'elevations_deg' has 16 rings, but 'rays_vert"):
        LidarConfig(mount="world", pattern="vlp16", rays_vertical=8)


def cells(scan) -> set[tuple[int, int]]:
    """The fields of one square degree that a sweep of the Mid-360 meets."""
    azimuths, elevations = np.rad2deg(scan.azimuths), np.rad2deg(scan.elevations)
    return set(zip(np.floor(azimuths).astype(int), np.floor(elevations).astype(int), strict=True))


def test_a_mid360_never_repeats_itself(room):
    sensor = lidar(room, pattern="mid360", noise={})
    assert sensor.shape == (1, 20_000)
    all_fields = 360 * 59
    shares, seen = [], set()
    for _ in range(10):
        room.step(24)  # a tenth of a second
        scan = sensor.scan()
        elevations = np.rad2deg(scan.elevations)
        assert elevations.min() >= -7.0
        assert elevations.max() <= 52.0
        # Every height gets the same number of points.
        counts = np.histogram(elevations, bins=59, range=(-7, 52))[0]
        assert np.ptp(counts) < 0.2 * counts.mean()
        seen |= cells(scan)
        shares.append(len(seen) / all_fields)
    assert shares[0] < 0.3
    assert shares[-1] > 0.8
    assert (np.diff(shares) > 0.005).all(), "each sweep fills gaps of those before"


def test_a_curve_meets_what_stands_there(room):
    """The distance of an axis-aligned room is the smallest of 8 m over each direction cosine."""
    sensor = lidar(room, pattern="mid360", rate_hz=100, noise={})
    room.step(7)
    scan = sensor.scan()
    directions = scan.directions.reshape(-1, 3)
    level = np.cos(scan.elevations)
    np.testing.assert_allclose(directions[:, 0], level * np.cos(scan.azimuths), atol=1e-12)
    np.testing.assert_allclose(directions[:, 2], np.sin(scan.elevations), atol=1e-12)
    expected = 8.0 / np.abs(directions).max(axis=1)
    np.testing.assert_allclose(scan.ranges.ravel(), expected, rtol=1e-9)
    cloud = sensor.measure()
    assert len(cloud.points) == 2000
    assert np.abs(np.abs(cloud.points).max(axis=1) - 8.0).max() < 1e-5


def test_the_same_time_is_the_same_sweep(room):
    first = lidar(room, pattern="mid360", noise={})
    room.step(11)
    before = first.scan().directions
    room.step(5)
    assert not np.array_equal(first.scan().directions, before)
    other = World.load(Scene.model_validate(ROOM))
    other.step(11)
    np.testing.assert_array_equal(lidar(other, pattern="mid360").scan().directions, before)


def test_times_of_a_curve_run_over_its_sweep(room):
    sensor = lidar(room, pattern="mid360", motion_distortion=True, noise={})
    room.step(24)
    cloud = sensor.measure()
    assert cloud.times_ns is not None
    assert cloud.times_ns[-1] == cloud.stamp_ns
    assert cloud.stamp_ns - cloud.times_ns[0] == pytest.approx(0.1e9, rel=1e-3)
    assert (np.diff(cloud.times_ns) > 0).all()
    assert math.isclose(np.diff(cloud.times_ns).mean(), 5000.0, rel_tol=1e-3)
