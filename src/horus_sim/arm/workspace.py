"""The points that the tool reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.checks import as_count

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm

_MOST = 100_000_000


def finite_limits(arm: Arm) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Smallest and largest positions, each (dof,); a continuous joint has one turn, -pi to pi."""
    return (
        np.where(np.isfinite(arm.lower), arm.lower, -np.pi),
        np.where(np.isfinite(arm.upper), arm.upper, np.pi),
    )


def random_configurations(arm: Arm, n: int, seed: int = 0) -> npt.NDArray[np.float64]:
    """Configurations uniform within limits; a continuous joint is drawn from one turn.

    Args:
        arm: The arm.
        n: How many, at most 100 million.
        seed: The same seed gives the same numbers.

    Returns:
        Joint positions [rad, m], shape (n, dof).
    """
    n = as_count(n, "n", least=1, most=_MOST)
    lower, upper = finite_limits(arm)
    # Not `uniform`, which some processors round once less.
    return lower + (upper - lower) * np.random.default_rng(seed).random((n, arm.dof))


def workspace_cloud(arm: Arm, n: int = 10_000, seed: int = 0) -> npt.NDArray[np.float64]:
    """Tool positions of random configurations within limits.

    Args:
        arm: The arm.
        n: How many, at most 100 million.
        seed: The same seed gives the same points.

    Returns:
        Points [m], world coordinates, shape (n, 3).
    """
    return np.ascontiguousarray(arm.fk_batch(random_configurations(arm, n, seed))[:, :3, 3])
