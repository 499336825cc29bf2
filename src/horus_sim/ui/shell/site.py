"""The site: what all pages of a server share, whichever apps they belong to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from horus_sim.errors import HorusError, UiError
from horus_sim.running.loop.event_log import EventLog
from horus_sim.tf import TFTree
from horus_sim.ui.shell.uploads import UploadFolder
from horus_sim.ui.stream.streaming import Client, OnMessage, Stream

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import App

_Shared = TypeVar("_Shared")


class Site:
    """Pages with their stream, log and folder; sessions of the apps are made when asked for.

    Args:
        apps: The apps in the order of their tabs.
        folder: Folder where scenes and scenarios are saved; the working folder unless given.
        log: Log of what happens; a new one unless given.

    Attributes:
        apps: The apps in the order of their tabs.
        folder: Folder where scenes and scenarios are saved.
        log: What happened.
        stream: What browsers listen to.
        uploads: Folder of the files that were dropped onto pages.
        handlers: Who hears what views say, by a key of the message.
        exports: Geometry of 3D views, by the channel of their session.
        tree: Gives the transforms of the running world; none where there is no world.
        is_local: Whether only programs of this machine reach the pages.
    """

    def __init__(
        self, apps: Sequence[App] = (), folder: Path | None = None, log: EventLog | None = None
    ) -> None:
        self.apps = tuple(apps)
        self.folder = (folder or Path.cwd()).resolve()
        self.log = log or EventLog()
        self.stream = Stream()
        self.uploads = UploadFolder()
        self.handlers: dict[str, OnMessage] = {}
        self.exports: dict[str, Callable[[], Future[bytes]]] = {}
        self.tree: Callable[[], TFTree] = TFTree
        self.is_local = True
        self._shared: dict[type, Any] = {}
        self._sharing = threading.RLock()
        self.stream.on_message.append(self._hear)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def share(self, kind: type[_Shared], make: Callable[[Site], _Shared]) -> _Shared:
        """What all pages share of a kind: made when first asked for, closed with the site.

        Args:
            kind: The class of it; there is one of each.
            make: Makes it; if it has a method `close`, that is called in the end.
        """
        with self._sharing:
            if kind not in self._shared:
                self._shared[kind] = make(self)
            return self._shared[kind]

    def close(self) -> None:
        """Closes all that is shared; the last made is closed first."""
        for thing in reversed(self._shared.values()):
            if hasattr(thing, "close"):
                thing.close()
        self._shared.clear()

    def _hear(self, client: Client, message: dict[str, Any]) -> None:
        """Passes on what a view says; errors go to the log."""
        try:
            handler = next((self.handlers[key] for key in message if key in self.handlers), None)
            if handler is None:
                raise UiError(f"a view sent '{str(message)[:80]}', which means nothing here")
            handler(client, message)
        except HorusError as error:
            self.log.add(str(error), "error")
