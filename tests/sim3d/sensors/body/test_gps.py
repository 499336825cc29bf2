"""GPS against the definition of WGS84."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.sensors import GpsConfig, NoiseConfig
from horus_sim.sim3d.sensors.body.geodesy import GeoOrigin

from ..poses import posed

A, F = 6378137.0, 1 / 298.257223563
E2 = F * (2 - F)


def ecef(latitude_deg: float, longitude_deg: float, height: float) -> np.ndarray:
    """Earth-centred coordinates [m], by the definition of the ellipsoid."""
    lat, lon = math.radians(latitude_deg), math.radians(longitude_deg)
    n = A / math.sqrt(1 - E2 * math.sin(lat) ** 2)
    level = (n + height) * math.cos(lat)
    return np.array(
        (level * math.cos(lon), level * math.sin(lon), (n * (1 - E2) + height) * math.sin(lat))
    )


def enu_axes(latitude_deg: float, longitude_deg: float) -> np.ndarray:
    """Rows: unit vectors east, north and up in earth-centred coordinates."""
    lat, lon = math.radians(latitude_deg), math.radians(longitude_deg)
    east = (-math.sin(lon), math.cos(lon), 0.0)
    up = (math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat))
    return np.array((east, np.cross(up, east), up))


def ball(**options: object) -> World:
    data = {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "dynamic": True, **options}
    return World.load(Scene(objects=(ObjectConfig.model_validate(data),)))


places = st.tuples(st.floats(-85, 85), st.floats(-179, 179), st.floats(-100, 5000))
offsets = st.tuples(*[st.floats(-5000, 5000)] * 3)


@given(places, offsets)
def test_points_lie_where_the_ellipsoid_says(place, offset):
    origin = GeoOrigin(latitude_deg=place[0], longitude_deg=place[1], altitude=place[2])
    found = origin.to_geodetic(offset)
    expected = ecef(*place) + np.asarray(offset) @ enu_axes(*place[:2])
    np.testing.assert_allclose(ecef(*found), expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(origin.to_world(found), offset, rtol=0, atol=1e-6)


@given(st.floats(-360, 360), offsets)
def test_the_heading_turns_the_world(heading, offset):
    origin = GeoOrigin(heading_deg=heading)
    np.testing.assert_allclose(origin.from_enu(origin.to_enu(offset)), offset, atol=1e-9)
    x_axis = origin.to_enu((1, 0, 0))
    angle = math.radians(heading)
    np.testing.assert_allclose(x_axis, (math.cos(angle), math.sin(angle), 0), atol=1e-12)


def test_many_points_at_once():
    origin = GeoOrigin()
    points = np.random.default_rng(0).uniform(-100, 100, (7, 5, 3))
    found = origin.to_geodetic(points)
    assert found.shape == (7, 5, 3)
    np.testing.assert_allclose(found[3, 2], origin.to_geodetic(points[3, 2]), rtol=1e-15)


def test_the_origin_is_where_it_was_put():
    gps = GpsConfig(mount="world").build(ball())
    message = gps.read()
    origin = gps.config.origin
    assert message.latitude_deg == pytest.approx(origin.latitude_deg, abs=1e-12)
    assert message.longitude_deg == pytest.approx(origin.longitude_deg, abs=1e-12)
    assert message.altitude == pytest.approx(origin.altitude, abs=1e-8)
    assert message.covariance is None


def test_a_robot_that_heads_north_with_the_antenna_off_its_centre():
    world = ball(pose={"xyz": [100, 20, 5]})
    world.objects["ball"].set_velocity((3, 0, 0.5), (0, 0, 2))
    origin = GeoOrigin(heading_deg=90.0)
    gps = GpsConfig(mount="ball", origin=origin, **posed(xyz=(0.5, 0, 0))).build(world)
    message = gps.measure()
    # World x is north, world y is west.
    place = (origin.latitude_deg, origin.longitude_deg, origin.altitude)
    expected = ecef(*place) + np.array((-20, 100.5, 5)) @ enu_axes(*place[:2])
    found = ecef(message.latitude_deg, message.longitude_deg, message.altitude)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    # The antenna also goes round the centre: 2 rad/s at 0.5 m, to the left of ahead.
    assert message.velocity is not None
    np.testing.assert_allclose(message.velocity, (-1.0, 3.0, 0.5), atol=1e-9)


def test_noise_is_in_metres_east_north_up():
    noise = NoiseConfig(std=(1.0, 2.0, 4.0))
    gps = GpsConfig(mount="world", position_noise=noise, velocity_noise=NoiseConfig(std=0.1)).build(
        ball()
    )
    points, velocities = [], []
    for seed in range(800):
        gps.reset(seed)
        message = gps.read()
        points.append((message.latitude_deg, message.longitude_deg, message.altitude))
        velocities.append(message.velocity)
    enu = gps.config.origin.to_world(np.array(points))
    bound = 5 / math.sqrt(2 * 800)
    np.testing.assert_allclose(enu.std(axis=0), (1, 2, 4), rtol=bound)
    assert np.abs(enu.mean(axis=0) / (1, 2, 4)).max() < 5 / math.sqrt(800)
    np.testing.assert_allclose(np.std(velocities), 0.1, rtol=bound)
    covariance = gps.read().covariance
    assert covariance is not None
    np.testing.assert_allclose(covariance, np.diag((1, 4, 16)))


def test_a_receiver_without_velocity():
    assert GpsConfig(mount="world", has_velocity=False).build(ball()).read().velocity is None
