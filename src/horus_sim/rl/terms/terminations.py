"""Ends of episodes that tasks share. Each function here gives a term."""

from __future__ import annotations

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.terms.term import Termination


def below(name: str, values: Floats, limit: float, *, success: bool = False) -> Termination:
    """Ends an episode where a live value, shape (num_envs,), is below a limit."""
    return Termination(name, lambda: values < limit, success)


def above(name: str, values: Floats, limit: float, *, success: bool = False) -> Termination:
    """Ends an episode where a live value, shape (num_envs,), is above a limit."""
    return Termination(name, lambda: values > limit, success)


def reached(name: str, values: Floats, limit: float) -> Termination:
    """Ends an episode with success where a live value, shape (num_envs,), reaches a limit."""
    return Termination(name, lambda: values >= limit, success=True)
