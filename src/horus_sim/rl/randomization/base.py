"""What every randomization does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from horus_sim.rl.backend import Floats, Ids
from horus_sim.rl.settings import Range
from horus_sim.rl.terms import Rows

if TYPE_CHECKING:
    from horus_sim.rl.task import Task


class Randomization:
    """Something that is drawn when an episode begins.

    Attributes:
        name: Its key under `info["randomization"]`, and its stream of random numbers.
        task: The task, bound.
        size: How many numbers are drawn.
        changes_constants: Whether masses or the like change, so that constants follow.
        observation: Name of the observation term that it corrupts, or None.
    """

    changes_constants = False
    observation: str | None = None

    def __init__(self, name: str, task: Task[Any], size: int = 1) -> None:
        self.name = name
        self.task = task
        self.size = size

    def begin(self, ids: Ids) -> Floats:
        """Draws for new episodes, and applies; gives what was drawn, shape (n, size)."""
        raise NotImplementedError

    def before_step(self) -> None:
        """Acts on the state before a step."""

    def corrupt(self, rows: Rows, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What a sensor makes of the values of `observation`."""
        del rows
        return values

    def draw(self, ids: Ids, limits: Range, neutral: float) -> Floats:
        """Numbers between limits, which the curriculum draws towards a neutral one, (n, size)."""
        values = self.task.random.uniform(self.name, ids, self.size, *limits)
        if self.task.curriculum.is_full:
            return values
        level = self.task.curriculum.level(ids)[:, None]
        return neutral + level * (values - neutral)
