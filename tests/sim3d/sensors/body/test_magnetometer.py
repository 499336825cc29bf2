"""Magnetometer against the field of the earth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.sensors import MagnetometerConfig, NoiseConfig
from horus_sim.sim3d.sensors.body.magnetometer import (
    EarthField,
)

from ..poses import posed

EARTH = EarthField(strength=50e-6, declination_deg=10.0, inclination_deg=60.0)


def compass(**options: object):
    data = {"mount": "world", "earth": EARTH} | posed(**options)
    return MagnetometerConfig.model_validate(data).build(World.load(Scene()))


def test_the_field_points_north_and_down():
    east, north, up = compass().measure().field
    assert math.hypot(east, north, up) == pytest.approx(50e-6)
    assert math.degrees(math.atan2(east, north)) == pytest.approx(10.0)
    assert math.degrees(math.asin(-up / 50e-6)) == pytest.approx(60.0)


@pytest.mark.parametrize("heading", [0.0, 90.0, -37.0])
def test_a_compass_finds_north(heading):
    yaw = 0.4
    x, y, _ = compass(heading_deg=heading, rpy=(0, 0, yaw)).measure().field
    # Angle from the sensor's x axis to magnetic north, counter-clockwise.
    to_north = math.degrees(math.atan2(y, x))
    facing = heading + math.degrees(yaw)  # from east, counter-clockwise
    expected = (90.0 - 10.0 - facing + 180.0) % 360.0 - 180.0
    assert to_north == pytest.approx(expected)


def test_a_tilted_sensor():
    rpy = (0.3, -0.8, 1.9)
    found = compass(rpy=rpy).measure().field
    expected = Rotation.from_euler("xyz", rpy).inv().apply(EARTH.enu)
    np.testing.assert_allclose(found, expected, atol=1e-18)


def test_a_magnet_on_the_robot():
    sensor = compass(noise=NoiseConfig(offset=(1e-6, 0, 0)))
    difference = np.subtract(sensor.read().field, sensor.measure().field)
    np.testing.assert_allclose(difference, (1e-6, 0, 0), atol=1e-15)
