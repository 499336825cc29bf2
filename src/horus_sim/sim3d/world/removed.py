"""What a handle holds on to when its robot or object has left the world."""

from __future__ import annotations

from typing import NoReturn

from horus_sim.errors import Sim3dError


class Removed:
    """Stands where the stage was: whatever is asked of it is an error.

    Args:
        what: Who left, such as "robot 'burger'".
    """

    def __init__(self, what: str) -> None:
        self._what = what

    def __getattr__(self, name: str) -> NoReturn:
        raise Sim3dError(
            f"{self._what} was removed from the world; what has its place now is found by name "
            "in world.robots and world.objects"
        )
