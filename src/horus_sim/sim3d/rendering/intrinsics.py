"""How a camera projects: pinhole matrix and lens distortion.

Pixel (0, 0) is the middle of the upper left pixel, u counts to the right and v downwards. In the
optical frame x points right, y down and z forward, so that ``(u, v, 1) = K (x, y, z) / z``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError
from horus_sim.sim3d.rendering.distortion import Distortion, distort, fold_radius, undistort
from horus_sim.sim3d.rendering.resampling import Resampling

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Intrinsics:
    """A pinhole camera, with a lens or without.

    Attributes:
        width: [pixels].
        height: [pixels].
        fx: Focal length along u [pixels].
        fy: Focal length along v [pixels].
        cx: Where the optical axis meets the image, along u [pixels].
        cy: The same along v [pixels].
        distortion: k1, k2, p1, p2, k3 of the lens (model 'plumb_bob'), or None.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: Distortion | None = None

    @classmethod
    def from_fov(
        cls, width: int, height: int, fov: float, distortion: Distortion | None = None
    ) -> Intrinsics:
        """Square pixels and the axis in the middle.

        Args:
            width: [pixels].
            height: [pixels].
            fov: Horizontal field of view without the lens, from edge to edge of the image [rad].
            distortion: Distortion of the lens.
        """
        focal = 0.5 * width / math.tan(0.5 * fov)
        middle = 0.5 * (width - 1), 0.5 * (height - 1)
        return cls(width, height, focal, focal, *middle, distortion)

    @classmethod
    def from_matrix(
        cls, width: int, height: int, K: npt.ArrayLike, distortion: Distortion | None = None
    ) -> Intrinsics:
        """From a matrix [pixels], shape (3, 3)."""
        (fx, _, cx), (_, fy, cy), _ = np.asarray(K, dtype=np.float64).tolist()
        return cls(width, height, fx, fy, cx, cy, distortion)

    @property
    def K(self) -> Floats:
        """The pinhole matrix [pixels], shape (3, 3)."""
        return np.array(((self.fx, 0.0, self.cx), (0.0, self.fy, self.cy), (0.0, 0.0, 1.0)))

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, right, top and bottom edge of the image on the plane z = 1, without the lens."""
        return (
            (-0.5 - self.cx) / self.fx,
            (self.width - 0.5 - self.cx) / self.fx,
            (-0.5 - self.cy) / self.fy,
            (self.height - 0.5 - self.cy) / self.fy,
        )

    def normalized(self) -> tuple[Floats, Floats]:
        """Where pixels would look on the plane z = 1 without the lens: x of columns, y of rows."""
        x = (np.arange(self.width, dtype=np.float64) - self.cx) / self.fx
        y = (np.arange(self.height, dtype=np.float64) - self.cy) / self.fy
        return x, y

    def rays(self) -> tuple[Floats, Floats]:
        """Where each pixel looks on the plane z = 1 through the lens, optical frame.

        Returns:
            x and y, each of the shape (height, width); not numbers where the lens sees nothing.
        """
        return _rays(self)

    def unproject(self, depth: npt.ArrayLike) -> Floats:
        """Points of a depth image, through the lens.

        Args:
            depth: Along the optical axis [m], shape (height, width).

        Returns:
            Points [m], optical frame, shape (height, width, 3); not finite where the depth is not,
            nor where the lens sees nothing.
        """
        z = np.asarray(depth, dtype=np.float64)
        x, y = self.rays()
        with np.errstate(invalid="ignore"):
            return np.stack((z * x, z * y, z), axis=-1)

    def project(self, points: npt.ArrayLike) -> Floats:
        """Pixels of points, through the lens.

        Args:
            points: [m], optical frame, shape (n, 3).

        Returns:
            u and v [pixels], shape (n, 2); beyond the image for points beside it. Not numbers for
            points that are not before the camera, or farther out than the lens can show.

        Raises:
            SceneError: The points have another shape.
        """
        x, y, z = _rows(points, "points", 3)
        before = np.where(z > 0.0, z, np.nan)
        return self._pixels(x / before, y / before)

    def undistort_points(self, pixels: npt.ArrayLike) -> Floats:
        """Where the same camera without the lens shows what this one shows at some pixels.

        Args:
            pixels: u and v [pixels], shape (n, 2).

        Returns:
            u and v [pixels], shape (n, 2); not numbers where the lens sees nothing.

        Raises:
            SceneError: The pixels have another shape.
        """
        u, v = _rows(pixels, "pixels", 2)
        if self.distortion is None:
            return np.column_stack((u, v))
        x, y = (u - self.cx) / self.fx, (v - self.cy) / self.fy
        return self.without_lens()._pixels(*undistort(x, y, self.distortion))

    def undistort(self, image: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """An image as the same camera without the lens takes it.

        Args:
            image: Image of this camera: colours, shape (height, width, 3), which are interpolated;
                depths [m], which are interpolated along surfaces; or labels, which are taken from
                the nearest pixel; both of the shape (height, width).

        Returns:
            An image of the same shape and type; black, infinite or 0 where the lens sees nothing.

        Raises:
            SceneError: The image has another size.
        """
        image = np.asarray(image)
        if image.shape[:2] != (self.height, self.width):
            size = " by ".join(str(length) for length in image.shape[1::-1])
            raise SceneError(
                f"an image of {size} pixels cannot be undistorted: the camera has {self.width} by "
                f"{self.height}; use the intrinsics of the camera that took it"
            )
        if self.distortion is None:
            return image.copy()
        resampling = _without_lens(self)
        if image.ndim > 2:
            return resampling.blend(image)
        if np.issubdtype(image.dtype, np.floating):
            return resampling.depths(image)
        return resampling.pick(image, 0)

    def without_lens(self) -> Intrinsics:
        """The same camera without distortion."""
        return replace(self, distortion=None)

    def reduced(self, factor: int) -> Intrinsics:
        """The same view with blocks of `factor` by `factor` pixels as pixels."""
        return Intrinsics(
            self.width // factor,
            self.height // factor,
            self.fx / factor,
            self.fy / factor,
            (self.cx + 0.5) / factor - 0.5,
            (self.cy + 0.5) / factor - 0.5,
            self.distortion,
        )

    def _pixels(self, x: Floats, y: Floats) -> Floats:
        """Pixels of points of the plane z = 1, shape (n, 2)."""
        if self.distortion is not None:
            # Beyond the circle a lens would show points twice.
            shown = np.hypot(x, y) <= fold_radius(self.distortion)
            x, y = np.where(shown, x, np.nan), np.where(shown, y, np.nan)
            x, y = distort(x, y, self.distortion)
        return np.column_stack((self.fx * x + self.cx, self.fy * y + self.cy))


def _rows(values: npt.ArrayLike, what: str, size: int) -> Floats:
    """Points as columns, shape (size, n)."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SceneError(f"{what} must be numbers, shape (n, {size}): {error}") from error
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise SceneError(f"{what} must have the shape (n, {size}), not {array.shape}")
    return array.reshape(-1, size).T


# A camera asks for the same again with every image, and an inversion takes some 0.1 s.
@lru_cache(maxsize=8)
def _rays(camera: Intrinsics) -> tuple[Floats, Floats]:
    shape = camera.height, camera.width
    x, y = camera.normalized()
    rays = np.broadcast_to(x, shape), np.broadcast_to(y[:, None], shape)
    if camera.distortion is not None:
        rays = undistort(*rays, camera.distortion)
    for array in rays:
        array.flags.writeable = False
    return rays


@lru_cache(maxsize=8)
def _without_lens(camera: Intrinsics) -> Resampling:
    """From images through the lens to those without."""
    plain = camera.without_lens()
    x, y = (array.ravel() for array in _rays(plain))
    u, v = camera._pixels(x, y).T.reshape(2, camera.height, camera.width)
    return Resampling(u, v, camera.width, camera.height)
