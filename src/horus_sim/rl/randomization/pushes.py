"""Pushes: sudden changes of a free body's speed."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from horus_sim.errors import TaskError
from horus_sim.rl.randomization.base import KindConfig, Randomization, Randomized
from horus_sim.rl.settings import NotNegativeRange


class Push(Randomization):
    """Changes the speed of the first body that is free."""

    def __init__(self, config: PushConfig, name: str, task: Randomized) -> None:
        super().__init__(name, task, config.speed)
        free = task.sim.free_bodies()
        if not len(free):
            raise TaskError(f"'{name}' pushes a free body and the model has none; leave it out")
        first = int(free[0])
        self._velocity = task.sim.bind("qvel")[:, first : first + 2]
        self._chance = task.dt / config.interval

    def before_step(self) -> None:
        """Pushes those whose moment it is."""
        values = self.task.random.step_uniform(self.name, None, 2)
        pushed = np.flatnonzero(values[:, 0] < self._chance)
        if len(pushed):
            angles = 2 * np.pi * values[pushed, 1]
            direction = np.stack([np.cos(angles), np.sin(angles)], axis=1)
            self._velocity[pushed] += self.drawn[pushed] * direction


class PushConfig(KindConfig):
    """Pushes at random times, along a random horizontal direction.

    Attributes:
        kind: 'push'.
        speed: Least and largest change of speed [m/s]; the episode's pushes are all that strong.
        interval: Mean time between pushes [s].
    """

    builds = Push

    kind: Literal["push"]
    speed: NotNegativeRange
    interval: Annotated[float, Field(gt=0)]
