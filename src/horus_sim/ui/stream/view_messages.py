"""What views say, checked: a browser may send anything."""

from __future__ import annotations

from typing import Any

from horus_sim.errors import UiError
from horus_sim.tf import Transform

# Largest number that a view may send: [m], [m/s] or [rad/s].
_FARTHEST = 1e6


def read_number(value: object) -> float:
    """A number that a view sent.

    Raises:
        UiError: It is not a number, or too large.
    """
    # No comparison overflows, as the conversion of a long integer does; NaN fails it.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _FARTHEST:
        raise UiError(f"'{value!r:.40}' is not a number from {-_FARTHEST:g} to {_FARTHEST:g}")
    return float(value)


def read_pose(message: dict[str, Any]) -> Transform:
    """The pose in a message of a view.

    Raises:
        UiError: It has none.
    """
    xyz, quat = message.get("xyz"), message.get("quat")
    if not isinstance(xyz, list) or not isinstance(quat, list) or (len(xyz), len(quat)) != (3, 4):
        raise UiError("a view sent no pose: it needs 3 numbers in 'xyz' and 4 in 'quat'")
    try:
        numbers = [read_number(value) for value in (*xyz, *quat)]
    except UiError as error:
        raise UiError(f"a view sent no pose: {error}") from error
    return Transform(numbers[:3], numbers[3:])
