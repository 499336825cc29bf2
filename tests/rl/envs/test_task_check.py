"""Tasks that do not fit are refused where they are first used, with their name and the part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl import Observation, Reward, TaskConfig, Termination
from horus_sim.rl.tasks.navigation2d import Navigation2D, Navigation2DConfig
from horus_sim.robots.engine import mujoco

from ..pendulum import XML, Pendulum

NO_FUNCTION: Any = None
ONE: Any = lambda: np.float64(1.0)  # noqa: E731 - a number where an array is asked for


def changed(**methods) -> Pendulum:
    """A pendulum whose methods give something else."""
    return type("Pendulum", (Pendulum,), methods)()


def test_a_task_belongs_to_one_vector():
    task = rl.build_task("NavigationOpen")
    envs = rl.make_vector(task, 2)
    before, _ = envs.reset(seed=0)
    with pytest.raises(TaskError, match=r"this Navigation belongs .*; make another: Navigation\("):
        rl.make_vector(task, 3)
    after, _ = envs.reset(seed=0)
    np.testing.assert_array_equal(after, before)
    assert rl.make_vector(type(task)(task.config), 3).num_envs == 3


def test_a_task_that_was_refused_may_be_given_again():
    task = Pendulum()
    with pytest.raises(TaskError, match="num_envs"):
        rl.make_vector(task, 0)
    assert rl.make_vector(task, 2).num_envs == 2


def test_settings_must_be_the_tasks_own():
    config: Any = TaskConfig()
    with pytest.raises(TaskError, match="Navigation2D: its settings are TaskConfig; give Navigat"):
        rl.make_vector(Navigation2D(config), 1)


@pytest.mark.parametrize(
    ("methods", "text"),
    [
        ({"build_model": lambda _: None}, r"Pendulum: build_model\(\) gave NoneType; return a muj"),
        (
            {"build_model": lambda _: mujoco.MjSpec.from_string(XML)},
            r"Pendulum: build_model\(\) gave MjSpec; call compile",
        ),
        ({"action_bounds": lambda *_: None}, r"Pendulum: action_bounds\(\) gave None"),
        ({"action_bounds": lambda *_: (-1.0, 1.0)}, r"shapes \(\) and \(\); return two of shape"),
        ({"action_bounds": lambda *_: ([-1], [1, 1])}, r"shapes \(1,\) and \(2,\)"),
        ({"action_bounds": lambda *_: ([], [])}, "at least one action"),
        ({"action_bounds": lambda *_: ([1], [-1])}, "action 0 be from 1.0 to -1.0"),
        ({"action_bounds": lambda *_: ([np.nan], [1])}, "action 0 be from nan to 1.0"),
        ({"action_bounds": lambda *_: ([-1, -1], [1, 1])}, "2 actions for 1 controls; override"),
        ({"observations": lambda _: None}, r"Pendulum: observations\(\) gave None; return a tup"),
        ({"observations": lambda _: ()}, "Pendulum has no observation term; add one"),
        (
            {"observations": lambda _: (Observation("angle", 0, NO_FUNCTION),)},
            "observation 'angle' has size 0; give a whole number",
        ),
        (
            {"observations": lambda _: (Observation("angle", 1, NO_FUNCTION, 1.0, -1.0),)},
            "observation 'angle' is from 1.0 to -1.0",
        ),
        (
            {"observations": lambda _: (Observation("a", 5, NO_FUNCTION, shape=(2, 2)),)},
            r"observation 'a' has size 5 and shape \(2, 2\)",
        ),
        (
            {"rewards": lambda _: Reward("up", NO_FUNCTION)},
            r"rewards\(\) gave Reward.*; return a tup",
        ),
        ({"rewards": lambda _: (Reward("up", NO_FUNCTION, np.nan),)}, "reward 'up' has weight nan"),
        (
            {"rewards": lambda _: (Reward("up", NO_FUNCTION, "ten"),)},  # pyright: ignore[reportArgumentType]
            "reward 'up' has weight 'ten'; give a finite number",
        ),
        (
            {"observations": lambda self: (Observation("angle", 1, lambda: self.angle),)},  # pyright: ignore[reportArgumentType]
            r"observation 'angle' has a function of \(\); give one such as 'lambda rows: \.\.\.'",
        ),
        (
            {"rewards": lambda _: (Reward("up", lambda rows: rows),)},  # pyright: ignore[reportArgumentType]
            r"reward 'up' has a function of \(rows\); give one such as 'lambda: \.\.\.'",
        ),
        (
            {"terminations": lambda _: (Termination("up", NO_FUNCTION),)},
            "termination 'up' has the function None; give one such as 'lambda: ",
        ),
        (
            {"bind": lambda self: self.sim.bind("qpso")},
            "Pendulum: qpso is not .*did you mean 'qpos'",
        ),
        (
            {"bind": lambda self: self.sim.bind("body_mass")},
            r"Pendulum: body_mass is .*: use expand\('body_mass'\)",
        ),
        (
            {"bind": lambda self: self.sim.expand("bodymass")},
            "Pendulum: bodymass is not .*did you mean 'body_mass'",
        ),
        (
            {"__init__": lambda _: None},
            r"Pendulum has no settings; call super\(\).__init__\(config",
        ),
        ({"terminations": lambda _: (max,)}, r"terminations\(\) gave .*a tuple of Termination"),
    ],
)
def test_what_does_not_fit_is_refused_when_environments_are_made(methods, text):
    with pytest.raises(TaskError, match=text):
        rl.make_vector(changed(**methods), 3)


@pytest.mark.parametrize(
    ("actuator", "bounds"),
    [
        ('motor joint="pivot" ctrlrange="-1 2" forcerange="-3 3"', (-1, 2)),
        ('motor joint="pivot" forcerange="-3 4"', (-3, 4)),
        ('general joint="pivot" gainprm="2" forcerange="-3 4"', (-1.5, 2)),
    ],
)
def test_the_largest_force_bounds_the_action_of_a_motor(actuator, bounds):
    xml = XML.replace('motor joint="pivot" ctrlrange="-1 1"', actuator)
    task = changed(build_model=lambda _: mujoco.MjModel.from_xml_string(xml))
    space: Any = rl.make_vector(task, 1).single_action_space
    assert (space.low[0], space.high[0]) == bounds


@pytest.mark.parametrize("randomization", [{}, {"fog": ("noise", "std")}])
@pytest.mark.parametrize("shape", [(3,), (3, 2), (1, 1), ()])
def test_the_shape_of_an_observation_is_checked_at_the_first_reset(shape, randomization):
    noise = {
        name: {"kind": kind, "observation": "angle", std: [0, 1]}
        for name, (kind, std) in randomization.items()
    }
    term = Observation("angle", 1, lambda _: np.zeros(shape))
    task = changed(observations=lambda _: (term,))
    envs = rl.make_vector(type(task)(randomization=noise), 3)
    with pytest.raises(TaskError, match=r"Pendulum: observation 'angle' gave .* of shape \(3, 1\)"):
        envs.reset(seed=0)


@pytest.mark.parametrize("others", [(), ("xpos",)])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_start_that_is_not_finite_is_told_at_the_first_reset(value, others):
    def bind(self):
        self.angle, *self.others = (self.sim.bind(name) for name in ("qpos", *others))

    def reset(self, ids):
        self.angle[ids[1:]] = value

    envs = rl.make_vector(changed(bind=bind, reset=reset), 3)
    with pytest.raises(
        TaskError, match=rf"Pendulum: reset\(\) left qpos \[{value}\] in .* 1 \(2 in"
    ):
        envs.reset(seed=0)


def test_an_observation_that_ignores_its_rows_is_told():
    task = changed(observations=lambda self: (Observation("a", 1, lambda _: self.angle),))
    envs = rl.make_vector(task, 3)
    envs.reset(seed=0)
    with pytest.raises(TaskError, match=r"'a' gave shape \(3, 1\).* of shape \(1, 1\)"):
        envs.reset(options={"reset_mask": np.array([False, True, False])})


@pytest.mark.parametrize(
    ("methods", "text"),
    [
        (
            {"rewards": lambda self: (Reward("up", lambda: self.angle),)},
            r"Pendulum: reward 'up' gave shape \(3, 1\).*; give numbers of shape \(3,\)",
        ),
        ({"rewards": lambda _: (Reward("up", ONE),)}, r"gave shape \(\)"),
        (
            {"terminations": lambda self: (Termination("up", lambda: self.angle > 0),)},
            r"Pendulum: termination 'up' gave shape \(3, 1\).*; give bool of shape \(3,\)",
        ),
        (
            {"terminations": lambda self: (Termination("up", lambda: self.angle[:, 0]),)},
            "termination 'up' gave .* type float64; give bool",
        ),
    ],
)
def test_shapes_of_rewards_and_terminations_are_checked_at_the_first_step(methods, text):
    envs = rl.make_vector(changed(**methods), 3)
    envs.reset(seed=0)
    with pytest.raises(TaskError, match=text):
        envs.step(np.zeros((3, 1)))


def test_a_planar_task_needs_a_scenario():
    kind: Any = type("Mine", (Navigation2D,), {"scenario": lambda _: None})
    with pytest.raises(TaskError, match=r"Mine: scenario\(\) gave NoneType; return a Scenario"):
        rl.make_vector(kind(Navigation2DConfig()), 1)
