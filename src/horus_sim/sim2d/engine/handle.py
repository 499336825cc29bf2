"""Things that lead into a running world."""

from __future__ import annotations

from typing import Any


class Handle:
    """Part of a running world; it is never copied and does not belong to a controller's state."""

    def __copy__(self) -> Handle:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Handle:
        return self
