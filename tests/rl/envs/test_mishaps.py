"""Environments that diverge, and many episodes."""

from __future__ import annotations

import resource
from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("poison", [np.nan, 1e30])
def test_a_diverged_environment_begins_anew_and_the_others_do_not_notice(mode, poison):
    sick, well = (rl.make_vector("Navigation", 5, autoreset_mode=mode) for _ in range(2))
    actions = np.full((5, 2), 0.2, np.float32)
    for envs in (sick, well):
        envs.reset(seed=1)
        envs.step(actions)
    task: Any = sick.task
    task.qvel[3, 0] = poison
    others = [0, 1, 2, 4]
    for step in range(4):
        a, b = sick.step(actions), well.step(actions)
        for ours, theirs in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(ours[others], theirs[others])
        assert np.isfinite(a[0]).all()
        assert np.isfinite(a[1]).all()
        if step == 0:
            assert a[2].tolist() == [False, False, False, True, False]
            assert a[4]["diverged"].tolist() == [False, False, False, True, False]
            assert sick.causes[a[4]["cause"][3]] == "diverged"
            assert a[1][3] == 0.0
        else:
            assert not a[4]["diverged"].any()
    assert sick.diverged_total == 1


def test_all_diverge_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    envs = rl.make_vector("NavigationOpen", 64, 2)
    envs.reset(seed=0)
    task: Any = envs.task
    task.qvel[:] = np.nan
    info = envs.step(np.zeros((64, 2), np.float32))[4]
    assert info["diverged"].all()
    assert envs.diverged_total == 64
    assert not list(tmp_path.iterdir())  # no log of MuJoCo's


def test_memory_stays_flat_over_many_episodes():
    envs = rl.make_vector(
        "Navigation",
        256,
        physics_steps=1,
        episode_duration=2 / 240,
        randomization={"weight": {"kind": "mass", "scale": [0.9, 1.1]}},
    )
    envs.reset(seed=0)
    actions = np.zeros((256, 2), np.float32)

    def episodes(count):
        for _ in range(3 * count // 256):
            envs.step(actions)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = episodes(2000)
    assert episodes(6000) - before < 4096  # kilobytes
