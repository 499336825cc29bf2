"""What a running world of a command is joined to: topics, recordings, live views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from horus_sim.cli.terminal import printable
from horus_sim.errors import HubError, MissingExtraError

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.running import RunningWorld, SteppedWorld

_DEFAULT_URL = "zenoh://"

UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        help="Put the world on topics: zenoh://, or zenoh://host:port of a router.",
        show_default=False,
    ),
]
NetOption = Annotated[
    str | None,
    typer.Option(
        "--net",
        metavar="HOST:PORT",
        help="Let other machines join at this address, such as 0.0.0.0:7447. There is no login.",
        show_default=False,
    ),
]
RecordOption = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE.mcap", help="Record everything.", show_default=False),
]
RecordImagesOption = Annotated[
    str | None,
    typer.Option(
        "--record-images",
        metavar="raw|png|jpeg",
        help="How --record packs pictures: raw unless given; jpeg loses some detail.",
        show_default=False,
    ),
]
FoxgloveOption = Annotated[bool, typer.Option("--foxglove", help="Serve a live view to Foxglove.")]
FoxglovePortOption = Annotated[
    int, typer.Option("--foxglove-port", min=0, max=65535, help="Where; 0 takes a free port.")
]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a run is joined to.

    Attributes:
        url: Transport of the topics; None is no topics, unless session, net or a page is given.
        session: Name of the session.
        net: Address for other machines.
        record: MCAP file.
        record_images: How it packs pictures; raw unless given.
        foxglove_port: Port of the live view.
        has_page: Whether the world is shown as a page, which brings topics with it.
    """

    url: str | None = None
    session: str | None = None
    net: str | None = None
    record: Path | None = None
    record_images: str | None = None
    foxglove_port: int | None = None
    has_page: bool = False

    @property
    def has_topics(self) -> bool:
        """Whether topics were asked for by name."""
        return any(value is not None for value in (self.url, self.session, self.net))

    @property
    def is_attended(self) -> bool:
        """Whether somebody takes part while it runs."""
        return self.has_page or self.has_topics or self.foxglove_port is not None


@dataclass(slots=True)
class Joined:
    """A running world and what it is joined to.

    Attributes:
        running: Steps the world.
        summaries: Each gives a line for the end.
        no_topics: Why there are no topics although they were to be; empty otherwise.
    """

    running: RunningWorld
    summaries: list[Callable[[], str]] = field(default_factory=list)
    failures: list[Callable[[], object]] = field(default_factory=list)
    no_topics: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether a recording or a video ended early."""
        return any(failure() is not None for failure in self.failures)


@contextmanager
def join(world: SteppedWorld, wishes: Wishes, robots: Iterable[str] = ()) -> Iterator[Joined]:
    """Joins a world to what is wished for, until the end of the block.

    Args:
        world: The world.
        wishes: What it is joined to.
        robots: Names or files of robots that are put into it, too; a recording tells of them.
    """
    from horus_sim.running import RunningWorld

    with ExitStack() as stack:
        hub, no_topics = _open_topics(wishes, stack)
        running = RunningWorld(world, hub)
        stack.callback(running.close)
        joined = Joined(running, no_topics=no_topics)
        if hub is not None:
            typer.echo(f"topics of session '{hub.session}' at {wishes.url or _DEFAULT_URL}")
        elif no_topics:
            typer.echo(f"no topics: {printable(no_topics)}", err=True)
        if wishes.record is not None:
            from horus_sim.running.recording import McapRecorder

            packing = cast("Any", wishes.record_images or "raw")
            recorder = McapRecorder(wishes.record, images=packing)
            running.add_outlet(recorder)
            joined.summaries.append(recorder.summary)
            joined.failures.append(lambda: recorder.error)
        if wishes.foxglove_port is not None:
            from horus_sim.running.recording import FoxgloveServer

            server = FoxgloveServer(wishes.foxglove_port)
            running.add_outlet(server)
            typer.echo(f"open Foxglove and connect to {server.url}")
        for robot in robots:
            running.spawn(robot)
        yield joined


def _open_topics(wishes: Wishes, stack: ExitStack) -> tuple[Hub | None, str]:
    """The connection, or why there is none; what was asked for by name must be had."""
    from horus_sim.cli.hub_options import open_hub

    if not (wishes.has_topics or wishes.has_page):
        return None, ""
    url = wishes.url or _DEFAULT_URL
    if url == "inproc://":
        raise HubError("nobody else could join 'inproc://' topics of this command; use 'zenoh://'")
    try:
        return stack.enter_context(open_hub(url, wishes.session, net=wishes.net)), ""
    except (HubError, MissingExtraError) as error:
        if wishes.has_topics:
            raise
        return None, str(error)
