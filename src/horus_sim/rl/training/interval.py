"""How sure a share is that was counted."""

from __future__ import annotations

import math


def wilson_interval(hits: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval of a share, 95 % unless told; (0, 1) where nothing was tried.

    Args:
        hits: How often it happened.
        trials: Of how many.
        z: Quantile of the normal distribution.
    """
    if trials == 0:
        return 0.0, 1.0
    share, square = hits / trials, z * z
    scale = 1 + square / trials
    centre = (share + square / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    # Rounding must not leave a share of all or none outside.
    low = 0.0 if hits == 0 else centre - half
    return low, 1.0 if hits == trials else centre + half
