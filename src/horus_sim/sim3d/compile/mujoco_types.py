"""MuJoCo's own notation beside ours: quaternion order and poses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.tf import Transform


def quat_wxyz(T: Transform) -> npt.NDArray[np.float64]:
    """The rotation in MuJoCo's order, shape (4,)."""
    x, y, z, w = T.rotation
    return np.array((w, x, y, z))


def transform_of(
    position: npt.NDArray[np.float64], quaternion_wxyz: npt.NDArray[np.float64]
) -> Transform:
    """A transform from MuJoCo's position [m], shape (3,), and quaternion, shape (4,)."""
    w, x, y, z = quaternion_wxyz
    return Transform(tuple(position), (x, y, z, w))


def rotation_matrix(T: Transform) -> npt.NDArray[np.float64]:
    """The rotation as a matrix, shape (3, 3)."""
    return T.to_matrix()[:3, :3]


def rotation_from_z(direction: tuple[float, float, float]) -> Transform:
    """The shortest rotation that turns the z axis into a unit vector."""
    x, y, z = direction
    if z < -1 + 1e-12:
        return Transform((0, 0, 0), (1.0, 0.0, 0.0, 0.0))
    norm = float(np.sqrt(2 * (1 + z)))
    return Transform((0, 0, 0), (-y / norm, x / norm, 0.0, norm / 2))
