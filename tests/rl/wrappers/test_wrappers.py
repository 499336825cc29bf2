"""Wrappers of vector environments, in every autoreset mode."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import ActionError, RecordingError, ResetError, TaskError
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
SECOND = np.array([False, True, False])


def make(mode="NextStep", num_envs=3) -> Any:
    return rl.make_vector(
        "NavigationOpen", num_envs, autoreset_mode=mode, episode_duration=EPISODE / 20
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


@pytest.mark.parametrize("mode", MODES)
def test_only_actions_that_count_are_delayed(mode):
    envs: Any = ActionDelay(make(mode), 1)
    envs.reset(seed=0)
    columns = envs.unwrapped.columns["action"]
    given = random_actions(12)
    over, last = False, np.zeros((3, 2))
    for action in given:
        observations, _, _, truncated, _ = envs.step(action)
        begins = truncated.all() if mode == "SameStep" else over
        if begins:
            last = np.zeros((3, 2))
        else:
            np.testing.assert_allclose(observations[:, columns], last, atol=1e-7)
            last = action
        over = truncated.all()


def test_delayed_actions_are_checked_when_they_are_given():
    envs, same = ActionDelay(make(), 2), ActionDelay(make(), 2)
    for each in (envs, same):
        each.reset(seed=0)
    first, *others = random_actions(4)
    np.testing.assert_array_equal(envs.step(first)[0], same.step(first)[0])
    bad = np.zeros((3, 2), np.float32)
    bad[1, 0] = np.nan
    with pytest.raises(ActionError, match=r"environment 1 is \[nan, 0.0\]"):
        envs.step(bad)
    with pytest.raises(ActionError, match=r"shape \(2,\).*shape \(3, 2\)"):
        envs.step(np.zeros(2))
    for action in others:
        np.testing.assert_array_equal(envs.step(action)[0], same.step(action)[0])
    envs.step(bad)  # the episodes are over, so this action is ignored
    with pytest.raises(TaskError, match="cannot be delayed"):
        ActionDelay(gymnasium.make_vec("CartPole-v1", 2, vectorization_mode="sync"), 1)


def test_actions_of_a_step_that_is_refused_are_not_delayed():
    envs, same = ActionDelay(make("Disabled"), 1), ActionDelay(make("Disabled"), 1)
    actions = random_actions(EPISODE)
    done = SECOND
    for each in (envs, same):
        each.reset(seed=0)
        each.step(actions[0])
        each.reset(options={"reset_mask": SECOND})
        for action in actions[1:]:
            done = each.step(action)[3]
    assert done.tolist() == [True, False, True]
    with pytest.raises(ResetError, match="environment 0 is over"):
        envs.step(np.ones((3, 2)))
    for each in (envs, same):
        each.reset(options={"reset_mask": done})
    np.testing.assert_array_equal(envs.step(actions[0])[0], same.step(actions[0])[0])


def test_a_reset_of_some_leaves_the_frames_of_the_others():
    plain, stacked = make(), FrameStack(make(), 2)
    history = [each.reset(seed=0)[0] for each in (plain, stacked)][:1]
    for action in random_actions(2):
        history.append(plain.step(action)[0])
        stacked.step(action)
    new = plain.reset(options={"reset_mask": SECOND})[0]
    seen = stacked.reset(options={"reset_mask": SECOND})[0]
    expected = np.concatenate(history[-2:], axis=1)
    expected[1] = np.concatenate([new[1], new[1]])
    np.testing.assert_array_equal(seen, expected)


def test_a_reset_of_some_counts_only_them_into_statistics():
    plain, normal = make(), NormalizeObservations(make())
    seen = [each.reset(seed=0)[0] for each in (plain, normal)][:1]
    for action in random_actions(2):
        seen.append(plain.step(action)[0])
        normal.step(action)
    seen.append(plain.reset(options={"reset_mask": SECOND})[0][1:2])
    normal.reset(options={"reset_mask": SECOND})
    everything = np.concatenate(seen).astype(np.float64)
    assert normal.count == len(everything)
    np.testing.assert_allclose(normal.mean, everything.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(normal.variance, everything.var(axis=0), atol=1e-9)


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


def test_statistics_that_do_not_fit_are_refused_and_change_nothing(tmp_path):
    envs = NormalizeObservations(make())
    path = tmp_path / "statistics.npz"
    envs.save(path)
    with pytest.raises(
        TaskError, match=r"nothing/x\.npz' cannot be written: No such file .*; give"
    ):
        envs.save(tmp_path / "nothing" / "x.npz")
    whole = path.read_bytes()
    for content in (b"", b"nothing", whole[:200], whole[:150] + bytes(20) + whole[170:]):
        path.write_bytes(content)
        with pytest.raises(TaskError, match="holds no statistics of observations"):
            envs.load(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(31))
    with pytest.raises(TaskError, match="holds no statistics of observations"):
        envs.load(path)
    good: dict[str, Any] = {"mean": np.zeros(31), "variance": np.ones(31), "count": 5.0}
    for changes, text in (
        ({"mean": np.zeros(31, str)}, "holds no statistics"),
        ({"mean": 0.0}, r"shapes \(\), \(31,\) and \(\)"),
        ({"count": np.zeros(3)}, r"and \(3,\)"),
        ({"mean": np.full(31, np.nan)}, "not finite"),
        ({"variance": -np.ones(31)}, "below 0"),
        ({"count": -1.0}, "below 0"),
        ({"count": np.nan}, "not finite"),
    ):
        np.savez(path, allow_pickle=False, **{**good, **changes})
        with pytest.raises(TaskError, match=text):
            envs.load(path)
    assert (envs.mean.tolist(), envs.count) == ([0.0] * 31, 0.0)


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
    with pytest.raises(TaskError, match="is 0; give a whole number of at least 1"):
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
    with pytest.raises(RecordingError, match=r"a video ends in \.mp4 or \.gif, not 'v'"):
        RecordVideo(make(), "v")


def test_a_reset_of_some_is_in_the_video_if_they_are(monkeypatch):
    frames = []
    monkeypatch.setattr(
        "horus_sim.rl.wrappers.video.write_video", lambda _, shown, __: frames.append(len(shown))
    )
    envs: Any = RecordVideo(make(), "run.gif", (0, 2), size=(16, 12))
    envs.reset(seed=0)
    envs.reset(options={"reset_mask": SECOND})
    envs.reset(options={"reset_mask": ~SECOND})
    envs.close()
    assert frames == [2]
