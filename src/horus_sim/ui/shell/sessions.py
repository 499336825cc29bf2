"""Sessions: what works behind the pages of an app, each with a channel of the stream of its own."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from horus_sim.ui.shell.site import Site
    from horus_sim.ui.stream.streaming import Client


class Session(Protocol):
    """What pages of an app look at and work with: a world, a run, an arm, a document.

    Attributes:
        channel: Its channel of the stream; further channels begin with that and '_'.
        address: What pages find it by, which may change; None for a session of one page alone.
    """

    channel: str

    @property
    def address(self) -> Hashable: ...  # noqa: D102

    def refresh(self) -> None:
        """Sends a frame, since somebody new looks."""
        ...

    def close(self) -> None:
        """Ends the session."""
        ...


SessionT = TypeVar("SessionT", bound=Session)


class Sessions(Generic[SessionT]):
    """The open sessions of one app; safe to use from several threads.

    An app derives its own class, names it, and gets the one registry of a site by `of`. Pages of
    the same address share a session by `claim`; a session for one page alone is made by `add`.

    Args:
        site: What all pages share.

    Attributes:
        name: Name of the app; channels are that and a number.
        sessions: Open sessions by their channel; the one last asked for is last.
    """

    name: ClassVar[str]

    def __init__(self, site: Site) -> None:
        self.sessions: dict[str, SessionT] = {}
        self._site = site
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()
        site.stream.on_want.append(self._refresh)

    @classmethod
    def of(cls, site: Site) -> Self:
        """The registry of a site, made when it is first asked for."""
        return site.share(cls, cls)

    def add(self, make: Callable[[str], SessionT]) -> SessionT:
        """Opens a session, made with its channel."""
        session = make(f"{self.name}{next(self._numbers)}")
        with self._lock:
            self.sessions[session.channel] = session
        return session

    def find(self, address: Hashable) -> SessionT | None:
        """The open session of an address, or None."""
        found = tuple(self.sessions.values())
        return next((session for session in found if session.address == address), None)

    def claim(self, address: Hashable, make: Callable[[str], SessionT]) -> SessionT:
        """The session of an address: the open one, or a new one."""
        with self._lock:
            session = self.find(address) or self.add(make)
            self.sessions[session.channel] = self.sessions.pop(session.channel)
            return session

    def leave(self, session: SessionT) -> None:
        """Closes a session."""
        with self._lock:
            self.sessions.pop(session.channel, None)
        session.close()

    def close(self) -> None:
        """Closes all sessions."""
        for session in tuple(self.sessions.values()):
            self.leave(session)

    def _refresh(self, client: Client) -> None:
        for channel in {wanted.partition("_")[0] for wanted in client.wanted}:
            if (session := self.sessions.get(channel)) is not None:
                session.refresh()
