"""Gymnasium's contract: spaces, resets, seeds, autoreset, errors."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import horus_sim.rl as rl
from horus_sim.errors import ActionError, ResetError, TaskError

TASKS = (
    "Navigation",
    "NavigationOpen",
    "NavigationFar",
    "ArmReach",
    "Racing",
    "Manipulation",
    "ManipulationReach",
    "ManipulationLift",
)
# Their speeds have no bounds, as in Gymnasium's own.
UNBOUNDED = ("Ant", "HalfCheetah")
INF, NAN = float("inf"), float("nan")
ID = "HorusSim/{}-v0"
SHORT: dict[str, Any] = {"episode_duration": 0.5, "physics_steps": 12}


def steps(envs, actions, count) -> Any:
    """The last of a number of steps."""
    return [envs.step(actions) for _ in range(count)][-1]


@pytest.mark.filterwarnings("ignore:.*Box observation space m.* is .*infinity")
@pytest.mark.parametrize("name", [*TASKS, *UNBOUNDED])
def test_gymnasium_checks_the_single_environment(name):
    env = gymnasium.make(f"HorusSim/{name}-v0")
    check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("name", [*TASKS, *UNBOUNDED])
def test_vector_environment_has_the_shapes_and_types_of_its_spaces(name):
    envs = gymnasium.make_vec(f"HorusSim/{name}-v0", num_envs=5)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, _ = envs.reset(seed=3)
    envs.action_space.seed(0)
    for _ in range(5):
        assert observations in envs.observation_space
        assert observations.dtype == np.float32
        assert observations.shape == envs.observation_space.shape
        observations, rewards, terminated, truncated, info = envs.step(envs.action_space.sample())
        assert rewards.shape == terminated.shape == truncated.shape == (5,)
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_
        terms = [value for key, value in info["reward"].items() if not key.startswith("_")]
        np.testing.assert_allclose(np.sum(terms, axis=0), rewards, atol=1e-12)


def test_registered_names_are_defined():
    registered = {name for name in gymnasium.registry if name.startswith("HorusSim/")}
    assert {f"HorusSim/{name}-v0" for name in rl.task_names()} <= registered


def test_next_step_resets_ignore_the_action_and_give_no_reward():
    envs = rl.make_vector("NavigationOpen", 3, **SHORT)
    envs.reset(seed=0)
    actions = np.ones((3, 2), np.float32)
    assert not steps(envs, actions, 9)[3].any()
    observations, rewards, terminated, truncated, info = envs.step(actions)
    assert truncated.all()
    assert not terminated.any()
    assert [envs.causes[cause] for cause in info["cause"]] == ["time limit"] * 3
    assert not info["success"].any()
    last = observations
    observations, rewards, terminated, truncated, info = envs.step(actions)
    assert not (terminated | truncated).any()
    assert (rewards == 0).all()
    assert all((value == 0).all() for key, value in info["reward"].items() if key[0] != "_")
    assert (observations[:, envs.columns["action"]] == 0).all()
    assert not np.array_equal(observations, last)
    assert (envs.step(actions)[1] != 0).any()


def test_an_action_that_is_ignored_may_be_anything():
    envs, same = (rl.make_vector("Manipulation", 3, **SHORT) for _ in range(2))
    for each in (envs, same):
        each.reset(seed=0)
        each.step(np.zeros((3, 4)))
        each.reset(options={"reset_mask": np.array([False, True, False])})
        assert steps(each, np.zeros((3, 4)), 9)[3].tolist() == [True, False, True]
    actions = np.full((3, 4), 0.5)
    bad = actions.copy()
    bad[0], bad[2, 1] = np.nan, np.inf
    kept = bad.copy()
    bad[1, 0] = np.nan
    with pytest.raises(ActionError, match="environment 1 ") as caught:
        envs.step(bad)
    assert caught.value.environments == (1,)
    np.testing.assert_array_equal(envs.step(bad := kept.copy())[0], same.step(actions)[0])
    np.testing.assert_array_equal(bad, kept)
    np.testing.assert_array_equal(envs.step(actions)[0], same.step(actions)[0])


def test_same_step_resets_keep_the_last_observation():
    same = rl.make_vector("NavigationOpen", 3, autoreset_mode="SameStep", **SHORT)
    after = rl.make_vector("NavigationOpen", 3, **SHORT)
    for envs in (same, after):
        envs.reset(seed=7)
    actions = np.full((3, 2), 0.3, np.float32)
    last = steps(after, actions, 10)
    first, _, _, truncated, info = steps(same, actions, 10)
    assert truncated.all()
    np.testing.assert_array_equal(info["final_obs"], last[0])
    assert info["_final_obs"].all()
    assert (info["final_info"]["cause"] == info["cause"]).all()
    np.testing.assert_array_equal(first, after.step(actions)[0])


def test_disabled_autoreset_asks_for_a_reset():
    envs = rl.make_vector("NavigationOpen", 2, autoreset_mode="Disabled", **SHORT)
    with pytest.raises(ResetError, match="never reset"):
        envs.step(np.zeros((2, 2)))
    envs.reset(seed=0)
    done = steps(envs, np.zeros((2, 2), np.float32), 10)[3]
    with pytest.raises(ResetError, match=r"environment 0 is over \(2 in all\).*reset_mask"):
        envs.step(np.zeros((2, 2), np.float32))
    envs.reset(options={"reset_mask": done})
    envs.step(np.zeros((2, 2), np.float32))


def test_reset_of_some_leaves_the_others():
    envs = rl.make_vector("Navigation", 4)
    before, _ = envs.reset(seed=0)
    envs.step(np.ones((4, 2), np.float32))
    moved = envs.step(np.ones((4, 2), np.float32))[0]
    after, _ = envs.reset(options={"reset_mask": np.array([False, True, False, True])})
    np.testing.assert_array_equal(after[[0, 2]], moved[[0, 2]])
    assert (after[[1, 3]] != moved[[1, 3]]).any(axis=1).all()
    again, _ = envs.reset(seed=0)
    np.testing.assert_array_equal(again, before)


def test_the_buffer_is_shared_only_when_asked_for():
    for copy in (True, False):
        envs = rl.make_vector("NavigationOpen", 2, copy=copy)
        first, _ = envs.reset(seed=0)
        second = envs.step(np.ones((2, 2), np.float32))[0]
        assert np.shares_memory(first, second) is not copy


def test_a_bad_action_names_its_environment_and_moves_nothing():
    envs = rl.make_vector("NavigationOpen", 4)
    envs.reset(seed=0)
    sim: Any = envs.task.sim
    state = sim.batch.state.copy()
    actions = np.zeros((4, 2), np.float32)
    actions[2, 1] = np.nan
    with pytest.raises(ActionError, match=r"environment 2 is \[0.0, nan\].*not finite"):
        envs.step(actions)
    actions[3, 0] = np.inf
    with pytest.raises(ActionError, match="as are those of 1 others") as caught:
        envs.step(actions)
    assert caught.value.environments == (2, 3)
    with pytest.raises(ActionError, match=r"shape \(4, 3\).*shape \(4, 2\)"):
        envs.step(np.zeros((4, 3)))
    np.testing.assert_array_equal(sim.batch.state, state)
    # Large numbers are no error though their squares overflow.
    envs.step(np.full((4, 2), 1e30, np.float32))


@pytest.mark.parametrize(
    ("seed", "options", "text"),
    [
        (-1, None, "seed is -1"),
        ([1, 2], None, "2 seeds for 3 environments"),
        ([1, -2, 3], None, "seed of environment 1 is -2"),
        (True, None, "seed is True; give a whole number from 0"),
        (1.5, None, "seed is 1.5; give a whole number from 0 .* list with one for each"),
        ("a", None, "seed is 'a'"),
        ([1, 2.5, 3], None, "seed of environment 1 is 2.5; give a whole number"),
        ([1, "a", 3], None, "seed of environment 1 is 'a'"),
        (np.zeros((3, 1), int), None, r"seed of environment 0 is \[0\]"),
        (0, {"reset_mask": np.ones(2, bool)}, r"shape \(2,\)"),
        (0, {"reset_mask": np.zeros(3, bool)}, "at least one True"),
        (0, {"reset_masks": 1}, "did you mean 'reset_mask'"),
    ],
)
def test_a_reset_that_does_not_fit_is_refused(seed, options, text):
    envs = rl.make_vector("NavigationOpen", 3)
    envs.reset(seed=0)
    with pytest.raises(ResetError, match=text):
        envs.reset(seed=seed, options=options)


def test_settings_are_checked():
    with pytest.raises(TaskError, match="did you mean 'goal_radius'"):
        rl.make_vector("Navigation", 1, goal_radios=1)
    with pytest.raises(
        TaskError, match=r"obstacles\.count: it is -1; .*greater than or equal to 0"
    ):
        rl.make_vector("Navigation", 1, obstacles={"count": -1})
    with pytest.raises(TaskError, match="did you mean 'progress'"):
        rl.make_vector("Navigation", 1, rewards={"progres": 1.0})
    with pytest.raises(TaskError, match="did you mean 'Navigation'"):
        rl.make_vector("Navigatoin", 1)


@pytest.mark.parametrize(
    ("task", "settings", "text"),
    [
        ("Navigation", {"episode_duration": INF}, "episode_duration: it is inf; .*finite"),
        ("Navigation", {"rewards": {"progress": NAN}}, "rewards.progress: it is nan; .*finite"),
        ("Navigation", {"goal_distance": [0.5, INF]}, r"goal_distance\[1\]: it is inf; .*finite"),
        (
            "ArmReach",
            {"goal_distance": [-0.8, 0.4]},
            r"goal_distance\[0\]: it is -0.8; .*equal to 0",
        ),
        ("LineFollower2D", {"laps": INF}, "laps: it is inf; .*finite"),
        (
            "Navigation",
            {"goal_distance": [5, 1]},
            r"'Navigation': goal_distance is .*> goal_radius$",
        ),
        ("Navigation", {"physics_steps": True}, "physics_steps is True; give a number$"),
        (
            "Navigation",
            {"curriculum": {"episodes": True}},
            "curriculum: episodes is True; give a number$",
        ),
        ("Navigation", {"obstacles": 5}, "obstacles: it is 5; write keys and values there"),
        ("Navigation", {"obstacles": {"cout": 1}}, "obstacles.cout: unknown key .*mean 'count'"),
        (
            "Navigation",
            {"obstacles": {"zz": 1}},
            "known: count, radius, boxes, side, margin, border$",
        ),
        ("Navigation", {"camera": {"widht": 1}}, "camera.widht: unknown key .*mean 'width'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(task, settings, text):
    with pytest.raises(TaskError, match=text):
        rl.make_vector(task, 1, **settings)


def test_an_episode_may_be_as_long_as_a_number():
    assert (
        rl.make_vector("NavigationOpen", 1, episode_duration=1e308).max_episode_steps == 2**32 - 1
    )


@pytest.mark.parametrize("value", [-1, 1.5, "a", True, None])
@pytest.mark.parametrize("name", ["num_envs", "threads"])
def test_counts_are_whole_numbers(name, value):
    arguments = {"num_envs": 2, "threads": 0, name: value}
    for make in (
        rl.make_vector,
        lambda task, **others: gymnasium.make_vec(ID.format(task), **others),
    ):
        with pytest.raises(TaskError, match=f"{name} is {value!r}; give a whole number of at lea"):
            make("LineFollower2D", **arguments)


def test_there_is_at_least_one_environment():
    with pytest.raises(TaskError, match="num_envs is 0; give a whole number of at least 1"):
        rl.make_vector("Navigation", 0)
    assert rl.make_vector("Navigation", np.int64(1), np.int64(0)).num_envs == 1  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("task", ["Navigation", "Navigation2D"])
@pytest.mark.parametrize("count", [10**10, 10**12, 10**30])
def test_environments_that_no_memory_holds_are_refused(task, count):
    with pytest.raises(TaskError, match=rf"num_envs is {count}, which do not fit .*; give fewer"):
        rl.make_vector(task, count)


@pytest.mark.parametrize("mode", ["Never", None, 3])
def test_modes_of_autoreset_are_listed(mode):
    with pytest.raises(TaskError, match="choose 'NextStep', 'SameStep' or 'Disabled'"):
        rl.make_vector("Navigation", 1, autoreset_mode=mode)


def test_the_single_environment_refuses_seeds_likewise():
    env = rl.make_single("NavigationOpen")
    with pytest.raises(ResetError, match="seed is -1; give a whole number"):
        env.reset(seed=-1)


def test_the_single_environment_speaks_of_one():
    env = gymnasium.make(ID.format("NavigationOpen"), disable_env_checker=True, **SHORT)
    env.reset(seed=0)
    with pytest.raises(ActionError, match=r"action has shape \(1, 2\) .*numbers of shape \(2,\)$"):
        env.step(np.zeros((1, 2)))
    for _ in range(10):
        env.step(np.zeros(2, np.float32))
    with pytest.raises(ResetError, match=r"the episode is over; call reset\(\) before"):
        env.step(np.zeros(2, np.float32))
    env.reset()
    env.step(np.zeros(2, np.float32))
    env.close()


def test_pictures_are_of_environments_that_there_are():
    envs = rl.make_vector("Navigation2D", 2)
    envs.reset(seed=0)
    with pytest.raises(TaskError, match="env is 2 and there are 2"):
        envs.picture(2)
    with pytest.raises(TaskError, match="env is -1; give"):
        envs.picture(-1)
    with pytest.raises(TaskError, match="width is 0; give"):
        envs.picture(0, 0)


def test_what_is_closed_says_so():
    envs = rl.make_vector("Navigation2D", 2, render_mode="rgb_array")
    env = rl.make_single("Navigation2D", render_mode="rgb_array")
    for each, actions in ((envs, np.zeros((2, 2))), (env, np.zeros(2))):
        each.reset(seed=0)
        each.close()
        each.close()
        for call in (lambda e: e.step(actions), lambda e: e.reset(seed=0), lambda e: e.render()):  # noqa: B023
            with pytest.raises(ResetError, match="the environments are closed; make new ones"):
                call(each)


def test_weights_scale_their_terms():
    plain, heavy = (
        rl.make_vector("NavigationOpen", 2, rewards=weights) for weights in ({}, {"progress": 50.0})
    )
    for envs in (plain, heavy):
        envs.reset(seed=0)
    actions = np.ones((2, 2), np.float32)
    a, b = (envs.step(actions)[4]["reward"]["progress"] for envs in (plain, heavy))
    np.testing.assert_allclose(b, 10 * a)


def test_registering_is_light_and_a_name_can_say_where_to_look():
    code = (
        "import gymnasium, sys; import horus_sim.rl; assert 'mujoco' not in sys.modules; "
        "print(gymnasium.make('horus_sim.rl:HorusSim/NavigationOpen-v0').reset(seed=0)[0].shape)"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "(31,)\n"
    assert done.stderr == ""
