"""`horus-sim bag`: record the topics of a session as a ROS 2 bag, and show what a bag holds."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.hub_options import TopicOptions, until_interrupted
from horus_sim.cli.options import Commands
from horus_sim.cli.terminal import print_table, progress
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.running.recording.bag.recorder import BagRecorder
    from horus_sim.running.recording.bag.session_recorder import SessionRecorder

app = Commands(name="bag")

_POLL_S = 0.05
_LOOK_S = 0.5


@app.command()
def record(
    topics: Annotated[
        list[str] | None, typer.Argument(metavar="TOPIC", help="Topics to record.")
    ] = None,
    *,
    all_topics: Annotated[
        bool, typer.Option("--all", "-a", help="Record all topics, also such that come later.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="The bag; a name with the time by default.",
            show_default=False,
        ),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            "--duration", metavar="SECONDS", min=0.0, help="How long; until Ctrl-C by default."
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option("--count", metavar="N", min=1, help="End after so many messages."),
    ] = None,
    joined: TopicOptions,
) -> None:
    """Record topics of a session into a ROS 2 bag, until Ctrl-C.

    Messages of any program are recorded, with the time at which they came. Topics whose type is
    not known here are told and left out.
    """
    from horus_sim.errors import RecordingError
    from horus_sim.running.recording import BagRecorder, SessionRecorder

    if bool(topics) == all_topics:
        raise typer.BadParameter("give the topics to record, or --all")
    folder = output or Path(f"rosbag2_{datetime.now(UTC):%Y_%m_%d-%H_%M_%S}")
    if folder.exists():
        raise RecordingError(f"'{folder}' exists already; choose another folder with --output")
    end = None if duration is None else time.monotonic() + duration
    with joined.open() as hub, BagRecorder(folder) as recorder:
        with SessionRecorder(hub, recorder, None if all_topics else topics) as session:
            typer.echo(f"recording session '{hub.session}' to {printable(folder)}", err=True)
            with until_interrupted():
                _record(session, recorder, end, count)
        _tell_losses(session)
    typer.echo(recorder.summary())
    if recorder.error is not None:
        raise typer.Exit(1)


def _record(
    session: SessionRecorder, recorder: BagRecorder, end: float | None, count: int | None
) -> None:
    looked = float("-inf")
    told: set[str] = set()
    while recorder.error is None and (end is None or time.monotonic() < end):
        if count is not None and recorder.messages >= count:
            return
        if time.monotonic() - looked >= _LOOK_S:
            looked = time.monotonic()
            for topic in session.look():
                typer.echo(f"topic {printable(topic)}", err=True)
            for topic in sorted(session.left_out.keys() - told):
                told.add(topic)
                cause = printable(session.left_out[topic])
                typer.echo(f"topic {printable(topic)} is left out: {cause}", err=True)
        session.write()
        time.sleep(_POLL_S)


def _tell_losses(session: SessionRecorder) -> None:
    if session.absent:
        typer.echo(f"nobody published {printable(', '.join(session.absent))}", err=True)
    if session.dropped:
        typer.echo(f"{session.dropped} messages came too fast to be written", err=True)


@app.command()
def info(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The bag; a single .db3 file is taken, too.")
    ],
) -> None:
    """Show the topics of a bag with their ROS types and numbers of messages, and its times."""
    from horus_sim.running.recording import Bag

    bag = Bag(folder)
    with progress(f"reading {folder}"):
        found = bag.contents()
    total = sum(found.messages.values())
    duration = (found.end_ns - found.start_ns) * 1e-9
    typer.echo(
        f"{printable(folder)}: {total} messages in {duration:.3f} s, from "
        f"{found.start_ns * 1e-9:.3f} s to {found.end_ns * 1e-9:.3f} s"
    )
    rows = [(topic, kind, count) for (topic, kind), count in sorted(found.messages.items())]
    print_table(("topic", "type", "messages"), rows)
    if bag.missing:
        typer.echo(f"the bag is not whole: {printable(bag.missing)}", err=True)
