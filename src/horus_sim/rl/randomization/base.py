"""What every randomization does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import Backend, Floats, Ids, Rows
from horus_sim.rl.randomization.curriculum import Curriculum
from horus_sim.rl.randomization.random_streams import RandomStreams
from horus_sim.rl.settings import Config

if TYPE_CHECKING:
    from mujoco import MjModel


class Randomized(Protocol):
    """What randomizations need to know of a task; the attributes are those of `Task`."""

    config: Any
    sim: Backend
    random: RandomStreams
    curriculum: Curriculum
    dt: float

    @property
    def picture_model(self) -> MjModel:
        """The model that pictures show."""
        ...

    def array(self, *shape: int, dtype: Any = np.float64) -> npt.NDArray[Any]:  # noqa: ANN401 - as NumPy's
        """An array of zeros over environments, shape (num_envs, *shape)."""
        ...


class KindConfig(Config):
    """Settings of one kind of randomization; the key `kind` of a subclass names it.

    Attributes:
        builds: The randomization that these are the settings of.
        any_engine: Whether tasks on any simulator can have it, and not only those on MuJoCo.
    """

    builds: ClassVar[Callable[..., Randomization]]
    any_engine: ClassVar[bool] = False

    def build(self, name: str, task: Randomized) -> Randomization:
        """The randomization of a task."""
        return type(self).builds(self, name, task)


class Randomization:
    """Numbers between limits that are drawn when an episode begins.

    Args:
        name: Its key under `info["randomization"]`, and its stream of random numbers.
        task: The task, bound.
        limits: Least and largest of each number, shape (size, 2), or (2,) for a single one.
        neutral: What level 0 of the curriculum makes of each number, broadcast to them.

    Attributes:
        size: How many numbers are drawn.
        drawn: The numbers of the running episodes, shape (num_envs, size).
        changes_constants: Whether masses or the like change, so that constants follow.
        observation: Name of the observation term that it corrupts, or None.
    """

    changes_constants = False
    observation: str | None = None

    def __init__(
        self, name: str, task: Randomized, limits: npt.ArrayLike, neutral: npt.ArrayLike = 0.0
    ) -> None:
        self.name, self.task = name, task
        self._low, self._high = np.atleast_2d(np.asarray(limits, np.float64)).T
        self._neutral = np.asarray(neutral, np.float64)
        self.size = len(self._low)
        self.drawn: Floats = task.array(self.size)

    def begin(self, ids: Ids) -> Floats:
        """Draws for new episodes, and applies; gives what was drawn, shape (n, size)."""
        values = self.task.random.uniform(self.name, ids, self.size, self._low, self._high)
        level = self.task.curriculum.level(ids)[:, None]
        self.drawn[ids] = values = self._neutral + level * (values - self._neutral)
        return values

    def before_step(self) -> None:
        """Acts on the state before a step."""

    def corrupt(self, rows: Rows, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What a sensor makes of the values of `observation`."""
        del rows
        return values
