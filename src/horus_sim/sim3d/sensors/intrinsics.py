"""How a camera projects: pinhole matrix and lens distortion.

Pixel (0, 0) is the middle of the upper left pixel, u counts to the right and v downwards. In the
optical frame x points right, y down and z forward, so that ``(u, v, 1) = K (x, y, z) / z``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
PLUMB_BOB = 5
"""Number of coefficients of the model: k1, k2, p1, p2, k3."""

_ROUNDS = 30
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class Intrinsics:
    """A pinhole camera.

    Attributes:
        width: [pixels].
        height: [pixels].
        fx: Focal length along u [pixels].
        fy: Focal length along v [pixels].
        cx: Where the optical axis meets the image, along u [pixels].
        cy: The same along v [pixels].
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    @classmethod
    def from_fov(cls, width: int, height: int, fov: float) -> Intrinsics:
        """Square pixels and the axis in the middle.

        Args:
            width: [pixels].
            height: [pixels].
            fov: Horizontal field of view, from edge to edge of the image [rad].
        """
        focal = 0.5 * width / math.tan(0.5 * fov)
        return cls(width, height, focal, focal, 0.5 * (width - 1), 0.5 * (height - 1))

    @classmethod
    def from_matrix(cls, width: int, height: int, K: npt.ArrayLike) -> Intrinsics:
        """From a matrix [pixels], shape (3, 3)."""
        K = np.asarray(K, dtype=np.float64)
        return cls(width, height, K[0, 0], K[1, 1], K[0, 2], K[1, 2])

    @property
    def K(self) -> Floats:
        """The pinhole matrix [pixels], shape (3, 3)."""
        return np.array(((self.fx, 0.0, self.cx), (0.0, self.fy, self.cy), (0.0, 0.0, 1.0)))

    @property
    def fov(self) -> float:
        """Horizontal field of view, from edge to edge of the image [rad]."""
        left, right, _, _ = self.edges
        return math.atan(-left) + math.atan(right)

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, right, top and bottom edge of the image on the plane z = 1, optical frame."""
        return (
            (-0.5 - self.cx) / self.fx,
            (self.width - 0.5 - self.cx) / self.fx,
            (-0.5 - self.cy) / self.fy,
            (self.height - 0.5 - self.cy) / self.fy,
        )

    def normalized(self) -> tuple[Floats, Floats]:
        """Where each pixel looks on the plane z = 1: x of columns, y of rows, optical frame."""
        x = (np.arange(self.width, dtype=np.float64) - self.cx) / self.fx
        y = (np.arange(self.height, dtype=np.float64) - self.cy) / self.fy
        return x, y

    def unproject(self, depth: npt.ArrayLike) -> Floats:
        """Points of a depth image without distortion.

        Args:
            depth: Along the optical axis [m], shape (height, width).

        Returns:
            Points [m], optical frame, shape (height, width, 3); not finite where the depth is not.
        """
        z = np.asarray(depth, dtype=np.float64)
        x, y = self.normalized()
        with np.errstate(invalid="ignore"):
            return np.stack((z * x, z * y[:, None], z), axis=-1)

    def project(self, points: npt.ArrayLike) -> Floats:
        """Pixels of points without distortion.

        Args:
            points: [m], optical frame, shape (n, 3).

        Returns:
            u and v [pixels], shape (n, 2).
        """
        x, y, z = np.asarray(points, dtype=np.float64).T
        return np.column_stack((self.fx * x / z + self.cx, self.fy * y / z + self.cy))

    def reduced(self, factor: int) -> Intrinsics:
        """The same view with blocks of `factor` by `factor` pixels as pixels."""
        return Intrinsics(
            self.width // factor,
            self.height // factor,
            self.fx / factor,
            self.fy / factor,
            (self.cx + 0.5) / factor - 0.5,
            (self.cy + 0.5) / factor - 0.5,
        )


def distort(x: Floats, y: Floats, coefficients: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Where a lens puts points of the plane z = 1 (model 'plumb_bob').

    Args:
        x: To the right, any shape.
        y: Downwards, the same shape.
        coefficients: k1, k2, p1, p2, k3.
    """
    k1, k2, p1, p2, k3 = np.asarray(coefficients, dtype=np.float64)
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return (
        x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
        y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
    )


def undistort(x: Floats, y: Floats, coefficients: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The points of the plane z = 1 that a lens puts at given ones; the inverse of `distort`.

    Newton's method, within the circle up to which a lens moves points farther out the farther out
    they are. Points that nothing within it is moved to are not numbers.
    """
    goal_x, goal_y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    k1, k2, p1, p2, k3 = np.asarray(coefficients, dtype=np.float64)
    edge = _edge(float(k1), float(k2), float(k3))
    shrink = np.minimum(1.0, 0.9 * edge / np.maximum(np.hypot(goal_x, goal_y), _CLOSE))
    x, y = goal_x * shrink, goal_y * shrink
    with np.errstate(all="ignore"):
        for _ in range(_ROUNDS):
            at_x, at_y = distort(x, y, (k1, k2, p1, p2, k3))
            error_x, error_y = at_x - goal_x, at_y - goal_y
            if np.abs(error_x).max(initial=0.0) + np.abs(error_y).max(initial=0.0) < _CLOSE:
                break
            r2 = x * x + y * y
            radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
            slope = 2.0 * (k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3))
            a = radial + slope * x * x + 2.0 * p1 * y + 6.0 * p2 * x
            b = slope * x * y + 2.0 * p1 * x + 2.0 * p2 * y
            d = radial + slope * y * y + 6.0 * p1 * y + 2.0 * p2 * x
            scale = 1.0 / (a * d - b * b)
            x = x - scale * (d * error_x - b * error_y)
            y = y - scale * (a * error_y - b * error_x)
        at_x, at_y = distort(x, y, (k1, k2, p1, p2, k3))
        lost = ~((np.hypot(at_x - goal_x, at_y - goal_y) < 1e-9) & (np.hypot(x, y) <= edge))
    return np.where(lost, np.nan, x), np.where(lost, np.nan, y)


def _edge(k1: float, k2: float, k3: float) -> float:
    """The radius on the plane z = 1 at which a lens begins to fold the image back."""
    # Where the derivative of r (1 + k1 r^2 + k2 r^4 + k3 r^6) is zero, in terms of r^2.
    roots = np.roots((7.0 * k3, 5.0 * k2, 3.0 * k1, 1.0))
    squares = roots[(np.abs(roots.imag) < _CLOSE) & (roots.real > 0.0)].real
    return math.sqrt(float(squares.min())) if len(squares) else math.inf
