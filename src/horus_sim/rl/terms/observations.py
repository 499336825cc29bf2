"""Observations that tasks share. Each function here gives a term."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.settings import Config
from horus_sim.rl.terms.term import Observation

FAR = 100.0
"""Beyond what is ever observed; Gymnasium asks for finite bounds."""


def live(
    name: str,
    values: npt.NDArray[Any],
    low: float = -FAR,
    high: float = FAR,
    scale: float | None = None,
    *,
    unit: str = "1",
    frame: str = "",
    source: Config | None = None,
) -> Observation:
    """Columns of an array that the task or the simulations keep up to date.

    Args:
        name: Name of the term.
        values: The live array, shape (num_envs, columns), or (num_envs,) for one column.
        low: Least value.
        high: Largest value.
        scale: Factor on the values; as they are unless given.
        unit: As in `Observation`.
        frame: As in `Observation`.
        source: As in `Observation`.
    """
    columns = values if values.ndim > 1 else values[:, None]
    size = columns.shape[1]
    told: Any = {"unit": unit, "frame": frame, "source": source}
    if scale is None:
        return Observation(name, size, lambda rows: columns[rows], low, high, **told)
    return Observation(name, size, lambda rows: columns[rows] * scale, low, high, **told)


def lengths(vectors: Floats) -> Floats:
    """Lengths of vectors, shape (n, any), shape (n,)."""
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))


def nearness(ranges: Floats, half: float) -> Floats:
    """Ranges as numbers from 1 at the sensor to 0 far away; 0.5 at the distance `half` [m]."""
    return half / (half + ranges)
