"""The base of tasks that bring something to a goal, which hindsight may replace."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.goals import GoalReward, GoalTerms


class GoalTaskConfig(TaskConfig):
    """Settings of such tasks.

    Attributes:
        goal_reward: 'sparse' (0 at the goal, -1 elsewhere) or 'dense' (the negative distance [m])
            to observe `achieved_goal` and `desired_goal` in the world frame and to have this reward
            alone, as Gymnasium's goal environments do; None for the task's own terms.
    """

    goal_reward: GoalReward | None = None


ConfigT = TypeVar("ConfigT", bound=GoalTaskConfig)


class GoalTask(Task[ConfigT]):
    """A task with the terms of goal environments as an option.

    Attributes:
        goal_terms: These terms, from `bind` on; None where they are not asked for.
    """

    goal_terms: GoalTerms | None = None

    def bind_goals(self, achieved: Floats, desired: Floats, tolerance: float) -> None:
        """Makes the terms if they are asked for; see `GoalTerms` for the arguments."""
        kind = self.config.goal_reward
        if kind is not None:
            weight = self.config.rewards.get("goal", 1.0)
            self.goal_terms = GoalTerms(achieved, desired, tolerance, kind, weight)

    def compute_reward(
        self,
        achieved_goal: npt.ArrayLike,
        desired_goal: npt.ArrayLike,
        info: Any = None,  # noqa: ANN401 - as Gymnasium's
    ) -> npt.NDArray[np.float64]:
        """The reward where one goal was reached and another one was wanted, as Gymnasium-Robotics.

        Args:
            achieved_goal: Observed places [m], shape (..., 3).
            desired_goal: Observed goals [m], shape (..., 3).
            info: Not asked.

        Raises:
            TaskError: The task has its own terms, or the shapes do not fit.
        """
        del info
        if self.goal_terms is None:
            raise TaskError(
                f"{type(self).__name__} has rewards that do not follow from goals; give "
                "goal_reward='sparse' or 'dense'"
            )
        return self.goal_terms.compute_reward(achieved_goal, desired_goal)
