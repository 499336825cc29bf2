"""Environments side by side on a grid."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

_GAP = 1.08
_STEP = 0.25
_SMALLEST = 1.0
# What is farther away was put out of sight.
_FARTHEST = 50.0
_NEARLY = 0.1


def grid_offsets(count: int, spacing: float) -> npt.NDArray[np.float64]:
    """Where the origins of environments are drawn: x, y [m], shape (count, 2).

    They are in rows that go along x, the first at the left in the back, centred on the origin.
    """
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    numbers = np.arange(count)
    x = numbers % columns - 0.5 * (columns - 1)
    y = 0.5 * (rows - 1) - numbers // columns
    return np.stack([x, y], axis=1).astype(np.float64) * spacing


def tile_middle(points: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """What is in the middle of what is there: x, y [m]; the origin, if that nearly is."""
    points = np.asarray(points, np.float64).reshape(-1, 2)
    near = points[np.abs(points).max(axis=1, initial=0.0) < _FARTHEST]
    if not len(near):
        return np.zeros(2)
    low, high = near.min(axis=0), near.max(axis=0)
    middle = 0.5 * (low + high)
    return np.where(np.abs(middle) < _NEARLY * (high - low), 0.0, middle)


def tile_size(points: npt.NDArray[np.floating]) -> float:
    """Side of a square about the origin that holds what is there [m].

    Args:
        points: x, y of what is to be seen [m], shape (n, 2).
    """
    reach = np.abs(np.asarray(points, np.float64).reshape(-1, 2)).max(axis=1)
    near = reach[np.isfinite(reach) & (reach < _FARTHEST)]
    side = 2.0 * _GAP * float(near.max()) if len(near) else 0.0
    return max(_SMALLEST, _STEP * math.ceil(side / _STEP))
