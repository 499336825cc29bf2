"""Whether a box around a thing overlaps with a sphere or with a box along the world's axes."""

from __future__ import annotations

import numpy as np

from horus_sim.running.world.entity import Box, Floats
from horus_sim.tf import Transform

_PARALLEL = 1e-9


def overlaps_sphere(box: Box, T_world_box: Transform, center: Floats, radius: float) -> bool:
    """Whether a box overlaps with a sphere.

    Args:
        box: The box, in its own frame.
        T_world_box: Where that frame is.
        center: Middle of the sphere [m], world frame.
        radius: [m].
    """
    local = T_world_box.inverse().transform_point(center)
    nearest = np.clip(local, box.lower, box.upper)
    return float(np.linalg.norm(local - nearest)) <= radius


def overlaps_box(box: Box, T_world_box: Transform, lower: Floats, upper: Floats) -> bool:
    """Whether a box overlaps with one along the axes of the world: no axis separates them.

    Args:
        box: The box, in its own frame.
        T_world_box: Where that frame is.
        lower: Smallest coordinates of the other [m], world frame.
        upper: Its largest coordinates [m], world frame.
    """
    axes = T_world_box.to_matrix()[:3, :3]
    between = T_world_box.transform_point(box.center) - 0.5 * (lower + upper)
    half, other_half = box.half_size, 0.5 * (upper - lower)
    candidates = [*np.eye(3), *axes.T]
    candidates += [np.cross(mine, its) for mine in axes.T for its in np.eye(3)]
    for axis in candidates:
        if float(np.linalg.norm(axis)) < _PARALLEL:
            continue
        reach = float(np.abs(axes.T @ axis) @ half + np.abs(axis) @ other_half)
        if abs(float(between @ axis)) > reach:
            return False
    return True
