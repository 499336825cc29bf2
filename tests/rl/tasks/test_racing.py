"""What Racing observes, rewards and ends by, against plain geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.rl.models.racing_model import HULL, WHEELBASE, ackermann, smooth_circuit
from horus_sim.rl.training import evaluate, load_policy


def make(num_envs, **settings) -> Any:
    return rl.make_vector("Racing", num_envs, **settings)


def yaws(task):
    return 2 * np.arctan2(task.qpos[:, 6], task.qpos[:, 3])


def test_wheels_turn_about_one_point():
    speed, steering = np.array([2.0, 1.0, 3.0]), np.array([0.4, -0.3, 0.0])
    angles, speeds = ackermann(speed, steering)
    radius = WHEELBASE / np.tan(steering[:2])
    centre = np.stack([np.zeros(2), radius], axis=1)
    for side, y in ((0, 0.1025), (1, -0.1025)):
        axis = np.stack([-np.sin(angles[:2, side]), np.cos(angles[:2, side])], axis=1)
        offset = centre - (WHEELBASE, y)
        np.testing.assert_allclose(axis[:, 0] * offset[:, 1], axis[:, 1] * offset[:, 0], atol=1e-12)
    for wheel, place in enumerate(((WHEELBASE, 0.1325), (WHEELBASE, -0.1325), (0, 0.1325))):
        arm = np.hypot(*(centre - place).T)
        np.testing.assert_allclose(speeds[:2, wheel] * 0.05, speed[:2] * arm / np.abs(radius))
    np.testing.assert_allclose(speeds[2], 60.0)
    np.testing.assert_allclose(angles[2], 0.0)


def test_a_circuit_of_equal_corners_is_a_circle():
    angles = np.arange(24) * np.pi / 12
    points = smooth_circuit(np.stack([np.cos(angles), np.sin(angles)], axis=1), 4)
    radii = np.hypot(*points.T)
    assert len(points) == 96
    # The mean of a cubic B-spline's corner and its neighbours.
    assert radii[0] == pytest.approx((4 + 2 * np.cos(np.pi / 12)) / 6)
    assert np.ptp(radii) < 1e-3


def test_the_car_starts_on_the_circuit_and_looks_along_it():
    envs = make(400)
    envs.reset(seed=0)
    task = envs.task
    x, y, heading = task.track.pose(task.place)
    assert np.hypot(task.qpos[:, 0] - x, task.qpos[:, 1] - y).max() <= 0.2
    assert 100 < (task.sense > 0).sum() < 300
    off = yaws(task) - heading - np.where(task.sense < 0, np.pi, 0)
    # The part of the line that is nearest may be the next one, a bend away.
    assert np.abs((off + np.pi) % (2 * np.pi) - np.pi).max() < 0.3 + 0.4
    assert task.clearance.min() > 0.0


def test_lidar_and_clearance_are_the_geometry():
    envs = make(12)
    envs.reset(seed=1)
    actions = np.random.default_rng(0).uniform(-1, 1, (12, 2)).astype(np.float32)
    seen = [envs.step(actions)[0] for _ in range(3)][-1]
    task = envs.task
    line = smooth_circuit(task.config.circuit.corners, 4)
    edge = np.roll(line, -1, axis=0) - line
    share = np.linspace(0, 1, 50)[:, None, None]
    dense = (line + share * edge).reshape(-1, 2)
    angles = np.linspace(-0.625 * np.pi, 0.625 * np.pi, 19)
    for i, yaw in enumerate(yaws(task)):
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        corners = task.qpos[i, :2] + HULL @ turn.T
        off = np.hypot(*(corners[:, None] - dense).transpose(2, 0, 1)).min(axis=1).max()
        assert task.clearance[i] == pytest.approx(0.7 - off, abs=1e-3)
        origin = task.qpos[i, :2] + turn @ (0.27, 0.0)
        for k, angle in enumerate(angles):
            direction = turn @ (np.cos(angle), np.sin(angle))
            # Where the ray is first farther from the centre line than the walls are.
            way = np.arange(0.0, 6.0, 0.005)
            points = origin + way[:, None] * direction
            _, distance = task.track.nearest(points)
            outside = np.flatnonzero(distance > 0.7)
            expected = 0.5 / (0.5 + way[outside[0]]) if len(outside) else 0.0
            assert seen[i, k] == pytest.approx(expected, abs=0.03)


def test_a_lap_and_a_crash_end_episodes():
    envs = make(3)
    envs.reset(seed=0)
    task = envs.task
    task.way[1] = task.track.length + 0.1
    x, y, heading = (value[2] for value in task.track.pose(task.place))
    task.qpos[2, :2] = x - 0.6 * np.sin(heading), y + 0.6 * np.cos(heading)
    _, _, terminated, _, info = envs.step(np.full((3, 2), -1.0, np.float32))
    assert terminated.tolist() == [False, True, True]
    assert [envs.causes[cause] for cause in info["cause"]] == ["", "lap", "collision"]
    assert info["success"].tolist() == [False, True, False]
    assert info["reward"]["lap"].tolist() == [0, 5, 0]
    assert info["reward"]["collision"].tolist() == [0, 0, -10]


def test_progress_is_the_way_driven():
    envs = make(8, yaw=0.0, offset=0.0)
    envs.reset(seed=3)
    task = envs.task
    before = task.qpos[:, :2].copy()
    total = np.zeros(8)
    for _ in range(10):
        total += envs.step(np.zeros((8, 2), np.float32))[4]["reward"]["progress"]
    driven = np.hypot(*(task.qpos[:, :2] - before).T)
    assert driven.min() > 0.3
    np.testing.assert_allclose(total, driven, rtol=0.15)


def test_the_shipped_policy_drives():
    part: dict[str, Any] = {"laps": 0.3}
    report = evaluate(load_policy("Racing"), "Racing", 16, settings=part, threads=1)
    assert report.success_rate is not None
    assert report.success_rate > 0.85
