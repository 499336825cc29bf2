"""What walking observes and rewards, against closed forms, and its symmetry against physics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import horus_sim.rl as rl
from horus_sim.errors import TaskError


def make(num_envs, name="Quadruped", **settings) -> Any:
    envs: Any = rl.make_vector(name, num_envs, **settings)
    return envs


def calm(num_envs, **settings) -> Any:
    """Without anything random but commands and the start."""
    task = type(rl.build_task("Quadruped"))
    kind: Any = task.Config
    return rl.make_vector(task(kind(**settings)), num_envs)


def walked(envs, steps, seed=0):
    random = np.random.default_rng(seed)
    count, seen = envs.single_action_space.shape[0], np.empty(0)
    for _ in range(steps):
        seen, *_ = envs.step(random.uniform(-0.5, 0.5, (envs.num_envs, count)).astype(np.float32))
    return seen


def test_motion_and_gravity_are_those_of_the_root():
    envs = calm(8)
    envs.reset(seed=0)
    seen, task = walked(envs, 30), envs.task
    R_world_root = Rotation.from_quat(task.qpos[:, [4, 5, 6, 3]])
    np.testing.assert_allclose(task.velocity_b, R_world_root.inv().apply(task.qvel[:, :3]))
    up = R_world_root.inv().apply((0.0, 0.0, 1.0))
    np.testing.assert_allclose(seen[:, envs.columns["up"]], up, atol=1e-6)
    # MuJoCo keeps the angular velocity of a free body in its own frame.
    np.testing.assert_allclose(
        seen[:, envs.columns["angular_velocity"]], task.qvel[:, 3:6], atol=1e-5
    )


def test_following_a_command_is_rewarded_by_a_bell_curve():
    envs = calm(16)
    envs.reset(seed=1)
    *_, info = envs.step(np.zeros((16, 12), np.float32))
    task = envs.task
    ahead, aside = (task.command - task.velocity_b)[:, :2].T
    expected = 1.5 * np.exp(-(ahead**2 + aside**2) / 0.35**2) * task.dt
    np.testing.assert_allclose(info["reward"]["velocity"], expected, rtol=1e-9)
    turning = task.command[:, 2] - task.qvel[:, 5]
    expected = 0.75 * np.exp(-((turning / 0.45) ** 2)) * task.dt
    np.testing.assert_allclose(info["reward"]["turning"], expected, rtol=1e-9)


def test_commands_are_within_their_ranges_and_change_in_time():
    commands = {"ahead": (-0.2, 0.3), "still": 0.25, "straight": 0.3, "duration": 0.1}
    envs = calm(400, commands=commands, episode_duration=0.4)
    seen, _ = envs.reset(seed=2)
    columns = envs.columns["command"]
    first = seen[:, columns].copy()
    assert first[:, 0].min() >= -0.2
    assert first[:, 0].max() <= np.float32(0.3)
    is_still = (first == 0).all(axis=1)
    assert 0.18 < is_still.mean() < 0.32
    axes = (first[~is_still] != 0).sum(axis=1)
    assert 0.3 < (axes == 1).mean() < 0.5  # 0.3 of 0.75
    for step in range(5):
        seen, *_ = envs.step(np.zeros((400, 12), np.float32))
        same = (seen[:, columns] == first).all(axis=1).mean()
        assert (same == 1.0) if step < 4 else (same < 0.2)


def mirrored_state(task) -> tuple[Any, Any]:
    """qpos and qvel seen in a mirror in the plane y = 0."""
    qpos, qvel, mirror = task.qpos.copy(), task.qvel.copy(), task.legged.mirror
    qpos[:, 1] *= -1
    qpos[:, [4, 6]] *= -1
    qvel[:, [1, 3, 5]] *= -1
    for state, places in ((qpos, task._places), (qvel, task._dofs)):
        state[:, places] = state[:, places][:, mirror.joints] * mirror.signs
    return qpos, qvel


def test_a_mirror_turns_twice_into_nothing_and_commutes_with_physics():
    # Half a stride is a whole number of steps.
    envs, others = calm(6, stride=0.48), calm(6, stride=0.48)
    envs.reset(seed=3)
    others.reset(seed=3)
    task, other = envs.task, others.task
    image = task.mirror()
    seen_flip = image.all_observations(envs.columns)
    values = np.random.default_rng(0).normal(size=(5, len(seen_flip.columns)))
    np.testing.assert_array_equal(seen_flip(seen_flip(values)), values)
    actions = np.random.default_rng(1).uniform(-0.6, 0.6, (25, 6, 12)).astype(np.float32)
    np.testing.assert_array_equal(image.actions(image.actions(actions[0])), actions[0])
    other.qpos[:], other.qvel[:] = mirrored_state(task)
    other.commands._all[:] = task.commands._all * (1.0, -1.0, -1.0)
    # Half a stride apart: the feet of the other side are lifted first.
    half = round(task.config.stride / 2 / task.dt)
    other.random.steps[:] = half
    other.refresh(slice(None))
    rewards = mirrored = np.empty(0)
    info: Any = {}
    twin_info: Any = {}
    for step in range(25):
        seen, rewards, *_, info = envs.step(actions[step])
        twins, mirrored, *_, twin_info = others.step(image.actions(actions[step]))
        np.testing.assert_allclose(twins, seen_flip(seen), atol=2e-4)
    for name, value in info["reward"].items():
        np.testing.assert_allclose(value, twin_info["reward"][name], atol=1e-4, err_msg=name)
    np.testing.assert_allclose(rewards, mirrored, atol=1e-4)


def test_a_fall_ends_the_episode_and_the_time_only_cuts_it_off():
    envs = make(2, episode_duration=0.2, settling=0.0, tolerance=(9, 9))
    envs.reset(seed=0)
    envs.task.qpos[0, 3:7] = (0.0, 1.0, 0.0, 0.0)
    none = np.zeros((2, 12), np.float32)
    _, _, terminated, truncated, info = envs.step(none)
    assert terminated.tolist() == [True, False]
    assert envs.causes[info["cause"][0]] == "fall"
    for _ in range(9):
        _, _, terminated, truncated, info = envs.step(none)
    assert envs.causes[info["cause"][1]] == "tracked"
    assert (terminated[1], truncated[1], info["success"][1]) == (False, True, True)


def test_targets_are_the_stance_the_trot_and_the_actions_within_the_joints_limits():
    envs = calm(3, commands={"still": 1.0})
    envs.reset(seed=0)
    task, robot = envs.task, envs.task.legged
    actions = np.zeros((3, 12), np.float32)
    actions[1], actions[2] = 1.0, -5.0
    envs.step(actions)
    targets = task.ctrl[:, task.sim.ids("actuator", robot.joints)]
    np.testing.assert_allclose(targets[0], robot.stance)
    # Knees cannot be nearer to straight than 0.916 rad, hips not farther out than 0.802 rad.
    np.testing.assert_allclose(targets[1], robot.stance + 0.25)
    np.testing.assert_allclose(targets[2], np.tile((-0.802, -0.35, -2.7), 4))


def test_rough_ground_is_seen_where_it_is():
    envs = make(20, "QuadrupedRough")
    envs.reset(seed=0)
    task = envs.task
    yaw = 2 * np.arctan2(task.qpos[:, 6], task.qpos[:, 3])
    for env in range(20):
        for number, (ahead, aside) in enumerate(task._grid):
            x = task.qpos[env, 0] + np.cos(yaw[env]) * ahead - np.sin(yaw[env]) * aside
            y = task.qpos[env, 1] + np.sin(yaw[env]) * ahead + np.cos(yaw[env]) * aside
            z = task.terrain.height(np.array((x, y)))
            seen = z - (task.qpos[env, 2] - task.legged.height)
            np.testing.assert_allclose(task.scan[env, number], np.clip(seen, -0.3, 0.3), atol=1e-9)
    # A robot starts on its feet: none of them is in the ground, and none far above it.
    above = task._clearance.min(axis=1)
    assert above.min() > -0.03
    assert above.max() < 0.1


@pytest.mark.parametrize("name", ["Quadruped", "QuadrupedRough", "Quadrotor"])
def test_threads_and_neighbours_change_nothing(name):
    def life(num_envs, threads):
        envs = rl.make_vector(name, num_envs, threads, episode_duration=0.3)
        seen = [envs.reset(seed=5)[0][0].tobytes()]
        random = np.random.default_rng(0)
        for _ in range(25):
            action = random.uniform(-1, 1, envs.single_action_space.shape).astype(np.float32)
            observations, rewards, *_ = envs.step(np.tile(action, (num_envs, 1)))
            seen.append(observations[0].tobytes() + rewards[:1].tobytes())
        return b"".join(seen)

    alone = life(1, 1)
    assert life(32, 1) == alone
    assert life(32, 2) == alone


def test_a_robot_without_four_legs_is_refused():
    with pytest.raises(TaskError, match="'turtlebot3_burger' has no legs that it could stand on"):
        make(1, robot="turtlebot3_burger")
    with pytest.raises(TaskError, match="difficulty is"):
        make(1, "QuadrupedRough", difficulty=(0.5, 1.5))
