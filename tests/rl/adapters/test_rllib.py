"""A runner of RLlib steps a vector of environments; the example runs two of them on Ray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from horus_sim.errors import TaskError

pytest.importorskip("ray", reason="pip install 'horus-sim[ray]'")

from ray.rllib.algorithms.ppo import PPOConfig  # pyright: ignore[reportMissingImports]
from ray.rllib.env.single_agent_env_runner import (  # pyright: ignore[reportMissingImports]
    SingleAgentEnvRunner,
)

from horus_sim import rl
from horus_sim.rl.adapters.rllib import make_rllib, rllib_config


def test_a_runner_samples_whole_episodes_from_a_vector():
    settings: dict[str, Any] = {"episode_duration": 0.5}
    config = rllib_config(PPOConfig(), "NavigationOpen", runners=0, num_envs=8, **settings)
    runner: Any = SingleAgentEnvRunner(config=config)
    assert isinstance(runner.env.unwrapped, rl.VectorEnv)
    assert runner.env.num_envs == 8
    episodes = runner.sample(num_timesteps=200, random_actions=True)
    assert sum(len(episode) for episode in episodes) == 200
    done = [episode for episode in episodes if episode.is_done]
    assert {len(episode) for episode in done} == {10}
    assert all(episode.is_truncated for episode in done)
    runner.stop()


def test_a_worker_makes_one_or_many_with_the_settings():
    context = {"task": "NavigationOpen", "lidar": {"rays": 8}}
    assert make_rllib(context).observation_space.shape == (15,)
    many = make_rllib({**context, "num_envs": 3})
    observations, info = many.reset(seed=0)
    assert observations.shape == (3, 15)
    assert info == {}
    *_, told = many.step(np.zeros((3, 2), np.float32))
    assert told == {}


def test_what_does_not_fit_is_refused_before_ray_starts():
    with pytest.raises(TaskError, match="did you mean 'NavigationOpen'"):
        rllib_config(PPOConfig(), "NavigationOpn")
    with pytest.raises(TaskError, match="did you mean 'goal_radius'"):
        rllib_config(PPOConfig(), "NavigationOpen", goal_radios=1.0)
    with pytest.raises(TaskError, match="num_envs is 0; give a whole number"):
        rllib_config(PPOConfig(), "NavigationOpen", num_envs=0)
