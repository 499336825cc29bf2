"""What a run of `sim3d` is joined to: topics, recordings, live views, videos."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from horus_sim.errors import HubError

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.sim3d.bridge import WorldBridge

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
VideoOption = Annotated[
    Path | None,
    typer.Option("--video", metavar="FILE", help="Film to an .mp4 or .gif.", show_default=False),
]
CameraOption = Annotated[
    str | None,
    typer.Option(
        "--camera",
        metavar="NAME",
        help="Camera of --video and --dataset; --video shows the whole without it.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a run is joined to.

    Attributes:
        url: Transport of the topics; None is no topics, unless session or net is given.
        session: Name of the session.
        net: Address for other machines.
        record: MCAP file.
        record_images: How it packs pictures; raw unless given.
        foxglove_port: Port of the live view.
        video: MP4 or GIF.
        camera: Of the video.
    """

    url: str | None = None
    session: str | None = None
    net: str | None = None
    record: Path | None = None
    record_images: str | None = None
    foxglove_port: int | None = None
    video: Path | None = None
    camera: str | None = None

    @property
    def has_topics(self) -> bool:
        """Whether the world is put on topics."""
        return any(value is not None for value in (self.url, self.session, self.net))

    @property
    def is_attended(self) -> bool:
        """Whether somebody takes part while it runs."""
        return self.has_topics or self.foxglove_port is not None


@dataclass(slots=True)
class Session:
    """A run and what it is joined to.

    Attributes:
        bridge: Steps the world; None where nothing is joined to it.
        summaries: Each gives a line for the end.
        has_failed: Whether a recording ended early; known at the end.
    """

    bridge: WorldBridge | None = None
    summaries: list[Callable[[], str]] = field(default_factory=list)
    failures: list[Callable[[], object]] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Whether a recording or a video ended early."""
        return any(failure() is not None for failure in self.failures)


@contextmanager
def open_session(world: World, wishes: Wishes, robots: Iterable[str] = ()) -> Iterator[Session]:
    """Joins a world to what is wished for, until the end of the block.

    Args:
        world: The world.
        wishes: What it is joined to.
        robots: Names or files of robots that are put into it, too; a recording tells of them.
    """
    session = Session()
    joined = (wishes.record, wishes.foxglove_port, wishes.video)
    if not wishes.has_topics and all(wish is None for wish in joined):
        for robot in robots:
            world.spawn(robot)
        yield session
        return
    from horus_sim.sim3d.bridge import WorldBridge

    with ExitStack() as stack:
        hub = None
        if wishes.has_topics:
            from horus_sim.cli.hub_options import open_hub

            url = wishes.url or _DEFAULT_URL
            if url == "inproc://":
                raise HubError(
                    "nobody else could join 'inproc://' topics of this command; use 'zenoh://'"
                )
            hub = stack.enter_context(open_hub(url, wishes.session, net=wishes.net))
        bridge = session.bridge = WorldBridge(world, hub)
        stack.callback(bridge.close)
        if hub is not None:
            typer.echo(f"topics of session '{hub.session}' at {wishes.url or _DEFAULT_URL}")
        if wishes.record is not None:
            from horus_sim.sim3d.recording import McapRecorder

            packing = cast("Any", wishes.record_images or "raw")
            recorder = McapRecorder(wishes.record, images=packing)
            bridge.add_sink(recorder)
            session.summaries.append(recorder.summary)
            session.failures.append(lambda: recorder.error)
        if wishes.foxglove_port is not None:
            from horus_sim.sim3d.recording import FoxgloveServer

            server = FoxgloveServer(wishes.foxglove_port)
            bridge.add_sink(server)
            typer.echo(f"open Foxglove and connect to {server.url}")
        for robot in robots:
            bridge.spawn(robot)
        if wishes.video is not None:
            from horus_sim.sim3d.recording import VideoConfig, VideoRecorder

            film = VideoRecorder(world, wishes.video, VideoConfig(camera=wishes.camera))
            stack.callback(film.close)
            bridge.observers.append(film.after_step)
            film.after_step(world)
            session.summaries.append(film.summary)
            session.failures.append(lambda: film.error)
        yield session
