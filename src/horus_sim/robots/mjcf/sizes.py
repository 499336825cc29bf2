"""How much an MJCF file may ask for."""

from __future__ import annotations

import math

from horus_sim.robots.xml import Element

_GRIDS = frozenset({"composite", "flexcomp"})
_MOST_COPIES = 5000
_AREAS = {"texture": ("width", "height"), "hfield": ("nrow", "ncol")}
_MOST_POINTS = 50_000_000


def check_sizes(root: Element) -> None:
    """Refuses what fills the memory, or what MuJoCo copies for minutes.

    The time of copies grows with the square of their number.

    Raises:
        DescriptionError: It is too much.
    """
    made = 0
    pending = [(root, 1)]
    while pending:
        element, copies = pending.pop()
        sides = _AREAS.get(element.tag, ())
        points = math.prod(_number(element.get(side) or "") for side in sides)
        if points > _MOST_POINTS:
            raise element.error(
                f"<{element.tag}> has {points} points ({' times '.join(sides)}), more than the "
                f"limit of {_MOST_POINTS}; make it smaller"
            )
        own = _counted(element)
        if element.tag in _GRIDS:
            made += copies * own
        elif copies > 1:
            made += copies
        if made > _MOST_COPIES:
            raise element.error(
                f"<replicate>, <composite> and <flexcomp> make more than {_MOST_COPIES} elements, "
                "which is the limit; lower 'count'"
            )
        inside = copies * own if element.tag == "replicate" else copies
        pending.extend((child, inside) for child in element.children)


def _counted(element: Element) -> int:
    """How many there will be."""
    return math.prod(map(_number, (element.get("count") or "").split()))


def _number(word: str) -> int:
    """A count, at least 1; what is not a number is for MuJoCo to refuse."""
    # Nine digits are too many already, and thousands of them are too many for Python.
    word = word.strip()[:9]
    return max(1, int(word)) if word.isascii() and word.isdigit() else 1
