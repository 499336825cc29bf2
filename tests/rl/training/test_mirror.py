"""Policies that learn with a mirror do the same on both sides."""

from __future__ import annotations

from typing import Any

import numpy as np

import horus_sim.rl as rl
from horus_sim.rl.training import load_policy, train, train_config


def asymmetry(policy) -> float:
    envs: Any = rl.make_vector("Quadruped", 64)
    seen, _ = envs.reset(seed=0)
    image = envs.task.mirror()
    for _ in range(5):
        seen, *_ = envs.step(policy.act(seen))
    flip = image.all_observations(envs.columns)
    actions = policy.act(seen)
    apart = image.actions(policy.act(flip(seen))) - actions
    return float(np.abs(apart).mean() / np.abs(actions).mean())


def test_the_weight_of_the_mirror_makes_policies_alike_on_both_sides(tmp_path):
    found = []
    for weight in (0.0, 30.0):
        ppo = {"rollout_steps": 8, "batch_size": 256, "mirror": weight, "initial_std": 0.5}
        config = train_config(
            "Quadruped", total_steps=8192, num_envs=64, network=(32,), ppo=ppo, schedule="constant"
        )
        config = config.model_copy(update={"evaluate_every": 10**6, "evaluation_episodes": 1})
        found.append(asymmetry(load_policy(train(config, tmp_path / str(weight)).policy)))
    assert found[1] < found[0] / 2
