"""What is read of robots on legs, against their files and the kinematics of other code."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.errors import TaskError
from horus_sim.rl.models.legs import LIFT, legged_spec
from horus_sim.rl.models.walker_model import walker_spec
from horus_sim.robots import load_robot
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.scene.physics import PhysicsConfig


@pytest.fixture(scope="module")
def robot():
    return legged_spec("quadruped", PhysicsConfig())[2]


def test_legs_are_those_of_the_file(robot):
    assert [leg.joints[0] for leg in robot.legs] == [
        f"{side}_hip_joint" for side in ("FL", "FR", "RL", "RR")
    ]
    np.testing.assert_allclose(robot.stance, np.tile((0.0, 0.9, -1.8), 4))
    # Thigh and calf of 0.2 m bent by 0.9 rad each way, and a foot of 2 cm.
    np.testing.assert_allclose(robot.height, 0.4 * np.cos(0.9) + 0.02, atol=1e-6)
    assert [leg.foot_radius for leg in robot.legs] == [0.02] * 4
    np.testing.assert_allclose(robot.trunk[1], (0.1335, 0.097, 0.057), atol=1e-6)


def test_swinging_legs_lift_their_feet_straight_up(robot):
    description = load_robot("quadruped")

    def feet(offsets):
        positions = dict(zip(robot.joints, robot.stance + offsets, strict=True))
        tree = description.tf_tree(positions)
        return np.array(
            [
                tree.frame_pose(f"{side}_foot", "base").translation
                for side in ("FL", "FR", "RL", "RR")
            ]
        )

    moved = feet(robot.swing) - feet(0.0)
    np.testing.assert_allclose(moved, np.tile((0, 0, LIFT * robot.height), (4, 1)), atol=2e-3)


def test_joints_of_the_other_side_turn_the_other_way_where_their_axes_point_ahead(robot):
    mirror = robot.mirror
    assert [robot.joints[k] for k in mirror.joints[:3]] == [
        "FR_hip_joint",
        "FR_thigh_joint",
        "FR_calf_joint",
    ]
    np.testing.assert_array_equal(mirror.signs, np.tile((-1, 1, 1), 4))


def test_it_stands_on_its_feet_alone():
    spec, robot = walker_spec("quadruped", 0.005)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[2] = robot.height
    for joint, angle in zip(robot.joints, robot.stance, strict=True):
        data.qpos[model.joint(joint).qposadr[0]] = angle
        data.ctrl[model.actuator(joint).id] = angle
    for _ in range(400):
        mujoco.mj_step(model, data)
    touching = {model.geom(int(geom)).name for geom in data.contact.geom.ravel()}
    assert touching == {"floor", "foot0", "foot1", "foot2", "foot3"}
    assert np.abs(data.qvel).max() < 0.02
    # Drives give in under the weight by some degrees, as those of real robots do.
    assert 0.8 * robot.height < data.qpos[2] < robot.height
    np.testing.assert_allclose(data.qfrc_constraint[2], 9.81 * robot.mass, rtol=1e-2)


def test_robots_with_other_numbers_of_legs_are_refused(tmp_path):
    with pytest.raises(TaskError, match="has no legs that it could stand on, and walking takes 4"):
        legged_spec("arm6", PhysicsConfig())
