"""Arguments that count something."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from horus_sim.errors import TaskError


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole_number(name: str, value: object, least: int) -> int:
    """The value as an int.

    Args:
        name: Of the argument, for errors.
        value: What was given.
        least: The smallest that is allowed.

    Raises:
        TaskError: It is no whole number, or too small.
    """
    if not is_whole(value) or value < least:
        raise TaskError(f"{name} is {value!r}; give a whole number of at least {least}")
    return int(value)
