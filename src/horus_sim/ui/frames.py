"""What changes from frame to frame, as bytes: poses, physics, clouds, frames of transform trees.

A message is a header of 16 bytes (kind, three bytes unused, a number that names what the arrays
belong to, and the simulated time in seconds as a double) and float32 arrays. The numbers of the
kinds are also in `view3d.js`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.tf import Transform

_HEADER = struct.Struct("<BxxxId")
Floats = npt.NDArray[np.float32]


class Kind(IntEnum):
    """What a message holds."""

    POSES = 1
    PHYSICS = 2
    CLOUD = 3
    TRANSFORMS = 4
    IMAGE = 5
    SIM2D = 16
    SIM2D_TRACE = 17
    ARM = 32
    ARM_CLOUD = 33
    ARM_PATH = 34
    TILES = 48


def header(kind: Kind, number: int, time: float) -> bytes:
    """The first 16 bytes of a message.

    Args:
        kind: What follows.
        number: Generation of the model, version of a list of frames, or index of a sensor.
        time: Simulated time [s].
    """
    return _HEADER.pack(int(kind), number & 0xFFFFFFFF, time)


def pose_frame(world: World, number: int) -> bytes:
    """Every body's pose: float32 (n, 7), position [m] and quaternion xyzw, world frame."""
    data = world.data
    poses = np.empty((world.model.nbody, 7), dtype=np.float32)
    poses[:, :3] = data.xpos
    poses[:, 3:6] = data.xquat[:, 1:]
    poses[:, 6] = data.xquat[:, 0]
    return header(Kind.POSES, number, world.time) + poses.tobytes()


def physics_frame(world: World, number: int) -> bytes:
    """Contacts and velocities.

    Count of contacts as float32; then of each the point [m] and the force [N], shape (n, 6); then
    of each body the velocity [m/s] of its centre of mass, shape (nbody, 3). World frame.
    """
    contacts = world.contacts
    rows = np.array(
        [(*contact.position, *contact.force) for contact in contacts], dtype=np.float32
    ).reshape(-1, 6)
    model, data = world.model, world.forward()
    # MuJoCo keeps spatial velocities about the centre of mass of the whole tree.
    arms = data.xipos - data.subtree_com[model.body_rootid]
    velocities = data.cvel[:, 3:] + np.cross(data.cvel[:, :3], arms)
    count = np.array([len(rows)], dtype=np.float32)
    message = header(Kind.PHYSICS, number, world.time)
    return message + count.tobytes() + rows.tobytes() + velocities.astype(np.float32).tobytes()


def cloud_frame(
    points: npt.NDArray[np.floating],
    origin: Sequence[float] | npt.NDArray[np.floating],
    time: float,
    number: int = 0,
) -> bytes:
    """Points [m], world frame, shape (n, 3), where they were seen from, and by which sensor."""
    rows = np.concatenate((np.asarray(origin, dtype=np.float32).reshape(1, 3), points))
    return header(Kind.CLOUD, number, time) + np.ascontiguousarray(rows, dtype=np.float32).tobytes()


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
    return header(Kind.TRANSFORMS, number, time) + rows.tobytes()
