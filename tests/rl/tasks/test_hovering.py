"""The quadrotor against rigid-body mechanics, and a controller of a few lines that flies it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl.models.quadrotor_model import AIR_DRAG
from horus_sim.robots import load_robot

STILL: dict[str, Any] = {"speed": (0.0, 0.0), "gusts": 0.0}


def make(num_envs, **settings) -> Any:
    return rl.make_vector("Quadrotor", num_envs, **settings)


def test_thrust_carries_the_weight_of_the_file():
    envs = make(4, wind=STILL)
    envs.reset(seed=0)
    task = envs.task
    mass = sum(
        link.inertial.mass for link in load_robot("quadrotor").links.values() if link.inertial
    )
    task.qpos[:, 3:7], task.qvel[:] = (1.0, 0.0, 0.0, 0.0), 0.0
    actions = np.zeros((4, 4), np.float32)
    actions[1, 0], actions[2, 0] = -1.0, 1.0
    envs.step(actions)
    np.testing.assert_allclose(task.qvel[0, :3], 0.0, atol=1e-6)
    np.testing.assert_allclose(task.qvel[1, 2], -9.81 * 0.02, rtol=1e-6)
    most = 4 * 8.54858e-6 * 838.0**2
    np.testing.assert_allclose(task.qvel[2, 2], (most / mass - 9.81) * 0.02, rtol=1e-6)


def test_rates_of_turning_follow_what_is_told():
    envs = make(3, wind=STILL)
    envs.reset(seed=0)
    envs.task.qvel[:] = 0.0
    actions = np.zeros((3, 4), np.float32)
    actions[np.arange(3), 1 + np.arange(3)] = 0.5
    for _ in range(30):
        envs.step(actions)
    expected = np.diag(np.array(envs.task.config.rates) / 2)
    np.testing.assert_allclose(envs.task.qvel[:, 3:6], expected, atol=0.06)


def test_wind_drags_the_craft_along():
    envs = make(2, wind={"speed": (3.0, 3.0), "gusts": 0.0})
    envs.reset(seed=1)
    task = envs.task
    task.qpos[:, 3:7], task.qvel[:] = (1.0, 0.0, 0.0, 0.0), 0.0
    envs.step(np.zeros((2, 4), np.float32))
    np.testing.assert_allclose(np.hypot(*task.wind[:, :2].T), 3.0)
    mass = task.sim.nominal("body_mass").sum()
    expected = AIR_DRAG * task.wind[:, :2] / mass * task.dt
    np.testing.assert_allclose(task.qvel[:, :2], expected, rtol=1e-3)


def test_a_controller_of_a_few_lines_holds_every_waypoint_in_still_air():
    envs = make(16, wind=STILL, distance=(0.5, 1.5))
    seen, _ = envs.reset(seed=2)
    columns, rates = envs.columns, np.array(envs.task.config.rates[:2])
    info: Any = {}
    for _ in range(envs.max_episode_steps):
        goal, up, speed = (seen[:, columns[name]] for name in ("goal", "up", "velocity"))
        # Of the wanted acceleration, in the frame of the craft; its z axis is to point there.
        wanted = (3.0 * goal - 2.6 * speed) / 9.81 + up
        axis = wanted / np.linalg.norm(wanted, axis=1, keepdims=True)
        lift = wanted[:, 2] - 1.0
        turn = 6.0 * np.stack([-axis[:, 1], axis[:, 0]], axis=1) / rates
        actions = np.column_stack([np.where(lift > 0, lift / 2.4, lift), turn, 0 * lift])
        seen, _, _, _, info = envs.step(np.clip(actions, -1, 1).astype(np.float32))
    assert info["success"].all()


def test_ends():
    envs = make(3)
    envs.reset(seed=0)
    envs.task.qpos[0, 2] = 0.05
    envs.task.qpos[1, 0] += 20.0
    _, _, terminated, _, info = envs.step(np.zeros((3, 4), np.float32))
    assert [envs.causes[cause] for cause in info["cause"]] == ["crash", "lost", ""]
    assert terminated.tolist() == [True, True, False]


def test_settings_that_cannot_be_held_are_refused():
    with pytest.raises(TaskError, match=r"settling is 5\.0 and hold 4\.0"):
        make(1, settling=5.0)
