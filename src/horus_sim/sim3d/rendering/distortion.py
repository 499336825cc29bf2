"""Lens distortion on the plane z = 1 of the optical frame: OpenCV's and ROS's model 'plumb_bob'."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Distortion = tuple[float, float, float, float, float]
"""k1, k2, p1, p2, k3."""

_ROUNDS = 30
_CLOSE = 1e-12


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
    edge = fold_radius(coefficients)
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


def fold_radius(coefficients: npt.ArrayLike) -> float:
    """The radius on the plane z = 1 at which a lens begins to fold the image back."""
    k1, k2, _, _, k3 = np.asarray(coefficients, dtype=np.float64)
    # Where the derivative of r (1 + k1 r^2 + k2 r^4 + k3 r^6) is zero, in terms of r^2.
    roots = np.roots((7.0 * k3, 5.0 * k2, 3.0 * k1, 1.0))
    squares = roots[(np.abs(roots.imag) < _CLOSE) & (roots.real > 0.0)].real
    return math.sqrt(float(squares.min())) if len(squares) else math.inf
