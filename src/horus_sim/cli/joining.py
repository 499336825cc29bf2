"""What a running world of a command is joined to: topics, recordings, live views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.hub_options import logged_to_terminal
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.running import SteppedWorld
    from horus_sim.running.joining import Joined, Wishes

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


@contextmanager
def told_join(world: SteppedWorld, wishes: Wishes) -> Iterator[Joined]:
    """Joins a world to what is wished for, and tells the terminal."""
    from horus_sim.running.joining import join

    with logged_to_terminal(), join(world, wishes) as joined:
        for note in joined.notes:
            typer.echo(printable(note), err=bool(joined.no_topics))
        yield joined
