"""Rays in many environments, against the lidar of each."""

from __future__ import annotations

import numpy as np

from horus_sim.sim3d import World
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.rays.batch import batch_ranges
from horus_sim.sim3d.sensors.rays.lidar import LidarConfig
from horus_sim.tf import Transform


def test_every_environment_measures_what_its_lidar_would():
    from mujoco.batch import Batch

    world = World.load("warehouse")
    robot = world.robots["burger"]
    batch = Batch(world.model, nsim=3, nthread=2)
    qpos, mocap_pos, mocap_quat = (batch.bind(f) for f in ("qpos", "mocap_pos", "mocap_quat"))
    lidar = LidarConfig(
        mount="burger/base_scan", rays_horizontal=36, rays_vertical=2, noise=NoiseConfig()
    ).build(world)
    positions, directions, expected = [], [], []
    for i, x in enumerate((-2.0, 0.0, 1.5)):
        world.move("burger", Transform.from_euler((x, 0.2 * x, 0.01), (0.0, 0.0, x)))
        qpos[i] = world.data.qpos
        mocap_pos[i], mocap_quat[i] = world.data.mocap_pos, world.data.mocap_quat
        T = lidar.T_world_sensor.to_matrix()
        positions.append(T[:3, 3])
        directions.append(lidar._directions @ T[:3, :3].T)
        expected.append(lidar.scan().ranges.ravel())
    rays = np.array(positions), np.array(directions)
    housing = robot.body_id("base_scan")
    found = batch_ranges(batch, *rays, exclude_body=housing)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    cut = batch_ranges(batch, *rays, 4.0, exclude_body=housing)
    np.testing.assert_array_equal(cut == np.inf, found > 4.0)
