"""What sensors make of the truth: noise, dropout and latency, after the measurement."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats, Ids, Rows
from horus_sim.rl.randomization.base import KindConfig, Randomization, Randomized
from horus_sim.rl.settings import NotNegativeRange


class _SensorConfig(KindConfig):
    """What all of them have.

    Attributes:
        observation: Name of the observation term that is corrupted.
    """

    any_engine: ClassVar[bool] = True

    observation: str


class Noise(Randomization):
    """Gaussian noise."""

    def __init__(self, config: NoiseConfig, name: str, task: Randomized) -> None:
        super().__init__(name, task, config.std)
        self.observation = config.observation

    def corrupt(self, rows: Rows, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Adds noise."""
        noise = self.task.random.step_normal(self.name, _ids(rows), values.shape[1])
        noise *= self.drawn[rows]
        noise += values
        return noise


class NoiseConfig(_SensorConfig):
    """Gaussian noise on an observation, in its own unit.

    Attributes:
        kind: 'noise'.
        std: Least and largest standard deviation, drawn for each episode.
    """

    builds = Noise

    kind: Literal["noise"]
    std: NotNegativeRange


class Dropout(Randomization):
    """Readings that are lost."""

    def __init__(self, config: DropoutConfig, name: str, task: Randomized) -> None:
        super().__init__(name, task, [config.probability] * 2)
        self.observation, self._value = config.observation, config.value

    def corrupt(self, rows: Rows, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Loses some readings."""
        chance = self.task.random.step_uniform(self.name, _ids(rows), values.shape[1])
        return np.where(chance < self.drawn[rows], self._value, values)


class DropoutConfig(_SensorConfig):
    """Readings that are lost.

    Attributes:
        kind: 'dropout'.
        probability: Probability that a number is lost, at each step.
        value: What is seen instead.
    """

    builds = Dropout

    kind: Literal["dropout"]
    probability: Annotated[float, Field(ge=0, le=1)]
    value: float = 0.0


class Latency(Randomization):
    """Observations of some steps ago; at the start of an episode the first one."""

    def __init__(self, config: LatencyConfig, name: str, task: Randomized) -> None:
        super().__init__(name, task, config.delay)
        self.observation = config.observation
        longest = task.config.episode_duration
        if config.delay[1] > longest:
            raise TaskError(
                f"randomization '{name}': delay is {config.delay} and an episode lasts "
                f"{longest:g} s; give delays within it"
            )
        self._depth = max(1, round(config.delay[1] / task.dt) + 1)
        self._delay = task.array(dtype=np.int64)
        self._is_new = task.array(dtype=np.bool_)
        self._ring: npt.NDArray[Any] | None = None
        self._now = 0

    def begin(self, ids: Ids) -> Floats:
        """Draws delays."""
        seconds = super().begin(ids)
        self._delay[ids] = np.rint(seconds[:, 0] / self.task.dt)
        self._is_new[ids] = True
        return seconds

    def corrupt(self, rows: Rows, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Keeps the values and gives those of some steps ago."""
        if self._ring is None:
            self._ring = self._made(values.shape[1])
        if not isinstance(rows, slice):
            self._ring[:, rows] = values
            self._is_new[rows] = False
            return values
        self._now = (self._now + 1) % self._depth
        self._ring[self._now] = values
        if np.count_nonzero(self._is_new):
            self._ring[:, self._is_new] = values[self._is_new]
            self._is_new[:] = False
        return self._ring[(self._now - self._delay) % self._depth, self.task.random.ids]

    def _made(self, columns: int) -> npt.NDArray[Any]:
        shape = (self._depth, self.task.sim.num_envs, columns)
        try:
            return np.zeros(shape)
        except (MemoryError, ValueError):
            raise TaskError(
                f"randomization '{self.name}': {self._depth} steps of '{self.observation}' in "
                f"{shape[1]} environments do not fit into memory; give shorter delays"
            ) from None


class LatencyConfig(_SensorConfig):
    """An observation that comes late.

    Attributes:
        kind: 'latency'.
        delay: Least and largest delay [s], rounded to whole steps, drawn for each episode.
    """

    builds = Latency

    kind: Literal["latency"]
    delay: NotNegativeRange


def _ids(rows: Rows) -> Ids | None:
    return None if isinstance(rows, slice) else rows
