"""How well the tool can move in a configuration: manipulability, ellipsoid, singularity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.checks import check_mode
from horus_sim.arm.workspace import random_configurations

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm, Mode


_RANK_SAMPLES = 4
_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class VelocityEllipsoid:
    """Where unit joint velocities take the tool.

    Attributes:
        axes: Unit vectors as columns, world coordinates, shape (3, 3), longest first.
        radii: Half lengths along them [m/s] for joint velocities of norm 1, shape (3,).
    """

    axes: npt.NDArray[np.floating]
    radii: npt.NDArray[np.floating]


def manipulability(
    arm: Arm, q: npt.ArrayLike, *, mode: Mode = "position"
) -> npt.NDArray[np.floating] | float:
    """Yoshikawa's measure: the product of the Jacobian's singular values, 0 where it is singular.

    Directions in which the arm can never move, such as z for a planar arm, do not count.

    Args:
        arm: The arm.
        q: Joint positions, shape (dof,) or (N, dof).
        mode: 'position' for the linear part, 'pose' for all six rows.

    Returns:
        A number, or shape (N,).
    """
    values = _singular_values(arm, q, mode).prod(axis=-1)
    return float(values) if np.ndim(values) == 0 else values


def singularity(
    arm: Arm, q: npt.ArrayLike, *, mode: Mode = "position"
) -> npt.NDArray[np.floating] | float:
    """The smallest singular value of the Jacobian over its largest: 0 singular, 1 isotropic.

    For a pose, the linear rows are divided by a quarter of the reach, so that both kinds are
    numbers of one unit. Directions in which the arm can never move do not count.

    Args:
        arm: The arm.
        q: Joint positions, shape (dof,) or (N, dof).
        mode: 'position' or 'pose'.

    Returns:
        A number from 0 to 1, or shape (N,).
    """
    values = _singular_values(arm, q, mode, length=0.25 * arm.reach)
    ratio = values[..., -1] / np.maximum(values[..., 0], np.finfo(float).tiny)
    return float(ratio) if np.ndim(ratio) == 0 else ratio


def velocity_ellipsoid(arm: Arm, q: npt.ArrayLike) -> VelocityEllipsoid:
    """The ellipsoid of the tool's linear velocity for joint velocities of norm 1.

    Args:
        arm: The arm.
        q: Joint positions, shape (dof,).
    """
    axes, radii, _ = np.linalg.svd(arm.jacobian(q)[:3])
    return VelocityEllipsoid(axes, np.pad(radii, (0, 3 - len(radii))))


def _singular_values(
    arm: Arm, q: npt.ArrayLike, mode: str, length: float = 1.0
) -> npt.NDArray[np.floating]:
    """Singular values, largest first, without those that are zero in every configuration."""
    check_mode(mode)
    rows = 3 if mode == "position" else 6
    scale = np.ones((rows, 1))
    scale[:3] = 1.0 if mode == "position" else 1.0 / length
    values = np.linalg.svd(arm.jacobian(q)[..., :rows, :] * scale, compute_uv=False)
    samples = arm.jacobian(random_configurations(arm, _RANK_SAMPLES))[:, :rows] * scale
    rank = int(np.linalg.matrix_rank(samples, tol=_RANK_TOLERANCE).max())
    return values[..., : max(rank, 1)]
