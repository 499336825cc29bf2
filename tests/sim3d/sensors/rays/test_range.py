"""Sonar against planes, balls and its own robot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from horus_sim.robots import load_robot
from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.sensors import NoiseConfig, RangeConfig
from horus_sim.sim3d.sensors.rays.range import cone

from ..poses import posed

BURGER = "turtlebot3_burger"


def world_of(*objects: dict[str, Any]) -> World:
    return World.load(Scene.model_validate({"objects": objects}))


def wall(x: float, yaw_deg: float = 0.0, name: str = "wall") -> dict[str, Any]:
    """A thin wall whose near face crosses the x axis at x."""
    c, s = math.cos(math.radians(yaw_deg)), math.sin(math.radians(yaw_deg))
    return {
        "name": name,
        "shape": {"kind": "box", "size": [0.2, 50, 50]},
        "pose": {"xyz": [x + 0.1 * c, 0.1 * s, 0], "rpy_deg": [0, 0, yaw_deg]},
    }


def ball(x: float, y: float = 0.0, **options: Any) -> dict[str, Any]:
    shape = {"kind": "sphere", "radius": 0.5}
    return {"name": "ball", "shape": shape, "pose": {"xyz": [x, y, 0]}, **options}


def sonar(world: World, **options: Any):
    return RangeConfig.model_validate({"mount": "world"} | posed(**options)).build(world)


def test_a_wall_ahead():
    message = sonar(world_of(wall(2.0))).measure()
    assert message.range == pytest.approx(2.0, abs=1e-12)
    assert (message.range_min, message.range_max, message.field_of_view) == (0.02, 4.0, 0.5)
    assert message.frame_id == "sonar"


def test_a_slanted_wall_is_nearest_at_the_edge_of_the_cone():
    message = sonar(world_of(wall(2.0, 30.0)), fov_deg=math.degrees(0.4)).measure()
    # The face is the plane n p = 2 cos 30; the nearest ray of the cone leans 0.2 rad towards n.
    expected = 2.0 * math.cos(math.radians(30)) / math.cos(math.radians(30) - 0.2)
    assert message.range == pytest.approx(expected, abs=1e-12)
    single = sonar(world_of(wall(2.0, 30.0)), fov_deg=0.0)
    assert len(single.rays) == 1
    assert single.measure().range == pytest.approx(2.0, abs=1e-12)


def test_a_ball():
    assert sonar(world_of(ball(3.0))).measure().range == pytest.approx(2.5, abs=1e-12)


def test_a_ball_beside_the_cone_is_not_seen():
    assert sonar(world_of(ball(2.0, 1.5))).measure().range == math.inf
    seen = sonar(world_of(ball(2.0, 1.5)), fov_deg=math.degrees(1.4))
    assert 1.9 < seen.measure().range < 2.1


def test_too_far_and_too_near():
    world = world_of(wall(2.0))
    assert sonar(world, range_max=1.9).measure().range == math.inf
    assert sonar(world, range_min=2.1, name="b").measure().range == -math.inf


def test_the_sensor_looks_along_its_own_x_axis():
    world = world_of(wall(-3.0))
    # The wall's far face is nearer from here.
    message = sonar(world, xyz=(1.0, 2.0, 0.0), rpy=(0.0, 0.0, math.pi)).measure()
    assert message.range == pytest.approx(3.8, abs=1e-9)


def test_what_moves_is_seen_where_it_is():
    world = world_of(ball(3.0, dynamic=True))
    sensor = sonar(world)
    world.objects["ball"].set_velocity((-1.0, 0, 0))
    world.step(24)
    x, _, z = world.objects["ball"].pose.translation
    sensor_at_height = sonar(world, name="b", xyz=(0, 0, z))
    assert sensor_at_height.measure().range == pytest.approx(x - 0.5, abs=1e-12)
    assert sensor.measure().range < 3.0


def test_the_own_robot_is_seen_on_request_only():
    world = World.from_robot(load_robot(BURGER), ground=False)
    world.spawn(ObjectConfig.model_validate(wall(1.0)))
    # Above the bottom face of the hull, in whose plane a ray has no answer.
    config = RangeConfig(mount=f"{BURGER}/base_link", **posed(xyz=(0, 0, 0.05)), fov_deg=0.0)
    hidden = config.build(world)
    x = float(hidden.T_world_sensor.translation[0])
    assert hidden.measure().range == pytest.approx(1.0 - x, abs=1e-6)
    seeing = config.model_copy(update={"ignore": "nothing", "name": "own"}).build(world)
    assert seeing.measure().range < 0.2


def test_noise_spares_what_is_not_there():
    far = sonar(world_of(), noise=NoiseConfig(std=0.1, std_relative=0.1, high=3.0))
    assert far.read().range == math.inf
    near = sonar(world_of(wall(2.0)), noise=NoiseConfig(std=0.1))
    found = []
    for seed in range(500):
        near.reset(seed)
        found.append(near.read().range)
    assert np.std(found) == pytest.approx(0.1, rel=5 / math.sqrt(1000))


@pytest.mark.parametrize("rings", [0, 1, 4])
def test_the_cone_is_filled_to_its_edge(rings):
    rays = cone(0.6, rings)
    assert rays.shape == (1 + 3 * rings * (rings + 1), 3)
    np.testing.assert_allclose(np.linalg.norm(rays, axis=1), 1.0)
    angles = np.arccos(np.clip(rays[:, 0], -1, 1))
    assert angles.max() == pytest.approx(0.3 if rings else 0.0, abs=1e-9)
    np.testing.assert_allclose(rays[:, 1:].sum(axis=0), 0, atol=1e-9)


def test_the_bounds_are_ordered():
    with pytest.raises(ValidationError, match="'range_min' must be less than 'range_max'"):
        RangeConfig(mount="world", range_min=5.0)
