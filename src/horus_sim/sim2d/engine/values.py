"""Values that a program gives: whether they are numbers, fit a body, and how people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from horus_sim.errors import BodyStateError, Sim2dError
from horus_sim.sim2d.scenario.schema import FARTHEST, LARGEST_VALUE, STRONGEST

Triple: TypeAlias = tuple[float, float, float]


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
    """Describes a value and its type for a message."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - the user's __repr__
        return f"a {type(value).__name__}"
    return f"the {type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


@dataclass(frozen=True, slots=True)
class BodyValues:
    """Three numbers that a body has, or is given.

    Attributes:
        title: What they are, before the name of the body.
        bounds: Name, largest size and unit of each.
    """

    title: str
    bounds: tuple[tuple[str, float, str], ...]

    def checked(self, body: str, values: Sequence[Any]) -> Triple:
        """The values of a body as floats.

        Raises:
            BodyStateError: A body cannot have them.
        """
        subject = f"the {self.title} '{body}'"
        if len(values) != len(self.bounds):
            names = ", ".join(name for name, _, _ in self.bounds)
            raise BodyStateError(f"{subject} has {len(values)} values; give {names}")
        found: list[float] = []
        for value, (name, most, unit) in zip(values, self.bounds, strict=True):
            number = as_number(value)
            if number is None or not abs(number) <= most:
                text = shown(value) if number is None else f"{number:g}"
                raise BodyStateError(
                    f"{name} in {subject} is {text}; give a number from {-most:.12g} to "
                    f"{most:.12g} {unit}"
                )
            found.append(number)
        x, y, turn = found
        return x, y, turn


POSE = BodyValues(
    "pose of", (("x", FARTHEST, "m"), ("y", FARTHEST, "m"), ("theta", LARGEST_VALUE, "rad"))
)
VELOCITY = BodyValues(
    "velocity of",
    (("vx", LARGEST_VALUE, "m/s"), ("vy", LARGEST_VALUE, "m/s"), ("w", LARGEST_VALUE, "rad/s")),
)
FORCE = BodyValues(
    "force on", (("fx", STRONGEST, "N"), ("fy", STRONGEST, "N"), ("torque", STRONGEST, "N m"))
)


def check_seed(seed: int) -> int:
    """Checks that a seed is an unsigned integer of 64 bits and returns it.

    Raises:
        Sim2dError: The seed is not such an integer.
    """
    is_integer = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not is_integer or not 0 <= int(seed) < 2**64:
        raise Sim2dError(f"the seed must be an integer from 0 to 2**64 - 1, got {seed!r}")
    return int(seed)
