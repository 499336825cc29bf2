"""Rewards that tasks share. Each function here gives a term; a new one is written here once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.terms.term import Reward, Termination


def approach(name: str, distances: Floats, weight: float = 1.0) -> Reward:
    """How much a distance shrank in the step.

    Args:
        name: Name of the term.
        distances: The live distances [m], shape (num_envs,).
        weight: Weight of the term.
    """
    before, keep = _kept(distances)
    return Reward(name, lambda: before - distances, weight, keep)


def gain(name: str, values: Floats, weight: float = 1.0) -> Reward:
    """How much a value grew in the step, such as the way along a track.

    Args:
        name: Name of the term.
        values: The live values, shape (num_envs,).
        weight: Weight of the term.
    """
    before, keep = _kept(values)
    return Reward(name, lambda: values - before, weight, keep)


def speed(name: str, places: Floats, dt: float, weight: float = 1.0) -> Reward:
    """Mean speed over the step.

    Args:
        name: Name of the term.
        places: The live places along one axis [m], shape (num_envs,).
        dt: Time of a step [s].
        weight: Weight of the term.
    """
    (before, keep), rate = _kept(places), np.array([1.0 / dt])
    return Reward(name, lambda: (places - before) * rate, weight, keep)


def outcome(end: Termination, weight: float) -> Reward:
    """The weight, once, where an episode ends that way."""
    return Reward(end.name, end.function, weight)


def time_spent(num_envs: int, dt: float, weight: float) -> Reward:
    """The time of each step [s], as the term 'time'."""
    spent = np.full(num_envs, dt)
    return Reward("time", lambda: spent, weight)


def proximity(clearances: Floats, close: float, dt: float, weight: float) -> Reward:
    """Time near obstacles [s], more the nearer, as the term 'proximity'.

    Args:
        clearances: The live distances to what is nearest [m], shape (num_envs,).
        close: Distance below which it counts [m].
        dt: Time of a step [s].
        weight: Weight of the term.
    """
    return Reward("proximity", lambda: np.maximum(0.0, 1.0 - clearances / close) * dt, weight)


def _kept(values: Floats) -> tuple[Floats, Callable[[], None]]:
    """An array for values from before a step, and what copies them there."""
    before = np.zeros_like(values)

    def keep() -> None:
        before[:] = values

    return before, keep
