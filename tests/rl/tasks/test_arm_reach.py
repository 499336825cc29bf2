"""What ArmReach observes, rewards and ends by, against the arm's own kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.arm import Arm
from horus_sim.errors import TaskError
from horus_sim.rl.models.arm_model import GRASP_LENGTH
from horus_sim.rl.training import evaluate, load_policy


def make(num_envs, **settings) -> Any:
    return rl.make_vector("ArmReach", num_envs, **settings)


def test_the_gripper_is_where_the_arms_kinematics_say():
    envs = make(20)
    seen, _ = envs.reset(seed=0)
    task = envs.task
    T_base_flange = Arm.load("ur5e").fk_batch(task.qpos)
    expected = T_base_flange[:, :3, 3] + GRASP_LENGTH * T_base_flange[:, :3, 2]
    np.testing.assert_allclose(task.tool, expected, atol=1e-6)
    pan = task.qpos[:, 0]
    for k, name in ((0, "tool"), (1, "goal")):
        vector = (expected, task.goal - expected)[k]
        turned = np.stack(
            [
                np.cos(pan) * vector[:, 0] + np.sin(pan) * vector[:, 1],
                np.cos(pan) * vector[:, 1] - np.sin(pan) * vector[:, 0],
                vector[:, 2],
            ],
            axis=1,
        )
        np.testing.assert_allclose(seen[:, envs.columns[name]], turned, atol=1e-5)


def test_joints_follow_the_speeds_asked_for():
    envs = make(1, start_spread=0.0)
    envs.reset(seed=0)
    task = envs.task
    start = task.qpos[0].copy()
    action = np.array([[1.0, 0.5, -0.5, 0.5, -0.5, 1.0]], np.float32)
    for _ in range(20):
        envs.step(action)
    # A second at 1.5 rad/s, less what a servo of 60 rad/s lags behind.
    np.testing.assert_allclose(task.qpos[0] - start, 1.5 * action[0], atol=0.06)


def test_goals_lie_in_the_workspace():
    envs = make(500)
    envs.reset(seed=0)
    goal = envs.task.goal
    away = np.linalg.norm(goal - (0, 0, 0.1625), axis=1)
    assert away.min() >= 0.35
    assert away.max() <= 0.8
    assert goal[:, 2].min() > 0.05


def test_arrival_at_rest_and_the_floor_end_episodes():
    envs = make(4)
    envs.reset(seed=0)
    task = envs.task
    task.goal[:2] = task.tool[:2]
    actions = np.zeros((4, 6), np.float32)
    actions[1] = 1.0
    # The upper arm laid back to the floor.
    task.qpos[2, 1:3] = task.ctrl[2, 1:3] = (0.3, 0.0)
    _, _, terminated, _, info = envs.step(actions)
    assert [envs.causes[cause] for cause in info["cause"]] == ["goal", "", "floor", ""]
    assert terminated.tolist() == [True, False, True, False]
    assert info["success"].tolist() == [True, False, False, False]
    assert info["reward"]["goal"].tolist() == [5, 0, 0, 0]
    assert info["reward"]["floor"].tolist() == [0, 0, -5, 0]


def test_the_shipped_policy_reaches():
    report = evaluate(load_policy("ArmReach"), "ArmReach", 64, threads=1)
    assert report.success_rate is not None
    assert report.success_rate > 0.93


def test_ranges_are_checked():
    with pytest.raises(TaskError, match=r"goal_distance: the range is \(0.8, 0.3\)"):
        make(1, goal_distance=(0.8, 0.3))
