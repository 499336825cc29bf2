"""An environment's life depends on its seed alone."""

from __future__ import annotations

import subprocess
import sys
import zlib
from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError

NAMES = ("Navigation", "ArmReach", "Racing", "Manipulation")
SETTINGS: dict[str, Any] = {"physics_steps": 2, "episode_duration": 20 * 2 / 240}


def life(name, num_envs, threads, seed=5, steps=30):
    """All that environment 0 sees, with resets on the way."""
    envs = rl.make_vector(name, num_envs, threads, **SETTINGS)
    observations, _ = envs.reset(seed=seed)
    random = np.random.default_rng(0)
    seen = [observations[0].tobytes()]
    for _ in range(steps):
        action = random.uniform(-1, 1, envs.task.actions.shape[1])
        actions = np.broadcast_to(action, envs.task.actions.shape).astype(np.float32)
        observations, rewards, *_ = envs.step(actions)
        seen.append(observations[0].tobytes() + rewards[:1].tobytes())
    return b"".join(seen)


@pytest.mark.parametrize("name", NAMES)
def test_threads_and_neighbours_change_nothing(name):
    alone = life(name, 1, 1)
    assert life(name, 64, 1) == alone
    assert life(name, 64, 2) == alone
    assert life(name, 1024, 2, steps=30) == alone
    assert life(name, 1, 1, seed=6) != alone


def test_environment_i_has_the_seed_plus_i():
    many = rl.make_vector("Navigation", 4).reset(seed=10)[0]
    for i in range(4):
        np.testing.assert_array_equal(
            rl.make_vector("Navigation", 1).reset(seed=10 + i)[0][0], many[i]
        )
    listed = rl.make_vector("Navigation", 4).reset(seed=[13, 12, None, 10])[0]
    np.testing.assert_array_equal(listed[[0, 1, 3]], many[[3, 2, 0]])


def test_another_process_lives_the_same():
    code = (
        "import sys, zlib; sys.path.insert(0, sys.argv[1]); "
        "import test_determinism as t; print(zlib.crc32(t.life('Navigation', 8, 2)))"
    )
    folder = __file__.rpartition("/")[0]
    done = subprocess.run(
        [sys.executable, "-c", code, folder], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == zlib.crc32(life("Navigation", 3, 1))


def test_the_single_environment_is_environment_0():
    env = rl.make_single("Navigation")
    envs = rl.make_vector("Navigation", 3)
    np.testing.assert_array_equal(env.reset(seed=4)[0], envs.reset(seed=4)[0][0])
    action = np.array([0.5, -0.2], np.float32)
    one, many = env.step(action), envs.step(np.tile(action, (3, 1)))
    np.testing.assert_array_equal(one[0], many[0][0])
    assert one[1] == many[1][0]
    assert isinstance(one[1], float)
    assert one[4]["reward"]["progress"] == many[4]["reward"]["progress"][0]


def test_render_mode_is_checked():
    with pytest.raises(TaskError, match="'human'; choose 'rgb_array'"):
        rl.make_vector("Navigation", 1, render_mode="human")
