"""Which entities are asked for: by name, category, tags and place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from horus_sim.running.services.messages import BoundsType, vector_of
from horus_sim.running.services.overlap import overlaps_box, overlaps_sphere
from horus_sim.running.services.results import Code, Refused
from horus_sim.running.world.entity import Box, Floats
from horus_sim.tf import Transform

Overlap = Callable[[Box, Transform], bool]
_LONGEST = 1000
_MATCH_ALL = 1
# What POSIX calls them inside brackets, as Python writes it.
_CLASSES = {
    "[:alpha:]": "a-zA-Z",
    "[:digit:]": "0-9",
    "[:alnum:]": "a-zA-Z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:space:]": r"\s",
    "[:blank:]": r" \t",
    "[:punct:]": r"!-/:-@\[-`{-~",
    "[:xdigit:]": "0-9A-Fa-f",
}


def name_filter(pattern: str) -> Callable[[str], bool]:
    """Whether a name has a part that a POSIX extended regular expression matches.

    Raises:
        Refused: It is none.
    """
    if len(pattern) > _LONGEST:
        raise Refused(Code.OPERATION_FAILED, f"the filter is longer than {_LONGEST} characters")
    written = pattern
    for name, inside in _CLASSES.items():
        written = written.replace(name, inside)
    try:
        found = re.compile(written)
    except re.error as error:
        raise Refused(
            Code.OPERATION_FAILED,
            f"the filter '{pattern}' is not a regular expression: {error}; write it like '^shelf_'",
        ) from None
    return lambda name: found.search(name) is not None


def tags_filter(filters: Mapping[str, Any]) -> Callable[[Sequence[str]], bool]:
    """Whether tags match a simulation_interfaces/msg/TagsFilter."""
    wanted = list(filters["tags"])
    if not wanted:
        return lambda _: True
    if filters["filter_mode"] == _MATCH_ALL:
        return lambda tags: all(tag in tags for tag in wanted)
    return lambda tags: any(tag in tags for tag in wanted)


def bounds_filter(bounds: Mapping[str, Any]) -> Overlap | None:
    """Whether a box overlaps with a simulation_interfaces/msg/Bounds; None where there is none.

    Raises:
        Refused: They are of a type that is not supported, or not bounds at all.
    """
    kind = bounds["type"]
    points = [vector_of(point) for point in bounds["points"]]
    if kind == BoundsType.EMPTY:
        return None
    if kind not in (BoundsType.BOX, BoundsType.SPHERE):
        raise Refused(
            Code.FEATURE_UNSUPPORTED,
            f"bounds of type {kind} are not supported; use TYPE_BOX (1) or TYPE_SPHERE (3)",
        )
    if len(points) != 2 or not np.isfinite(points).all():
        raise Refused(
            Code.OPERATION_FAILED,
            f"the bounds have {len(points)} points; a box and a sphere have two finite ones: the "
            "corners, or the center and (radius, 0, 0)",
        )
    first, second = (np.array(point) for point in points)
    return (
        _in_sphere(first, float(second[0])) if kind == BoundsType.SPHERE else _in_box(first, second)
    )


def _in_sphere(center: Floats, radius: float) -> Overlap:
    return lambda box, T_world_box: overlaps_sphere(box, T_world_box, center, radius)


def _in_box(first: Floats, second: Floats) -> Overlap:
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    return lambda box, T_world_box: overlaps_box(box, T_world_box, lower, upper)
