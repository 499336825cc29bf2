"""What the panels of one page share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page

SessionT = TypeVar("SessionT")
ViewT = TypeVar("ViewT")


@dataclass(slots=True)
class PageState(Generic[SessionT, ViewT]):
    """One page of an app: every panel gets this, and finds there what it shows and changes.

    An app that holds more derives a class of its own, such as `ArmPageState`.

    Attributes:
        page: The page: its log, address, units and timers.
        session: What the page looks at and works with.
        view: What draws it.
    """

    page: Page
    session: SessionT
    view: ViewT
