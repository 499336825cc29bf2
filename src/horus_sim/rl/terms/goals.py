"""What Gymnasium's goal environments have: a goal reached, a goal wanted, and a reward of both.

Learners with hindsight (HER) replace the goal that was wanted by one that was reached, and ask for
the reward anew. So reward and end follow from these two observations alone.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import ALL, Floats, Rows
from horus_sim.rl.terms.observations import live
from horus_sim.rl.terms.term import Observation, Reward, Termination

ACHIEVED, DESIRED, REST = "achieved_goal", "desired_goal", "observation"
GoalReward = Literal["sparse", "dense"]


class GoalTerms:
    """The terms of a task that wants a point to be at another one.

    Args:
        achieved: The live places that are to come to the goals [m], shape (num_envs, 3).
        desired: The live goals [m], in the same frame, shape (num_envs, 3).
        tolerance: A goal is reached within this distance [m].
        kind: 'sparse' is 0 at the goal and -1 elsewhere, 'dense' the negative distance [m].
        weight: Factor on the reward.
    """

    def __init__(
        self, achieved: Floats, desired: Floats, tolerance: float, kind: GoalReward, weight: float
    ) -> None:
        self._achieved, self._desired = achieved, desired
        self._tolerance, self._kind, self._weight = tolerance, kind, weight

    def observations(self) -> tuple[Observation, ...]:
        """The place, and the goal."""
        return live(ACHIEVED, self._achieved), live(DESIRED, self._desired)

    def rewards(self) -> tuple[Reward, ...]:
        """What `compute_reward` gives, before its weight."""
        return (Reward("goal", lambda: self._value(*self._seen(ALL))),)

    def terminations(self) -> tuple[Termination, ...]:
        """The goal reached."""
        return (Termination("goal", self._is_reached, success=True),)

    def compute_reward(self, achieved: npt.ArrayLike, desired: npt.ArrayLike) -> npt.NDArray[Any]:
        """The reward where a place was reached and another one was wanted, shape (...).

        Args:
            achieved: Places [m], shape (..., 3), as observed.
            desired: Goals [m], shape (..., 3), as observed.

        Raises:
            TaskError: The shapes do not fit.
        """
        reached, wanted = np.asarray(achieved), np.asarray(desired)
        if reached.shape != wanted.shape or reached.shape[-1:] != (self._desired.shape[1],):
            raise TaskError(
                f"goals have shapes {reached.shape} and {wanted.shape}; give both of one shape, "
                f"with {self._desired.shape[1]} columns"
            )
        return self._value(reached, wanted) * self._weight

    def _value(self, achieved: npt.NDArray[Any], desired: npt.NDArray[Any]) -> npt.NDArray[Any]:
        away = _distance(achieved, desired)
        return -away if self._kind == "dense" else -(away >= self._tolerance).astype(np.float64)

    def _is_reached(self) -> npt.NDArray[np.bool_]:
        return _distance(*self._seen(ALL)) < self._tolerance

    def _seen(self, rows: Rows) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """As learners see them, so that their rewards are ours to the bit."""
        return self._achieved[rows].astype(np.float32), self._desired[rows].astype(np.float32)


def _distance(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    offset = one.astype(np.float64) - other
    return np.sqrt((offset * offset).sum(axis=-1))


def goal_columns(columns: dict[str, slice]) -> dict[str, npt.NDArray[np.intp]] | None:
    """Columns of the three parts that goal environments observe; None where there are no goals.

    Args:
        columns: Columns of each observation term.
    """
    if ACHIEVED not in columns or DESIRED not in columns:
        return None
    every = np.arange(max(part.stop for part in columns.values()))
    reached, wanted = every[columns[ACHIEVED]], every[columns[DESIRED]]
    rest = np.setdiff1d(every, np.concatenate([reached, wanted]))
    return {REST: rest, ACHIEVED: reached, DESIRED: wanted}
