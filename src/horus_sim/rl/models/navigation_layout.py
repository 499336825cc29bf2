"""Goals and obstacles of an episode."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from horus_sim._native import RlLayout
from horus_sim.files.config import Positive
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.plane_shapes import Plane
from horus_sim.rl.randomization.random_streams import stream_of
from horus_sim.rl.settings import Config, ordered

Range = tuple[float, float]
# Names of the random numbers.
_STREAMS = ("yaw", "goal", "obstacle radius", "obstacle place", "box", "box place")


class ObstacleConfig(Config):
    """Obstacles: upright cylinders, and boxes if any, in a square about the start.

    Attributes:
        count: How many cylinders.
        radius: Least and largest radius [m].
        boxes: How many boxes, each with a length, a width and a yaw of its own.
        side: Least and largest length and width of boxes [m].
        margin: Free space about start and goal, to the edge of an obstacle [m].
        border: How far the square reaches beyond the farthest goal [m].
    """

    count: Annotated[int, Field(ge=0, le=200)] = 20
    radius: Annotated[tuple[Positive, Positive], AfterValidator(ordered)] = (0.1, 0.2)
    boxes: Annotated[int, Field(ge=0, le=200)] = 0
    side: Annotated[tuple[Positive, Positive], AfterValidator(ordered)] = (0.1, 0.5)
    margin: Annotated[float, Field(ge=0)] = 0.35
    border: Annotated[float, Field(ge=0)] = 0.5


def make_layout(
    plane: Plane, qpos: Floats, goals: Floats, distance: Range, obstacles: ObstacleConfig
) -> RlLayout:
    """What draws how episodes begin: where robots look, where goals are and obstacles stand.

    Robots start at the origin. Each obstacle has a few tries to leave room about start and goal;
    one that fails in all of them, which is rare, is put out of sight. At level 0 of a curriculum
    goals have the least distance.

    Args:
        plane: Takes the obstacles.
        qpos: State of the robots, shape (num_envs, nq); its quaternion is written.
        goals: Takes the goals [m], shape (num_envs, 2).
        distance: Least and largest distance of goals [m].
        obstacles: What is in the way.
    """
    yaw, goal, radius, place, box, box_place = map(stream_of, _STREAMS)
    return RlLayout(
        plane.native,
        qpos,
        goals,
        distance=distance,
        radius=obstacles.radius,
        side=obstacles.side,
        margin=obstacles.margin,
        half=distance[1] + obstacles.border,
        streams=(yaw, goal, radius, place, box, box_place),
    )
