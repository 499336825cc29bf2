"""Environments on the 2D simulator, behind Gymnasium's interfaces."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from hypothesis import given
from hypothesis import strategies as st

import horus_sim.rl  # noqa: F401 - registers
from horus_sim.errors import ActionError, ResetError, TaskError
from horus_sim.rl import make_vector
from horus_sim.rl.models.track import Track

from .planar_controllers import FollowLine, navigate

NAMES = ("Navigation2D", "LineFollower2D")


def actions_for(num_envs, steps, seed=3):
    """Row i is the same whatever the number of environments."""
    return np.stack(
        [
            np.random.default_rng((seed, env)).uniform(-1.0, 1.0, (steps, 2)).astype(np.float32)
            for env in range(num_envs)
        ],
        axis=1,
    )


def roll(name, num_envs, steps=40, **settings):
    """Observations and rewards of a run, shapes (steps + 1, envs, ...)."""
    envs = make_vector(name, num_envs, **settings)
    observations, _ = envs.reset(seed=11)
    seen, rewards = [observations], []
    for actions in actions_for(num_envs, steps):
        observations, reward, _, _, _ = envs.step(actions)
        seen.append(observations)
        rewards.append(reward)
    envs.close()
    return np.stack(seen), np.stack(rewards)


def task_of(envs) -> Any:
    """The task with what its class has beyond the base."""
    return envs.task


def until_done(envs, controller, observations, most):
    """Steps until an episode ends; what the last step gave, and the sum of its progress terms."""
    progress, result = np.zeros(envs.num_envs), None
    for _ in range(most):
        result = envs.step(controller(observations))
        observations = result[0]
        progress += result[4]["reward"]["progress"]
        if (result[2] | result[3]).any():
            break
    assert result is not None
    return result, progress


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_accepts_the_environment(name):
    env = gymnasium.make(f"HorusSim/{name}-v0")
    check_env(env.unwrapped)
    env.close()


@pytest.mark.parametrize("name", NAMES)
def test_vector_has_float32_observations_and_reward_terms_that_sum_up(name):
    envs = gymnasium.make_vec(f"HorusSim/{name}-v0", num_envs=8)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, _ = envs.reset(seed=1)
    assert observations.dtype == np.float32
    for actions in actions_for(8, 30):
        observations, rewards, terminated, truncated, info = envs.step(actions)
        assert envs.observation_space.contains(observations)
        assert rewards.shape == terminated.shape == truncated.shape == (8,)
        terms = [v for k, v in info["reward"].items() if not k.startswith("_")]
        np.testing.assert_allclose(np.sum(terms, axis=0), rewards, atol=1e-12)
    envs.close()


@pytest.mark.parametrize("name", NAMES)
def test_neither_threads_nor_neighbours_change_an_environment(name):
    alone, alone_rewards = roll(name, 1, threads=1)
    few, few_rewards = roll(name, 5, threads=2)
    many, many_rewards = roll(name, 37, threads=1)
    assert few.tobytes() == many[:, :5].tobytes()
    assert few_rewards.tobytes() == many_rewards[:, :5].tobytes()
    assert alone.tobytes() == many[:, :1].tobytes()
    assert alone_rewards.tobytes() == many_rewards[:, :1].tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_two_processes_give_the_same_bytes(name):
    program = (
        "import hashlib, numpy as np\n"
        "from horus_sim.rl import make_vector\n"
        f"envs = make_vector({name!r}, 4)\n"
        "digest = hashlib.sha256(envs.reset(seed=11)[0].tobytes())\n"
        "for k in range(30):\n"
        "    row = np.cos(np.arange(8) + k).reshape(4, 2)\n"
        "    digest.update(envs.step(row)[0].tobytes())\n"
        "print(digest.hexdigest())\n"
    )
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    envs = make_vector(name, 4)
    digest = hashlib.sha256(envs.reset(seed=11)[0].tobytes())
    for k in range(30):
        digest.update(envs.step(np.cos(np.arange(8) + k).reshape(4, 2))[0].tobytes())
    assert other.stdout.decode().strip() == digest.hexdigest()


def test_the_step_after_the_last_resets_and_ignores_its_action():
    envs = make_vector("Navigation2D", 16, episode_duration=10.0)
    envs.reset(seed=4)
    ahead = np.tile(np.array([1.0, 0.0], np.float32), (16, 1))
    (last, _, terminated, truncated, info), _ = until_done(envs, lambda _: ahead, None, 200)
    done = terminated | truncated
    assert done.any()
    assert envs.causes[info["cause"][done][0]] in {"collision", "goal"}
    first, rewards, terminated, truncated, info = envs.step(ahead)
    action = envs.columns["action"]
    assert (rewards[done] == 0.0).all()
    assert not (terminated | truncated)[done].any()
    assert (first[done, action] == 0.0).all()
    assert (first[~done, action] == ahead[~done]).all()
    assert not np.array_equal(first[done], last[done])
    np.testing.assert_allclose(first[done, envs.columns["motion"]], 0.0)


def test_new_episodes_differ_and_a_seed_brings_them_back():
    envs = make_vector("Navigation2D", 6)
    first = envs.reset(seed=5)[0]
    second = envs.reset()[0]
    assert not np.isclose(first[:, :24], second[:, :24]).all(axis=1).any()
    assert envs.reset(seed=5)[0].tobytes() == first.tobytes()
    assert envs.reset()[0].tobytes() == second.tobytes()
    assert len(np.unique(first, axis=0)) == 6


def test_a_mask_resets_only_some():
    envs = make_vector("LineFollower2D", 4)
    before = envs.reset(seed=2)[0]
    mask = np.array([False, True, False, True])
    after = envs.reset(options={"reset_mask": mask})[0]
    assert (before[~mask] == after[~mask]).all()
    assert not (before[mask] == after[mask]).all(axis=1).any()


def segments_of(task, env):
    """Ends of the edges of all bodies but the robot, world frame, from the scenario alone."""
    names = {index: name for name, index in task.sim.layout.bodies.items()}
    poses = task.sim.body_poses()[env]
    for index, config in enumerate(task.sim.layout.configs):
        if index == task.sim.robot:
            continue
        assert names[index]
        x, y, theta = poses[index]
        c, s = np.cos(theta), np.sin(theta)
        corners = np.array(config.points) @ np.array([[c, s], [-s, c]]) + (x, y)
        yield from zip(corners, np.roll(corners, -1, axis=0), strict=True)


def test_lidar_agrees_with_rays_against_every_edge():
    envs = make_vector("Navigation2D", 5)
    envs.reset(seed=8)
    for actions in actions_for(5, 7):
        envs.step(actions)
    task = task_of(envs)
    for env in range(5):
        x, y, theta = task.sim.states[env, :3]
        segments = list(segments_of(task, env))
        for ray in range(24):
            angle = theta + 2.0 * np.pi * ray / 24
            direction = np.array([np.cos(angle), np.sin(angle)])
            nearest = 3.0
            for a, b in segments:
                matrix = np.stack([direction, a - b], axis=1)
                if abs(np.linalg.det(matrix)) < 1e-12:
                    continue
                t, u = np.linalg.solve(matrix, a - (x, y))
                if t >= 0.0 and 0.0 <= u <= 1.0:
                    nearest = min(nearest, t)
            assert task.ranges[env, ray] == pytest.approx(nearest, abs=1e-9)


def test_goal_is_seen_in_the_frame_of_the_robot():
    envs = make_vector("Navigation2D", 9)
    seen = envs.reset(seed=3)[0][:, envs.columns["goal"]]
    x, y, theta = task_of(envs).sim.states[:, :3].T
    to_goal = task_of(envs).goal - np.stack([x, y], axis=1)
    bearing = np.arctan2(to_goal[:, 1], to_goal[:, 0]) - theta
    np.testing.assert_allclose(seen[:, 0], np.cos(bearing), atol=1e-6)
    np.testing.assert_allclose(seen[:, 1], np.sin(bearing), atol=1e-6)
    np.testing.assert_allclose(4.0 * seen[:, 2], np.hypot(*to_goal.T), rtol=1e-6)


def test_layouts_leave_room_between_boxes():
    envs = make_vector("Navigation2D", 200)
    envs.reset(seed=0)
    places = task_of(envs).sim.body_poses()[:, :13, :2]
    gaps = np.linalg.norm(places[:, :, None] - places[:, None], axis=3)
    gaps[:, np.arange(13), np.arange(13)] = np.inf
    assert gaps.min() > 0.55
    assert np.abs(places).max() < 2.0


def outcomes(name, controller, num_envs, steps):
    """How often each cause ended the first episodes."""
    envs = make_vector(name, num_envs)
    observations, _ = envs.reset(seed=0)
    cause = np.zeros(num_envs, int)
    for _ in range(steps):
        observations, _, terminated, truncated, info = envs.step(
            controller(observations, envs.columns)
        )
        done = (terminated | truncated) & (cause == 0)
        cause[done] = info["cause"][done]
        if cause.all():
            break
    return {envs.causes[k]: int((cause == k).sum()) for k in np.unique(cause)}


def test_a_hand_written_controller_reaches_the_goal():
    assert outcomes("Navigation2D", navigate, 128, 400).get("goal", 0) >= 122


def test_a_hand_written_controller_makes_laps():
    assert outcomes("LineFollower2D", FollowLine(64), 64, 900) == {"lap": 64}


def test_progress_along_the_line_adds_up_to_a_lap():
    envs = make_vector("LineFollower2D", 1)
    observations, _ = envs.reset(seed=6)
    follow = FollowLine(1)
    result, progress = until_done(envs, lambda seen: follow(seen, envs.columns), observations, 900)
    assert result[4]["success"][0]
    assert progress[0] / 5.0 == pytest.approx(task_of(envs).track.length, abs=0.02)


def test_driving_away_loses_the_line():
    envs = make_vector("LineFollower2D", 2)
    envs.reset(seed=0)
    straight = np.full((2, 2), 0.5)
    (_, rewards, terminated, _, info), _ = until_done(envs, lambda _: straight, None, 100)
    assert envs.causes[info["cause"][terminated][0]] == "lost"
    assert (rewards[terminated] < -4.0).all()


def test_pictures_show_robot_and_goal():
    envs = make_vector("Navigation2D", 3, render_mode="rgb_array")
    envs.reset(seed=0)
    pictures = envs.render()
    assert pictures is not None
    first, second, _ = pictures
    # No box has the robot's colour.
    blue = np.argwhere((first == (70, 130, 180)).all(axis=2))
    assert len(blue) > 50
    assert np.ptp(blue, axis=0).max() < 30
    assert first.shape == (360, 480, 3)
    assert first.dtype == np.uint8
    assert not np.array_equal(first, second)
    goal = task_of(envs).goal[0]
    # The walls' square of 4.1 m and a margin fill the height.
    scale = 360 / 4.3
    row, column = round(180 - scale * goal[1]), round(240 + scale * goal[0])
    assert first[row, column].tolist() == [210, 60, 40]
    line = make_vector("LineFollower2D", 1, render_mode="rgb_array")
    line.reset(seed=0)
    assert (line.picture(0) == 60).all(axis=2).sum() > 200
    envs.close()
    line.close()


def test_settings_change_the_task_and_wrong_ones_are_named():
    envs = make_vector("Navigation2D", 2, boxes=0, rays=8)
    assert envs.reset(seed=0)[0].shape == (2, 15)
    with pytest.raises(TaskError, match=r"box: unknown key 'box'; did you mean 'boxes'\?"):
        make_vector("Navigation2D", 2, box=3)
    with pytest.raises(TaskError, match=r"boxes: .*less than or equal to 23"):
        make_vector("Navigation2D", 2, boxes=24)


def test_wrong_use_is_refused():
    envs = make_vector("Navigation2D", 3)
    with pytest.raises(ResetError, match="never reset; call reset"):
        envs.step(np.zeros((3, 2)))
    envs.reset(seed=0)
    with pytest.raises(ActionError, match=r"action of environment 1 is .* not finite"):
        envs.step([[0.0, 0.0], [np.nan, 0.0], [0.0, 0.0]])
    with pytest.raises(ActionError, match=r"give numbers of shape \(3, 2\)"):
        envs.step(np.zeros((2, 2)))
    with pytest.raises(TaskError, match=r"a 2D world has no field 'state'; did you mean"):
        task_of(envs).sim.bind("state")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "mass", "scale": [1, 2]},
        {"kind": "friction", "scale": [1, 2]},
        {"kind": "gravity", "scale": [1, 2]},
        {"kind": "centre_of_mass", "shift": [0, 1]},
        {"kind": "restitution", "restitution": [0, 0.5]},
        {"kind": "push", "speed": [0, 1], "interval": 1.0},
    ],
)
def test_randomizations_of_3d_are_refused(name, settings):
    kind = settings["kind"]
    with pytest.raises(
        TaskError, match=f"'x': '{kind}' is for 3D tasks, and {name} runs on the 2D"
    ):
        make_vector(name, 1, randomization={"x": settings})


def test_a_camera_has_no_name():
    with pytest.raises(TaskError, match=r"camera 'front': Navigation2D .* leave out its name"):
        make_vector("Navigation2D", 1, camera={"name": "front"})
    envs = make_vector("Navigation2D", 2, camera={"width": 8, "height": 6})
    assert envs.reset(seed=0)[0][:, envs.columns["camera"]].shape == (2, 8 * 6 * 3)


square = Track(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0]]))


@given(st.floats(0.0, 5.999), st.floats(-2.9, 2.9))
def test_places_along_a_track(place, way):
    x, y, heading = square.pose(np.array([place]))
    found, distance = square.nearest(np.stack([x, y], axis=1))
    assert abs(square.way(np.array([place]), found)[0]) < 1e-9
    assert distance[0] < 1e-9
    assert np.isclose(heading[0] % (np.pi / 2), 0.0, atol=1e-9)
    there = np.array([(place + way) % square.length])
    assert square.way(np.array([place]), there)[0] == pytest.approx(way, abs=1e-9)


def test_a_track_needs_three_corners():
    assert square.length == pytest.approx(6.0)
    with pytest.raises(TaskError, match="the track has 2 corners; draw a closed line"):
        Track(np.array([[0.0, 0.0], [1.0, 0.0]]))
