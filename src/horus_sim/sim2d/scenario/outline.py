"""The outline of a body: what is wrong with it, in words, and what it weighs about its origin."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

MOST_POINTS = 256
_SMALLEST_AREA = 1e-10

Point: TypeAlias = tuple[float, float]
Points: TypeAlias = Sequence[Point]


def outline_problem(points: Points, edges: Sequence[tuple[int, int]]) -> tuple[str, str] | None:
    """The key ('points' or 'edges') and the problem of a polygon, or None if it is a good one.

    Args:
        points: Corners [m].
        edges: Pairs of indices of points; empty for the order of the points.
    """
    count = len(points)
    if count < 3:
        return "points", (
            f"a polygon needs at least 3 points, got {count}; give more, or a radius for a circle"
        )
    problem = _edge_problem(count, edges)
    if problem:
        return "edges", problem
    if len(set(points)) < count:
        return "points", "two points are the same; remove one of them"
    area = signed_area(points)
    if _crosses(points):
        return "points", "the outline crosses itself; put the points in the order of the outline"
    if abs(area) < _SMALLEST_AREA:
        return "points", "the polygon has no area; its points lie on one line"
    if area < 0.0:
        return "points", "the points run clockwise; reverse their order"
    if not _is_convex(points):
        return "points", (
            "the polygon is not convex; split it into convex bodies joined by rigid joints"
        )
    return None


def _sides(points: Points) -> Iterator[tuple[Point, Point]]:
    return pairwise((*points, *points[:1]))


def signed_area(points: Points) -> float:
    """Area [m^2], positive for counter-clockwise points."""
    # Not `sum`, which rounds in another way since Python 3.12.
    twice = 0.0
    for (ax, ay), (bx, by) in _sides(points):
        twice += ax * by - ay * bx
    return 0.5 * twice


def outline_inertia(points: Points, radius: float | None, mass: float) -> float:
    """Moment of inertia about the origin [kg m^2] of a plate of even thickness.

    Args:
        points: Corners [m].
        radius: Radius of a circle about the origin [m], instead of corners.
        mass: Mass [kg].
    """
    if radius is not None:
        return 0.5 * mass * radius * radius
    area = signed_area(points)
    if abs(area) < _SMALLEST_AREA:
        return mass
    total = 0.0
    for (ax, ay), (bx, by) in _sides(points):
        cross = ax * by - ay * bx
        total += cross * (ax * ax + ax * bx + bx * bx + ay * ay + ay * by + by * by)
    return mass * total / (12.0 * area)


def _edge_problem(count: int, edges: Sequence[tuple[int, int]]) -> str | None:
    for a, b in edges:
        if not (0 <= a < count and 0 <= b < count):
            return f"edge [{a}, {b}] names a point that does not exist; there are {count}"
    ring = {frozenset((i, (i + 1) % count)) for i in range(count)}
    if edges and {frozenset(edge) for edge in edges} != ring:
        return "the edges must join each point to the next and the last to the first"
    return None


def _turn(o: Point, a: Point, b: Point) -> float:
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def _crosses(points: Points) -> bool:
    # Where sides meet in a corner, one of the turns is exactly 0.
    return any(
        _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0
        for (a, b), (c, d) in combinations(_sides(points), 2)
    )


def _is_convex(points: Points) -> bool:
    size = max(max(abs(x), abs(y)) for x, y in points)
    tolerance = 1e-12 * max(size * size, 1e-12)
    around = (*points, *points[:2])
    corners = zip(around, around[1:], around[2:], strict=False)
    return all(_turn(*corner) >= -tolerance for corner in corners)


def distance_outside(points: Points) -> float:
    """How far the origin lies outside a convex, counter-clockwise outline [m]; 0 inside."""
    if all(_turn(a, b, (0.0, 0.0)) >= 0.0 for a, b in _sides(points)):
        return 0.0
    return min(_to_segment(a, b) for a, b in _sides(points))


def _to_segment(a: Point, b: Point) -> float:
    """Distance of the origin from a segment [m]."""
    x, y = b[0] - a[0], b[1] - a[1]
    along = min(1.0, max(0.0, -(a[0] * x + a[1] * y) / (x * x + y * y)))
    return math.hypot(a[0] + along * x, a[1] + along * y)
