"""Mistakes of a task that show only while it runs are told with its name, the term and a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl import Observation, Reward, Termination
from horus_sim.rl.tasks.navigation2d import Navigation2D, Navigation2DConfig
from horus_sim.robots.engine import mujoco

from ..pendulum import XML, Pendulum

ZERO = np.zeros((3, 1), np.float32)


def changed(**methods) -> Any:
    """A pendulum whose methods do something else."""
    return type("Pendulum", (Pendulum,), methods)()


def running(**methods) -> Any:
    """Three of them after a reset."""
    envs = rl.make_vector(changed(**methods), 3)
    envs.reset(seed=0)
    return envs


def replace_controls(self):
    self.ctrl = np.clip(self.actions, -1, 1)


def test_controls_that_are_replaced_are_refused():
    envs = running(act=replace_controls)
    text = r"Pendulum: self\.ctrl is .*, not replaced; write self\.ctrl\[:\] = \.\.\. instead"
    with pytest.raises(TaskError, match=text):
        envs.step(ZERO)
    kind: Any = type("Mine", (Navigation2D,), {"act": replace_controls})
    plane = rl.make_vector(kind(Navigation2DConfig()), 2)
    plane.reset(seed=0)
    with pytest.raises(TaskError, match=r"Mine: self\.ctrl is"):
        plane.step(np.zeros((2, 2)))
    envs = running(act=lambda self: setattr(self.sim, "ctrl", self.actions))
    with pytest.raises(TaskError, match=r"Pendulum: self\.sim\.ctrl is .*write self\.sim\.ctrl\[:"):
        envs.step(ZERO)
    kind = type("Mine", (Navigation2D,), {"act": lambda self: setattr(self.sim, "ctrl", 0)})
    plane = rl.make_vector(kind(Navigation2DConfig()), 2)
    plane.reset(seed=0)
    with pytest.raises(TaskError, match=r"Mine: self\.sim\.ctrl is"):
        plane.step(np.zeros((2, 2)))


def test_controls_may_be_changed_in_place():
    def act(self):
        self.ctrl[:] = 0.0
        self.ctrl += self.actions

    ours, usual = running(act=act), running()
    for _ in range(3):
        np.testing.assert_array_equal(ours.step(ZERO + 0.3)[0], usual.step(ZERO + 0.3)[0])


def tip_height(angle):
    """Height of the rod's middle over its hinge [m]."""
    return 0.25 * np.cos(angle)


def bound_at_once(self):
    self.angle, self.xipos = self.sim.bind("qpos"), self.sim.bind("xipos")


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_what_follows_from_the_state_is_current_after_a_reset(mode, late):
    def observed(self):
        height = (
            (lambda rows: self.sim.bind("xipos")[rows, 1, 2:])
            if late
            else (lambda rows: self.xipos[rows, 1, 2:])
        )
        angle = Observation("angle", 1, lambda rows: self.angle[rows])
        return (angle, Observation("height", 1, height))

    methods: Any = {"observations": observed} | ({} if late else {"bind": bound_at_once})
    task = type("Pendulum", (Pendulum,), methods)(episode_duration=0.02)
    envs = rl.make_vector(task, 3, autoreset_mode=mode)
    seen, _ = envs.reset(seed=0)
    np.testing.assert_allclose(seen[:, 1], tip_height(seen[:, 0]), atol=1e-6)
    begun = 0
    for _ in range(30):
        seen, _, _, truncated, _ = envs.step(ZERO)
        first = truncated if mode == "SameStep" else task.random.steps == 0
        begun += first.sum()
        np.testing.assert_allclose(seen[first, 1], tip_height(seen[first, 0]), atol=1e-6)
    assert begun >= 9


def test_to_look_at_a_field_in_between_changes_nothing():
    looked, usual = running(bind=bound_at_once), running(bind=bound_at_once)
    for _ in range(5):
        for envs in (looked, usual):
            envs.step(ZERO + 0.5)
    before = looked.task.xipos.copy()
    speeds = looked.task.sim.bind("cvel")[:, 1, 1]
    np.testing.assert_allclose(speeds, looked.task.sim.bind("qvel")[:, 0], atol=1e-12)
    np.testing.assert_array_equal(looked.task.xipos, before)
    for _ in range(5):
        np.testing.assert_array_equal(looked.step(ZERO)[0], usual.step(ZERO)[0])


@pytest.mark.parametrize(
    ("reset", "text"),
    [
        (
            lambda self, ids: self.angle.__setitem__(ids, np.zeros((len(ids), 2))),
            r"Pendulum: reset\(\) raised ValueError .*\(3,2\).* for 3 environments; write .* row",
        ),
        (
            lambda self, ids: self.angle.__setitem__((ids, 4), 0.0),
            r"Pendulum: reset\(\) raised IndexError .*index 4 is out of bounds",
        ),
    ],
)
def test_a_reset_that_does_not_fit_names_the_task(reset, text):
    with pytest.raises(TaskError, match=text):
        running(reset=reset)


def test_controls_that_do_not_fit_name_the_task():
    envs = running(act=lambda self: self.ctrl.__setitem__(slice(None), np.zeros((3, 2))))
    with pytest.raises(TaskError, match=r"Pendulum: act\(\) raised ValueError .*\(3,2\)"):
        envs.step(ZERO)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_reward_that_is_not_finite_is_told(value, mode):
    def rewards(self):
        def gap():
            return np.where((self.random.steps > 1) & (np.arange(3) == 2), value, 0.0)

        return (Reward("upright", lambda: self.angle[:, 0]), Reward("gap", gap, 2.0))

    envs = rl.make_vector(changed(rewards=rewards), 3, autoreset_mode=mode)
    envs.reset(seed=0)
    envs.step(ZERO)
    text = rf"Pendulum: reward 'gap' is {value} in environment 2; "
    with pytest.raises(TaskError, match=text):
        envs.step(ZERO)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_an_observation_that_is_not_finite_is_told(value, mode):
    def observations(self):
        def gap(rows):
            return np.where((self.random.steps > 1) & (np.arange(3) == 2), value, 0.0)[rows, None]

        return (Observation("angle", 1, lambda rows: self.angle[rows]), Observation("gap", 1, gap))

    envs = rl.make_vector(changed(observations=observations), 3, autoreset_mode=mode)
    envs.reset(seed=0)
    envs.step(ZERO)
    text = rf"Pendulum: observation 'gap' is {value} in environment 2; give finite numbers"
    with pytest.raises(TaskError, match=text):
        envs.step(ZERO)


def test_an_observation_at_the_start_of_an_episode_is_looked_at():
    def observations(_):
        return (Observation("start", 1, lambda rows: np.full((3, 1), np.nan)[rows]),)

    with pytest.raises(TaskError, match="Pendulum: observation 'start' is nan in environment 0"):
        running(observations=observations)


def test_an_environment_that_rests_may_be_observed_as_anything():
    def refresh(self, _):
        self.gap = np.where(np.arange(3) == 1, np.nan if self.random.steps[0] else 0.0, 0.0)

    def observations(self):
        return (Observation("gap", 1, lambda rows: self.gap[rows, None]),)

    envs = running(refresh=refresh, observations=observations)
    envs.rest(np.array([1]))
    np.testing.assert_array_equal(envs.step(ZERO)[0], [[0.0], [np.nan], [0.0]])


def later(early, late):
    """Gives another array from its third call on."""
    calls = []

    def value(*_):
        calls.append(1)
        return early if len(calls) < 3 else late

    return value


@pytest.mark.parametrize(
    ("methods", "text"),
    [
        (
            {"rewards": lambda _: (Reward("r", later(np.ones(3), np.ones(2))),)},
            r"reward 'r' gave shape \(2,\) .*; give numbers of shape \(3,\)",
        ),
        (
            {
                "terminations": lambda _: (
                    Termination("t", later(np.zeros(3, bool), np.zeros(1, bool))),
                )
            },
            r"termination 't' gave shape \(1,\) .*; give bool of shape \(3,\)",
        ),
        (
            {
                "observations": lambda _: (
                    Observation("o", 1, later(np.ones((3, 1)), np.ones((1, 1)))),
                )
            },
            r"observation 'o' gave shape \(1, 1\).*; give numbers of shape \(3, 1\)",
        ),
    ],
)
def test_a_shape_that_changes_is_told(methods, text):
    envs = running(**methods)
    envs.step(ZERO)
    with pytest.raises(TaskError, match=f"Pendulum: {text}"):  # noqa: PT012 - when, the term decides
        for _ in range(3):
            envs.step(ZERO)


def test_a_refresh_that_does_not_fit_names_the_task():
    text = r"Pendulum: refresh\(\) raised IndexError .*index 5 is out of bounds.* for 3 env"
    with pytest.raises(TaskError, match=text):
        running(refresh=lambda _, rows: np.zeros((3, 2))[rows, 5])


def test_bounds_that_actions_cannot_hold_are_told():
    model = XML.replace('ctrlrange="-1 1"', 'ctrlrange="-1 1e300"')
    text = r"Pendulum: action 0 has the bound 1e\+300, and actions are float32; give a smaller ctrl"
    with pytest.raises(TaskError, match=text):
        rl.make_vector(changed(build_model=lambda _: mujoco.MjModel.from_xml_string(model)), 1)


def test_a_sum_of_rewards_beyond_numbers_is_told():
    def rewards(_):
        return tuple(Reward(name, lambda: np.full(3, 1.5e308)) for name in "ab")

    envs = running(rewards=rewards)
    with (
        np.errstate(over="ignore"),
        pytest.raises(TaskError, match="Pendulum: the sum of all rewards is inf in environment 0"),
    ):
        envs.step(ZERO)


def test_controls_that_are_not_numbers_are_told():
    def act(self):
        self.ctrl[:] = 0.0
        if self.random.steps[1]:
            self.ctrl[1:] = np.nan

    text = r"act\(\) left ctrl \[nan.* in environment 1 \(2 in all\), .* not finite"
    plane: Any = type("Mine", (Navigation2D,), {"act": act})
    for task in (changed(act=act), plane(Navigation2DConfig())):
        envs = rl.make_vector(task, 3)
        envs.reset(seed=0)
        actions = np.zeros(envs.action_space.shape or ())
        envs.step(actions)
        with pytest.raises(TaskError, match=f"{type(task).__name__}: {text}"):
            envs.step(actions)


@pytest.mark.parametrize(
    ("actuator", "name"),
    [
        ('motor joint="pivot" name="spin"', "actuator 'spin'"),
        ('motor joint="pivot"', "actuator 0"),
        ('position joint="pivot" kp="2" forcerange="-3 4"', "actuator 0"),
        ('intvelocity joint="pivot" actrange="-1 1" forcerange="-3 4"', "actuator 0"),
    ],
)
def test_a_motor_without_range_is_told(actuator, name):
    model = XML.replace('motor joint="pivot" ctrlrange="-1 1"', actuator)
    methods: Any = {"build_model": lambda _: mujoco.MjModel.from_xml_string(model)}
    text = f"Pendulum: {name} has no control range, .*; give it a ctrlrange .* action_bounds"
    with pytest.raises(TaskError, match=text):
        rl.make_vector(changed(**methods), 1)
    methods["action_bounds"] = lambda *_: ([-np.inf], [np.inf])
    assert np.isinf(rl.make_vector(changed(**methods), 1).single_action_space.high[0])  # pyright: ignore[reportAttributeAccessIssue]
