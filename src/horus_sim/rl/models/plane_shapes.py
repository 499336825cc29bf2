"""Circles, boxes and walls of environments, seen from above, for lidars and bumpers.

Rays in the plane cost a tenth of those through a physics engine's shapes, and need none of them in
its model.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim._native import RlPlane
from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats, Rows


class Plane:
    """What stands about the robots; tasks write the arrays.

    Args:
        num_envs: How many environments.
        circles: How many circles in each.
        boxes: How many boxes in each.
        walls: How many walls in each.
        threads: Most threads for rays; 0 for one a processor. The results are the same.

    Attributes:
        circles: x, y, radius [m], shape (num_envs, circles, 3).
        boxes: x, y [m], yaw [rad], half length, half width [m], shape (num_envs, boxes, 5).
        walls: x, y of both ends [m], shape (num_envs, walls, 4).
        native: The same arrays, for compiled code.
    """

    def __init__(
        self, num_envs: int, *, circles: int = 0, boxes: int = 0, walls: int = 0, threads: int = 0
    ) -> None:
        self.circles: Floats = np.zeros((num_envs, circles, 3))
        self.boxes: Floats = np.zeros((num_envs, boxes, 5))
        self.walls: Floats = np.zeros((num_envs, walls, 4))
        self.native = RlPlane(self.circles, self.boxes, self.walls, threads)

    def rays(
        self,
        rows: Rows,
        headings: npt.ArrayLike,
        directions: npt.ArrayLike,
        max_range: float = np.inf,
    ) -> Floats:
        """Distances [m] to the first edge, infinity where there is none, shape (n, rays).

        Within a circle or box it is the way out.

        Args:
            rows: The n environments: `slice(None)` or ids.
            headings: x, y [m], cosine and sine of the yaw of the lidars, world, shape (n, 4).
            directions: Directions of the rays, unit vectors in the lidar's frame, shape (rays, 2).
            max_range: How far rays see [m].

        Raises:
            TaskError: A shape does not fit.
        """
        count = self._count(rows)
        poses = _checked("headings", headings, (count, 4))
        given = np.ascontiguousarray(directions, np.float64)
        out = np.empty((count, len(given)))
        ids = None if isinstance(rows, slice) else rows
        rays = _checked("directions", given, (len(given), 2))
        self.native.cast(ids, poses, rays, max_range, out)
        return out

    def clearance(self, rows: Rows, points: npt.ArrayLike, open_space: float = np.inf) -> Floats:
        """Distances [m] from points to the nearest edge, negative within a circle or box, (n,).

        Args:
            rows: The n environments: `slice(None)` or ids.
            points: x, y [m], shape (n, 2).
            open_space: The largest that is given.

        Raises:
            TaskError: A shape does not fit.
        """
        count = self._count(rows)
        out = np.empty(count)
        ids = None if isinstance(rows, slice) else rows
        self.native.clearance(ids, _checked("points", points, (count, 2)), open_space, out)
        return out

    def _count(self, rows: Rows) -> int:
        return len(self.circles) if isinstance(rows, slice) else len(rows)


def _checked(name: str, values: npt.ArrayLike, shape: tuple[int, int]) -> Floats:
    array = np.ascontiguousarray(values, np.float64)
    if array.shape != shape:
        raise TaskError(f"{name} have shape {array.shape}; give {shape}, a row for each")
    return array
