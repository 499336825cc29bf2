"""Gymnasium's `call`, `get_attr` and `set_attr`, beside those of its own vector environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError, UnknownAttributeError


def test_what_environments_share_is_given_as_gymnasiums_own_give_it():
    ours = rl.make_vector("ArmReach", 3)
    theirs: Any = gymnasium.vector.SyncVectorEnv([lambda: rl.make_single("ArmReach")] * 3)
    for name in ("observation_space", "action_space", "render_mode"):
        assert ours.get_attr(name) == theirs.get_attr(name) == ours.call(name)
    assert len(ours.get_attr("causes")) == 3


def test_rows_of_arrays_belong_to_each():
    envs = rl.make_vector("Navigation", 3)
    envs.reset(seed=0)
    goals = envs.get_attr("goal")
    np.testing.assert_array_equal(goals, vars(envs.task)["goal"])
    goals[0][:] = 9.0
    assert not np.array_equal(envs.get_attr("goal")[0], goals[0])
    envs.set_attr("goal", [(1.0, 0.0), (0.0, 2.0), (3.0, 0.0)])
    np.testing.assert_array_equal(envs.get_attr("goal"), [(1, 0), (0, 2), (3, 0)])
    envs.set_attr("goal", np.array([0.5, 0.5]))
    np.testing.assert_array_equal(envs.get_attr("goal"), [(0.5, 0.5)] * 3)
    envs.set_attr("goal", [(7.0, 7.0)], ids=[1])
    np.testing.assert_array_equal(envs.get_attr("goal"), [(0.5, 0.5), (7, 7), (0.5, 0.5)])
    # The next step observes it.
    distance = vars(envs.task)["distance"]
    envs.step(np.zeros((3, 2), np.float32))
    assert distance[1] == pytest.approx(np.hypot(7, 7), abs=0.1)


def test_shared_attributes_are_set_for_all():
    envs = rl.make_vector("Navigation", 2)
    envs.set_attr("note", ["same", "same"])
    assert envs.get_attr("note") == ("same", "same")
    with pytest.raises(TaskError, match="'note' is one for all environments and cannot differ"):
        envs.set_attr("note", ["one", "other"])
    with pytest.raises(TaskError, match="3 values of 'note' for 2 environments; give one for each"):
        envs.set_attr("note", [1, 2, 3])
    with pytest.raises(TaskError, match=r"'goal' has rows of shape \(2,\).* takes no .*'far'"):
        envs.set_attr("goal", "far")
    with pytest.raises(TaskError, match="'max_episode_steps' cannot be set"):
        envs.set_attr("max_episode_steps", 3)


def test_methods_are_called_once(needs_gl):
    envs = rl.make_vector("Navigation", 2, render_mode="rgb_array")
    envs.reset(seed=0)
    assert envs.call("action_bounds") == (((-1.0, -1.0), (1.0, 1.0)),) * 2
    pictures = envs.call("render")
    assert [picture.shape for picture in pictures] == [(360, 480, 3)] * 2
    assert not np.array_equal(*pictures)
    picture = envs.call("picture", 1, width=32, height=24)
    assert picture[0].shape == (24, 32, 3)


def test_mistakes():
    envs = rl.make_vector("Navigation", 2)
    with pytest.raises(UnknownAttributeError, match="no attribute 'gaol'; did you mean 'goal'"):
        envs.get_attr("gaol")
    with pytest.raises(AttributeError):
        envs.call("gaol")
    with pytest.raises(TaskError, match="'reset' is of all environments together; call"):
        envs.call("reset", seed=0)
