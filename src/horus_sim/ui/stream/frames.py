"""What changes from frame to frame, as bytes: poses, clouds, frames of transform trees.

A frame is a header (a number that names what the arrays belong to, and the simulated time in
seconds as a double) and float32 arrays. `streaming.envelope` puts the name of its channel before
it; `views/js/connection.js` reads both.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.tf import Transform

_HEADER = struct.Struct("<Id")
Floats = npt.NDArray[np.float32]


def header(number: int, time: float) -> bytes:
    """The first 12 bytes of a frame.

    Args:
        number: Generation of the model, version of a list of frames, or index of a sensor.
        time: Simulated time [s].
    """
    return _HEADER.pack(number & 0xFFFFFFFF, time)


def pose_frame(world: World, number: int) -> bytes:
    """Every body's pose: float32 (n, 7), position [m] and quaternion xyzw, world frame."""
    data = world.data
    poses = np.empty((world.model.nbody, 7), dtype=np.float32)
    poses[:, :3] = data.xpos
    poses[:, 3:6] = data.xquat[:, 1:]
    poses[:, 6] = data.xquat[:, 0]
    return header(number, world.time) + poses.tobytes()


def cloud_frame(
    points: npt.NDArray[np.floating],
    origin: Sequence[float] | npt.NDArray[np.floating],
    time: float,
    number: int = 0,
) -> bytes:
    """Points [m], world frame, shape (n, 3), where they were seen from, and by which sensor."""
    rows = np.concatenate((np.asarray(origin, dtype=np.float32).reshape(1, 3), points))
    return header(number, time) + np.ascontiguousarray(rows, dtype=np.float32).tobytes()


def transform_frame(poses: Sequence[Transform | None], number: int, time: float) -> bytes:
    """Poses of frames: float32 (n, 7); NaN where there is none.

    Args:
        poses: T_root_frame of each.
        number: Version of the list of names that these belong to.
        time: Time [s].
    """
    rows = np.full((len(poses), 7), np.nan, dtype=np.float32)
    for row, pose in zip(rows, poses, strict=True):
        if pose is not None:
            row[:3] = pose.translation
            row[3:] = pose.rotation
    return header(number, time) + rows.tobytes()
