"""What works behind the pages of an app: each with a channel of the stream of its own."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from horus_sim.ui.session import Session
    from horus_sim.ui.streaming import Client


class Desk(Protocol):
    """What a page works at.

    Attributes:
        channel: Of the stream; its other channels begin with it and '_'.
    """

    channel: str

    def refresh(self) -> None:
        """Sends a frame, since somebody new looks."""
        ...

    def close(self) -> None:
        """Ends it."""
        ...


DeskT = TypeVar("DeskT", bound=Desk)


class Desks(Generic[DeskT]):
    """The desks of an app; safe to use from several threads.

    Args:
        session: What all pages share.
        name: Of the app; channels are that and a number.

    Attributes:
        desks: Those that are open, by their channel; the one last asked for is last.
    """

    def __init__(self, session: Session, name: str) -> None:
        self.desks: dict[str, DeskT] = {}
        self._session = session
        self._name = name
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()
        session.stream.on_want.append(self._refresh)

    def add(self, make: Callable[[str], DeskT]) -> DeskT:
        """A new desk, made with its channel."""
        desk = make(f"{self._name}{next(self._numbers)}")
        with self._lock:
            self.desks[desk.channel] = desk
        return desk

    def leave(self, desk: DeskT) -> None:
        """Closes a desk."""
        with self._lock:
            self.desks.pop(desk.channel, None)
        desk.close()

    def close(self) -> None:
        """Closes all."""
        for desk in tuple(self.desks.values()):
            self.leave(desk)

    def _refresh(self, client: Client) -> None:
        for channel in {wanted.partition("_")[0] for wanted in client.wanted}:
            if (desk := self.desks.get(channel)) is not None:
                desk.refresh()
