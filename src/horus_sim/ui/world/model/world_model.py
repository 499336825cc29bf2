"""What the panels of one 3D page share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.views.view3d import View3d
    from horus_sim.ui.world.model.session import WorldSession

_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class WorldModel:
    """One page of the 3D app: every panel finds here what it shows and changes.

    Attributes:
        page: The page: its log, address, units and timers.
        session: The world behind the page, which all pages share.
        view: What draws it.
    """

    page: Page
    session: WorldSession
    view: View3d

    async def ask(self, question: Callable[[World], _Answer]) -> _Answer:
        """Asks the world something, between two of its steps."""
        return await asyncio.wrap_future(self.session.simulation.call(question))
