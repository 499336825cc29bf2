"""Manipulation: kinematics, grasps and ends; rules that know nothing but observations solve it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.arm import Arm
from horus_sim.errors import TaskError
from horus_sim.rl.models.arm_model import GRASP_LENGTH, joints_tool_down
from horus_sim.rl.models.manipulation_model import HALF_CUBE
from horus_sim.rl.training import evaluate, load_policy

STEP = 0.3 / 20


def lift_rule(seen, columns):
    """Lowers the open gripper over the cube, closes it and goes up."""
    offset = seen[:, columns["cube"]]
    grip, fingers = seen[:, columns["grip"]][:, 0], seen[:, columns["fingers"]]
    above = np.hypot(offset[:, 0], offset[:, 1]) > 0.008
    around = ~above & (np.abs(offset[:, 2]) < 0.008)
    closed = (grip < 0.7) & (fingers.sum(axis=1) > 1.3) & (np.abs(offset[:, 2]) < 0.02)
    move = offset / STEP
    move[:, 2] = np.where(above, (offset[:, 2] + 0.06) / STEP, move[:, 2])
    move[closed] = (0, 0, 1)
    close = np.where(around | closed, -1.0, 1.0)
    return np.clip(np.concatenate([move, close[:, None]], axis=1), -1, 1).astype(np.float32)


def place_rule(seen, columns):
    """Lifts the cube, carries it, lowers it and lets go."""
    actions = lift_rule(seen, columns)
    goal, tool = seen[:, columns["goal"]], seen[:, columns["tool"]]
    lifted = seen[:, columns["lifted"]][:, 0] > 0.5
    down = lifted & (np.hypot(goal[:, 0], goal[:, 1]) < 0.012)
    carry = lifted & ~down
    actions[carry, :2] = np.clip(goal[carry, :2] / STEP, -1, 1)
    actions[carry, 2] = np.clip((0.09 - tool[carry, 2]) / STEP, -1, 1)
    actions[carry, 3] = -1.0
    actions[down, :2] = 0.0
    actions[down, 2] = -0.5
    actions[down, 3] = np.where(goal[down, 2] > -0.004, 1.0, -1.0)
    return actions


def reach_rule(seen, columns):
    """Goes straight to the goal."""
    to_goal = seen[:, columns["goal"]] + seen[:, columns["cube"]]
    return np.pad(np.clip(to_goal / STEP, -1, 1), ((0, 0), (0, 1))).astype(np.float32)


def test_closed_form_agrees_with_the_arms_kinematics():
    tool = np.random.default_rng(0).uniform((-0.65, -0.25, 0.01), (-0.3, 0.25, 0.3), (200, 3))
    T_base_flange = Arm.load("ur5e").fk_batch(joints_tool_down(tool))
    reached = T_base_flange[:, :3, 3] + GRASP_LENGTH * T_base_flange[:, :3, 2]
    np.testing.assert_allclose(reached, tool, atol=1e-9)
    # Pointing down, with one heading.
    np.testing.assert_allclose(T_base_flange[:, :3, 2], [[0, 0, -1]] * 200, atol=1e-9)
    np.testing.assert_allclose(T_base_flange[:, :3, 0], [[0, 1, 0]] * 200, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "rule", "steps"),
    [
        ("ManipulationReach", reach_rule, 60),
        ("ManipulationLift", lift_rule, 60),
        ("Manipulation", place_rule, 110),
    ],
)
def test_a_rule_solves_it(name, rule, steps):
    envs: Any = rl.make_vector(name, 24, autoreset_mode="SameStep")
    seen, _ = envs.reset(seed=0)
    solved, ended = np.zeros(24, int), np.zeros(24, int)
    for _ in range(steps):
        seen, _, terminated, truncated, info = envs.step(rule(seen, envs.columns))
        ended += terminated | truncated
        solved += info["success"]
    assert (solved == ended).all()
    assert solved.min() >= 1


def test_assisted_episodes_begin_with_the_cube_between_the_fingers():
    envs: Any = rl.make_vector("ManipulationLift", 200, assisted=0.5)
    envs.reset(seed=0)
    task = envs.task
    around = task.reach < 1e-3
    held = around & (task.fingers[:, 0] < HALF_CUBE + 1e-6)
    assert 70 < around.sum() < 130
    assert 25 < held.sum() < 75
    for _ in range(5):
        envs.step(np.zeros((200, 4), np.float32))
    assert (task.reach[held] < 0.012).all()
    assert task.is_held[held].all()


def test_a_cube_pushed_to_its_goal_is_not_placed():
    envs: Any = rl.make_vector("Manipulation", 2)
    envs.reset(seed=0)
    task = envs.task
    task.goal[:] = task.cube
    task.was_lifted[1] = True
    _, _, _, _, info = envs.step(np.zeros((2, 4), np.float32))
    assert [envs.causes[cause] for cause in info["cause"]] == ["", "goal"]


def test_goals_are_apart_from_the_cube():
    envs: Any = rl.make_vector("Manipulation", 500)
    envs.reset(seed=0)
    task = envs.task
    assert np.hypot(*(task.goal - task.cube)[:, :2].T).min() >= 0.1


def test_a_cube_out_of_reach_is_lost():
    envs: Any = rl.make_vector("Manipulation", 2)
    envs.reset(seed=0)
    envs.task.cube[1, 0] = -0.8
    _, _, terminated, _, info = envs.step(np.zeros((2, 4), np.float32))
    assert terminated.tolist() == [False, True]
    assert envs.causes[info["cause"][1]] == "lost"
    assert not info["success"].any()


@pytest.mark.parametrize("name", ["ManipulationReach", "ManipulationLift", "Manipulation"])
def test_the_shipped_policy_solves_it(name):
    report = evaluate(load_policy(name), name, 48, threads=1)
    assert report.success_rate is not None
    assert report.success_rate > 0.85


def test_ranges_are_checked():
    with pytest.raises(TaskError, match=r"heights: the range is \(0.3, 0.1\)"):
        rl.make_vector("Manipulation", 1, heights=(0.3, 0.1))
