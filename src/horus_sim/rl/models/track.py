"""A closed line, measured along itself."""

from __future__ import annotations

import numpy as np

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats


class Track:
    """A closed polygon.

    Args:
        points: Its corners [m], shape (n, 2); the last is joined to the first.

    Attributes:
        length: Length of one lap [m].
        points: The corners [m], shape (n, 2); none of them stands twice.
    """

    def __init__(self, points: Floats) -> None:
        if len(points) > 1 and np.allclose(points[0], points[-1]):
            points = points[:-1]
        if len(points) < 3:
            raise TaskError(
                f"the track has {len(points)} corners; draw a closed line with at least three"
            )
        self.points = self._start = points
        self._edge = np.roll(points, -1, axis=0) - points
        self._size = np.hypot(self._edge[:, 0], self._edge[:, 1])
        self._before = np.concatenate([[0.0], np.cumsum(self._size)[:-1]])
        self.length = float(self._size.sum())
        self._direction = self._edge / self._size[:, None]

    def pose(self, place: Floats) -> tuple[Floats, Floats, Floats]:
        """x, y [m] and heading [rad] at places along the track [m], shape (n,) each."""
        segment = np.searchsorted(self._before, place, side="right") - 1
        direction = self._direction[segment]
        point = self._start[segment] + (place - self._before[segment])[:, None] * direction
        return point[:, 0], point[:, 1], np.arctan2(direction[:, 1], direction[:, 0])

    def nearest(self, points: Floats) -> tuple[Floats, Floats]:
        """Places along the track [m] nearest to points, shape (n, 2), and the distances [m]."""
        x = points[:, 0, None] - self._start[:, 0]
        y = points[:, 1, None] - self._start[:, 1]
        along = np.clip(x * self._direction[:, 0] + y * self._direction[:, 1], 0.0, self._size)
        x -= along * self._direction[:, 0]
        y -= along * self._direction[:, 1]
        squared = x * x + y * y
        best = squared.argmin(axis=1)
        rows = np.arange(len(points))
        return self._before[best] + along[rows, best], np.sqrt(squared[rows, best])

    def way(self, before: Floats, after: Floats) -> Floats:
        """Ways from places to places along the track [m], the shorter one, negative backwards."""
        return (after - before + 0.5 * self.length) % self.length - 0.5 * self.length
