"""Goals and obstacles of an episode."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from horus_sim._native import RlLayout
from horus_sim.rl.engines.interface import Floats, Ids
from horus_sim.rl.models.plane_shapes import Plane
from horus_sim.rl.randomization.curriculum import Curriculum
from horus_sim.rl.randomization.random_streams import RandomStreams, stream_of
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


class Layout:
    """Draws how episodes begin: where robots look, where goals are and obstacles stand.

    Robots start at the origin. Each obstacle has a few tries to leave room about start and goal;
    one that fails in all of them, which is rare, is put out of sight.

    Args:
        plane: Takes the obstacles.
        qpos: State of the robots, shape (num_envs, nq); its quaternion is written.
        goals: Takes the goals [m], shape (num_envs, 2).
        distance: Least and largest distance of goals [m].
        obstacles: What is in the way.
    """

    def __init__(
        self, plane: Plane, qpos: Floats, goals: Floats, distance: Range, obstacles: ObstacleConfig
    ) -> None:
        yaw, goal, radius, place = map(
            stream_of, ("yaw", "goal", "obstacle radius", "obstacle place")
        )
        self._native = RlLayout(
            plane.native,
            qpos,
            goals,
            distance=distance,
            radius=obstacles.radius,
            margin=obstacles.margin,
            half=distance[1] + obstacles.border,
            streams=(yaw, goal, radius, place),
        )

    def begin(self, random: RandomStreams, curriculum: Curriculum, ids: Ids) -> None:
        """Draws new episodes of these environments; at level 0 goals have the least distance."""
        levels = None if curriculum.is_full else curriculum.level(ids)
        self._native.begin(ids, random.seeds, random.episodes, levels)
