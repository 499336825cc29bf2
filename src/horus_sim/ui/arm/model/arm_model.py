"""What the panels of the arm page share: the arm, the view, and who hears of changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from horus_sim.errors import HorusError

if TYPE_CHECKING:
    from nicegui import ui

    from horus_sim.ui.arm.model.address import ArmAddress
    from horus_sim.ui.arm.model.arm_library import ArmLibrary
    from horus_sim.ui.arm.model.arm_thread import ArmThread
    from horus_sim.ui.arm.model.moving_arm import ArmState, MovingArm
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.views.arm_view import ArmView

_Result = TypeVar("_Result")
Listener = Callable[["ArmState"], None]


class ArmModel:
    """One page of the arm app.

    Args:
        page: The page.
        thread: Moves the arm.
        library: Arms to choose from.
        view: What draws it.
        address: What the page began with.

    Attributes:
        page: The page.
        thread: Moves the arm.
        library: Arms to choose from.
        view: What draws it.
        arm_name: Name of the arm in the library.
        turn: Rotations of the view about x, y, z [deg].
        shown: What is shown beside the arm.
    """

    def __init__(
        self,
        page: Page,
        thread: ArmThread,
        library: ArmLibrary,
        view: ArmView,
        address: ArmAddress,
    ) -> None:
        self.page, self.thread, self.library, self.view = page, thread, library, view
        self.arm_name = address.arm
        self.turn, self.shown = list(address.view), set(address.shown)
        self._listeners: list[Listener] = []

    @property
    def state(self) -> ArmState:
        """How the arm is now."""
        return self.thread.state

    def listen(self, listener: Listener) -> None:
        """Calls back ten times a second."""
        self._listeners.append(listener)

    def refresh(self) -> None:
        """Tells all listeners how the arm is."""
        state = self.state
        for listener in self._listeners:
            listener(state)

    @contextmanager
    def complaining(self, message: ui.label | None = None) -> Iterator[None]:
        """Shows an error of what is done inside in a label beside the button, and in the log."""
        text = ""
        try:
            yield
        except HorusError as error:
            text = str(error)
            self.page.log.add(text, "error")
        if message is not None:
            message.text = text

    async def order(
        self, order: Callable[[MovingArm], _Result], message: ui.label | None = None
    ) -> None:
        """Gives the arm an order and waits; an error is shown in a label beside the button."""
        with self.complaining(message):
            await asyncio.wrap_future(self.thread.call(order))
            self.refresh()


class Changed:
    """Tells whether something is other than when it was last asked."""

    def __init__(self) -> None:
        self._before: object = None

    def __call__(self, *values: object) -> bool:
        """Whether the values differ from those of the last call."""
        is_new, self._before = values != self._before, values
        return is_new
