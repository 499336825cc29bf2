"""A task put together with its simulations: what a step and a reset are made of."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError, UnknownTaskError
from horus_sim.files.names import propose
from horus_sim.rl.engines.controls import LiveControls
from horus_sim.rl.engines.interface import ALL, Ids, Rows
from horus_sim.rl.envs.randomizer import Randomizer
from horus_sim.rl.envs.task_check import (
    action_space,
    asked_terms,
    built_model,
    check_controls,
    check_first,
    check_free,
    check_function,
    check_observation,
    check_observed,
    check_start,
    failed,
    observation_check,
    owner,
    reward_check,
    termination_check,
    unusable_reward,
)
from horus_sim.rl.randomization.random_streams import RandomStreams
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.terms.term import Observation, Reward, Termination, is_any

TIME_LIMIT = "time limit"
DIVERGED = "diverged"
Info = dict[str, Any]
# An array: NumPy adds it in half the time of a number.
_ONE = np.ones(1, np.uint32)
_MOST_STEPS = 0xFFFF_FFFF


class Assembly:
    """The terms of a task over arrays that are made once.

    Attributes:
        task: The task, bound.
        random: Random numbers of the environments.
        observation_buffer: What was observed last, shape (num_envs, columns), float32.
        observation_space: Of one environment.
        action_space: Of one environment.
        action_shape: (num_envs, actions).
        columns: Columns of each observation term.
        shapes: Shape of each observation term.
        causes: Names of what ends episodes, at the place of their numbers.
    """

    def __init__(self, task: Task[Any], num_envs: int, threads: int) -> None:
        check_free(task)
        self.task = task
        model = built_model(task)
        self.backend = task.sim = task.make_backend(model, num_envs, threads)
        task.dt = task.sim.timestep * task.config.physics_steps
        self.action_space = action_space(task)
        self.action_shape = (num_envs, *self.action_space.shape)
        self.random = task.random = RandomStreams(num_envs)
        task.curriculum = task.config.curriculum.build(self.random)
        task.actions = np.zeros(self.action_shape, np.float32)
        controls = self.backend.bind("ctrl")
        LiveControls.attach(task, controls, owner(task))
        LiveControls.attach(self.backend, controls, owner(task))
        check_controls(task)
        task.bind()
        self._steps = self.random.steps
        self._physics_steps = task.config.physics_steps
        self._last_step = np.ones(1, np.uint32)
        self.limit_episodes(max(1, round(min(task.config.episode_duration / task.dt, _MOST_STEPS))))
        self._randomizer = Randomizer(task)
        task.visuals = self._randomizer.visuals
        camera = task.config.camera
        seen = () if camera is None else (camera.build(task),)
        observed = asked_terms(task, "observations", Observation)
        self._set_observations((*observed, *seen), num_envs)
        rewards = asked_terms(task, "rewards", Reward)
        self._rewards = _weighted(task, rewards)
        self._kept = [term.before_step for term in rewards if term.before_step is not None]
        self._names = tuple(name for _, name, _ in self._rewards)
        self._set_endings(asked_terms(task, "terminations", Termination), num_envs)
        self._is_new = True
        task.is_taken = True

    def _set_observations(self, terms: tuple[Observation, ...], num_envs: int) -> None:
        _check_names(self.task, "observation", [term.name for term in terms])
        for term in terms:
            check_observation(self.task, term)
            check_function(self.task, "observation", term, ("rows",))
        low = np.concatenate([np.full(term.size, term.low, np.float32) for term in terms])
        high = np.concatenate([np.full(term.size, term.high, np.float32) for term in terms])
        self.observation_space = gymnasium.spaces.Box(low, high, dtype=np.float32)
        self.observation_buffer = buffer = np.zeros((num_envs, len(low)), np.float32)
        ends = np.cumsum([term.size for term in terms]).tolist()
        self.columns = {
            term.name: slice(end - term.size, end) for term, end in zip(terms, ends, strict=True)
        }
        self.shapes = {term.name: term.shape or (term.size,) for term in terms}
        functions = self._randomizer.corrupted(terms)
        checks = [observation_check(self.task, term) for term in terms]
        columns = self.columns.values()
        self._observed_rows = list(zip(functions, columns, checks, strict=True))
        self._observed: list[tuple[Any, ...]] = [
            (function, buffer[:, part]) for function, part in zip(functions, columns, strict=True)
        ]
        check_first(self._observed, checks)

    def _set_endings(self, terms: tuple[Termination, ...], num_envs: int) -> None:
        names = [term.name for term in terms]
        _check_names(self.task, "termination", [*names, TIME_LIMIT, DIVERGED])
        for term in terms:
            check_function(self.task, "termination", term, ())
        self.causes = ("", *names, TIME_LIMIT, DIVERGED)
        # From the last to the first: where several hold, the first one's number stays.
        order = range(len(terms))[::-1]
        self._endings: list[tuple[Any, ...]] = [(terms[k].function, k + 1) for k in order]
        check_first(self._endings, [termination_check(self.task, names[k]) for k in order])
        self._successes = np.zeros(len(self.causes), np.bool_)
        self._successes[1 : len(terms) + 1] = [term.success for term in terms]
        self._none = np.zeros(num_envs, np.bool_)
        self._every = np.ones(num_envs, np.bool_)
        for constant in (self._none, self._every):
            constant.flags.writeable = False
        keys = ("reward", "success", "cause", "diverged")
        self._masks = {f"_{key}": self._every for key in keys}
        self._reward_masks = {f"_{name}": self._every for _, name, _ in self._rewards}

    def limit_episodes(self, steps: int) -> None:
        """Truncates episodes after this many steps."""
        self._last_step[0] = min(steps, _MOST_STEPS)

    @property
    def max_episode_steps(self) -> int:
        """Steps after which an episode is truncated."""
        return int(self._last_step[0])

    def advance(self, over: Ids | None, resting: Ids | None = None) -> Ids | None:
        """Moves environments, or begins a new episode where the last is over.

        Args:
            over: Where an episode begins instead of a step, or None.
            resting: Where nothing happens, or None.

        Returns:
            Ids of the environments that diverged; they are at the start of a new episode.
        """
        task = self.task
        task.before_step()
        for keep in self._kept:
            keep()
        try:
            task.act()
        except (ValueError, IndexError) as error:
            raise failed(task, "act", error, len(self.random.ids)) from error
        self._randomizer.before_step()
        if over is None and resting is None:
            diverged = self.backend.step(self._physics_steps)
            self._steps += _ONE
        else:
            self._steps += _ONE
            active = self.random.ids
            if over is not None:
                self.begin(over)
                active = np.setdiff1d(active, over, assume_unique=True)
            if resting is not None:
                self._steps[resting] = 0
                active = np.setdiff1d(active, resting, assume_unique=True)
            diverged = self.backend.step(self._physics_steps, active) if len(active) else None
        if diverged is not None:
            self.begin(diverged)
        self._refresh(ALL)
        return diverged

    def begin(self, ids: Ids) -> None:
        """Begins new episodes of these environments."""
        task = self.task
        self.random.begin_episode(ids)
        self.backend.reset(ids)
        task.actions[ids] = 0.0
        self._randomizer.begin(ids)
        try:
            task.reset(ids)
        except (ValueError, IndexError) as error:
            raise failed(task, "reset", error, len(ids)) from error
        if self._is_new:
            # Before what computes fields: MuJoCo would begin anew by itself.
            check_start(task)
            self._is_new = False
        self.backend.forward(ids)
        self._refresh(ids)

    def _refresh(self, rows: Rows) -> None:
        try:
            self.task.refresh(rows)
        except (ValueError, IndexError) as error:
            count = len(self.random.ids) if isinstance(rows, slice) else len(rows)
            raise failed(self.task, "refresh", error, count) from error

    def begin_info(self) -> Info:
        """What a reset tells."""
        return self._randomizer.info()

    def observe(self, rows: Rows, resting: Ids | None = None) -> None:
        """Writes what is observed into the buffer.

        Args:
            rows: Where to look.
            resting: Where nothing happens, and observations may be anything, or None.

        Raises:
            TaskError: An observation has another shape, or is not finite.
        """
        written = buffer = self.observation_buffer
        if rows is ALL:
            for place, (function, view) in enumerate(self._observed):
                values = function(rows)
                if np.shape(values) != view.shape:
                    self._observed_rows[place][2](values, rows)
                view[...] = values
        else:
            for function, columns, check in self._observed_rows:
                values = function(rows)
                check(values, rows)
                buffer[rows, columns] = values
            written = buffer[rows]
        if b"\x00" in np.isfinite(written).tobytes():
            check_observed(self.task, buffer, self.columns, resting)

    def reward(
        self, still: Ids | None, diverged: Ids | None
    ) -> tuple[npt.NDArray[np.float64], Info]:
        """The reward of each environment, and its terms; 0 in those that stood `still`.

        Raises:
            TaskError: One is not finite, or has another shape.
        """
        terms: Info = self._reward_masks.copy()
        total = None
        for function, name, weight in self._rewards:
            terms[name] = value = function() * weight
            if value.shape != self._none.shape:
                reward_check(self.task, name)(value)
            if still is not None:
                value[still] = 0.0
            if diverged is not None:
                value[diverged] = 0.0
            total = value if total is None else total + value
        # An array of its own, also where there is one term.
        rewards = np.array(total, np.float64, copy=len(self._rewards) == 1 or None)
        if b"\x00" in np.isfinite(rewards).tobytes():
            raise unusable_reward(self.task, rewards, {name: terms[name] for name in self._names})
        return rewards, terms

    def endings(
        self, still: Ids | None, diverged: Ids | None
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], Ids | None, Info]:
        """Where episodes are terminated and truncated, ids of both together or None, and why.

        No episode ends in those that stood `still`.
        """
        truncated = self._steps >= self._last_step
        limit = len(self.causes) - 2
        cause = np.zeros(len(truncated), np.int8)
        ends = diverged is not None
        if is_any(truncated):
            cause[truncated] = limit
            ends = True
        for function, number in self._endings:
            holds = function()
            if holds.shape != cause.shape:
                termination_check(self.task, self.causes[number])(holds)
            if is_any(holds):
                cause[holds] = number
                ends = True
        if still is not None:
            cause[still] = 0
        if diverged is not None:
            cause[diverged] = limit + 1
        info: Info = {**self._masks, **self._randomizer.info(), "cause": cause}
        info["diverged"] = self._none if diverged is None else cause == limit + 1
        # Most steps end no episode; what follows from the causes is then known.
        if ends:
            info["success"] = self._successes[cause]
            terminated = (cause > 0) & (cause != limit)
            done = terminated | truncated
            return terminated, truncated, np.flatnonzero(done) if is_any(done) else None, info
        info["success"] = self._none
        return np.zeros(len(truncated), np.bool_), truncated, None, info


def _check_names(task: Task[Any], kind: str, names: list[str]) -> None:
    if not names:
        raise TaskError(f"{owner(task)} has no {kind} term; add one")
    for name in names:
        if names.count(name) > 1:
            raise TaskError(
                f"{owner(task)}: two {kind} terms are called '{name}'; give each a name of its own"
            )


def _weighted(task: Task[Any], terms: tuple[Reward, ...]) -> list[tuple[Any, ...]]:
    """Functions of rewards, their names and weights."""
    names = [term.name for term in terms]
    _check_names(task, "reward", names)
    weights = task.config.rewards
    for name in weights:
        if name not in names:
            raise UnknownTaskError(propose(name, names, owner(task), "reward term"))
    for term in terms:
        if not isinstance(term.weight, (int, float, np.number)) or not np.isfinite(term.weight):
            raise TaskError(
                f"{owner(task)}: reward '{term.name}' has weight {term.weight!r}; give a finite "
                "number"
            )
        check_function(task, "reward", term, ())
    # Weights as arrays: NumPy multiplies by them in half the time of a number.
    entries: list[tuple[Any, ...]] = [
        (term.function, term.name, np.array([weights.get(term.name, term.weight)]))
        for term in terms
    ]
    check_first(entries, [reward_check(task, name) for name in names])
    return entries
