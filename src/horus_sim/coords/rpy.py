"""Roll, pitch and yaw as quaternions and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.coords.checks import Float64Array, checked_item
from horus_sim.tf import Transform


def rpy_to_quat_xyzw(rpy: npt.ArrayLike) -> Float64Array:
    """The quaternion of roll, pitch and yaw.

    Args:
        rpy: Angles [rad] about the fixed axes x, y, z in this order, as in URDF, shape (3,).

    Returns:
        Unit quaternion xyzw, shape (4,).

    Raises:
        ConventionError: `rpy` is not three finite numbers.
    """
    angles = checked_item(rpy, (3,), "rpy", "pass roll, pitch and yaw [rad]")
    return Transform.from_euler((0.0, 0.0, 0.0), angles).rotation


def quat_xyzw_to_rpy(quat_xyzw: Float64Array) -> Float64Array:
    """Roll, pitch and yaw of a quaternion.

    Args:
        quat_xyzw: Unit quaternion xyzw, shape (4,).

    Returns:
        Angles [rad] about the fixed axes x, y, z in this order, shape (3,); pitch within ±π/2, and
        roll 0 where roll and yaw turn about one axis.
    """
    return np.asarray(Transform(rotation=quat_xyzw).to_euler(), dtype=np.float64)
