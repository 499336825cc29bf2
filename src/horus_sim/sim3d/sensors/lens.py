"""Images as a lens distorts them, from images without distortion."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError
from horus_sim.sim3d.sensors.intrinsics import Intrinsics, undistort

_Scalar = TypeVar("_Scalar", bound=np.generic)
_MOST_PIXELS = 4096
_FIELD = np.deg2rad(160.0)


class Lens:
    """Turns an image without distortion into one with it.

    Args:
        intrinsics: Of the camera with the lens.
        coefficients: k1, k2, p1, p2, k3 of the model 'plumb_bob'.

    Attributes:
        ideal: How the image without distortion is to be taken.
    """

    def __init__(self, intrinsics: Intrinsics, coefficients: npt.ArrayLike) -> None:
        x, y = intrinsics.normalized()
        shape = intrinsics.height, intrinsics.width
        at_x, at_y = undistort(
            np.broadcast_to(x, shape), np.broadcast_to(y[:, None], shape), coefficients
        )
        widest = math.tan(0.5 * _FIELD)
        with np.errstate(invalid="ignore"):
            self._is_seen = (np.abs(at_x) < widest) & (np.abs(at_y) < widest)
        if not self._is_seen.any():
            raise SceneError("with this 'distortion' the camera sees nothing; use smaller numbers")
        left, right = float(at_x[self._is_seen].min()), float(at_x[self._is_seen].max())
        top, bottom = float(at_y[self._is_seen].min()), float(at_y[self._is_seen].max())
        fx, fy = intrinsics.fx, intrinsics.fy
        # A pixel more on each side for the interpolation.
        width, height = (
            math.ceil(length) + 3 for length in ((right - left) * fx, (bottom - top) * fy)
        )
        if max(width, height) > _MOST_PIXELS:
            raise SceneError(
                f"with this 'distortion' the camera needs a picture of {width} by {height} pixels, "
                f"but {_MOST_PIXELS} is the most; use smaller numbers or a smaller image"
            )
        self.ideal = Intrinsics(width, height, fx, fy, 1.0 - left * fx, 1.0 - top * fy)
        u = np.where(self._is_seen, at_x, 0.0) * fx + self.ideal.cx
        v = np.where(self._is_seen, at_y, 0.0) * fy + self.ideal.cy
        self._column = np.clip(np.floor(u).astype(np.intp), 0, width - 2)
        self._row = np.clip(np.floor(v).astype(np.intp), 0, height - 2)
        self._right = (u - self._column).astype(np.float32)[..., None]
        self._down = (v - self._row).astype(np.float32)[..., None]
        self._nearest = np.rint(v).astype(np.intp), np.rint(u).astype(np.intp)

    def blend(self, image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Colours between pixels; black where the lens sees nothing, shape (height, width, 3)."""
        row, column, right, down = self._row, self._column, self._right, self._down
        above = image[row, column] * (1 - right) + image[row, column + 1] * right
        below = image[row + 1, column] * (1 - right) + image[row + 1, column + 1] * right
        mixed = np.rint(above * (1 - down) + below * down).astype(np.uint8)
        mixed[~self._is_seen] = 0
        return mixed

    def pick(self, image: npt.NDArray[_Scalar], nothing: float) -> npt.NDArray[_Scalar]:
        """Values of the nearest pixels, such as depths and numbers of things.

        Args:
            image: Without distortion, shape of `ideal`.
            nothing: Where the lens sees nothing.
        """
        picked = image[self._nearest]
        picked[~self._is_seen] = nothing
        return picked
