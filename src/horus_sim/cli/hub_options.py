"""The options that all commands on topics share, and the connection that they ask for."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from horus_sim.hub import Hub

SessionOption = Annotated[
    str | None,
    typer.Option(
        "--session",
        metavar="NAME",
        help="Session to join; that of HORUS_SESSION_ID by default, else 'default'.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class TopicOptions:
    """The session that a command joins."""

    session: SessionOption = None
    url: Annotated[
        str, typer.Option("--url", help="Transport: zenoh:// or zenoh://host:port of a router.")
    ] = "zenoh://"

    @contextlib.contextmanager
    def open(self, *, net: str | None = None, quiet: bool = False) -> Iterator[Hub]:
        """The connection; what it logs goes to stderr, each kind of line once.

        Args:
            net: Address for other machines, as in `connect`.
            quiet: Nothing goes to stderr, for commands that report what is logged themselves.
        """
        from horus_sim.hub import connect

        with (
            logged_to_terminal(quiet=quiet),
            # Commands show the session as it is, whatever is renamed for a program around them.
            connect(self.url, self.session, net=net, remap={}) as hub,
        ):
            yield hub


@dataclass(frozen=True, slots=True)
class ListenOptions(TopicOptions):
    """The same, and how long the command listens before it does something."""

    wait: Annotated[
        float,
        typer.Option(
            "--wait", metavar="SECONDS", min=0.0, max=86400.0, help="How long to listen first."
        ),
    ] = 1.0


@contextlib.contextmanager
def logged_to_terminal(*, quiet: bool = False) -> Iterator[None]:
    """What topics log goes to stderr, each kind of line once.

    Args:
        quiet: Nothing goes to stderr.
    """
    logger = logging.getLogger("horus_sim.hub")
    handler = logging.NullHandler() if quiet else _FirstOfEach()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def until_interrupted() -> contextlib.AbstractContextManager[None]:
    """Ends a command quietly on Ctrl-C, which is the usual way out of it."""
    return contextlib.suppress(KeyboardInterrupt)


class _FirstOfEach(logging.Handler):
    """Prints the first record of each kind: a fault at 500 Hz must not fill the terminal."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._shown: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        from horus_sim.files.printable import printable

        if record.msg in self._shown:
            return
        self._shown.add(record.msg)
        typer.echo(f"{record.levelname.lower()}: {printable(record.getMessage())}", err=True)
