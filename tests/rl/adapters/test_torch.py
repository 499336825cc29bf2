"""Tensors that share memory with arrays, and rsl_rl's contract."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from horus_sim import rl
from horus_sim.errors import TaskError

pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")

import torch  # pyright: ignore[reportMissingImports]

from horus_sim.rl.adapters.torch import TorchVecEnv, make_torch

SHORT: dict[str, Any] = {"episode_duration": 0.5}


def test_tensors_are_the_arrays_and_live_the_same_life():
    plain = rl.make_vector("NavigationOpen", 4, autoreset_mode="SameStep", **SHORT)
    envs = make_torch("NavigationOpen", 4, **SHORT)
    assert (envs.num_obs, envs.num_actions) == (31, 2)
    expected, _ = plain.reset(seed=2)
    first, _ = envs.reset(seed=2)
    assert first.dtype == torch.float32
    np.testing.assert_array_equal(first.numpy(), expected)
    kept = first.clone()
    actions = torch.full((4, 2), 0.3)
    told: dict[str, Any] = {}
    info: dict[str, Any] = {}
    for k in range(10):
        observations, rewards, terminated, truncated, info = plain.step(actions.numpy())
        seen, reward, terminal, late, told = envs.step(actions)
        np.testing.assert_array_equal(seen.numpy(), observations)
        np.testing.assert_array_equal(reward.numpy(), rewards.astype(np.float32))
        assert terminal.dtype == late.dtype == torch.bool
        assert terminal.tolist() == terminated.tolist() == [False] * 4
        assert late.tolist() == truncated.tolist() == [k == 9] * 4
    assert told.keys() == info.keys()
    assert isinstance(told["final_obs"], torch.Tensor)
    np.testing.assert_array_equal(told["final_obs"].numpy(), info["final_obs"])
    assert told["_final_obs"].all()
    np.testing.assert_array_equal(told["reward"]["progress"], info["reward"]["progress"])
    # What was given stays as it was: no step writes into an observation that a learner holds.
    assert torch.equal(first, kept)
    envs.close()


def test_nothing_is_copied_on_the_cpu():
    envs = make_torch("NavigationOpen", 2)
    array = np.zeros((2, 3), np.float32)
    tensor = envs.tensor(array)
    array[0, 0] = 7.0
    assert tensor[0, 0] == 7.0


def test_environments_that_reset_in_another_step_are_refused():
    with pytest.raises(TaskError, match=r"'NextStep'.*give autoreset_mode='SameStep'"):
        TorchVecEnv(rl.make_vector("NavigationOpen", 2))


def test_rsl_rl_finds_its_interface():
    pytest.importorskip("rsl_rl", reason="pip install 'horus-sim[rsl]'")
    from rsl_rl.env import VecEnv  # pyright: ignore[reportMissingImports]

    from horus_sim.rl.adapters.rsl_rl import make_rsl_rl

    envs = make_rsl_rl("NavigationOpen", 8, **SHORT)
    assert isinstance(envs, VecEnv)
    assert envs.max_episode_length == 10
    observations = envs.get_observations()
    assert observations["policy"].shape == (8, 31)
    steps = [envs.step(torch.zeros(8, 2)) for _ in range(10)]
    observations, rewards, dones, extras = steps[-1]
    assert dones.all()
    assert extras["time_outs"].all()
    assert rewards.shape == (8,)
    assert (envs.episode_length_buf == 0).all()
    assert torch.equal(envs.get_observations()["policy"], observations["policy"])
    envs.close()
