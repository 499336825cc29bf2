"""What every randomization does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import Backend, Floats, Ids, Rows
from horus_sim.rl.randomization.curriculum import Curriculum
from horus_sim.rl.randomization.random_streams import RandomStreams
from horus_sim.rl.settings import Range

if TYPE_CHECKING:
    from mujoco import MjModel


class Randomized(Protocol):
    """What randomizations need to know of a task; the attributes are those of `Task`."""

    sim: Backend
    random: RandomStreams
    curriculum: Curriculum
    dt: float

    @property
    def episode_duration(self) -> float:
        """Simulated time after which an episode is truncated [s]."""
        ...

    @property
    def picture_model(self) -> MjModel:
        """The model that pictures show."""
        ...

    def array(self, *shape: int, dtype: Any = np.float64) -> npt.NDArray[Any]:  # noqa: ANN401 - as NumPy's
        """An array of zeros over environments, shape (num_envs, *shape)."""
        ...


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

    def __init__(self, name: str, task: Randomized, size: int = 1) -> None:
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
