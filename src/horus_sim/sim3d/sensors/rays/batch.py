"""Rays for many environments at once, on MuJoCo's batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from horus_sim.sim3d.compile.geoms import COLLISION_GROUP

if TYPE_CHECKING:
    from mujoco.batch import Batch

Floats = npt.NDArray[np.float64]
_GROUPS = 6


def batch_ranges(
    batch: Batch,
    positions_w: Floats,
    directions_w: Floats,
    range_max: float = 20.0,
    groups: npt.NDArray[np.uint8] | None = None,
    ids: npt.NDArray[np.int64] | None = None,
    exclude_body: int = -1,
) -> Floats:
    """Ideal distances that a lidar measures in every environment.

    Rays meet what is drawn. They are MuJoCo's own, one after the other on the batch's threads: fit
    for some dozens of rays an environment among primitives, not for meshes.

    Args:
        batch: The environments.
        positions_w: Places of the sensors [m], world frame, shape (n_env, 3).
        directions_w: Unit vectors, world frame, shape (n_env, n_rays, 3).
        range_max: Longest distance that is measured [m].
        groups: Whether each group of shapes is met, shape (6,); all that is drawn unless given.
        ids: The environments that are looked at, shape (n_env,); all unless given.
        exclude_body: Body that rays pass through, such as the one that carries the sensor.

    Returns:
        Distances [m], shape (n_env, n_rays): infinite where nothing is within range.
    """
    origins_w = np.broadcast_to(positions_w[:, None], directions_w.shape)
    met = np.arange(_GROUPS) < COLLISION_GROUP if groups is None else groups
    distances, _ = batch.ray(origins_w, directions_w, met, True, exclude_body, ids=ids)  # noqa: FBT003
    distances[(distances < 0.0) | (distances > range_max)] = np.inf
    return distances
