"""A view from outside that shows all there is."""

from __future__ import annotations

import math

import numpy as np

from horus_sim.robots.engine import mujoco

AZIMUTH_DEG = 135.0
ELEVATION_DEG = -40.0
_SMALLEST_RADIUS = 0.1


def free_view(model: mujoco.MjModel, data: mujoco.MjData) -> mujoco.MjvCamera:
    """A camera that looks at the middle of all shapes, from behind, the left and above.

    Planes do not count: they have no end.

    Args:
        model: The model.
        data: State whose poses are up to date.
    """
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FREE
    camera.azimuth, camera.elevation = AZIMUTH_DEG, ELEVATION_DEG
    is_bounded = model.geom_rbound > 0.0
    radii = model.geom_rbound[is_bounded, None]
    centres = data.geom_xpos[is_bounded]
    radius = 1.0
    if len(centres):
        lowest, highest = (centres - radii).min(axis=0), (centres + radii).max(axis=0)
        camera.lookat[:] = (lowest + highest) / 2.0
        # The box of the bounding balls is larger than what is seen; its half diagonal is too far.
        radius = max(_SMALLEST_RADIUS, 0.4 * float(np.linalg.norm(highest - lowest)))
    half_fovy = math.radians(float(model.vis.global_.fovy)) / 2.0
    camera.distance = radius / math.sin(half_fovy)
    return camera
