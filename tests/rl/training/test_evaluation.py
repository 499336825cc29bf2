"""Evaluations: every episode counts once, seeds are unseen, intervals are Wilson's."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from horus_sim import rl
from horus_sim.errors import RecordingError, TaskError
from horus_sim.rl.engines.mujoco_batch import MujocoBackend
from horus_sim.rl.engines.planar_batch import PlanarBackend
from horus_sim.rl.training import evaluate, evaluation, wilson_interval


class Homing:
    """Turns to the goal, then drives."""

    def act(self, observations):
        ahead, side = observations[:, 24], observations[:, 25]
        turn = np.where(ahead > 0, np.clip(3 * side, -1, 1), 1.0)
        return np.stack([np.where(ahead > 0.8, 1.0, -1.0), turn], axis=1)


class Still:
    """Stands."""

    def act(self, observations):
        return np.tile([-1.0, 0.0], (len(observations), 1))


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_interval_is_scipys(pair):
    hits, trials = pair
    expected = binomtest(hits, trials).proportion_ci(method="wilson")
    assert wilson_interval(hits, trials) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_interval_of_nothing():
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_who_drives_to_the_goal_arrives_and_who_stands_does_not(tmp_path):
    report = evaluate(Homing(), "NavigationOpen", 40)
    assert report.successes == 40
    assert report.causes == {"goal": 40}
    still = evaluate(Still(), "NavigationOpen", 10, settings={"episode_duration": 1.0})
    assert still.success_rate == 0.0
    assert still.causes == {"time limit": 10}
    assert still.lengths.least == still.lengths.largest == 20
    assert "success   0.0% (95 % interval 0.0% to 27.8%)" in still.text()
    still.write(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["episodes"] == 10


def test_it_counts_what_single_environments_do():
    seed = 2**42
    settings: dict[str, Any] = {"episode_duration": 4.0}
    report = evaluate(Homing(), "NavigationOpen", 5, settings=settings, seed=seed)
    returns, lengths, successes = [], [], 0
    for number in range(5):
        env = rl.make_single("NavigationOpen", **settings)
        seen, _ = env.reset(seed=seed + number)
        total, steps, done, info = 0.0, 0, False, {}
        while not done:
            seen, reward, terminated, truncated, info = env.step(Homing().act(seen[None])[0])
            total, steps, done = total + reward, steps + 1, terminated or truncated
        returns.append(total)
        lengths.append(steps)
        successes += bool(info["success"])
    assert report.successes == successes
    assert report.returns.mean == pytest.approx(np.mean(returns), abs=1e-9)
    assert report.lengths.mean == np.mean(lengths)


def alone(task, seed, number, **settings) -> tuple[float, int]:
    """Return and length of one episode in a single environment."""
    env = rl.make_single(task, **settings)
    seen, _ = env.reset(seed=seed)
    for _ in range(number):
        seen, _ = env.reset()
    total, steps, done = 0.0, 0, False
    while not done:
        seen, reward, terminated, truncated, _ = env.step(Homing().act(seen[None])[0])
        total, steps, done = total + reward, steps + 1, terminated or truncated
    return total, steps


@pytest.mark.parametrize("task", ["Navigation", "Navigation2D"])
def test_an_episode_is_the_same_in_whatever_environment_and_no_step_is_wasted(task, monkeypatch):
    monkeypatch.setattr(evaluation, "_MOST_ENVS", 3)
    settings: dict[str, Any] = {"episode_duration": 8.0}
    if task == "Navigation":
        settings["randomization"] = {"load": {"kind": "mass", "scale": [0.8, 1.2]}}
    steps = 0
    for kind in (MujocoBackend, PlanarBackend):

        def step(self, count, ids=None, own=kind.step):
            nonlocal steps
            steps += self.num_envs if ids is None else len(ids)
            return own(self, count, ids)

        monkeypatch.setattr(kind, "step", step)
    ended: list[int] = []
    report = evaluate(
        Homing(), task, 8, settings=settings, seed=70, on_episodes=ended.append, threads=1
    )
    made = steps
    ends = [alone(task, 70 + number % 3, number // 3, **settings) for number in range(8)]
    returns, lengths = zip(*ends, strict=True)
    assert len(set(lengths)) > 2
    assert report.returns.mean == pytest.approx(np.mean(returns), abs=1e-12)
    assert (report.returns.least, report.returns.largest) == (min(returns), max(returns))
    assert report.lengths.mean == np.mean(lengths)
    assert made == sum(lengths)
    assert ended[-1] == 8


def test_more_episodes_than_environments_are_shared_out():
    report = evaluate(Still(), "NavigationOpen", 300, settings={"episode_duration": 0.1})
    assert report.episodes == sum(report.causes.values()) == 300


def test_a_task_without_success_has_no_rate():
    class Zero:
        def act(self, observations):
            return np.zeros((len(observations), 6))

    report = evaluate(Zero(), "HalfCheetah", 2, settings={"episode_duration": 0.5})
    assert report.successes is None
    assert "success" not in report.text()


def test_the_report_says_which_settings_and_where_from(tmp_path):
    learned = {"episode_duration": 0.1, "lidar": {"rays": 12, "range": 2.5}}
    report = evaluate(
        Still(),
        "NavigationOpen",
        2,
        settings={"lidar": {"range": 3.0}},
        policy_settings=learned,
    )
    assert report.lengths.largest == 2
    told = "episode_duration=0.1 from the policy, lidar.rays=12 from the policy, "
    assert f"settings  {told}lidar.range=3.0 given\n" in report.text()
    report.write(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["settings"] == {
        "episode_duration": {"value": 0.1, "source": "policy"},
        "lidar.rays": {"value": 12, "source": "policy"},
        "lidar.range": {"value": 3.0, "source": "given"},
    }
    plain = evaluate(Homing(), "NavigationOpen", 1)
    assert "settings  those of the task\n" in plain.text()


class Never:
    """Fails where an episode is run."""

    def act(self, observations):
        raise AssertionError(observations)


def test_a_video_that_cannot_be_written_is_noticed_before_the_episodes(tmp_path):
    with pytest.raises(RecordingError, match=r"a video ends in \.mp4 or \.gif, not 'x\.avi'"):
        evaluate(Never(), "NavigationOpen", 1, video=tmp_path / "x.avi")
    with pytest.raises(RecordingError, match=r"x\.gif' cannot be written: No such file or dir"):
        evaluate(Never(), "NavigationOpen", 1, video=tmp_path / "nowhere" / "x.gif")


def test_episodes_that_cannot_be():
    with pytest.raises(TaskError, match="0 episodes says nothing"):
        evaluate(Still(), "NavigationOpen", 0)
    with pytest.raises(TaskError, match=r"\[3\] cannot all be shown; choose from 0 to 1"):
        evaluate(Still(), "NavigationOpen", 2, video="x.gif", shown=[3])
