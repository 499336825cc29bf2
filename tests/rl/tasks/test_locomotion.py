"""Ant and HalfCheetah are Gymnasium's own, number by number."""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError

# What is said to both, by Gymnasium's names, and what is said to Gymnasium alone.
SETTINGS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Ant", {}, {"include_cfrc_ext_in_observation": False, "contact_cost_weight": 0.0}),
    ("Ant", {"include_cfrc_ext_in_observation": True, "contact_cost_weight": 5e-4}, {}),
    (
        "Ant",
        {"contact_cost_weight": 0.01, "contact_force_range": (-20.0, 30.0)},
        {"include_cfrc_ext_in_observation": False},
    ),
    ("HalfCheetah", {}, {}),
]


@pytest.mark.parametrize(("name", "both", "alone"), SETTINGS)
def test_observations_rewards_and_endings_are_gymnasiums(name, both, alone, capfd):
    pytest.importorskip("imageio", reason="Gymnasium's MuJoCo environments ask for it")
    theirs = gymnasium.make(f"{name}-v5", **both, **alone)
    ours = rl.make_single(name, **both)
    assert ours.observation_space.shape == theirs.observation_space.shape
    theirs.action_space.seed(1)
    touched = 0
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
            if "contact" in seen[4]["reward"]:
                cost = expected[4]["reward_contact"]
                assert seen[4]["reward"]["contact"] == pytest.approx(cost, rel=1e-6, abs=1e-9)
                touched += cost < 0
            assert seen[2] == expected[2]
            if seen[2]:
                break
    assert touched > 20 or not both
    capfd.readouterr()  # MuJoCo tells of a deprecated attribute in Gymnasium's file


def test_forces_of_contacts_are_those_of_each_environment():
    """In many environments, after resets within a step, and where two threads step them."""
    settings: dict[str, Any] = {"include_cfrc_ext_in_observation": True, "episode_duration": 1.0}
    draw = np.random.default_rng(0)
    actions = draw.uniform(-1, 1, (45, 8)).astype(np.float32)
    lives = []
    for count in (1, 40):
        envs = rl.make_vector("Ant", count, 2, "SameStep", **settings)
        envs.reset(seed=3)
        given = [envs.step(np.tile(action, (count, 1)))[0] for action in actions]
        contacts = envs.columns["contacts"]
        # An episode has twenty steps; its first observation knows of no contacts.
        assert not given[19][0, contacts].any()
        assert np.array(given)[:19, 0, contacts].any()
        lives.append(np.array([observations[0] for observations in given]).tobytes())
    assert lives[0] == lives[1]


def test_forces_of_contacts_need_mujocos_batch():
    with pytest.raises(TaskError, match="forces of contacts are not known to backend='warp'"):
        rl.make_vector("Ant", 1, contact_cost_weight=0.1, backend="warp")


def test_starts_are_spread_as_gymnasiums():
    envs = rl.make_vector("Ant", 2000)
    envs.reset(seed=0)
    task: Any = envs.task
    noise = task.qpos - task.sim.model.qpos0
    assert np.abs(noise).max() <= 0.1
    assert noise.std() == pytest.approx(0.2 / np.sqrt(12), rel=0.05)
    assert task.qvel.std() == pytest.approx(0.1, rel=0.05)
