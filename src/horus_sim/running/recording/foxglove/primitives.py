"""Times, vectors and poses as Foxglove has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.running.recording.foxglove.sdk import messages as fox
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from horus_sim.tf import Transform


def timestamp(stamp_ns: int) -> fox.Timestamp:
    """A time [ns]."""
    return fox.Timestamp(*divmod(stamp_ns, NS_PER_S))


def vector(values: Iterable[float]) -> fox.Vector3:
    """Three numbers."""
    x, y, z = map(float, values)
    return fox.Vector3(x=x, y=y, z=z)


def quaternion(T: Transform) -> fox.Quaternion:
    """The rotation of a transform."""
    x, y, z, w = map(float, T.rotation)
    return fox.Quaternion(x=x, y=y, z=z, w=w)


def pose(T: Transform) -> fox.Pose:
    """A transform."""
    return fox.Pose(position=vector(T.translation), orientation=quaternion(T))


def floats(values: np.ndarray | None) -> list[float]:
    """An array as a flat list; empty without one."""
    return [] if values is None else np.asarray(values, dtype=np.float64).ravel().tolist()
