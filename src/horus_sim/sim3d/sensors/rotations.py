"""Rotations by quaternions xyzw, for the noise of orientations.

SciPy's `Rotation` does the same: a call takes as long, but its import takes half a second, which
every world with an IMU would wait for, and its last bits differ, which recordings would notice.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def rotate(quaternions: npt.ArrayLike, vectors: npt.ArrayLike) -> Floats:
    """Vectors turned by unit quaternions: from the frame that they describe into the one above.

    Args:
        quaternions: xyzw, shape (..., 4).
        vectors: Shape (..., 3); both are broadcast.
    """
    q = np.asarray(quaternions, dtype=np.float64)
    v = np.asarray(vectors, dtype=np.float64)
    axis, w = q[..., :3], q[..., 3:]
    across = 2.0 * np.cross(axis, v)
    return v + w * across + np.cross(axis, across)


def multiply(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """The products of quaternions xyzw: `second` is applied first; shape (..., 4)."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    v1, w1, v2, w2 = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = w1 * v2 + w2 * v1 + np.cross(v1, v2)
    scalar = w1 * w2 - np.sum(v1 * v2, axis=-1, keepdims=True)
    return np.concatenate((vector, scalar), axis=-1)


def from_rotation_vector(vectors: npt.ArrayLike) -> Floats:
    """Quaternions xyzw of rotation vectors [rad], shape (..., 3) to (..., 4)."""
    v = np.asarray(vectors, dtype=np.float64)
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate((0.5 * np.sinc(half / np.pi) * v, np.cos(half)), axis=-1)


def to_rotation_vector(quaternions: npt.ArrayLike) -> Floats:
    """Rotation vectors [rad] of unit quaternions xyzw, the short way; (..., 4) to (..., 3)."""
    q = np.asarray(quaternions, dtype=np.float64)
    q = np.where(q[..., 3:] < 0.0, -q, q)
    size = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, q[..., 3:])
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(size > 1e-12, angle / size, 2.0)
    return factor * q[..., :3]
