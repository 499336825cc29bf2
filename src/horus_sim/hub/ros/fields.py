"""Our values as the fields of ROS messages, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.tf import Transform

_NS_PER_S = 1_000_000_000


def stamp(stamp_ns: int) -> dict[str, int]:
    """A time or a duration [ns] as seconds and nanoseconds."""
    sec, nanosec = divmod(stamp_ns, _NS_PER_S)
    return {"sec": sec, "nanosec": nanosec}


def stamp_ns(time: dict[str, int]) -> int:
    """A time or a duration [ns]."""
    return time["sec"] * _NS_PER_S + time["nanosec"]


def header(stamp_ns: int, frame_id: str) -> dict[str, Any]:
    """A header.

    Args:
        stamp_ns: Time [ns].
        frame_id: The frame.
    """
    return {"stamp": stamp(stamp_ns), "frame_id": frame_id}


def from_header(fields: dict[str, Any]) -> tuple[int, str]:
    """Time [ns] and frame of a message."""
    return stamp_ns(fields["header"]["stamp"]), fields["header"]["frame_id"]


def vector(values: Sequence[float] | npt.NDArray[Any]) -> dict[str, float]:
    """Three numbers as x, y, z, or four as x, y, z, w."""
    return dict(zip("xyzw", map(float, values), strict=False))


def from_vector(fields: dict[str, float]) -> tuple[float, ...]:
    """The numbers of x, y, z and, if it has one, w."""
    return tuple(fields[axis] for axis in "xyzw" if axis in fields)


def pose(T: Transform) -> dict[str, Any]:
    """A transform as position and orientation."""
    return {"position": vector(T.translation), "orientation": vector(T.rotation)}


def from_pose(fields: dict[str, Any]) -> Transform:
    """The transform of position and orientation."""
    return Transform(from_vector(fields["position"]), from_vector(fields["orientation"]))


def points(fields: list[dict[str, float]]) -> npt.NDArray[np.float64]:
    """Points, shape (N, 3)."""
    return np.array([from_vector(each) for each in fields], np.float64).reshape(-1, 3)
