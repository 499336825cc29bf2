"""Where robots have been."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.ui.stream.frames2d import trace_2d

if TYPE_CHECKING:
    from horus_sim.sim2d import Simulator

_STEP_M = 0.01
_MOST_POINTS = 4000
_MOST_POINTS_OF_ALL = 20_000
_LEAST_POINTS = 50


class Trace:
    """Points of every robot's path, a centimetre or more from each other.

    Each has at most 4,000, and fewer where there are many robots: 20,000 for all of them.

    Args:
        sim: Simulator of the robots; call `add` after each step.
    """

    def __init__(self, sim: Simulator) -> None:
        self.follow(sim)
        self._paths: list[list[tuple[float, float, float]]] = [[] for _ in self._bodies]
        share = _MOST_POINTS_OF_ALL // max(1, len(self._bodies))
        self._most = max(_LEAST_POINTS, min(_MOST_POINTS, share))
        self.has_changed = True

    def add(self) -> None:
        """Takes where the robots are now."""
        for body, path in zip(self._bodies, self._paths, strict=True):
            x, y, _ = body.pose
            if path and math.hypot(x - path[-1][1], y - path[-1][2]) < _STEP_M:
                continue
            path.append((self._sim.time, x, y))
            self.has_changed = True
            if len(path) > self._most:
                # Every other old point goes; the newest stay dense.
                path[: self._most // 2] = path[: self._most // 2 : 2]

    def rewind(self, time_s: float = -1.0) -> None:
        """Forgets what came later; everything unless a time is given."""
        for path in self._paths:
            while path and path[-1][0] > time_s:
                path.pop()
        self.has_changed = True

    def follow(self, sim: Simulator) -> None:
        """Goes on with another simulator of the same scenario."""
        self._sim = sim
        self._bodies = [next(iter(robot.bodies.values())) for robot in sim.robots.values()]

    def frame(self, revision: int) -> bytes:
        """The paths for the stream."""
        self.has_changed = False
        paths = [
            np.array([point[1:] for point in path], dtype=np.float32).reshape(-1, 2)
            for path in self._paths
        ]
        return trace_2d(paths, revision, self._sim.time)
