"""`horus-sim replay`: play a recording onto topics, show what it holds, verify it bit by bit."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.hub_options import DEFAULT_URL, SessionOption, UrlOption, open_hub
from horus_sim.cli.sim3d_session import NetOption
from horus_sim.cli.terminal import print_table, printable, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.sim3d.recording.player import Played

app = typer.Typer(name="replay")

_INTERRUPTED = 130
_SILENT_NS = 2_000_000_000

FileArgument = Annotated[Path, typer.Argument(metavar="FILE.mcap", help="The recording.")]


@app.command()
def run(
    file: FileArgument,
    *,
    fast: Annotated[bool, typer.Option("--fast", help="As fast as possible.")] = False,
    speed: Annotated[
        float, typer.Option("--speed", min=0.001, max=1000.0, help="Recorded seconds a second.")
    ] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="Again and again, until Ctrl-C.")] = False,
    topics: Annotated[
        str | None,
        typer.Option("--topics", metavar="A,B", help="Only these.", show_default=False),
    ] = None,
    session: SessionOption = None,
    url: UrlOption = DEFAULT_URL,
    net: NetOption = None,
) -> None:
    """Publish a recording's messages again, with their original timing."""
    from horus_sim.sim3d.recording import McapFile, Player

    recording = McapFile(file)
    wanted = None if topics is None else [name.strip() for name in topics.split(",")]
    interrupted = False
    with open_hub(url, session, net=net) as hub:
        player = Player(recording, hub, wanted, None if fast else speed)
        while True:
            try:
                with _bar(file, recording.duration_ns) as advance:
                    played = player.play(advance)
            except KeyboardInterrupt:
                interrupted = True
                break
            _summarize(played)
            if not loop:
                break
        player.close()
    if interrupted:
        raise typer.Exit(0 if loop else _INTERRUPTED)


@app.command()
def info(file: FileArgument) -> None:
    """Show the topics of a recording with their types, numbers and times."""
    from horus_sim.sim3d.recording import McapFile

    recording = McapFile(file)
    counts: Counter[str] = Counter()
    kinds: dict[str, tuple[str, str]] = {}
    times: dict[str, tuple[int, int]] = {}
    with progress(f"reading {file}"):
        for message in recording.read():
            topic, stamp_ns = message.topic, message.stamp_ns
            counts[topic] += 1
            kind = "-" if message.value is None else type(message.value).__name__
            kinds[topic] = ("StaticTransforms" if kind == "tuple" else kind, message.schema)
            times[topic] = (times.get(topic, (stamp_ns, 0))[0], stamp_ns)
    rows = [
        (topic, *kinds[topic], counts[topic], f"{first / 1e9:.3f}", f"{last / 1e9:.3f}")
        for topic, (first, last) in sorted(times.items())
    ]
    print_table(("topic", "type", "schema", "messages", "first [s]", "last [s]"), rows)
    _print_cut_off(is_cut_off=recording.is_cut_off)


@app.command()
def verify(
    file: FileArgument,
    *,
    scene: Annotated[
        str | None,
        typer.Option(
            "--scene", help="Where the scene's file is now, if it was moved.", show_default=False
        ),
    ] = None,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            "--root",
            "--package-root",
            metavar="FOLDER",
            help="Folder from which files may come, too.",
        ),
    ] = None,
) -> None:
    """Give the recorded commands to a new world, and check that every state is the recorded one.

    The exit code is 0 when they are equal bit by bit, 1 otherwise.
    """
    from horus_sim.sim3d.recording import CommandLog, recorded_world, replay_commands

    log = CommandLog.load(file)
    with progress(f"replaying {file}"):
        done = replay_commands(recorded_world(log, scene, root or ()), log)
    typer.echo(
        f"{printable(file)}: {done.steps} steps and {done.commands} commands done again, "
        f"{done.states} states equal bit by bit"
    )


def _summarize(played: Played) -> None:
    total = sum(played.messages.values())
    typer.echo(f"played {total} messages on {len(played.messages)} topics")
    for schema, count in sorted(played.unknown.items()):
        typer.echo(f"left out {count} messages of unknown type {printable(schema)}", err=True)
    _print_cut_off(is_cut_off=played.is_cut_off)


def _print_cut_off(*, is_cut_off: bool) -> None:
    if is_cut_off:
        typer.echo("the file ends early; what it holds was read", err=True)


@contextmanager
def _bar(file: Path, duration_ns: int | None) -> Iterator[Callable[[int], object] | None]:
    """A progress bar on stderr, if that is a terminal and the recording is long."""
    if not sys.stderr.isatty() or duration_ns is None or duration_ns <= _SILENT_NS:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.1f} of {task.total:.1f} s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(printable(file.name), total=duration_ns * 1e-9)
        yield lambda passed_ns: bar.update(task, completed=passed_ns * 1e-9)
