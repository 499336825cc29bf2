"""What the panels of the 3D page share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from horus_sim.ui.kit.page_state import PageState
from horus_sim.ui.views.view3d import View3d
from horus_sim.ui.world.model.session import WorldSession

if TYPE_CHECKING:
    from horus_sim.sim3d import World

_Answer = TypeVar("_Answer")


class WorldPageState(PageState[WorldSession, View3d]):
    """One page of the 3D app."""

    async def ask(self, question: Callable[[World], _Answer]) -> _Answer:
        """Asks the world something, between two of its steps."""
        return await asyncio.wrap_future(self.session.simulation.call(question))
