"""Goal environments: what checkers ask of them, and hindsight of Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import horus_sim.rl as rl
from horus_sim.errors import TaskError, UnknownTaskError
from horus_sim.rl.wrappers import FrameStack, GoalEnv, GoalObservations

TASKS = ("ArmReach", "Manipulation", "ManipulationReach", "ManipulationLift")
PARTS = ["observation", "achieved_goal", "desired_goal"]


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
@pytest.mark.parametrize("name", TASKS)
def test_one_environment_passes_the_checks_of_goal_environments(name):
    env: Any = GoalEnv(gymnasium.make(f"HorusSim/{name}-v0", goal_reward="sparse"))
    check_env(GoalEnv(rl.make_single(name, goal_reward="sparse")), skip_render_check=True)
    assert list(env.observation_space.spaces) == sorted(PARTS)
    # As `GoalEnv` of gymnasium_robotics has it: the reward is a function of the two goals.
    observation, _ = env.reset(seed=0)
    for _ in range(20):
        observation, reward, terminated, _, info = env.step(env.action_space.sample())
        given = (observation["achieved_goal"], observation["desired_goal"], info)
        assert env.compute_reward(*given) == reward
        assert reward == (0.0 if terminated else -1.0)
        assert observation["achieved_goal"].shape == observation["desired_goal"].shape == (3,)


def test_one_environment_passes_stable_baselines3s_check():
    pytest.importorskip("stable_baselines3", reason="pip install 'horus-sim[train]'")
    from stable_baselines3.common import env_checker  # pyright: ignore[reportMissingImports]

    env_checker.check_env(GoalEnv(rl.make_single("ArmReach", goal_reward="dense")), warn=False)


def test_goals_are_where_the_task_says():
    envs: Any = GoalObservations(rl.make_vector("ArmReach", 5, goal_reward="dense"))
    seen, _ = envs.reset(seed=1)
    task: Any = envs.unwrapped.task
    np.testing.assert_array_equal(seen["desired_goal"], task.goal.astype(np.float32))
    np.testing.assert_array_equal(seen["achieved_goal"], task.tool.astype(np.float32))
    for _ in range(3):
        seen, rewards, *_ = envs.step(np.full((5, 6), 0.3, np.float32))
        away = np.linalg.norm(task.tool - task.goal, axis=1)
        np.testing.assert_allclose(rewards, -away, atol=1e-6)
        again = envs.compute_reward(seen["achieved_goal"], seen["desired_goal"], {})
        np.testing.assert_array_equal(again, rewards)


@pytest.mark.parametrize("name", TASKS)
def test_nothing_else_tells_of_the_goal(name):
    """So that hindsight can put another goal in its place."""
    envs: Any = GoalObservations(rl.make_vector(name, 4, goal_reward="sparse"))
    envs.reset(seed=0)
    before = envs.unwrapped.snapshot()
    actions = np.zeros(envs.action_space.shape, np.float32)
    plain, *_ = envs.step(actions)
    envs.unwrapped.apply_snapshot(before)
    task: Any = envs.unwrapped.task
    task.goal[:] += 0.07
    moved, *_ = envs.step(actions)
    np.testing.assert_array_equal(moved["observation"], plain["observation"])
    np.testing.assert_array_equal(moved["achieved_goal"], plain["achieved_goal"])
    np.testing.assert_allclose(moved["desired_goal"], plain["desired_goal"] + 0.07, atol=1e-6)


def test_a_goal_that_is_reached_is_a_success():
    envs: Any = GoalObservations(
        rl.make_vector("ManipulationReach", 3, 0, "SameStep", goal_reward="sparse")
    )
    envs.reset(seed=0)
    task: Any = envs.unwrapped.task
    task.goal[1] = task.tool[1]
    seen, rewards, terminated, truncated, info = envs.step(np.zeros((3, 4), np.float32))
    assert terminated.tolist() == [False, True, False]
    assert rewards.tolist() == [-1.0, 0.0, -1.0]
    assert info["final_info"]["success"].tolist() == [False, True, False]
    final = info["final_obs"]
    np.testing.assert_allclose(final["achieved_goal"][1], final["desired_goal"][1], atol=0.03)
    assert not truncated.any()
    assert np.linalg.norm(seen["achieved_goal"] - seen["desired_goal"], axis=1).min() > 0.03


def test_weights_count_and_mistakes_are_named():
    env: Any = GoalEnv(rl.make_single("ArmReach", goal_reward="sparse", rewards={"goal": 3.0}))
    env.reset(seed=0)
    reward = env.step(np.zeros(6, np.float32))[1]
    assert reward == -3.0
    far = np.array([[1.0, 0.0, 0.0], [0.0, 0.01, 0.0]])
    np.testing.assert_array_equal(env.compute_reward(far, np.zeros((2, 3))), [-3.0, 0.0])
    with pytest.raises(TaskError, match=r"shapes \(3,\) and \(2,\); give both of one shape"):
        env.compute_reward(np.zeros(3), np.zeros(2))
    with pytest.raises(UnknownTaskError, match="no reward term 'progress'"):
        rl.make_vector("ArmReach", 1, goal_reward="sparse", rewards={"progress": 1.0})
    with pytest.raises(TaskError, match=r"observes no goals; take .* goal_reward='sparse'"):
        GoalObservations(rl.make_vector("ArmReach", 1))
    with pytest.raises(TaskError, match="observes no goals"):
        GoalEnv(gymnasium.make("HorusSim/ArmReach-v0"))
    stacked = FrameStack(rl.make_vector("ArmReach", 1, goal_reward="sparse"), 2)
    with pytest.raises(TaskError, match="before other wrappers"):
        GoalObservations(stacked)
    task: Any = rl.make_vector("ArmReach", 1).task
    with pytest.raises(TaskError, match="ArmReach has rewards that do not follow from goals"):
        task.compute_reward(np.zeros(3), np.zeros(3))


def test_the_task_as_it_was_without_the_setting():
    """Bits of observations and rewards do not depend on whether the option exists."""
    envs = rl.make_vector("ArmReach", 2)
    assert list(envs.columns) == ["joints", "speeds", "tool", "goal", "action"]
    assert envs.single_observation_space.shape == (23,)


@pytest.mark.parametrize("name", ["ArmReach", "ManipulationReach"])
def test_hindsight_of_stable_baselines3(name):
    pytest.importorskip("stable_baselines3", reason="pip install 'horus-sim[train]'")
    from stable_baselines3 import SAC, HerReplayBuffer  # pyright: ignore[reportMissingImports]

    from horus_sim.rl.adapters.sb3 import make_sb3

    envs = make_sb3(name, 4, goal_reward="sparse", episode_duration=1.0)
    assert list(envs.observation_space.spaces) == sorted(PARTS)  # pyright: ignore
    model = SAC(
        "MultiInputPolicy",
        envs,
        replay_buffer_class=HerReplayBuffer,
        replay_buffer_kwargs={"n_sampled_goal": 4, "goal_selection_strategy": "future"},
        learning_starts=200,
        batch_size=64,
        seed=0,
        device="cpu",
    )
    model.learn(400)
    buffer: Any = model.replay_buffer
    task: Any = envs.envs.task
    real = buffer.sample(400)
    seen = real.next_observations
    wanted = task.compute_reward(seen["achieved_goal"].numpy(), seen["desired_goal"].numpy())
    np.testing.assert_array_equal(real.rewards.numpy()[:, 0], wanted)
    virtual = int((wanted == 0).sum())
    # Hardly any step reaches its own goal; many reach what was put in its place.
    assert virtual > 20
    envs.close()


def test_terminal_observations_have_the_parts():
    pytest.importorskip("stable_baselines3", reason="pip install 'horus-sim[train]'")
    from horus_sim.rl.adapters.sb3 import make_sb3

    envs = make_sb3("ArmReach", 2, goal_reward="sparse", episode_duration=0.1)
    first: Any = envs.reset()
    envs.step(np.zeros((2, 6), np.float32))
    step: Any = envs.step(np.zeros((2, 6), np.float32))
    seen, _, done, infos = step
    last = infos[0]["terminal_observation"]
    assert done.all()
    assert {key: value.shape for key, value in last.items()} == {
        key: value.shape[1:] for key, value in first.items()
    }
    np.testing.assert_array_equal(last["desired_goal"], first["desired_goal"][0])
    assert not np.array_equal(seen["desired_goal"], first["desired_goal"])
