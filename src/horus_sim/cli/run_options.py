"""The options of commands that run a world: its pace, topics, recordings and live views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.hub_options import SessionOption, logged_to_terminal
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.running import SteppedWorld
    from horus_sim.running.joining import Joined, Wishes

NetOption = Annotated[
    str | None,
    typer.Option(
        "--net",
        metavar="HOST:PORT",
        help="Let other machines join at this address, such as 0.0.0.0:7447. There is no login.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a world runs, and what it is joined to."""

    duration: Annotated[
        float | None,
        typer.Option(
            "--duration",
            metavar="SECONDS",
            min=0.0,
            max=1e9,
            help="Simulated time; without end as a page, on topics and with --foxglove, else a "
            "while: 10 s in 3D, 30 s in 2D.",
            show_default=False,
        ),
    ] = None
    realtime: Annotated[
        bool | None,
        typer.Option(
            "--realtime/--fast",
            help="No faster than the clock on the wall, as with a page, on topics and with "
            "--foxglove, or as fast as possible.",
            show_default=False,
        ),
    ] = None
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            help="Put the world on topics: zenoh://, or zenoh://host:port of a router.",
            show_default=False,
        ),
    ] = None
    session: SessionOption = None
    net: NetOption = None
    record: Annotated[
        Path | None,
        typer.Option(
            "--record",
            metavar="PATH",
            help="Record everything: to FILE.mcap for Foxglove, or as a ROS 2 bag into a folder.",
            show_default=False,
        ),
    ] = None
    ros_names: Annotated[
        bool,
        typer.Option(
            "--ros-names",
            help="Call topics and frames as ROS does: /scan and base_link of the only robot, with "
            "odom above it.",
        ),
    ] = False
    horus: Annotated[
        bool, typer.Option("--horus", help="Let programs of HORUS drive and read the robots.")
    ] = False
    foxglove: Annotated[bool, typer.Option("--foxglove", help="Serve a live view to Foxglove.")] = (
        False
    )
    foxglove_port: Annotated[
        int, typer.Option("--foxglove-port", min=0, max=65535, help="Where; 0 takes a free port.")
    ] = 8765

    def wishes(self, *, has_page: bool, images: str | None = None) -> Wishes:
        """What the world is joined to.

        Args:
            has_page: Whether it is shown as a page.
            images: How --record packs pictures.
        """
        from horus_sim.running.joining import Wishes

        return Wishes(
            self.url,
            self.session,
            self.net,
            None if self.record is None else str(self.record),
            images,
            self.foxglove_port if self.foxglove else None,
            has_page,
            self.horus,
            self.ros_names,
        )

    def speed(self, wishes: Wishes) -> float | None:
        """Simulated seconds a second; None is as fast as possible."""
        is_paced = wishes.is_attended if self.realtime is None else self.realtime
        return 1.0 if is_paced else None


@contextmanager
def told_join(world: SteppedWorld, wishes: Wishes) -> Iterator[Joined]:
    """Joins a world to what is wished for, and tells the terminal."""
    from horus_sim.running.joining import join

    with logged_to_terminal(), join(world, wishes) as joined:
        for note in joined.notes:
            typer.echo(printable(note), err=bool(joined.no_topics))
        yield joined
