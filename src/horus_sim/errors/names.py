"""Names that may have been meant by one that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST_LISTED = 10
_RESEMBLES = 0.6
_SHORTEST_PART = 3


def close_names(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names that resemble one, the best first, or else those that it is a part of."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=most, cutoff=_RESEMBLES)
    if not close and len(name) >= _SHORTEST_PART:
        return [other for other in names if name in other][:most]
    return close


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """What to write instead of an unknown name: close names, or else the first known ones.

    Args:
        name: What was asked for.
        known: What there is.
        most: How many close names are proposed.
    """
    names = list(known)
    close = close_names(name, names, most)
    if close:
        return f"did you mean {' or '.join(repr(match) for match in close)}?"
    more = ", ..." if len(names) > _MOST_LISTED else ""
    return f"known: {', '.join(names[:_MOST_LISTED])}{more}" if names else "there are none"
