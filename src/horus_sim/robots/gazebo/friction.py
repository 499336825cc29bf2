"""Coefficients of friction as Gazebo's files give them."""

from __future__ import annotations

_ENDLESS = 10.0


def stated_friction(coefficient: float | None) -> float | None:
    """The coefficient of a surface, or None where the other surface decides.

    Gazebo lets the slipperier of two surfaces decide, so that files write 1e5 for "as rough as the
    ground". Taken literally, the edges of a wide wheel would never slip, and hold a robot that
    turns.

    Args:
        coefficient: What the file says.
    """
    return None if coefficient is not None and coefficient > _ENDLESS else coefficient
