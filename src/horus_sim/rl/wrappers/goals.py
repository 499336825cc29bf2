"""Observations as Gymnasium's goal environments have them, for many environments and for one."""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.envs.single_env import SingleEnv
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.terms.goals import goal_columns
from horus_sim.rl.wrappers.episodes import EpisodeWrapper

Columns = dict[str, npt.NDArray[np.intp]]


class GoalObservations(EpisodeWrapper):
    """A dictionary of `observation`, `achieved_goal` and `desired_goal`, with `compute_reward`.

    Args:
        env: One of `horus_sim.rl`'s environments, of a task with the setting `goal_reward`.

    Raises:
        TaskError: Its task observes no goals.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        super().__init__(env)
        self._columns = _columns_of(env.unwrapped, env.single_observation_space)
        self.set_observation_space(goal_space(env.single_observation_space, self._columns))

    def change_final(self, observations: Any) -> Any:  # noqa: ANN401 - an array
        """The three parts."""
        return {name: observations[:, part] for name, part in self._columns.items()}

    def compute_reward(
        self,
        achieved_goal: npt.ArrayLike,
        desired_goal: npt.ArrayLike,
        info: Any = None,  # noqa: ANN401 - as Gymnasium's
    ) -> npt.NDArray[np.float64]:
        """The reward where one goal was reached and another one was wanted; see `GoalTask`."""
        task = cast("Any", self.env.unwrapped).task
        return task.compute_reward(achieved_goal, desired_goal, info)


class GoalEnv(gymnasium.ObservationWrapper):
    """The same for one environment, as Gymnasium-Robotics' `GoalEnv`.

    Args:
        env: `SingleEnv`, wrapped or not, of a task with the setting `goal_reward`.

    Raises:
        TaskError: Its task observes no goals.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        inner = env.unwrapped
        vector = inner.vector if isinstance(inner, SingleEnv) else None
        self._columns = _columns_of(vector, env.observation_space)
        self.observation_space = goal_space(env.observation_space, self._columns)

    def observation(self, observation: Any) -> dict[str, npt.NDArray[np.float32]]:  # noqa: ANN401 - an array
        """The three parts."""
        return {name: observation[part] for name, part in self._columns.items()}

    def compute_reward(
        self,
        achieved_goal: npt.ArrayLike,
        desired_goal: npt.ArrayLike,
        info: Any = None,  # noqa: ANN401 - as Gymnasium's
    ) -> npt.NDArray[np.float64]:
        """The reward where one goal was reached and another one was wanted; see `GoalTask`."""
        task = cast("Any", self.env.unwrapped).vector.task
        return task.compute_reward(achieved_goal, desired_goal, info)


def goal_space(space: gymnasium.Space[Any], columns: Columns) -> gymnasium.spaces.Dict:
    """The space of the three parts of an observation.

    Args:
        space: The box of the whole.
        columns: Columns of each part.
    """
    low, high = np.asarray(getattr(space, "low", 0)), np.asarray(getattr(space, "high", 0))
    boxes: dict[str, gymnasium.Space[Any]] = {
        name: gymnasium.spaces.Box(low[part], high[part], dtype=np.float32)
        for name, part in columns.items()
    }
    return gymnasium.spaces.Dict(boxes)


def _columns_of(env: object, space: gymnasium.Space[Any]) -> Columns:
    columns = goal_columns(env.columns) if isinstance(env, VectorEnv) else None
    count = 0 if columns is None else sum(map(len, columns.values()))
    if columns is None or space.shape != (count,):
        raise TaskError(
            f"{env} observes no goals; take an environment of horus_sim.rl whose task has "
            "goal_reward='sparse' or 'dense', such as ArmReach, before other wrappers of "
            "observations"
        )
    return columns
