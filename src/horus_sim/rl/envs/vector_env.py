"""Many environments of one task behind Gymnasium's vector interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from horus_sim.errors import ResetError, TaskError
from horus_sim.rl.engines.interface import ALL, Ids
from horus_sim.rl.envs.arguments import checked_actions, chosen_rows, environment_seeds
from horus_sim.rl.envs.shared_attributes import SharedAttributes
from horus_sim.rl.envs.task_runner import MOST_STEPS, TaskRunner
from horus_sim.rl.envs.vector_snapshots import VectorSnapshots
from horus_sim.rl.settings import whole_number
from horus_sim.rl.tasks.task import Task
from horus_sim.system import memory_bytes

Observations = npt.NDArray[np.float32]
Info = dict[str, Any]
# No environment has a state, terms and random numbers in less.
_LEAST_BYTES = 1024


class VectorEnv(VectorSnapshots, SharedAttributes, gymnasium.vector.VectorEnv):
    """Environments that are stepped together; no part of a step loops over them in Python.

    Environment i draws from seed + i (or the i-th seed of a list), whatever runs beside it.

    Args:
        task: The task.
        num_envs: How many environments.
        threads: Most threads for physics; 0 for one a processor. The results are the same.
        autoreset_mode: 'NextStep' (Gymnasium's default: the step after an episode's last one
            resets it, ignores its action and gives reward 0), 'SameStep' or 'Disabled'.
        copy: Whether each observation is an array of its own; otherwise the next step writes into
            the one that was returned.
        render_mode: None or 'rgb_array'.

    Attributes:
        task: The task.
        causes: What the numbers of `info["cause"]` mean; 0 is an episode that goes on.
        has_success: Whether an end of episodes means that the task is solved.
        observation_terms: What is observed, in the order of the columns.
        columns: Columns of each observation term.
        shapes: Shape of each observation term, (columns,) or that of a picture.
        copies: Whether each observation is an array of its own.
        diverged_total: How many episodes physics could not go on with.
    """

    def __init__(
        self,
        task: Task[Any],
        num_envs: int = 1,
        threads: int = 0,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        *,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        num_envs = whole_number("num_envs", num_envs, 1)
        threads = whole_number("threads", threads, 0)
        if render_mode not in (None, "rgb_array"):
            raise TaskError(f"render_mode is {render_mode!r}; choose 'rgb_array' or None")
        self._mode = _mode(autoreset_mode)
        self.metadata = {"render_modes": ["rgb_array"], "autoreset_mode": self._mode}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self._threads = threads
        self._runner = runner = _runner_of(task, num_envs, threads)
        self.task = task
        self.metadata["render_fps"] = round(1 / task.dt)
        self.single_observation_space = runner.observation_space
        self.single_action_space = runner.action_space
        self.observation_space = batch_space(runner.observation_space, num_envs)
        self.action_space = batch_space(runner.action_space, num_envs)
        self.causes = runner.causes
        self.has_success = bool(runner.successes.any())
        self.observation_terms = runner.terms
        self.columns = runner.columns
        self.shapes = runner.shapes
        self.diverged_total = 0
        self.copies = copy
        self._obs = runner.observation_buffer
        # Ids of environments whose episode is over, or None; before the first reset all are.
        self._over: Ids | None = np.arange(num_envs)
        # Ids of environments that steps leave out, or None.
        self._resting: Ids | None = None
        self._was_reset = False
        entropy = np.random.SeedSequence().generate_state(1, np.uint64)
        runner.random.seed(self._over, entropy + np.arange(num_envs, dtype=np.uint64))

    @property
    def runner(self) -> TaskRunner:
        """What steps and observes."""
        return self._runner

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observations, Info]:
        """Begins new episodes.

        Args:
            seed: Environment i gets seed + i, or the i-th of a sequence; None goes on with the
                seeds that there are.
            options: `reset_mask`, shape (num_envs,), bool, resets only some environments.

        Returns:
            Observations, shape (num_envs, columns), and what was drawn.

        Raises:
            ResetError: A seed or an option does not fit, a first reset leaves some out, or it was
                closed.
            TaskError: The task's first state is not finite.
        """
        self._check_open()
        ids = chosen_rows(options, self.num_envs)
        if len(ids) < self.num_envs and not self._was_reset:
            raise ResetError("the first reset must be of all environments; leave out 'reset_mask'")
        if seed is not None:
            self._runner.random.seed(*environment_seeds(seed, ids, self.num_envs))
        return self._begin(ids), self._runner.begin_info()

    def begin_episodes(
        self, ids: Ids, seeds: npt.NDArray[np.uint64], numbers: npt.NDArray[np.uint32]
    ) -> Observations:
        """Begins chosen episodes, whatever these environments did before.

        Args:
            ids: The environments, in rising order; of the first reset, all.
            seeds: Seed of each, shape (len(ids),).
            numbers: How many episodes an environment with that seed ended before this one.

        Returns:
            Observations of all environments, shape (num_envs, columns).
        """
        self._check_open()
        self._runner.random.seed(ids, seeds, numbers)
        return self._begin(ids)

    def rest(self, ids: Ids) -> None:
        """Leaves environments out of steps until they begin an episode; they give reward 0."""
        self._over = _without(self._over, ids)
        self._resting = ids if self._resting is None else np.union1d(self._resting, ids)

    def _begin(self, ids: Ids) -> Observations:
        self._runner.begin(ids)
        self._runner.observe(ALL if len(ids) == self.num_envs else ids)
        self._over, self._resting = _without(self._over, ids), _without(self._resting, ids)
        self._was_reset = True
        return self._observations()

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        Observations,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        Info,
    ]:
        """Advances every environment by a step.

        Args:
            actions: Shape (num_envs, actions); what is ignored may be anything.

        Returns:
            Observations, rewards, terminations, truncations and info.

        Raises:
            ActionError: The array has another shape, or an action is not finite; the text names
                the environment. Nothing moved.
            ResetError: It was never reset or is closed, or an episode is over where autoreset is
                disabled.
            TaskError: A reward or an observation is not finite, or the task could not write its
                controls.
            ForkError: Another process made the environments, with several threads.
        """
        over = self._over
        if over is not None and (not self._was_reset or self._mode is AutoresetMode.DISABLED):
            raise ResetError(self._not_ready(over))
        runner, still = self._runner, over
        if self._resting is not None:
            still = self._resting if over is None else np.union1d(over, self._resting)
        runner.task.actions[:] = checked_actions(actions, runner.task.actions.shape, still)
        diverged = runner.advance(over, self._resting)
        rewards, terms = runner.reward(still, diverged)
        terminated, truncated, self._over, info = runner.endings(still, diverged)
        info["reward"] = terms
        runner.observe(ALL, self._resting)
        if diverged is not None:
            self.diverged_total += len(diverged)
        if self._mode is AutoresetMode.SAME_STEP and self._over is not None:
            self._begin_in_same_step(info, terminated | truncated, self._over)
        return self._observations(), rewards, terminated, truncated, info

    def _begin_in_same_step(self, info: Info, done: npt.NDArray[np.bool_], over: Ids) -> None:
        final = {key: value for key, value in info.items() if key != "randomization"}
        info["final_obs"], info["_final_obs"] = self._obs.copy(), done
        info["final_info"], info["_final_info"] = final, done
        self._runner.begin(over)
        self._runner.observe(over)
        info.update(self._runner.begin_info())
        self._over = None

    def limit_episodes(self, steps: int) -> None:
        """Truncates episodes after this many steps, instead of the time that the task says.

        Raises:
            TaskError: There would be no step.
        """
        self._runner.last_step[0] = min(whole_number("steps of an episode", steps, 1), MOST_STEPS)

    @property
    def is_over(self) -> bool:
        """Whether an episode is over, so that the next step begins a new one or needs a reset."""
        return self._was_reset and self._over is not None

    @property
    def max_episode_steps(self) -> int:
        """Steps after which an episode is truncated."""
        return int(self._runner.last_step[0])

    def _observations(self) -> Observations:
        return self._obs.copy() if self.copies else self._obs

    def _not_ready(self, over: Ids) -> str:
        self._check_open()
        if not self._was_reset:
            return "the environments were never reset; call reset(seed=...) before step"
        return (
            f"the episode of environment {over[0]} is over ({len(over)} in all) and autoreset is "
            "disabled; call reset(options={'reset_mask': terminated | truncated}) first"
        )

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """A picture of each environment, uint8, shape (height, width, 3); see also `picture`."""
        if self.render_mode is None:
            return None
        return tuple(self.picture(env) for env in range(self.num_envs))

    def picture(self, env: int, width: int = 480, height: int = 360) -> npt.NDArray[np.uint8]:
        """A picture of one environment, shape (height, width, 3).

        Raises:
            TaskError: There is no such environment, or the size is none.
            ResetError: They are closed.
        """
        self._check_open()
        if whole_number("env", env, 0) >= self.num_envs:
            raise TaskError(f"env is {env} and there are {self.num_envs}; give one below that")
        for name, size in (("width", width), ("height", height)):
            whole_number(name, size, 1)
        return self.task.pictures.draw(env, width, height)

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ANN401, ARG002 - Gymnasium's own
        """Frees the renderer."""
        # A step looks only here whether it can be made.
        self._over, self._was_reset = np.arange(1), False
        # Gymnasium closes also what could not be made.
        if hasattr(self, "task"):
            self.task.close()

    def check_same_step(self, learner: str) -> None:
        """Refuses environments that begin new episodes elsewhere than in the step of the last one.

        Raises:
            TaskError: Their autoreset mode is another one.
        """
        if self._mode is not AutoresetMode.SAME_STEP:
            raise TaskError(
                f"autoreset_mode is '{self._mode.value}' and {learner} resets in the same step; "
                "give autoreset_mode='SameStep'"
            )

    def _check_open(self) -> None:
        if self.closed:
            raise ResetError("the environments are closed; make new ones")


def _without(ids: Ids | None, left_out: Ids) -> Ids | None:
    left = None if ids is None else np.setdiff1d(ids, left_out, assume_unique=True)
    return None if left is None or not len(left) else left


def _runner_of(task: Task[Any], num_envs: int, threads: int) -> TaskRunner:
    memory = memory_bytes()
    problem = f"num_envs is {num_envs}, which do not fit into {memory / 2**30:.0f} GiB of memory; "
    # MuJoCo counts them in 32 bits.
    if num_envs > min(memory // _LEAST_BYTES, 2**31 - 1):
        raise TaskError(f"{problem}give fewer")
    try:
        return TaskRunner(task, num_envs, threads)
    except MemoryError as error:
        raise TaskError(f"{problem}give fewer") from error


def _mode(value: str | AutoresetMode) -> AutoresetMode:
    try:
        return AutoresetMode(value)
    except ValueError:
        raise TaskError(
            f"autoreset_mode is {value!r}; choose 'NextStep', 'SameStep' or 'Disabled'"
        ) from None
