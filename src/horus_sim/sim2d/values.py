"""What a value is that a program gave: one number or not, and how people read it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def as_number(value: Any) -> float | None:  # noqa: ANN401 - whatever a program gives
    """The value as a float if it is one number; None for text, truth values and arrays of numbers.

    Integers beyond all floats are infinite.
    """
    is_text = isinstance(value, str | bytes | bytearray)
    is_truth = isinstance(value, bool) or getattr(value, "dtype", None) == np.bool_
    if is_text or is_truth or getattr(value, "ndim", 0) != 0:
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return None


def shown(value: object) -> str:
    """A value and what it is, for people."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - the user's __repr__
        return f"a {type(value).__name__}"
    return f"the {type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
