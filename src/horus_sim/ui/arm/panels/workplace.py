"""What the panels of the arm page share: the desk, the view, and who hears of changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from horus_sim.errors import HorusError

if TYPE_CHECKING:
    from nicegui import ui

    from horus_sim.ui.arm.model.bench import Bench, BenchState
    from horus_sim.ui.arm.model.desk import ArmDesk
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.views.arm_view import ArmView

_Result = TypeVar("_Result")
Listener = Callable[["BenchState"], None]


class Workplace:
    """One page of the arm app.

    Args:
        page: The page.
        desk: What it works at.
        view: What draws it.
        arm_name: Name of the arm on the shelf.

    Attributes:
        page: The page.
        desk: What it works at.
        view: What draws it.
        arm_name: Name of the arm on the shelf.
        turn: Rotations of the view about x, y, z [deg].
        shown: What is shown beside the arm.
    """

    def __init__(self, page: Page, desk: ArmDesk, view: ArmView, arm_name: str) -> None:
        self.page = page
        self.desk = desk
        self.view = view
        self.arm_name = arm_name
        self.turn: list[float] = [0.0, 0.0, 0.0]
        self.shown: set[str] = set()
        self._listeners: list[Listener] = []

    @property
    def state(self) -> BenchState:
        """How the bench is now."""
        return self.desk.state

    @property
    def metre(self) -> float:
        """How many of the chosen units of length a metre is."""
        return 1.0 if self.page.units.system == "m" else 1000.0

    def listen(self, listener: Listener) -> None:
        """Calls back ten times a second."""
        self._listeners.append(listener)

    def refresh(self) -> None:
        """Tells all listeners how the bench is."""
        state = self.state
        for listener in self._listeners:
            listener(state)

    async def order(
        self, order: Callable[[Bench], _Result], message: ui.label | None = None
    ) -> _Result | None:
        """Gives the bench an order and waits; an error is shown in a label beside the button.

        Returns:
            The result, or None after an error.
        """
        try:
            future: Future[_Result] = self.desk.thread.call(order)
            result = await asyncio.wrap_future(future)
        except HorusError as error:
            self.page.log.add(str(error), "error")
            if message is not None:
                message.text = str(error)
            return None
        if message is not None:
            message.text = ""
        self.refresh()
        return result


class Changed:
    """Tells whether something is other than when it was last asked."""

    def __init__(self) -> None:
        self._before: object = None

    def __call__(self, *values: object) -> bool:
        """Whether the values differ from those of the last call."""
        is_new, self._before = values != self._before, values
        return is_new
