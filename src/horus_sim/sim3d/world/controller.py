"""What acts on a world before every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World


class Controller(Protocol):
    """Something that acts before every step; see `World.controllers`.

    With `get_state` and `set_state` it is part of saved states, with `reset` of restarts.
    """

    def update(self, world: World, dt: float) -> None:
        """Acts on the world, whose next step takes `dt` seconds."""
