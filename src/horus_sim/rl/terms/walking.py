"""Rewards of walking. Each function here gives a term over live arrays of the task."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from horus_sim.rl.engines.interface import Bools, Floats
from horus_sim.rl.terms.term import Reward

Values = Callable[[], Floats]


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


def strides(air_time: Floats, landed: Bools, least: float, most: float, weight: float) -> Reward:
    """Time [s] that feet were in the air beyond the least, when they land; the term 'strides'.

    Args:
        air_time: For how long each foot has been in the air [s], shape (num_envs, feet).
        landed: Whether it touched the ground in this step, shape (num_envs, feet).
        least: Shorter steps count negatively [s].
        most: Longer ones count as that [s].
        weight: Weight of the term.
    """

    def value() -> Floats:
        return ((np.minimum(air_time, most) - least) * landed).sum(axis=1)

    return Reward("strides", value, weight)
