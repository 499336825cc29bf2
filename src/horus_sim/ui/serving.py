"""A site with the pages of all apps, and a world that is served or shown by one call."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from horus_sim.errors import MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

    from horus_sim.running.loop.event_log import EventLog
    from horus_sim.running.loop.loop import Loop
    from horus_sim.sim3d import World
    from horus_sim.ui.shell.server import Server
    from horus_sim.ui.shell.site import Site
    from horus_sim.ui.world.model.session import WorldSession


@dataclass(frozen=True, slots=True)
class ServedWorld:
    """A world on pages.

    Attributes:
        session: The running world with its driver, editor and recorder.
        server: The web server.
    """

    session: WorldSession
    server: Server

    @property
    def simulation(self) -> Loop[World]:
        """The loop that steps the world; only its thread touches the world, so use `call`."""
        return self.session.simulation

    @property
    def address(self) -> str:
        """What to open in a browser of this machine; it ends with a secret token."""
        return self.server.address


def open_site(folder: Path | None = None, log: EventLog | None = None) -> Site:
    """Makes a site with the pages of all apps; close it in the end, or use it in a `with` block.

    Args:
        folder: Folder where scenes and scenarios are saved; the working folder unless given.
        log: Log of events; a new one unless given.

    Raises:
        MissingExtraError: NiceGUI is not installed.
    """
    try:
        import nicegui  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("nicegui", "ui") from error
    from horus_sim.ui.apps import APPS
    from horus_sim.ui.shell.site import Site

    return Site(APPS, folder, log)


@contextlib.contextmanager
def serve(
    world: World | Loop[World],
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    running: bool = True,
    folder: Path | None = None,
) -> Iterator[ServedWorld]:
    """Serves a world on pages while a `with` block runs; the program goes on meanwhile.

    Args:
        world: The world, or a loop that steps one.
        host: Address to bind to; "0.0.0.0" lets other machines in.
        port: Port; 0 takes a free one.
        running: Whether time goes on from the start, where no loop is given.
        folder: Folder where scenes are saved; the working folder unless given.

    Raises:
        MissingExtraError: NiceGUI is not installed.
        UiError: The port cannot be used.
    """
    where = (host, port)
    with _opened(world, where, running=running, folder=folder) as served, served.server.in_thread():
        yield served


def show(
    world: World | Loop[World],
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    running: bool = True,
    open_browser: bool = True,
) -> None:
    """Shows a world in the browser until the program is interrupted (Ctrl-C); prints the address.

    Args:
        world: The world, or a loop that steps one.
        host: Address to bind to; "0.0.0.0" lets other machines in.
        port: Port; 0 takes a free one.
        running: Whether time goes on from the start, where no loop is given.
        open_browser: Whether the page is opened, beside being printed.

    Raises:
        MissingExtraError: NiceGUI is not installed.
        UiError: The port cannot be used.
    """
    where = (host, port)
    with _opened(world, where, running=running, open_browser=open_browser) as served:
        print(f"{served.server.invitation} (Ctrl-C ends)", flush=True)  # noqa: T201 - it is for who started the program
        # The server has ended when it hands the interruption on.
        with contextlib.suppress(KeyboardInterrupt):
            served.server.run()


@contextlib.contextmanager
def _opened(
    world: World | Loop[World],
    where: tuple[str, int],
    *,
    running: bool,
    folder: Path | None = None,
    open_browser: bool = False,
) -> Iterator[ServedWorld]:
    from horus_sim.ui.shell.server import Server, ServerConfig
    from horus_sim.ui.world.model.session import WorldSessions

    with open_site(folder) as site:
        server = Server(site, ServerConfig(*where, open_browser=open_browser))
        yield ServedWorld(WorldSessions.of(site).open(world, running=running), server)
