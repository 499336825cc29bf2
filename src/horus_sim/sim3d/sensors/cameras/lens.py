"""Images as a lens distorts them, from images without distortion."""

from __future__ import annotations

import math

import numpy as np

from horus_sim.errors import SceneError
from horus_sim.sim3d.rendering.intrinsics import Intrinsics
from horus_sim.sim3d.rendering.resampling import Resampling

_MOST_PIXELS = 4096
_FIELD = np.deg2rad(160.0)


class Lens:
    """Turns an image without distortion into one with it.

    Args:
        intrinsics: Projection of the camera with the lens.

    Attributes:
        ideal: How the image without distortion is to be taken.
        resampling: What turns that image into the one through the lens.
    """

    def __init__(self, intrinsics: Intrinsics) -> None:
        at_x, at_y = intrinsics.rays()
        widest = math.tan(0.5 * _FIELD)
        with np.errstate(invalid="ignore"):
            is_seen = (np.abs(at_x) < widest) & (np.abs(at_y) < widest)
        if not is_seen.any():
            raise SceneError("with this 'distortion' the camera sees nothing; use smaller numbers")
        left, right = float(at_x[is_seen].min()), float(at_x[is_seen].max())
        top, bottom = float(at_y[is_seen].min()), float(at_y[is_seen].max())
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
        u = np.where(is_seen, at_x, np.nan) * fx + self.ideal.cx
        v = np.where(is_seen, at_y, np.nan) * fy + self.ideal.cy
        self.resampling = Resampling(u, v, width, height)
