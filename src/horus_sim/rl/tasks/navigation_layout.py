"""Goals and obstacles of an episode, drawn for many environments at once."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from horus_sim.rl.backend import Floats, Ids
from horus_sim.rl.random_streams import RandomStreams
from horus_sim.rl.settings import Config

_TRIES = 3
_AWAY = 1000.0

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
    values = random.uniform("goal", ids, 2, 0.0, (distance[1] - distance[0], 2 * np.pi))
    away = distance[0] + level * values[:, 0]
    return np.stack([away * np.cos(values[:, 1]), away * np.sin(values[:, 1])], axis=1)


def draw_obstacles(
    random: RandomStreams, ids: Ids, goals: Floats, config: ObstacleConfig, farthest: float
) -> tuple[Floats, Floats]:
    """Places (n, count, 2) [m] and radii (n, count) [m] of obstacles.

    Each has a few tries to leave room about start and goal; one that fails in all of them, which is
    rare, is put out of sight.

    Args:
        random: Of the environments.
        ids: The n environments.
        goals: Their goals, shape (n, 2).
        config: Of the obstacles.
        farthest: Largest distance of a goal [m].
    """
    n, count = len(ids), config.count
    radii = random.uniform("obstacle radius", ids, count, *config.radius)
    half = farthest + config.border
    tried = random.uniform("obstacle place", ids, count * _TRIES * 2, -half, half)
    tried = tried.reshape(n, count, _TRIES, 2)
    room = (radii + config.margin)[:, :, None] ** 2
    from_goal = tried - goals[:, None, None]
    fits = np.einsum("ijkl,ijkl->ijk", tried, tried) > room
    fits &= np.einsum("ijkl,ijkl->ijk", from_goal, from_goal) > room
    first = np.argmax(fits, axis=2)
    rows, columns = np.arange(n)[:, None], np.arange(count)
    places = tried[rows, columns, first]
    places[~fits[rows, columns, first]] = _AWAY
    return places, radii
