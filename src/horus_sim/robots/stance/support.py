"""Static balance: the polygon on which something stands, and how far inside it a point is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_SAME_POINT = 1e-9


def support_polygon(points: Floats) -> Floats:
    """The convex hull of points in the plane, counter-clockwise, shape (m, 2).

    Points that lie in a line give its two ends.

    Args:
        points: Shape (n, 2) [m].
    """
    ordered = [np.array(point) for point in np.unique(np.round(points, 12), axis=0)]
    if len(ordered) < 3:
        return np.array(ordered).reshape(-1, 2)
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return np.array([*lower[:-1], *upper[:-1]])


def margin(polygon: Floats, point: Floats) -> float:
    """Distance [m] of a point inside a convex polygon to its border; negative outside.

    Without an area, as between two feet that are points, nothing is inside: the margin is then the
    negative distance, at most zero.

    Args:
        polygon: Corners, counter-clockwise, shape (m, 2) [m].
        point: Shape (2,) [m].
    """
    if len(polygon) == 0:
        return -np.inf
    if len(polygon) < 3:
        return -_distance(polygon[0], polygon[-1], point)
    ends = np.roll(polygon, -1, axis=0)
    along = ends - polygon
    lengths = np.linalg.norm(along, axis=1)
    offset = point - polygon
    inside = float(np.min((along[:, 0] * offset[:, 1] - along[:, 1] * offset[:, 0]) / lengths))
    if inside >= 0.0:
        return inside
    return -min(_distance(a, b, point) for a, b in zip(polygon, ends, strict=True))


def roundness(polygon: Floats) -> float:
    """Margin [m] of the middle of a polygon's corners: about how far it can be left to any side."""
    return max(0.0, margin(polygon, polygon.mean(axis=0))) if len(polygon) > 2 else 0.0


def _chain(points: list[Floats]) -> list[Floats]:
    """Half of the hull of points in order."""
    found: list[Floats] = []
    for point in points:
        while len(found) > 1 and _turn(found[-2], found[-1], point) <= _SAME_POINT**2:
            found.pop()
        found.append(point)
    return found


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _distance(a: Floats, b: Floats, point: Floats) -> float:
    """Distance of a point from a straight line between two others."""
    along = b - a
    squared = float(along @ along)
    share = 0.0 if squared == 0.0 else float(np.clip((point - a) @ along / squared, 0.0, 1.0))
    return float(np.linalg.norm(point - a - share * along))
