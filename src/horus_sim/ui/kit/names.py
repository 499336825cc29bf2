"""Names for what is new."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

_NUMBER = re.compile(r"_\d+$")


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """The wanted name, with a number behind it if it is taken."""
    used = set(taken)
    stem = _NUMBER.sub("", wanted) or wanted
    numbered = (f"{stem}_{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain((wanted,), numbered) if name not in used)
