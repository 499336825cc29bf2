"""What changes from frame to frame in a 2D world, as bytes for `view2d.js`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from horus_sim.ui.stream.frames import header


def frame_2d(
    poses: npt.NDArray[np.float64],
    readings: npt.NDArray[np.float64],
    wheels: npt.NDArray[np.float64],
    revision: int,
    time: float,
) -> bytes:
    """What changes from frame to frame, as bytes for the stream.

    Args:
        poses: x, y [m], theta [rad] of the moving bodies, world frame, shape (n, 3).
        readings: Readings of all sensors, shape (m,).
        wheels: Command and speed [rad/s], shape (k, 2).
        revision: Revision of the scene.
        time: Simulated time [s].
    """
    counts = np.array([len(poses), len(readings), len(wheels)], dtype=np.float32)
    parts = (counts, poses, readings, wheels)
    values = b"".join(np.asarray(part, dtype=np.float32).tobytes() for part in parts)
    return header(revision, time) + values


def trace_2d(paths: Sequence[npt.NDArray[np.float32]], revision: int, time: float) -> bytes:
    """Paths of robots, as bytes for the stream.

    Args:
        paths: Points [m] of each robot, world frame, shape (n, 2).
        revision: Revision of the scene.
        time: Simulated time [s].
    """
    parts = [np.array([len(paths)], dtype=np.float32)]
    for path in paths:
        parts += [np.array([len(path)], dtype=np.float32), path.astype(np.float32).ravel()]
    return header(revision, time) + b"".join(part.tobytes() for part in parts)
