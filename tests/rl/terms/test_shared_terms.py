"""Terms that tasks share, on arrays alone and in an environment."""

from __future__ import annotations

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.rl.terms.observations import live, nearness
from horus_sim.rl.terms.rewards import approach, gain, outcome, proximity, speed, time_spent
from horus_sim.rl.terms.term import Reward
from horus_sim.rl.terms.terminations import above, below, reached


def stepped(term: Reward, values: np.ndarray, after: list[float]) -> list[float]:
    """What a term gives when live values change in a step."""
    assert term.before_step is not None
    term.before_step()
    values[:] = after
    return (term.function() * term.weight).tolist()


def test_changes_over_a_step_are_rewarded():
    values = np.array([1.0, 2.0])
    assert stepped(approach("a", values, 2.0), values, [0.5, 3.0]) == [1.0, -2.0]
    assert stepped(gain("g", values), values, [1.5, 3.0]) == [1.0, 0.0]
    assert stepped(speed("s", values, 0.5), values, [2.0, 2.0]) == [1.0, -2.0]


def test_time_and_closeness_are_measured_in_seconds():
    assert time_spent(2, 0.05, -0.1).function().tolist() == [0.05, 0.05]
    near = proximity(np.array([0.0, 0.1, 0.3]), 0.2, 0.05, -1.0)
    np.testing.assert_allclose(near.function(), [0.05, 0.025, 0.0])


def test_ends_look_at_live_values_and_are_rewarded_by_the_same_function():
    values = np.array([1.0, 2.0, 3.0])
    assert below("b", values, 2.0).function().tolist() == [True, False, False]
    assert above("a", values, 2.0).function().tolist() == [False, False, True]
    end = reached("r", values, 2.0)
    assert end.function().tolist() == [False, True, True]
    assert end.success
    assert not below("b", values, 2.0).success
    paid = outcome(end, 5.0)
    values[:] = [5.0, 0.0, 0.0]
    assert (paid.name, (paid.function() * np.array([paid.weight])).tolist()) == ("r", [5, 0, 0])


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_live_observations_follow_their_array(shape):
    values = np.zeros(shape)
    term, doubled = live("x", values), live("x", values, 0.0, 1.0, scale=2.0)
    values[1] = 1.0
    assert term.size == doubled.size == (1 if len(shape) == 1 else 2)
    assert term.function(np.array([1])).tolist() == [[1.0] * term.size]
    assert doubled.function(slice(None))[:, 0].tolist() == [0.0, 2.0, 0.0]
    assert (term.low, term.high, doubled.low, doubled.high) == (-100.0, 100.0, 0.0, 1.0)


def test_nearness_is_a_half_at_its_distance():
    assert nearness(np.array([0.0, 0.3, np.inf]), 0.3).tolist() == [1.0, 0.5, 0.0]


def test_rewards_of_an_episode_that_begins_anew_do_not_see_the_last_one():
    envs = rl.make_vector("NavigationOpen", 4, physics_steps=1, episode_duration=3 / 240)
    envs.reset(seed=0)
    for _ in range(20):
        _, _, _, _, info = envs.step(np.ones((4, 2), np.float32))
        assert (np.abs(info["reward"]["progress"]) < 0.05).all()
