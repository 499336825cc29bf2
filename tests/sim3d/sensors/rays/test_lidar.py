"""A lidar against closed forms, and what it makes of its surroundings."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.rays.caster import RayCaster, seen_geoms
from horus_sim.sim3d.sensors.rays.lidar import Lidar, LidarConfig
from horus_sim.tf import Transform

from ..poses import posed

QUIET = NoiseConfig()
ROOM = {
    "objects": [
        {"name": "ground", "shape": {"kind": "plane"}, "material": {"rgba": [0.5, 0.5, 0.5, 1]}},
        {
            "name": "wall",
            "shape": {"kind": "box", "size": [0.2, 60, 6]},
            "pose": {"xyz": [5.1, 0, 0]},
            "material": {"rgba": [1, 1, 1, 1]},
        },
        {
            "name": "lamp",
            "shape": {"kind": "sphere", "radius": 0.5},
            "pose": {"xyz": [-4, 0, 1]},
            "material": {"rgba": [0, 1, 0, 1], "emission": 0.5},
        },
    ]
}


@pytest.fixture
def room() -> World:
    return World.load(Scene.model_validate(ROOM))


def lidar(world: World, **fields) -> Lidar:
    options = {"mount": "world", "xyz": (0, 0, 1), "noise": QUIET} | fields
    return LidarConfig(**posed(**options)).build(world)


def test_the_defaults_are_those_of_a_common_lidar():
    config = LidarConfig(mount="world")
    assert (config.rays_horizontal, config.rays_vertical) == (720, 16)
    assert (config.fov_deg, config.fov_vertical_deg) == (360.0, 30.0)
    assert (config.range_min, config.range_max, config.rate_hz) == (0.1, 20.0, 10.0)
    assert config.noise == NoiseConfig(std=0.01)


def test_angles(room):
    sensor = lidar(room)
    assert sensor.azimuths[0] == -np.pi
    assert sensor.azimuths[360] == 0.0
    assert np.rad2deg(np.diff(sensor.azimuths)) == pytest.approx(0.5)
    assert np.rad2deg(sensor.elevations[[0, -1]]) == pytest.approx([-15, 15])
    assert np.rad2deg(np.diff(sensor.elevations)) == pytest.approx(2.0)
    narrow = lidar(room, name="b", fov_deg=90, rays_horizontal=3, rays_vertical=1)
    assert np.rad2deg(narrow.azimuths) == pytest.approx([-45, 0, 45])
    assert narrow.elevations == pytest.approx([0.0])
    uneven = lidar(room, name="c", rays_vertical=2, elevations_deg=(-10, 3))
    assert np.rad2deg(uneven.elevations) == pytest.approx([-10, 3])


def test_ranges_in_a_turned_frame(room):
    """Plane, box and sphere, from a sensor that is turned and tilted."""
    sensor = lidar(room, rpy=(0.1, -0.2, 0.7), range_max=40.0)
    scan = sensor.scan()
    R = sensor.T_world_sensor.to_matrix()[:3, :3]
    directions = scan.directions.reshape(-1, 3) @ R.T
    with np.errstate(divide="ignore"):
        to_ground = np.where(directions[:, 2] < 0, -1.0 / directions[:, 2], np.inf)
        to_wall = np.where(directions[:, 0] > 0, 5.0 / directions[:, 0], np.inf)
    inside = np.abs(to_wall * directions[:, 1]) <= 30
    inside &= np.abs(1.0 + to_wall * directions[:, 2]) <= 3
    to_wall = np.where(inside, to_wall, np.inf)
    along = -4.0 * directions[:, 0]
    off2 = 16.0 - along**2
    to_lamp = np.where(
        (along > 0) & (off2 <= 0.25), along - np.sqrt(0.25 - off2.clip(max=0.25)), np.inf
    )
    expected = np.minimum(np.minimum(to_ground, to_wall), to_lamp)
    # The end of the wall is 30 m away: rays near its edge are decided in single precision.
    clear = np.abs(np.abs(expected * directions[:, 1]) - 30) > 1e-3
    expected[expected > 40.0] = np.inf
    assert clear.mean() > 0.99
    np.testing.assert_allclose(scan.ranges.ravel()[clear], expected[clear], rtol=0, atol=1e-9)
    assert len({*scan.geoms.ravel()}) == 4


def test_points_are_where_the_rays_end(room):
    sensor = lidar(room, rpy=(0.1, -0.2, 0.7))
    scan = sensor.scan()
    message = sensor.measure()
    assert message.frame_id == sensor.frame == "lidar"
    assert message.points.dtype == np.float32
    assert len(message.points) == np.isfinite(scan.ranges).sum() < 11520
    np.testing.assert_array_equal(message.points, scan.to_pointcloud())
    np.testing.assert_allclose(
        np.linalg.norm(message.points, axis=1), scan.ranges[scan.is_valid], rtol=1e-6
    )
    points = room.tf.transform_points(message.points.astype(float), "lidar", "world")
    on_ground = scan.geoms[scan.is_valid] == 0
    assert on_ground.sum() > 1000
    assert points[on_ground, 2] == pytest.approx(0.0, abs=1e-5)
    on_wall = scan.geoms[scan.is_valid] == 2
    assert points[on_wall, 0] == pytest.approx(5.0, abs=1e-5)
    assert message.rings is not None
    elevations = np.arcsin(message.points[:, 2] / np.linalg.norm(message.points, axis=1))
    np.testing.assert_allclose(elevations, sensor.elevations[message.rings], atol=1e-6)
    assert np.isnan(scan.points()).all(axis=-1).sum() == 11520 - len(message.points)


def test_an_organized_cloud_has_a_point_for_every_ray(room):
    sensor = lidar(room, organized=True, rays_horizontal=36, rays_vertical=4)
    message, scan = sensor.measure(), sensor.scan()
    assert len(message.points) == 4 * 36
    is_echo = np.isfinite(message.points).all(axis=1).reshape(4, 36)
    np.testing.assert_array_equal(is_echo, scan.is_valid)
    np.testing.assert_array_equal(message.rings, np.repeat(np.arange(4), 36))


def test_too_near_and_too_far(room):
    sensor = lidar(room, range_min=4.9, range_max=5.01, rays_vertical=1)
    ranges = sensor.scan().ranges[0]
    assert ranges[360] == pytest.approx(5.0, abs=1e-9)
    assert ranges[0] == -np.inf
    assert ranges[180] == np.inf
    assert len(sensor.measure().points) == np.isfinite(ranges).sum()


def test_intensity_follows_colour_and_incidence(room):
    scan = lidar(room, rays_vertical=1).scan()
    straight, slanted = scan.intensities[0, 360], scan.intensities[0, 360 + 60]
    assert straight == pytest.approx(1.0, abs=1e-6)
    assert slanted == pytest.approx(np.cos(np.deg2rad(30)), abs=1e-6)
    # Green has a luminance of 0.7152; half of it shines by itself.
    assert scan.intensities[0, 0] == pytest.approx(min(1.0, 1.5 * 0.7152), abs=1e-6)
    assert scan.intensities[0, 180] == 0.0


def test_a_lidar_does_not_see_its_own_housing_but_its_robot_if_wanted():
    world = World.load("warehouse")
    echoes = {}
    for ignore in ("nothing", "link", "robot"):
        sensor = lidar(
            world, name=ignore, mount="burger/base_scan", xyz=(0, 0, 0), ignore=ignore,
            range_min=0.0, fov_vertical_deg=178.0,
        )  # fmt: skip
        scan = sensor.scan()
        names = {world.model.geom(int(i)).name for i in np.unique(scan.geoms) if i >= 0}
        echoes[ignore] = {name.split("#")[0] for name in names if name.startswith("burger")}
    assert echoes["nothing"] == {"burger/base_scan"}
    assert "burger/base_link" in echoes["link"]
    assert "burger/base_scan" not in echoes["link"]
    assert not echoes["robot"]


def test_what_is_fixed_to_the_sensor_is_met_as_if_it_were_not():
    world = World.load("warehouse")
    world.robots["burger"].command(linear=0.2, angular=1.0)
    world.step(200)
    sensor = lidar(world, mount="burger/base_scan", xyz=(0, 0, 0.05), fov_vertical_deg=150.0)
    scan = sensor.scan()
    assert sensor._view._known is not None
    geoms = seen_geoms(world.model)
    geoms = geoms[world.model.geom_bodyid[geoms] != sensor.mount.body]
    position, R = sensor._pose()
    hits = RayCaster(world.model, geoms).cast(
        world.data, position, scan.directions.reshape(-1, 3) @ R.T, 20.0
    )
    ranges = np.where(hits.distances < 0.1, -np.inf, hits.distances)
    np.testing.assert_allclose(scan.ranges.ravel(), ranges, rtol=0, atol=1e-9)


def test_noise_comes_after_the_measurement(room):
    sensor = lidar(room, noise=NoiseConfig(std=0.01, dropout=0.1), rays_vertical=1, organized=True)
    ideal = np.linalg.norm(sensor.measure().points, axis=1)
    errors = []
    for _ in range(20):
        room.step(24)
        sensor.update(room.stamp_ns)
        errors.append(np.linalg.norm(sensor.read().points, axis=1) - ideal)
    assert sensor.sequence == 20
    errors = np.concatenate(errors)
    lost = np.isnan(errors[np.tile(np.isfinite(ideal), 20)]).mean()
    count = np.isfinite(ideal).sum() * 20
    assert lost == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / count))
    errors = errors[np.isfinite(errors)]
    assert errors.mean() == pytest.approx(0.0, abs=4 * 0.01 / np.sqrt(len(errors)))
    assert errors.std() == pytest.approx(0.01, rel=4 / np.sqrt(2 * len(errors)))
    loose = lidar(room, name="b", noise=NoiseConfig(dropout=0.5), rays_vertical=1)
    cloud = loose.read()
    assert 0.3 * len(loose.measure().points) < len(cloud.points) < 0.7 * len(loose.measure().points)
    assert cloud.rings is not None
    assert len(cloud.rings) == len(cloud.points)


def test_the_same_seed_gives_the_same_bits_and_states_continue(room):
    clouds = []
    for _ in range(2):
        world = World.load(Scene.model_validate(ROOM), seed=3)
        sensor = lidar(world, noise=NoiseConfig(std=0.01))
        world.step(24)
        sensor.update(world.stamp_ns)
        state = sensor.get_state()
        clouds.append(sensor.read())
        world.step(24)
        sensor.update(world.stamp_ns)
        later = sensor.read()
        sensor.set_state(state)
        assert sensor.read() == clouds[-1]
        sensor.update(world.stamp_ns)
        assert sensor.read() == later
    assert clouds[0] == clouds[1]


def test_motion_distortion_starts_each_ray_where_the_sensor_was():
    world = World.load(
        Scene.model_validate(
            {
                "physics": {"gravity": [0, 0, 0]},
                "objects": [
                    *ROOM["objects"][1:2],
                    {
                        "name": "cart",
                        "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]},
                        "dynamic": True,
                    },
                ],
            }
        )
    )
    sensor = lidar(world, mount="cart", xyz=(0, 0, 0), motion_distortion=True, rays_vertical=1)
    world.objects["cart"].set_velocity(linear=(2.0, 0.0, 0.0))
    scan = sensor.scan()
    assert scan.times_ns[-1] == 0
    assert scan.times_ns[0] == -round(1e8 * 719 / 720)
    ahead = np.abs(sensor.azimuths) < 1.0
    times = (np.arange(720) - 719) / 7200
    np.testing.assert_allclose(scan.times_ns, 1e9 * times, atol=0.5)
    x = 2.0 * times
    expected = (5.0 - x) / np.cos(sensor.azimuths)
    np.testing.assert_allclose(scan.ranges[0, ahead], expected[ahead], rtol=0, atol=1e-9)
    times_ns = sensor.measure().times_ns
    assert times_ns is not None
    assert times_ns.max() <= world.stamp_ns
    # Turning: each ray points where the sensor pointed at its time.
    world.objects["cart"].set_velocity(angular=(0.0, 0.0, 3.0))
    turned = sensor.azimuths + 3.0 * times
    ahead = np.abs(turned) < 1.0
    expected = 5.0 / np.cos(turned)
    np.testing.assert_allclose(sensor.scan().ranges[0, ahead], expected[ahead], rtol=0, atol=1e-9)


def test_motion_distortion_follows_the_arc_of_a_robot_that_drives_and_turns():
    cart = {"name": "cart", "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]}, "dynamic": True}
    world = World.load(
        Scene.model_validate(
            {"physics": {"gravity": [0, 0, 0]}, "objects": [*ROOM["objects"][1:2], cart]}
        )
    )
    sensor = lidar(world, mount="cart", xyz=(0.3, 0.1, 0), motion_distortion=True, rays_vertical=1)
    speed, rate = 2.0, 3.0
    world.objects["cart"].set_velocity(linear=(speed, 0.0, 0.0), angular=(0.0, 0.0, rate))
    turn = rate * (np.arange(720) - 719) / 7200
    x = speed / rate * np.sin(turn) + 0.3 * np.cos(turn) - 0.1 * np.sin(turn)
    azimuths = sensor.azimuths + turn
    ahead = np.abs(azimuths) < 1.0
    expected = (5.0 - x) / np.cos(azimuths)
    np.testing.assert_allclose(sensor.scan().ranges[0, ahead], expected[ahead], rtol=0, atol=1e-9)


def test_noise_stays_within_the_range(room):
    sensor = lidar(room, noise=NoiseConfig(std=3.0), rays_vertical=1, range_min=0.5, range_max=6.0)
    sensor.update(room.stamp_ns)
    distances = np.linalg.norm(sensor.read().points, axis=1)
    assert distances.min() == pytest.approx(0.5, abs=1e-6)
    assert distances.max() == pytest.approx(6.0, abs=1e-6)


def test_a_lidar_follows_a_world_that_changes(room):
    sensor = lidar(room, rays_vertical=1)
    assert sensor.scan().ranges[0, 360] == pytest.approx(5.0, abs=1e-9)
    config = {"name": "crate", "shape": {"kind": "box", "size": [1, 1, 3]}, "dynamic": True}
    room.spawn(ObjectConfig.model_validate(config), pose=Transform((2.5, 0.0, 1.5)))
    sensor.rebind()
    assert sensor.scan().ranges[0, 360] == pytest.approx(2.0, abs=1e-9)
    room.move("crate", Transform((3.5, 0.0, 1.5)))
    assert sensor.scan().ranges[0, 360] == pytest.approx(3.0, abs=1e-9)


def test_wrong_configurations_are_explained():
    with pytest.raises(ValidationError, match="'range_min' must be less than 'range_max'"):
        LidarConfig(mount="world", range_min=3.0, range_max=2.0)
    with pytest.raises(ValidationError, match="'elevations_deg' has 2 rings, but 'rays_vertical'"):
        LidarConfig(mount="world", elevations_deg=(0.0, 1.0))
    with pytest.raises(ValidationError, match="unknown key 'rays'; did you mean"):
        LidarConfig.model_validate({"mount": "world", "rays": 3})
