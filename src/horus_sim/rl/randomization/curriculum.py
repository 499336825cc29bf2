"""A level of difficulty that grows with the episodes that an environment began."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats, Ids
from horus_sim.rl.randomization.random_streams import RandomStreams
from horus_sim.rl.settings import Config


class CurriculumConfig(Config):
    """How difficulty grows. It counts each environment's own episodes, so it is reproducible.

    Attributes:
        episodes: Number of episodes until the full level; 0 is the full level from the start.
        start: Level of the first episode, from 0 to 1.
    """

    episodes: Annotated[int, Field(ge=0)] = 0
    start: Annotated[float, Field(ge=0, le=1)] = 0.0

    def build(self, random: RandomStreams) -> Curriculum:
        """The curriculum of environments with these random numbers."""
        return Curriculum(self, random)


class Curriculum:
    """Levels of environments.

    Attributes:
        fixed: Level of all that begin from now on, instead of the schedule; None for the schedule.
    """

    def __init__(self, config: CurriculumConfig, random: RandomStreams) -> None:
        self._config = config
        self._random = random
        self._fixed: float | None = None

    @property
    def fixed(self) -> float | None:
        """Level of all that begin from now on, or None."""
        return self._fixed

    @fixed.setter
    def fixed(self, level: float | None) -> None:
        is_number = isinstance(level, (int, float, np.number))
        if level is not None and not (is_number and 0 <= level <= 1):
            raise TaskError(
                f"curriculum.fixed is {level!r}; give a level from 0 to 1, or None for the schedule"
            )
        self._fixed = level

    def levels(self, ids: Ids) -> Floats | None:
        """As `level`, or None where every episode is at the full level."""
        return self.level(ids) if self._config.episodes or self._fixed is not None else None

    def level(self, ids: Ids) -> Floats:
        """Level of the episodes that these environments are in, from 0 to 1, shape (n,)."""
        config = self._config
        if self._fixed is not None or not config.episodes:
            return np.full(len(ids), 1.0 if self._fixed is None else self._fixed)
        share = np.minimum(1.0, self._random.episodes[ids] / config.episodes)
        return config.start + (1.0 - config.start) * share
