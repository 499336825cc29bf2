"""Rewards of walking. Each function here gives a term over live arrays of the task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.terms.term import Reward

Values = Callable[[], npt.NDArray[Any]]


def closeness(name: str, offsets: Values, scale: float, dt: float, weight: float = 1.0) -> Reward:
    """Time [s], in full where offsets are zero and less by a bell curve where they are not.

    Args:
        name: Name of the term.
        offsets: Gives the offsets, shape (num_envs, n).
        scale: Length of offsets at which the value is 1/e.
        dt: Time of a step [s].
        weight: Weight of the term.
    """
    factor = -1.0 / scale**2

    def value() -> Floats:
        away = offsets()
        return np.exp(np.einsum("ij,ij->i", away, away) * factor) * dt

    return Reward(name, value, weight)


def squares(name: str, values: Values, dt: float, weight: float) -> Reward:
    """Sum of the squares of values, times the time of the step.

    Args:
        name: Name of the term.
        values: Gives the values, shape (num_envs, n).
        dt: Time of a step [s].
        weight: Weight of the term.
    """

    def value() -> Floats:
        given = values()
        return np.einsum("ij,ij->i", given, given) * dt

    return Reward(name, value, weight)
