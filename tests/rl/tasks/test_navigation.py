"""What Navigation observes, rewards and ends by, against plain geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl


def make(num_envs, **settings) -> Any:
    return rl.make_vector("Navigation", num_envs, **settings)


def circle_range(origin, direction, centres, radii):
    """Distance along a ray to the first circle, or infinity."""
    offset = centres - origin
    along = offset @ direction
    across = radii**2 - (np.einsum("ij,ij->i", offset, offset) - along**2)
    hits = (across >= 0) & (along > 0)
    return np.where(hits, along - np.sqrt(np.maximum(across, 0)), np.inf).min()


def test_observations_are_the_geometry():
    envs = make(6)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).uniform(-1, 1, (6, 2)).astype(np.float32)
    observations = [envs.step(actions)[0] for _ in range(5)][-1]
    task = envs.task
    for i in range(6):
        x, y, _, w, _, _, z = task.qpos[i, :7]
        yaw = 2 * np.arctan2(z, w)
        heading = np.array([np.cos(yaw), np.sin(yaw)])
        to_goal = task.goal[i] - (x, y)
        bearing = np.arctan2(to_goal[1], to_goal[0]) - yaw
        distance = np.hypot(*to_goal)
        expected = [np.cos(bearing), np.sin(bearing), distance / 2.0]
        np.testing.assert_allclose(observations[i, envs.columns["goal"]], expected, atol=1e-3)
        origin = np.array([x, y]) - 0.032 * heading
        for k in range(24):
            angle = yaw + 2 * np.pi * k / 24
            direction = np.array([np.cos(angle), np.sin(angle)])
            seen = circle_range(origin, direction, task.places[i], task.radii[i])
            near = 0.3 / (0.3 + seen) if seen <= 3.5 else 0.0
            assert observations[i, k] == pytest.approx(near, abs=3e-3)
        np.testing.assert_array_equal(observations[i, envs.columns["action"]], actions[i])


def test_layouts_leave_room_about_start_and_goal():
    envs = make(500)
    envs.reset(seed=0)
    task = envs.task
    margin = task.config.obstacles.margin
    for centre in (np.zeros((500, 1, 2)), task.goal[:, None]):
        gaps = np.hypot(*np.moveaxis(task.places - centre, 2, 0)) - task.radii
        assert gaps.min() > margin
    distance = np.hypot(*task.goal.T)
    assert distance.min() >= 0.5
    assert distance.max() < 2.0
    assert (task.places < 100).mean() > 0.99
    assert ((task.radii >= 0.1) & (task.radii < 0.2)).all()


def test_arrival_and_collision_end_episodes():
    envs = make(3)
    envs.reset(seed=0)
    task = envs.task
    task.goal[1] = (0.15, 0.0)
    task.places[2, 0] = (0.2, 0.0)
    _, _, terminated, truncated, info = envs.step(np.zeros((3, 2), np.float32))
    assert terminated.tolist() == [False, True, True]
    assert [envs.causes[cause] for cause in info["cause"]] == ["", "goal", "collision"]
    assert info["success"].tolist() == [False, True, False]
    assert info["reward"]["goal"].tolist() == [0, 5, 0]
    assert info["reward"]["collision"].tolist() == [0, 0, -5]
    assert not truncated.any()


def test_driving_at_the_goal_reaches_it_without_obstacles():
    envs = rl.make_vector("NavigationOpen", 32, autoreset_mode="SameStep")
    observations, _ = envs.reset(seed=0)
    ended, solved = 0, 0
    for _ in range(260):
        goal = observations[:, envs.columns["goal"]]
        bearing = np.arctan2(goal[:, 1], goal[:, 0])
        ahead = np.where(np.abs(bearing) < 0.5, 1.0, -1.0)
        actions = np.stack([ahead, np.clip(2 * bearing, -1, 1)], axis=1)
        observations, _, terminated, truncated, info = envs.step(actions)
        ended += int((terminated | truncated).sum())
        solved += int(info["success"].sum())
    assert ended == solved
    assert solved >= 32


def test_goals_come_nearer_at_low_levels():
    envs = make(50, curriculum={"episodes": 10})
    envs.reset(seed=0)
    np.testing.assert_allclose(np.hypot(*envs.task.goal.T), 0.5)
    envs.task.curriculum.fixed = 0.5
    envs.reset()
    assert 1.0 < np.hypot(*envs.task.goal.T).max() < 1.25
