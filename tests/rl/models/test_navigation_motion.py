"""The model that steps fast moves as the robot that the description describes."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.rl.models.navigation_model import WHEELS, navigation_spec, scrub, wheel_speeds
from horus_sim.rl.models.robot_spec import drive_by_speed, robot_spec
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.scene.physics import PhysicsConfig

FINER = 8


def drive(model, forward, turning, steps, *, with_scrub):
    """Poses (x, y, yaw) twenty times a second, from rest; commands hold for a second."""
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 10 * steps)
    wheels, torque = wheel_speeds(forward, turning), scrub(turning)
    poses = []
    for k in range(20 * len(forward)):
        data.ctrl[:] = wheels[k // 20]
        if with_scrub:
            data.qfrc_applied[5] = torque[k // 20]
        mujoco.mj_step(model, data, steps)
        w, x, y, z = data.qpos[3:7]
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        poses.append((data.qpos[0], data.qpos[1], yaw))
    return np.array(poses)


@pytest.fixture(scope="module")
def described():
    physics = PhysicsConfig(timestep=1 / 240 / FINER)
    spec, built = robot_spec("turtlebot3_burger", "floating", physics, lean=False)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(20, 20, 1))
    for joint in WHEELS:
        drive_by_speed(spec, built, joint)
    return spec.compile()


@pytest.mark.parametrize("seed", range(3))
def test_ten_seconds_agree_with_fine_steps_of_the_described_robot(described, seed):
    random = np.random.default_rng(seed)
    forward, turning = random.uniform(0, 0.22, 10), random.uniform(-2, 2, 10)
    fast = drive(navigation_spec().compile(), forward, turning, 12, with_scrub=True)
    fine = drive(described, forward, turning, 12 * FINER, with_scrub=False)
    apart = np.hypot(*(fast - fine)[:, :2].T)
    turned = np.angle(np.exp(1j * (fast - fine)[:, 2]))
    assert apart.max() < 0.005
    assert np.degrees(np.abs(turned).max()) < 1.0


def test_wheels_that_are_too_fast_keep_the_curve():
    left, right = wheel_speeds(np.array([0.22]), np.array([2.0]))[0]
    assert max(left, right) == pytest.approx(6.885)
    radius = 0.08 * (right + left) / (right - left)
    assert radius == pytest.approx(0.22 / 2.0)
    assert wheel_speeds(np.array([0.1]), np.array([0.0]))[0] == pytest.approx([0.1 / 0.033] * 2)
