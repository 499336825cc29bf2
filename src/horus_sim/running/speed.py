"""How fast simulated time may be asked to go, in every page."""

from __future__ import annotations

import math

from horus_sim.errors import UiError

SLOWEST, FASTEST = 0.1, 10.0


def checked_speed(speed: float) -> float:
    """The wanted simulated seconds a second.

    Raises:
        UiError: They are not from 0.1 to 10.
    """
    if not SLOWEST <= speed <= FASTEST:
        raise UiError(f"the speed is {speed:g}; choose one from {SLOWEST:g} to {FASTEST:g}")
    return float(speed)


def nearest_speed(speed: float) -> float:
    """The speed that is allowed and nearest; the usual one if it is no number."""
    return 1.0 if math.isnan(speed) else min(max(speed, SLOWEST), FASTEST)


def slider_speed(exponent: float | None) -> float:
    """What a slider over powers of ten stands for."""
    return nearest_speed(round(10.0 ** (exponent or 0.0), 2))
