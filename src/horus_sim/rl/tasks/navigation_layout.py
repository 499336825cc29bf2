"""Goals and obstacles of an episode."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from horus_sim.rl.backend import Floats, Ids
from horus_sim.rl.random_streams import RandomStreams
from horus_sim.rl.settings import Config

Range = tuple[float, float]


class ObstacleConfig(Config):
    """Obstacles: upright cylinders in a square about the start.

    Attributes:
        count: How many.
        radius: Least and largest radius [m].
        margin: Free space about start and goal, to the edge of an obstacle [m].
        border: How far the square reaches beyond the farthest goal [m].
    """

    count: Annotated[int, Field(ge=0, le=200)] = 20
    radius: Range = (0.1, 0.2)
    margin: Annotated[float, Field(ge=0)] = 0.35
    border: Annotated[float, Field(ge=0)] = 0.5

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not 0 < self.radius[0] <= self.radius[1]:
            raise ValueError(f"radius is {self.radius}; give (least, largest), above 0")
        return self


def draw_goals(random: RandomStreams, ids: Ids, distance: Range, level: Floats) -> Floats:
    """Places of goals about the start, shape (n, 2) [m].

    Args:
        random: Of the environments.
        ids: The n environments.
        distance: Least and largest distance [m].
        level: Of the curriculum, shape (n,): at 0 all have the least distance.
    """
    values = random.uniform("goal", ids, 2)
    away = distance[0] + level * (values[:, 0] * (distance[1] - distance[0]))
    angle = values[:, 1] * (2 * np.pi)
    goals = np.empty((len(ids), 2))
    np.multiply(away, np.cos(angle), out=goals[:, 0])
    np.multiply(away, np.sin(angle), out=goals[:, 1])
    return goals
