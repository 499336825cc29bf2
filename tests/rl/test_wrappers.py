"""Wrappers of vector environments, in every autoreset mode."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl.wrappers import (
    ActionDelay,
    FlattenObservations,
    FrameStack,
    NamedObservations,
    NormalizeObservations,
    RecordVideo,
    TimeLimit,
)

MODES = ("NextStep", "SameStep")
EPISODE = 4


def make(mode="NextStep", num_envs=3) -> Any:
    return rl.make_vector(
        "NavigationOpen", num_envs, autoreset_mode=mode, episode_seconds=EPISODE / 20
    )


def random_actions(count, num_envs=3):
    return np.random.default_rng(0).uniform(-1, 1, (count, num_envs, 2)).astype(np.float32)


@pytest.mark.parametrize("mode", MODES)
def test_stacked_frames_are_the_last_observations_of_the_episode(mode):
    plain, stacked = make(mode), FrameStack(make(mode), 3)
    history = [plain.reset(seed=0)[0]] * 3
    seen = stacked.reset(seed=0)[0]
    assert stacked.observation_space.shape == (3, 93)
    over = False
    for action in random_actions(12):
        np.testing.assert_array_equal(seen, np.concatenate(history, axis=1))
        observations, _, _, truncated, info = plain.step(action)
        seen, _, _, _, wrapped = stacked.step(action)
        begins = truncated.all() if mode == "SameStep" else over
        if mode == "SameStep" and begins:
            final = np.concatenate([*history[1:], info["final_obs"]], axis=1)
            np.testing.assert_array_equal(wrapped["final_obs"], final)
        history = [observations] * 3 if begins else [*history[1:], observations]
        over = truncated.all()


@pytest.mark.parametrize("mode", MODES)
def test_delayed_actions_are_those_of_some_steps_ago(mode):
    plain, delayed = make(mode), ActionDelay(make(mode), 2)
    np.testing.assert_array_equal(plain.reset(seed=0)[0], delayed.reset(seed=0)[0])
    columns = plain.columns["action"]
    actions = random_actions(EPISODE)
    seen = [delayed.step(action)[0][:, columns] for action in actions]
    expected = [np.zeros_like(actions[0])] * 2 + [actions[0], actions[1]]
    for k in range(EPISODE - 1):
        np.testing.assert_allclose(seen[k], expected[k], atol=1e-7)
    later = [delayed.step(np.ones((3, 2), np.float32))[0][:, columns] for _ in range(2)]
    assert (later[0] == 0).all()  # nothing of the last episode is left
    assert (later[1] == 0).all()


def test_normalized_observations_have_mean_0_and_deviation_1(tmp_path):
    plain, normal = make(num_envs=50), NormalizeObservations(make(num_envs=50))
    seen = [plain.reset(seed=0)[0]]
    normal.reset(seed=0)
    for action in random_actions(10, 50):
        seen.append(plain.step(action)[0])
        last = normal.step(action)[0]
        assert last.dtype == np.float32
    everything = np.concatenate(seen).astype(np.float64)
    np.testing.assert_allclose(normal.mean, everything.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(normal.variance, everything.var(axis=0), atol=1e-9)
    path = tmp_path / "statistics.npz"
    normal.save(path)
    other = NormalizeObservations(make(num_envs=50), training=False)
    other.load(path)
    np.testing.assert_array_equal(other.normalized(seen[-1]), normal.normalized(seen[-1]))
    before = other.mean.copy()
    other.reset(seed=0)
    np.testing.assert_array_equal(other.mean, before)
    with pytest.raises(TaskError, match="31 columns and the environment observes 62"):
        NormalizeObservations(FrameStack(make(), 2)).load(path)
    path.write_text("nothing")
    with pytest.raises(TaskError, match="no statistics"):
        other.load(path)


def test_named_observations_are_the_columns_and_flatten_is_the_way_back():
    plain, named = make(), NamedObservations(make())
    flat = FlattenObservations(NamedObservations(make()))
    vector, parts = plain.reset(seed=2)[0], named.reset(seed=2)[0]
    assert parts in named.observation_space
    for name, columns in plain.columns.items():
        np.testing.assert_array_equal(parts[name], vector[:, columns])
    again = flat.reset(seed=2)[0]
    order: Any = named.single_observation_space
    expected = np.concatenate([parts[name] for name in order.spaces], axis=1)
    np.testing.assert_array_equal(again, expected)
    assert again in flat.observation_space
    with pytest.raises(TaskError, match="flat already"):
        FlattenObservations(make())
    with pytest.raises(TaskError, match="no named columns"):
        NamedObservations(gymnasium.make_vec("CartPole-v1", 2, vectorization_mode="sync"))


def test_a_time_limit_shortens_episodes():
    envs = TimeLimit(make(), 2)
    envs.reset(seed=0)
    ends = [envs.step(action)[3].all() for action in random_actions(5)]
    assert ends == [False, True, False, False, True]
    with pytest.raises(TaskError, match="give at least 1"):
        TimeLimit(make(), 0)


def test_a_video_shows_the_chosen_environments(tmp_path):
    pytest.importorskip("av")
    path = tmp_path / "run.gif"
    envs = RecordVideo(make(), path, (0, 2), most_frames=3, size=(64, 48))
    envs.reset(seed=0)
    for action in random_actions(4):
        envs.step(action)
    envs.close()
    from PIL import Image

    with Image.open(path) as video:
        assert video.size == (128, 48)
        assert getattr(video, "n_frames", 1) >= 1
    with pytest.raises(TaskError, match="environment 3 cannot be shown; there are 3"):
        RecordVideo(make(), path, (3,))
