"""Shapes, snapping, and poses in the plane."""

from __future__ import annotations

import math
from collections.abc import Sequence

from horus_sim.sim2d.pose import Pose, Pose2D
from horus_sim.sim2d.scenario.outline import signed_area

Point = tuple[float, float]
_DIGITS = 6
_LEAST_AREA = 1e-12


def tidy(value: float) -> float:
    """A length or angle without the dust of arithmetic, to a micrometre; never a negative zero."""
    return round(value, _DIGITS) + 0.0


def tidy_point(point: Sequence[float]) -> Point:
    """A point, tidied."""
    return (tidy(point[0]), tidy(point[1]))


def tidy_pose(pose: Sequence[float]) -> Pose:
    """A pose, tidied, with its angle from -pi to pi."""
    return (tidy(pose[0]), tidy(pose[1]), tidy(math.remainder(pose[2], math.tau)))


def snap(value: float, step: float) -> float:
    """The nearest multiple of a step; the value itself where the step is 0."""
    return tidy(round(value / step) * step) if step > 0.0 else value


def seen_from(frame: Pose, pose: Pose) -> Pose:
    """A pose of the world in a frame of the world, tidied."""
    return tidy_pose(Pose2D(*frame).inverse().compose(pose))


def point_in(frame: Pose, point: Sequence[float]) -> Point:
    """A point of the world in a frame of the world, tidied."""
    return tidy_point(Pose2D(*frame).inverse().transform_point((point[0], point[1])))


def point_out(frame: Pose, point: Sequence[float]) -> Point:
    """A point of a frame in the world."""
    return Pose2D(*frame).transform_point((point[0], point[1]))


def rectangle(width: float, height: float) -> tuple[Point, ...]:
    """Corners about the middle, counter-clockwise."""
    x, y = tidy(0.5 * width), tidy(0.5 * height)
    return ((-x, -y), (x, -y), (x, y), (-x, y))


def sides(points: Sequence[Point]) -> Point | None:
    """Width and height of a rectangle along the axes about its middle, or None for other shapes."""
    if len(points) != 4:
        return None
    x, y = max(p[0] for p in points), max(p[1] for p in points)
    wanted = rectangle(2 * x, 2 * y)
    fits = any(
        all(math.dist(wanted[k], points[(k + turn) % 4]) < 1e-9 for k in range(4))
        for turn in range(4)
    )
    return (2 * x, 2 * y) if fits and x > 0 and y > 0 else None


def counter_clockwise(points: Sequence[Point]) -> tuple[Point, ...]:
    """The outline in the order that bodies want."""
    return tuple(points) if signed_area(points) >= 0.0 else tuple(reversed(points))


def centroid(points: Sequence[Point]) -> Point:
    """Centre of the area of an outline; the mean of the points where there is no area."""
    area = signed_area(points)
    if abs(area) < _LEAST_AREA:
        count = len(points)
        return (sum(p[0] for p in points) / count, sum(p[1] for p in points) / count)
    x = y = 0.0
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        cross = ax * by - ay * bx
        x += (ax + bx) * cross
        y += (ay + by) * cross
    return (x / (6.0 * area), y / (6.0 * area))
