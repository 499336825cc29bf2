"""Environments for Stable-Baselines3.

An adapter to its `VecEnv`, without a loop over environments and without a copy beyond the one that
its buffers need: it keeps the last observation while the next step is made.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MissingExtraError, TaskError
from horus_sim.rl.envs.make import make_vector
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.terms.goals import goal_columns
from horus_sim.rl.wrappers.goals import goal_space

if find_spec("stable_baselines3") is None:
    raise MissingExtraError("stable-baselines3", "train")

from stable_baselines3.common.monitor import Monitor  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.vec_env import VecEnv  # pyright: ignore[reportMissingImports]

Indices = None | int | Iterable[int]
Infos = list[dict[str, Any]]
Seen = npt.NDArray[np.float32] | dict[str, npt.NDArray[np.float32]]
Step = tuple[Seen, npt.NDArray[np.float64], npt.NDArray[np.bool_], Infos]


class Sb3VecEnv(VecEnv):
    """A `VectorEnv` as a `VecEnv` of Stable-Baselines3.

    Observations of tasks with the setting `goal_reward` are dictionaries, as its `HerReplayBuffer`
    wants them.

    The list of infos is one object that every step fills anew. Environments whose episode goes on
    share one empty dictionary in it; do not write into that. Those whose episode ended have
    `terminal_observation`, `TimeLimit.truncated`, `is_success`, `cause` (in words) and `episode`,
    as a Monitor gives it: return `r`, length `l` [steps] and time since the beginning `t` [s].

    Args:
        envs: The environments, in autoreset mode 'SameStep' and with copies of observations;
            `make_sb3` makes them so.

    Attributes:
        envs: The environments.

    Raises:
        TaskError: The environments reset in another step, write over observations that
            Stable-Baselines3 still holds, or have actions without bounds.
    """

    def __init__(self, envs: VectorEnv) -> None:
        envs.check_same_step("Stable-Baselines3")
        if not envs.copies:
            raise TaskError(
                "Stable-Baselines3 keeps an observation over the next step, which would write "
                "into it; leave out copy=False"
            )
        _check_bounds(envs)
        self.envs = envs
        self._parts = goal_columns(envs.columns)
        space = envs.single_observation_space
        if self._parts is not None:
            space = goal_space(space, self._parts)
        super().__init__(envs.num_envs, space, envs.single_action_space)
        self._nothing: dict[str, Any] = {}
        self._infos: Infos = [self._nothing] * envs.num_envs
        self._filled: list[int] = []
        self._returns = np.zeros(envs.num_envs)
        self._begun = np.zeros(envs.num_envs, np.int64)
        self._step = 0
        self._actions: npt.NDArray[Any] = np.zeros(0)
        self._start = time.monotonic()

    def reset(self) -> Seen:
        """Begins new episodes of all environments, with the seeds that `seed` gave, if any."""
        seeded = self._seeds[0] is not None
        observations, _ = self.envs.reset(seed=list(self._seeds) if seeded else None)
        self._reset_seeds()
        self._reset_options()
        self._forget()
        self._returns[:] = 0.0
        self._begun[:] = self._step
        return self._seen(observations)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Takes the actions; `step_wait` makes the step."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Makes the step.

        Returns:
            Observations, rewards, ends of episodes and infos.
        """
        observations, rewards, terminated, truncated, info = self.envs.step(self._actions)
        self._step += 1
        self._returns += rewards
        if self._filled:
            self._forget()
        if "final_obs" not in info:
            return self._seen(observations), rewards, terminated, self._infos
        done = info["_final_obs"]
        self._fill(info, np.flatnonzero(done), truncated & ~terminated)
        return self._seen(observations), rewards, done, self._infos

    def _seen(self, observations: npt.NDArray[np.float32]) -> Seen:
        """Observations as they are, or in the parts of goal environments."""
        if self._parts is None:
            return observations
        return {name: observations[..., part] for name, part in self._parts.items()}

    def _fill(
        self, info: dict[str, Any], ids: npt.NDArray[np.intp], truncated: npt.NDArray[np.bool_]
    ) -> None:
        final, last = info["final_obs"], info["final_info"]
        causes, elapsed = self.envs.causes, round(time.monotonic() - self._start, 6)
        self._filled = ids.tolist()
        rows = zip(
            self._filled,
            self._returns[ids].tolist(),
            (self._step - self._begun[ids]).tolist(),
            truncated[ids].tolist(),
            last["success"][ids].tolist(),
            last["cause"][ids].tolist(),
            strict=True,
        )
        for env, total, length, limit, success, cause in rows:
            self._infos[env] = {
                "terminal_observation": self._seen(final[env]),
                "TimeLimit.truncated": limit,
                "is_success": success,
                "cause": causes[cause],
                "episode": {"r": total, "l": length, "t": elapsed},
            }
        self._returns[ids] = 0.0
        self._begun[ids] = self._step

    def _forget(self) -> None:
        for env in self._filled:
            self._infos[env] = self._nothing
        self._filled = []

    def close(self) -> None:
        """Closes the environments."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the environments, or their rows of it; see `VectorEnv.get_attr`."""
        values = self.envs.get_attr(attr_name)
        return [values[env] for env in self._ids(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:  # noqa: ANN401
        """Sets an attribute of environments; see `VectorEnv.set_attr`.

        Raises:
            TaskError: Only some are meant, and they share the attribute.
        """
        ids = self._ids(indices)
        self.envs.set_attr(attr_name, [value] * len(ids), ids)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,  # noqa: ANN401 - of any method
        indices: Indices = None,
        **method_kwargs: Any,  # noqa: ANN401 - of any method
    ) -> list[Any]:
        """Calls a method once, and gives its result once for each; see `VectorEnv.call`."""
        results = self.envs.call(method_name, *method_args, **method_kwargs)
        return [results[env] for env in self._ids(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Whether environments have a wrapper: none but what a Monitor does, which is built in."""
        return [wrapper_class is Monitor] * len(self._ids(indices))

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """A picture of each environment."""
        return [self.envs.picture(env) for env in range(self.num_envs)]

    def _ids(self, indices: Indices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [indices] if isinstance(indices, int) else list(indices)


def _check_bounds(envs: VectorEnv) -> None:
    space: Any = envs.single_action_space
    unbounded = np.flatnonzero(~(np.isfinite(space.low) & np.isfinite(space.high)))
    if not len(unbounded):
        return
    number, task = int(unbounded[0]), envs.task
    actuators = task.sim.names("actuator")
    culprit = f"action {number}"
    if len(actuators) == len(space.low):
        culprit = f"actuator '{actuators[number] or number}'"
    raise TaskError(
        f"{type(task).__name__}: {culprit} has no range, and Stable-Baselines3 needs one; override "
        "action_bounds(), or give the actuator a ctrlrange"
    )


def make_sb3(
    task: str | Task[Any],
    num_envs: int = 1,
    threads: int = 0,
    **settings: Any,  # noqa: ANN401 - checked by the task's settings
) -> Sb3VecEnv:
    """Environments for Stable-Baselines3; the arguments are those of `horus_sim.rl.make_vector`."""
    arguments = {"autoreset_mode": "SameStep", **settings}
    return Sb3VecEnv(make_vector(task, num_envs, threads, **arguments))
