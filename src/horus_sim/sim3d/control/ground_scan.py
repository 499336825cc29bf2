"""How high the ground about a robot is, as a perfect map would tell it."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
_ABOVE, _STEP = 0.5, 1e-4  # [m]
_MOST_HITS = 8


class GroundScan:
    """Looks straight down at points about the root, through the robot itself.

    Args:
        model: The compiled model.
        data: Its state.
        body: The root body of the robot.
        points: Where, ahead and to the left along the heading [m], shape (n, 2).
        deepest: What is farther below the root than this counts as that deep [m].
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        body: int,
        points: FloatArray,
        deepest: float,
    ) -> None:
        self._model, self._data, self._body = model, data, body
        self._points, self._deepest = points, deepest
        self._own = np.isin(model.body_rootid[model.geom_bodyid], model.body_rootid[body])
        self._geom = np.zeros(1, np.int32)

    def heights(self) -> FloatArray:
        """Heights of the ground against the root [m], shape (n,)."""
        rotation = self._data.xmat[self._body]
        at = self._data.xpos[self._body]
        heading = math.hypot(rotation[0], rotation[3]) or 1.0
        cos, sin = rotation[0] / heading, rotation[3] / heading
        ahead, aside = self._points.T
        x, y = at[0] + cos * ahead - sin * aside, at[1] + sin * ahead + cos * aside
        places = zip(x.tolist(), y.tolist(), strict=True)
        return np.array([self._below(*place, float(at[2])) for place in places])

    def _below(self, x: float, y: float, z: float) -> float:
        down, start = np.array((0.0, 0.0, -1.0)), z + _ABOVE
        for _ in range(_MOST_HITS):
            point = np.array((x, y, start))
            away = mujoco.mj_ray(
                self._model, self._data, point, down, None, 1, self._body, self._geom
            )
            if away < 0:
                break
            start -= away
            if not self._own[self._geom[0]]:
                return max(start - z, -self._deepest)
            start -= _STEP
        return -self._deepest
