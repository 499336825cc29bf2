"""What a task gives is checked when it is first used, so that errors name the task and the part."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt

from horus_sim.errors import HorusError, TaskError
from horus_sim.rl.engines.interface import Ids, Rows
from horus_sim.rl.settings import is_whole
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.terms.term import Observation, Reward, Termination, takes
from horus_sim.robots.engine import mujoco

Term = TypeVar("Term")
Check = Callable[..., None]


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


def built_model(task: Task[Any]) -> Any:  # noqa: ANN401 - a model, or what tasks of another engine have
    """The task's model.

    Raises:
        TaskError: It is none.
    """
    model = task.build_model()
    if type(task).make_backend is Task.make_backend and not isinstance(model, mujoco.MjModel):
        remedy = "call compile()" if isinstance(model, mujoco.MjSpec) else "return a mujoco.MjModel"
        raise TaskError(f"{owner(task)}: build_model() gave {type(model).__name__}; {remedy}")
    return model


def action_space(task: Task[Any]) -> gymnasium.spaces.Box:
    """Actions of one environment.

    Raises:
        TaskError: The bounds are no two vectors, or a least action is above the largest.
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


def failed(task: Task[Any], method: str, error: Exception, count: int) -> Exception:
    """What to raise where a method of the task that writes to arrays could not.

    Args:
        task: The task.
        method: Its name.
        error: What it raised; an error of ours is given back.
        count: How many environments it was to write.
    """
    if isinstance(error, HorusError):
        return error
    return TaskError(
        f"{owner(task)}: {method}() raised {type(error).__name__} ({error}) for {count} "
        "environments; write arrays with a row for each of them"
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
        observations: Of all environments, shape (num_envs, columns).
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
        rewards: Of all environments, shape (num_envs,).
        terms: Their parts by name.
    """
    env = int(np.argmin(np.isfinite(rewards)))
    bad = [(f"reward '{name}'", part) for name, part in terms.items() if not np.isfinite(part[env])]
    what, values = bad[0] if bad else ("the sum of all rewards", rewards)
    return TaskError(
        f"{owner(task)}: {what} is {values[env]} in environment {env}; give finite numbers"
    )


def asked_terms(task: Task[Any], method: str, kind: type[Term]) -> tuple[Term, ...]:
    """Terms of a task.

    Args:
        task: The task.
        method: The one that gives them.
        kind: Class of the terms.

    Raises:
        TaskError: They are no tuple of that class.
    """
    terms = getattr(task, method)()
    if not isinstance(terms, (tuple, list)) or not all(isinstance(term, kind) for term in terms):
        raise TaskError(
            f"{owner(task)}: {method}() gave {terms!r}; return a tuple of {kind.__name__}"
        )
    return tuple(terms)


def check_observation(task: Task[Any], term: Observation) -> None:
    """Looks at an observation's size, shape and bounds.

    Raises:
        TaskError: They do not fit.
    """
    name = f"{owner(task)}: observation '{term.name}'"
    if not is_whole(term.size) or term.size < 1:
        raise TaskError(f"{name} has size {term.size!r}; give a whole number of at least 1")
    if term.shape is not None and int(np.prod(term.shape)) != term.size:
        raise TaskError(f"{name} has size {term.size} and shape {term.shape}; they must agree")
    if not np.all(np.asarray(term.low) <= np.asarray(term.high)):
        raise TaskError(f"{name} is from {term.low} to {term.high}; give the least first")


def check_function(
    task: Task[Any],
    kind: str,
    term: Observation | Reward | Termination,
    arguments: tuple[str, ...],
) -> None:
    """Looks whether a term's function can be called.

    Raises:
        TaskError: It is none, or takes other arguments.
    """
    function, name = term.function, f"{owner(task)}: {kind} '{term.name}'"
    wanted = f"lambda {', '.join(arguments)}: ...".replace(" :", ":")
    if not callable(function):
        raise TaskError(f"{name} has the function {function!r}; give one such as '{wanted}'")
    if not takes(function, len(arguments)):
        raise TaskError(
            f"{name} has a function of {inspect.signature(function)}; give one such as '{wanted}'"
        )


def observation_check(task: Task[Any], term: Observation) -> Check:
    """Looks at what an observation gives for some rows."""
    name = f"{owner(task)}: observation '{term.name}'"
    num_envs, size = task.sim.num_envs, term.size

    def check(values: npt.NDArray[Any], rows: Rows) -> None:
        count = num_envs if isinstance(rows, slice) else len(rows)
        if np.shape(values) != (count, size):
            raise TaskError(
                f"{name} gave shape {np.shape(values)} for {count} rows; give ({count}, {size})"
            )

    return check


def reward_check(task: Task[Any], name: str) -> Check:
    """Looks at what a reward gives."""
    return _row_check(f"{owner(task)}: reward '{name}'", task.sim.num_envs, "fiub", "numbers")


def termination_check(task: Task[Any], name: str) -> Check:
    """Looks at what a termination gives."""
    return _row_check(f"{owner(task)}: termination '{name}'", task.sim.num_envs, "b", "bool")


def _row_check(name: str, num_envs: int, kinds: str, wanted: str) -> Check:
    def check(values: npt.ArrayLike) -> None:
        given = np.asarray(values)
        if given.shape != (num_envs,) or given.dtype.kind not in kinds:
            raise TaskError(
                f"{name} gave shape {given.shape} and type {given.dtype}; give {wanted} of shape "
                f"({num_envs},), one for each environment"
            )

    return check


def check_first(entries: list[tuple[Any, ...]], checks: list[Check]) -> None:
    """Lets what functions give first be checked; later calls go to them directly.

    Args:
        entries: The first of each is a function; the list is changed.
        checks: Takes what the function gave and its arguments, for each entry.
    """
    for place, check in enumerate(checks):
        function, *others = entry = entries[place]
        entries[place] = (_checking(function, check, entries, place, entry), *others)


def _checking(
    function: Callable[..., Any],
    check: Check,
    entries: list[tuple[Any, ...]],
    place: int,
    entry: tuple[Any, ...],
) -> Callable[..., Any]:
    def first(*arguments: Any) -> Any:  # noqa: ANN401 - as the function's
        values = function(*arguments)
        check(values, *arguments)
        entries[place] = entry
        return values

    return first
