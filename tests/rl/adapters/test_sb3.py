"""Stable-Baselines3's contract: resets in the same step, last observations, episode statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from horus_sim import rl
from horus_sim.errors import TaskError

pytest.importorskip("stable_baselines3", reason="pip install 'horus-sim[train]'")

from stable_baselines3.common.env_checker import (  # pyright: ignore[reportMissingImports]
    check_env,
)
from stable_baselines3.common.evaluation import (  # pyright: ignore[reportMissingImports]
    evaluate_policy,
)
from stable_baselines3.common.monitor import (  # pyright: ignore[reportMissingImports]
    Monitor,
)
from stable_baselines3.common.vec_env import (  # pyright: ignore[reportMissingImports]
    DummyVecEnv,
)

from horus_sim.rl.adapters.sb3 import Sb3VecEnv, make_sb3
from horus_sim.robots.engine import mujoco

from ..pendulum import XML, Pendulum

SHORT: dict[str, Any] = {"episode_duration": 1.0}


@pytest.mark.parametrize(
    "name",
    [
        "Navigation",
        "NavigationOpen",
        "ArmReach",
        "Racing",
        "Manipulation",
        "Ant",
        "HalfCheetah",
        "LineFollower2D",
    ],
)
def test_the_single_environment_passes_sb3s_check(name):
    env = rl.make_single(name)
    check_env(
        env, warn=name not in ("Ant", "HalfCheetah", "LineFollower2D"), skip_render_check=True
    )
    env.close()


def test_it_lives_the_same_life_as_a_dummy_vec_env_of_monitored_environments():
    count, steps = 3, 70
    ours = make_sb3("NavigationOpen", count, 1, **SHORT)
    theirs = DummyVecEnv(
        [lambda: Monitor(rl.make_single("NavigationOpen", **SHORT)) for _ in range(count)]
    )
    for venv in (ours, theirs):
        assert venv.seed(5) == [5, 6, 7]
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(steps):
        actions = rng.uniform(-1, 1, (count, 2)).astype(np.float32)
        mine, reference = ours.step(actions), theirs.step(actions)
        np.testing.assert_array_equal(mine[0], reference[0])
        np.testing.assert_allclose(mine[1], reference[1], atol=1e-6)
        np.testing.assert_array_equal(mine[2], reference[2])
        for env in np.flatnonzero(mine[2]):
            ended += 1
            info, expected = mine[3][env], reference[3][env]
            np.testing.assert_array_equal(
                info["terminal_observation"], expected["terminal_observation"]
            )
            assert info["TimeLimit.truncated"] == expected["TimeLimit.truncated"]
            assert info["episode"]["l"] == expected["episode"]["l"]
            assert info["episode"]["r"] == pytest.approx(expected["episode"]["r"], abs=1e-5)
    assert ended >= 2 * count


def test_infos_are_one_list_that_is_empty_but_for_ends():
    envs = make_sb3("NavigationOpen", 4, 1, episode_duration=0.1)
    envs.reset()
    zeros = np.zeros((4, 2), np.float32)
    _, _, done, first = envs.step(zeros)
    assert not done.any()
    assert all(info == {} and info is first[0] for info in first)
    _, _, done, second = envs.step(zeros)
    assert second is first
    assert done.all()
    assert all(info["TimeLimit.truncated"] and not info["is_success"] for info in second)
    assert {info["cause"] for info in second} == {"time limit"}
    assert [info["episode"]["l"] for info in second] == [2] * 4
    _, _, _, third = envs.step(zeros)
    assert all(info == {} for info in third)


def test_arrival_is_success_and_no_truncation():
    # The goal is 0.5 m away, or a little more: who drives towards it arrives.
    envs = make_sb3("NavigationOpen", 8, 1, goal_distance=[0.5, 0.51])
    seen: Any = envs.reset()
    goal = envs.envs.columns["goal"]
    infos = []
    for _ in range(200):
        side = seen[:, goal.start + 1]
        turn = np.where(seen[:, goal.start] > 0, np.clip(3 * side, -1, 1), 1.0)
        ahead = np.where(seen[:, goal.start] > 0.8, 1.0, -1.0)
        seen, _, done, info = envs.step(np.stack([ahead, turn], axis=1).astype(np.float32))
        infos += [dict(info[env]) for env in np.flatnonzero(done)]
    assert len(infos) >= 8
    assert all(info["is_success"] and info["cause"] == "goal" for info in infos)
    assert not any(info["TimeLimit.truncated"] for info in infos)


def test_observations_stay_as_they_were_and_rewards_may_be_changed():
    envs = make_sb3("NavigationOpen", 2, 1)
    before = envs.reset()
    kept = before.copy()
    _, rewards, _, _ = envs.step(np.ones((2, 2), np.float32))
    np.testing.assert_array_equal(before, kept)
    rewards += 1.0


def test_attributes_and_wrappers():
    envs = make_sb3("NavigationOpen", 3)
    assert envs.get_attr("causes", indices=[0, 2]) == [envs.envs.causes] * 2
    assert envs.get_attr("num_envs", 1) == [3]
    assert envs.has_attr("columns")
    assert not envs.has_attr("wheels")
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(DummyVecEnv, [1]) == [False]
    envs.set_attr("note", "all")
    assert envs.get_attr("note", [0]) == ["all"]
    with pytest.raises(TaskError, match="'note' is one for all environments and cannot differ"):
        envs.set_attr("note", "one", indices=0)
    envs.reset()
    envs.set_attr("goal", (1.0, 2.0), indices=[2])
    np.testing.assert_array_equal(envs.get_attr("goal", 2)[0], (1.0, 2.0))
    assert not np.array_equal(envs.get_attr("goal", 1)[0], (1.0, 2.0))
    bounds = envs.env_method("action_bounds", indices=[0, 1])
    assert bounds == [((-1.0, -1.0), (1.0, 1.0))] * 2


def test_unfit_environments_are_refused():
    with pytest.raises(TaskError, match="give autoreset_mode='SameStep'"):
        Sb3VecEnv(rl.make_vector("NavigationOpen", 2))
    with pytest.raises(TaskError, match="give autoreset_mode='SameStep'"):
        make_sb3("NavigationOpen", 2, autoreset_mode="NextStep")
    with pytest.raises(TaskError, match="leave out copy=False"):
        Sb3VecEnv(rl.make_vector("NavigationOpen", 2, 1, "SameStep", copy=False))


def test_an_actuator_without_a_range_is_named():
    class Free(Pendulum):
        def build_model(self):
            motor = '<motor name="swing" joint="pivot"/>'
            return mujoco.MjModel.from_xml_string(
                XML.replace('<motor joint="pivot" ctrlrange="-1 1"/>', motor)
            )

        def action_bounds(self):
            return [-np.inf], [np.inf]

    with pytest.raises(TaskError, match=r"Free: actuator 'swing' has no range.*action_bounds\(\)"):
        make_sb3(Free(), 2)


def test_sb3_evaluates_a_policy_without_a_monitor():
    class Still:
        def predict(self, seen, state=None, **_):
            return np.tile(np.array([-1, 0], np.float32), (len(seen), 1)), state

    envs = make_sb3("NavigationOpen", 4, 1, **SHORT)
    still: Any = Still()
    returns, lengths = evaluate_policy(still, envs, 6, return_episode_rewards=True)
    assert lengths == [20] * 6
    assert returns == pytest.approx([-0.1] * 6, abs=0.05)
