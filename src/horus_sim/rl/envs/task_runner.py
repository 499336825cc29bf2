"""A task put together with its simulations: what a step and a reset are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from horus_sim.errors import HorusError, TaskError, UnknownTaskError
from horus_sim.files.names import propose
from horus_sim.files.packing import pack
from horus_sim.rl.engines.controls import LiveControls
from horus_sim.rl.engines.interface import ALL, Ids, Rows, checked_like
from horus_sim.rl.envs import task_check
from horus_sim.rl.envs.held_values import HeldValues
from horus_sim.rl.envs.randomizer import Randomizer
from horus_sim.rl.pictures.camera import CAMERA
from horus_sim.rl.randomization.random_streams import RandomStreams
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.terms.term import Observation, Reward, Termination, is_any

TIME_LIMIT = "time limit"
DIVERGED = "diverged"
Info = dict[str, Any]
# An array: NumPy adds it in half the time of a number.
_ONE = np.ones(1, np.uint32)
MOST_STEPS = 0xFFFF_FFFF


class TaskRunner:
    """The terms of a task over arrays that are made once.

    Attributes:
        task: The task, bound.
        random: Random numbers of the environments.
        observation_buffer: What was observed last, shape (num_envs, columns), float32.
        observation_space: Observations of one environment.
        action_space: Actions of one environment.
        terms: The observation terms.
        columns: Columns of each observation term.
        shapes: Shape of each observation term.
        causes: Names of what ends episodes, at the place of their numbers.
        successes: Whether each cause means that the task is solved, shape (causes,).
        last_step: The step after which an episode is truncated, shape (1,), uint32.
    """

    def __init__(self, task: Task[Any], num_envs: int, threads: int) -> None:
        task_check.check_free(task)
        self.task = task
        self.backend = task.sim = task.make_backend(task.build_model(), num_envs, threads)
        task.dt = task.sim.timestep * task.config.physics_steps
        self.action_space = task_check.action_space(task)
        self.random = task.random = RandomStreams(num_envs)
        task.curriculum = task.config.curriculum.build(self.random)
        task.actions = np.zeros((num_envs, *self.action_space.shape), np.float32)
        controls = self.backend.bind("ctrl")
        for holder in (task, self.backend):
            LiveControls.attach(holder, controls, self.backend.owner)
        task_check.check_controls(task)
        task.bind()
        self._steps = self.random.steps
        self._physics_steps = task.config.physics_steps
        self._varies = type(task).vary is not Task.vary
        duration = min(task.config.episode_duration / task.dt, MOST_STEPS)
        self.last_step = np.array([max(1, round(duration))], np.uint32)
        self._randomizer = Randomizer(task)
        task.visuals = self._randomizer.visuals
        self._none = np.zeros(num_envs, np.bool_)
        self._every = np.ones(num_envs, np.bool_)
        for constant in (self._none, self._every):
            constant.flags.writeable = False
        self._set_observations(num_envs)
        self._set_rewards()
        self._set_endings()
        # Until the first reset, and until what the first step gave was looked at.
        self._is_new = self._is_unchecked = True
        task.is_taken = True

    def _set_observations(self, num_envs: int) -> None:
        task, camera = self.task, self.task.config.camera
        reserved = () if camera is None else (CAMERA,)
        terms = task_check.asked_terms(task, Observation, reserved)
        if camera is not None:
            terms = (*terms, camera.build(task))
        low = np.concatenate([np.full(term.size, term.low, np.float32) for term in terms])
        high = np.concatenate([np.full(term.size, term.high, np.float32) for term in terms])
        self.observation_space = gymnasium.spaces.Box(low, high, dtype=np.float32)
        self.observation_buffer = buffer = np.zeros((num_envs, len(low)), np.float32)
        ends = np.cumsum([term.size for term in terms]).tolist()
        parts = [slice(end - term.size, end) for term, end in zip(terms, ends, strict=True)]
        self.columns = {term.name: part for term, part in zip(terms, parts, strict=True)}
        self.terms = terms
        self.shapes = {term.name: term.shape or (term.size,) for term in terms}
        functions = self._randomizer.corrupted(terms)
        self._observed = [
            (term, function, part, buffer[:, part])
            for term, function, part in zip(terms, functions, parts, strict=True)
        ]

    def _set_rewards(self) -> None:
        task = self.task
        terms, weights = task_check.asked_terms(task, Reward), task.config.rewards
        names = [term.name for term in terms]
        for name in weights:
            if name not in names:
                raise UnknownTaskError(propose(name, names, self.backend.owner, "reward term"))
        # Weights as arrays: NumPy multiplies by them in half the time of a number.
        self._rewards = [
            (term.function, term.name, np.array([weights.get(term.name, term.weight)]))
            for term in terms
        ]
        self._kept = [term.before_step for term in terms if term.before_step is not None]
        self._reward_masks = {f"_{name}": self._every for name in names}

    def _set_endings(self) -> None:
        terms = task_check.asked_terms(self.task, Termination, (TIME_LIMIT, DIVERGED))
        self.causes = ("", *(term.name for term in terms), TIME_LIMIT, DIVERGED)
        # From the last to the first: where several hold, the first one's number stays.
        self._endings = [(term.function, k) for k, term in enumerate(terms, 1)][::-1]
        self.successes = np.zeros(len(self.causes), np.bool_)
        self.successes[1 : len(terms) + 1] = [term.success for term in terms]
        self._truncates = np.zeros(len(self.causes), np.bool_)
        self._truncates[1:-1] = [*(term.truncates for term in terms), True]
        keys = ("reward", "success", "cause", "diverged")
        self._masks = {f"_{key}": self._every for key in keys}

    def advance(self, over: Ids | None, resting: Ids | None = None) -> Ids | None:
        """Moves environments, or begins a new episode where the last is over.

        Args:
            over: Where an episode begins instead of a step, or None.
            resting: Where nothing happens, or None.

        Returns:
            Ids of the environments that diverged; they are at the start of a new episode.
        """
        self.task.before_step()
        for keep in self._kept:
            keep()
        self._call("act")
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
        self._call("refresh", ALL)
        return diverged

    def begin(self, ids: Ids) -> None:
        """Begins new episodes of these environments."""
        self.random.begin_episode(ids)
        if self._varies:
            self._call("vary", ids)
        self.backend.reset(ids)
        self.task.actions[ids] = 0.0
        self._randomizer.begin(ids)
        self._call("reset", ids)
        if self._is_new:
            # Before what computes fields: MuJoCo would begin anew by itself.
            task_check.check_start(self.task)
            self._is_new = False
        self.backend.forward(ids)
        self._call("refresh", ids)

    def _call(self, method: str, *rows: Rows) -> None:
        """Calls a method of the task that writes to arrays, all of them or the rows."""
        try:
            getattr(self.task, method)(*rows)
        except (ValueError, IndexError) as error:
            if isinstance(error, HorusError):
                raise
            count = len(self.random.ids[rows])
            raise TaskError(
                f"{self.backend.owner}: {method}() raised {type(error).__name__} ({error}) for "
                f"{count} environments; write arrays with a row for each of them"
            ) from error

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
        everywhere = rows is ALL
        count = len(buffer) if everywhere else len(buffer[rows])
        for term, function, columns, view in self._observed:
            values = function(rows)
            if np.shape(values) != (count, term.size):
                task_check.check_values(
                    self.task, "observation", term.name, values, (count, term.size)
                )
            if everywhere:
                view[...] = values
            else:
                buffer[rows, columns] = values
        if not everywhere:
            written = buffer[rows]
        if b"\x00" in np.isfinite(written).tobytes():
            task_check.check_observed(self.task, buffer, self.columns, resting)

    def reward(
        self, still: Ids | None, diverged: Ids | None
    ) -> tuple[npt.NDArray[np.float64], Info]:
        """The reward of each environment, and its terms; 0 in those that stood `still`.

        Raises:
            TaskError: One is not finite, or has another shape.
        """
        terms: Info = self._reward_masks.copy()
        total, shape = None, self._none.shape
        for function, name, weight in self._rewards:
            given = function()
            if self._is_unchecked:
                task_check.check_values(self.task, "reward", name, given, shape)
            terms[name] = value = given * weight
            if value.shape != shape:
                task_check.check_values(self.task, "reward", name, given, shape)
            if still is not None:
                value[still] = 0.0
            if diverged is not None:
                value[diverged] = 0.0
            total = value if total is None else total + value
        # An array of its own, also where there is one term.
        rewards = np.array(total, np.float64, copy=len(self._rewards) == 1 or None)
        if b"\x00" in np.isfinite(rewards).tobytes():
            parts = {name: terms[name] for _, name, _ in self._rewards}
            raise task_check.unusable_reward(self.task, rewards, parts)
        return rewards, terms

    def endings(
        self, still: Ids | None, diverged: Ids | None
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], Ids | None, Info]:
        """Where episodes are terminated and truncated, ids of both together or None, and why.

        No episode ends in those that stood `still`.
        """
        truncated = self._steps >= self.last_step
        limit = len(self.causes) - 2
        cause = np.zeros(len(truncated), np.int8)
        ends = diverged is not None
        if is_any(truncated):
            cause[truncated] = limit
            ends = True
        for function, number in self._endings:
            holds = function()
            if self._is_unchecked or holds.shape != cause.shape:
                name = self.causes[number]
                task_check.check_values(self.task, "termination", name, holds, cause.shape)
            if is_any(holds):
                cause[holds] = number
                ends = True
        self._is_unchecked = False
        if still is not None:
            cause[still] = 0
        if diverged is not None:
            cause[diverged] = limit + 1
        info: Info = {**self._masks, **self._randomizer.info(), "cause": cause}
        info["diverged"] = self._none if diverged is None else cause == limit + 1
        # Most steps end no episode; what follows from the causes is then known.
        if ends:
            info["success"] = self.successes[cause]
            truncated = truncated | self._truncates[cause]
            terminated = (cause > 0) & ~self._truncates[cause]
            done = terminated | truncated
            return terminated, truncated, np.flatnonzero(done) if is_any(done) else None, info
        info["success"] = self._none
        return np.zeros(len(truncated), np.bool_), truncated, None, info

    def _held(self) -> HeldValues:
        task = self.task
        terms = [function for _, function, *_ in self._observed]
        terms += [function for function, *_ in (*self._rewards, *self._endings)]
        # What is kept by itself, and what draws pictures.
        closed = [self, task.sim, task.random, task.curriculum, vars(task).get("pictures")]
        memory = [*self.backend.memory(), self.observation_buffer]
        return HeldValues([task, *terms, *self._kept, *self._randomizer.items], memory, closed)

    def read_state(self) -> dict[str, Any]:
        """All that decides how episodes go on, as plain data with arrays; copies.

        Raises:
            ValueError: The task remembers something that cannot be kept.
        """
        random = self.random
        return {
            "engine": self.backend.read_state(),
            "seeds": random.seeds.copy(),
            "episodes": random.episodes.copy(),
            "steps": random.steps.copy(),
            "last_step": int(self.last_step[0]),
            "curriculum": self.task.curriculum.fixed,
            "drawn": self._randomizer.drawn.copy(),
            "observations": self.observation_buffer.copy(),
            "is_new": self._is_new,
            "held": self._held().read(),
        }

    def write_state(self, state: Mapping[str, Any]) -> None:
        """Puts back what `read_state` gave, of this or of another runner of the same task.

        Raises:
            ValueError: It does not fit.
        """
        random = self.random
        self.backend.write_state(state["engine"])
        self._held().write(state["held"])
        for name in ("seeds", "episodes", "steps"):
            values = getattr(random, name)
            values[:] = checked_like(values, state[name])
        self.last_step[0] = state["last_step"]
        self.task.curriculum.fixed = state["curriculum"]
        self._randomizer.drawn = state["drawn"]
        buffer = self.observation_buffer
        buffer[:] = checked_like(buffer, state["observations"])
        self._is_new = bool(state["is_new"])
        if pack(self._held().read()) != pack(state["held"]):
            raise ValueError(
                "two attributes of the task are one array here; write arrays in place "
                "(self.last[:] = ...) instead of giving one a second name (self.last = ...)"
            )
