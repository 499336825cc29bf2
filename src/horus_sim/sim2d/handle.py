"""Things that lead into a running world."""

from __future__ import annotations

from typing import Any


class Handle:
    """Something of a running world; it is never copied and is no part of a controller's state."""

    def __copy__(self) -> Handle:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Handle:
        return self
