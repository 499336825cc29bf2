"""Ant and HalfCheetah are Gymnasium's own, number by number."""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
import pytest

import horus_sim.rl as rl

SETTINGS = {
    "Ant": {"include_cfrc_ext_in_observation": False, "contact_cost_weight": 0.0},
    "HalfCheetah": {},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_observations_rewards_and_endings_are_gymnasiums(name, capfd):
    pytest.importorskip("imageio", reason="Gymnasium's MuJoCo environments ask for it")
    theirs = gymnasium.make(f"{name}-v5", **SETTINGS[name])
    ours = rl.make_single(name)
    theirs.action_space.seed(1)
    for seed in range(3):
        theirs.reset(seed=seed)
        ours.reset(seed=seed)
        task: Any = ours.vector.task
        data = cast("Any", theirs.unwrapped).data
        task.qpos[0], task.qvel[0] = data.qpos, data.qvel
        task.sim.forward(np.array([0]))
        for _ in range(40):
            action = theirs.action_space.sample()
            expected, seen = theirs.step(action), ours.step(action)
            np.testing.assert_allclose(seen[0], expected[0], rtol=1e-6, atol=1e-6)
            assert seen[1] == pytest.approx(expected[1], abs=1e-5)
            assert seen[2] == expected[2]
            if seen[2]:
                break
    capfd.readouterr()  # MuJoCo tells of a deprecated attribute in Gymnasium's file


def test_starts_are_spread_as_gymnasiums():
    envs = rl.make_vector("Ant", 2000)
    envs.reset(seed=0)
    task: Any = envs.task
    noise = task.qpos - task.sim.model.qpos0
    assert np.abs(noise).max() <= 0.1
    assert noise.std() == pytest.approx(0.2 / np.sqrt(12), rel=0.05)
    assert task.qvel.std() == pytest.approx(0.1, rel=0.05)
