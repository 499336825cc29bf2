"""What a task gives is checked when it is first used, so that errors name the task and the part."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Ids
from horus_sim.rl.settings import is_whole
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.terms.term import Observation, Reward, Termination, takes

Term = TypeVar("Term", Observation, Reward, Termination)


def owner(task: Task[Any]) -> str:
    """The task's name in errors."""
    return type(task).__name__


def check_free(task: Task[Any]) -> None:
    """Refuses a task that other environments have already.

    Raises:
        TaskError: It has simulations, or its settings are of another class or absent.
    """
    name = owner(task)
    if task.is_taken:
        raise TaskError(
            f"this {name} belongs to other environments already, whose simulations it holds; make "
            f"another: {name}(task.config)"
        )
    if not hasattr(task, "config"):
        raise TaskError(f"{name} has no settings; call super().__init__(config) in its __init__")
    if not isinstance(task.config, task.Config):
        raise TaskError(
            f"{name}: its settings are {type(task.config).__name__}; give {task.Config.__name__}"
        )


def action_space(task: Task[Any]) -> gymnasium.spaces.Box:
    """Actions of one environment.

    Raises:
        TaskError: The bounds are not two vectors, or a least action is above the largest.
    """
    name, bounds = owner(task), task.action_bounds()
    try:
        exact = [np.asarray(bound, np.float64) for bound in bounds]
        with np.errstate(over="ignore"):
            low, high = (bound.astype(np.float32) for bound in exact)
    except (TypeError, ValueError):
        raise TaskError(
            f"{name}: action_bounds() gave {bounds!r}; return the least and the largest action"
        ) from None
    if low.ndim != 1 or low.shape != high.shape or not len(low):
        raise TaskError(
            f"{name}: action_bounds() gave shapes {low.shape} and {high.shape}; return two of "
            "shape (actions,), with at least one action"
        )
    wrong = np.flatnonzero(~(low <= high))
    if len(wrong):
        first = wrong[0]
        raise TaskError(
            f"{name}: action_bounds() lets action {first} be from {low[first]} to {high[first]}; "
            "return numbers, the least first"
        )
    for bound, rounded in zip(exact, (low, high), strict=True):
        lost = np.flatnonzero(np.isinf(rounded) & np.isfinite(bound))
        if len(lost):
            raise TaskError(
                f"{name}: action {lost[0]} has the bound {bound[lost[0]]:g}, and actions are "
                "float32; give a smaller ctrlrange, or return smaller action_bounds()"
            )
    return gymnasium.spaces.Box(low, high, dtype=np.float32)


def check_controls(task: Task[Any]) -> None:
    """Looks whether actions can be copied to the controls, where nothing else is done with them.

    Raises:
        TaskError: Their numbers differ.
    """
    actions, controls = task.actions.shape[1], task.ctrl.shape[1]
    if type(task).act is Task.act and actions != controls:
        raise TaskError(
            f"{owner(task)}: there are {actions} actions for {controls} controls; override act(), "
            "or return other action_bounds()"
        )


def check_start(task: Task[Any]) -> None:
    """Looks whether the state that a reset left is one.

    Raises:
        TaskError: It is not finite; physics would diverge in the first step of every episode.
    """
    for field in task.sim.state_fields:
        values = task.sim.bind(field)
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if len(bad):
            raise TaskError(
                f"{owner(task)}: reset() left {field} {values[bad[0]].tolist()} in environment "
                f"{bad[0]} ({len(bad)} in all), which is not finite; write numbers into it"
            )


def check_observed(
    task: Task[Any],
    observations: npt.NDArray[np.float32],
    columns: Mapping[str, slice],
    resting: Ids | None,
) -> None:
    """Refuses observations of which one is not finite.

    Args:
        task: The task.
        observations: Observations of all environments, shape (num_envs, columns).
        columns: Columns of each observation by name.
        resting: Environments whose observations may be anything, or None.

    Raises:
        TaskError: One is infinite or not a number.
    """
    bad = ~np.isfinite(observations)
    if resting is not None:
        bad[resting] = False
    if not bad.any():
        return
    env, column = np.argwhere(bad)[0].tolist()
    name = next(name for name, part in columns.items() if part.start <= column < part.stop)
    raise TaskError(
        f"{owner(task)}: observation '{name}' is {observations[env, column]} in environment "
        f"{env}; give finite numbers"
    )


def unusable_reward(
    task: Task[Any], rewards: npt.NDArray[np.float64], terms: Mapping[str, npt.NDArray[Any]]
) -> TaskError:
    """The error for rewards of which one is not finite.

    Args:
        task: The task.
        rewards: Rewards of all environments, shape (num_envs,).
        terms: Their parts by name.
    """
    env = int(np.argmin(np.isfinite(rewards)))
    bad = [(f"reward '{name}'", part) for name, part in terms.items() if not np.isfinite(part[env])]
    what, values = bad[0] if bad else ("the sum of all rewards", rewards)
    return TaskError(
        f"{owner(task)}: {what} is {values[env]} in environment {env}; give finite numbers"
    )


def asked_terms(
    task: Task[Any], kind: type[Term], reserved: tuple[str, ...] = ()
) -> tuple[Term, ...]:
    """Terms of a task, asked for once.

    Args:
        task: The task.
        kind: Class of the terms.
        reserved: Names that terms of the environments themselves have.

    Raises:
        TaskError: They are not a tuple of that class, a name is there twice, or one does not fit.
    """
    word = kind.__name__.lower()
    terms = getattr(task, f"{word}s")()
    if not isinstance(terms, (tuple, list)) or not all(isinstance(term, kind) for term in terms):
        raise TaskError(
            f"{owner(task)}: {word}s() gave {terms!r}; return a tuple of {kind.__name__}"
        )
    if not terms and kind is not Termination:
        raise TaskError(f"{owner(task)} has no {word} term; add one")
    names = [*reserved, *(term.name for term in terms)]
    for term in terms:
        if names.count(term.name) > 1:
            raise TaskError(
                f"{owner(task)}: two {word} terms are called '{term.name}'; give each a name of "
                "its own"
            )
        _check_numbers(f"{owner(task)}: {word} '{term.name}'", term)
        _check_function(f"{owner(task)}: {word} '{term.name}'", term)
    return tuple(terms)


def _check_numbers(name: str, term: Observation | Reward | Termination) -> None:
    """Looks at the size, shape and bounds of an observation, and at the weight of a reward."""
    if isinstance(term, Observation):
        if not is_whole(term.size) or term.size < 1:
            raise TaskError(f"{name} has size {term.size!r}; give a whole number of at least 1")
        if term.shape is not None and int(np.prod(term.shape)) != term.size:
            raise TaskError(f"{name} has size {term.size} and shape {term.shape}; they must agree")
        if not np.all(np.asarray(term.low) <= np.asarray(term.high)):
            raise TaskError(f"{name} is from {term.low} to {term.high}; give the least first")
    if isinstance(term, Reward):
        weight = term.weight
        if not isinstance(weight, (int, float, np.number)) or not np.isfinite(weight):
            raise TaskError(f"{name} has weight {weight!r}; give a finite number")


def _check_function(name: str, term: Observation | Reward | Termination) -> None:
    """Looks whether a term's function can be called."""
    count, wanted = (1, "lambda rows: ...") if isinstance(term, Observation) else (0, "lambda: ...")
    if not callable(term.function):
        raise TaskError(f"{name} has the function {term.function!r}; give one such as '{wanted}'")
    if not takes(term.function, count):
        given = inspect.signature(term.function)
        raise TaskError(f"{name} has a function of {given}; give one such as '{wanted}'")


def check_values(
    task: Task[Any], kind: str, name: str, values: npt.ArrayLike, shape: tuple[int, ...]
) -> None:
    """Refuses what a term gave if it is something else than it should be.

    Args:
        task: The task.
        kind: 'observation', 'reward' or 'termination'.
        name: Name of the term.
        values: What the term gave.
        shape: The shape that it should have.

    Raises:
        TaskError: It has another shape or type.
    """
    given = np.asarray(values)
    kinds, wanted = ("b", "bool") if kind == "termination" else ("fiub", "numbers")
    if given.shape != shape or given.dtype.kind not in kinds:
        raise TaskError(
            f"{owner(task)}: {kind} '{name}' gave shape {given.shape} and type {given.dtype}; give "
            f"{wanted} of shape {shape}, a row for each environment"
        )
