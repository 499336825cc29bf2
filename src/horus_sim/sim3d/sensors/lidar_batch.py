"""Rays for many environments at once, on MuJoCo's batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from horus_sim.sim3d.sensors.rays import HIDDEN_GROUP

if TYPE_CHECKING:
    from mujoco.batch import Batch

Floats = npt.NDArray[np.float64]
_GROUPS = 6


def batch_ranges(
    batch: Batch,
    positions_w: Floats,
    rotations_w: Floats,
    directions: Floats,
    range_min: float = 0.1,
    range_max: float = 20.0,
    exclude_body: int = -1,
) -> Floats:
    """Ideal distances that a lidar measures in every environment.

    Rays meet what is drawn. They are MuJoCo's own, one after the other on the batch's threads: fit
    for some dozens of rays an environment among primitives, not for meshes.

    Args:
        batch: The environments.
        positions_w: Of the sensors [m], world frame, shape (n_env, 3).
        rotations_w: R_world_sensor, shape (n_env, 3, 3).
        directions: Unit vectors, sensor frame, shape (n_rays, 3).
        range_min: Shortest distance that is measured [m].
        range_max: Longest distance that is measured [m].
        exclude_body: Body that rays pass through, such as the one that carries the sensor.

    Returns:
        Distances [m], shape (n_env, n_rays): infinite where nothing is within range, minus infinite
        where something is too near.
    """
    directions_w = np.einsum("eij,rj->eri", rotations_w, directions)
    origins_w = np.broadcast_to(positions_w[:, None], directions_w.shape)
    groups = np.arange(_GROUPS) < HIDDEN_GROUP
    distances, _ = batch.ray(origins_w, directions_w, groups, True, exclude_body)  # noqa: FBT003
    distances[(distances < 0.0) | (distances > range_max)] = np.inf
    distances[distances < range_min] = -np.inf
    return distances
