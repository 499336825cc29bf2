"""`horus-sim replay`: play a recording onto topics, show, verify and repair it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.hub_options import TopicOptions
from horus_sim.cli.options import Commands
from horus_sim.cli.run_options import NetOption
from horus_sim.cli.terminal import print_table, progress, time_bar
from horus_sim.files.printable import printable
from horus_sim.installation import command

if TYPE_CHECKING:
    from horus_sim.running import SteppedWorld
    from horus_sim.running.recording import CommandLog
    from horus_sim.running.recording.player import Played

app = Commands(name="replay")

_INTERRUPTED = 130

FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RECORDING", help="An MCAP file, or a ROS 2 bag: its folder or .db3 file."
    ),
]


@app.command()
def run(
    file: FileArgument,
    *,
    fast: Annotated[bool, typer.Option("--fast", help="As fast as possible.")] = False,
    speed: Annotated[
        float,
        typer.Option("--speed", "--rate", min=0.001, max=1000.0, help="Recorded seconds a second."),
    ] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="Again and again, until Ctrl-C.")] = False,
    topics: Annotated[
        str | None,
        typer.Option("--topics", metavar="A,B", help="Only these.", show_default=False),
    ] = None,
    joined: TopicOptions,
    net: NetOption = None,
) -> None:
    """Publish a recording's messages again, with their original timing."""
    from horus_sim.running.recording import Player, open_recording

    recording = open_recording(file)
    wanted = None if topics is None else [name.strip() for name in topics.split(",")]
    interrupted = False
    with joined.open(net=net) as hub:
        player = Player(recording, hub, wanted, None if fast else speed)
        while True:
            try:
                with time_bar(
                    file.name, recording.duration_ns and recording.duration_ns * 1e-9
                ) as show:
                    played = player.play(lambda passed_ns: show(passed_ns * 1e-9))
            except KeyboardInterrupt:
                interrupted = True
                break
            _summarize(file, played)
            if not loop:
                break
        player.close()
    if interrupted:
        raise typer.Exit(0 if loop else _INTERRUPTED)


@app.command()
def info(file: FileArgument) -> None:
    """Show the topics of a recording with their types, numbers and times."""
    from horus_sim.running.recording import open_recording

    recording = open_recording(file)
    counts: Counter[str] = Counter()
    kinds: dict[str, tuple[str, str]] = {}
    times: dict[str, tuple[int, int]] = {}
    with progress(f"reading {file}"):
        for message in recording.read():
            topic, stamp_ns = message.topic, message.stamp_ns
            counts[topic] += 1
            kind = "-" if message.value is None else type(message.value).__name__
            kind = "dict" if isinstance(message.value, dict) else kind
            kinds[topic] = ("StaticTransforms" if kind == "tuple" else kind, message.schema)
            times[topic] = (times.get(topic, (stamp_ns, 0))[0], stamp_ns)
    rows = [
        (topic, *kinds[topic], counts[topic], f"{first / 1e9:.3f}", f"{last / 1e9:.3f}")
        for topic, (first, last) in sorted(times.items())
    ]
    print_table(("topic", "type", "schema", "messages", "first [s]", "last [s]"), rows)
    _print_missing(file, recording.missing)


@app.command()
def verify(
    file: FileArgument,
    *,
    scene: Annotated[
        str | None,
        typer.Option(
            "--scene",
            help="Where the scene's file or the scenario's folder is now, if it was moved.",
            show_default=False,
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
    from horus_sim.running.recording import CommandLog, replay_commands

    log = CommandLog.load(file)
    with progress(f"replaying {file}"):
        done = replay_commands(_recorded_world(log, scene, root or ()), log)
    typer.echo(
        f"{printable(file)}: {done.steps} steps and {done.commands} commands done again, "
        f"{done.states} states equal bit by bit"
    )
    if not log.has_end:
        typer.echo("the record ends early; it is verified as far as it goes", err=True)


def _recorded_world(log: CommandLog, scene: str | None, roots: Iterable[Path]) -> SteppedWorld:
    """The world of a record, 3D or 2D, where it began."""
    if log.simulator == "sim2d":
        from horus_sim.sim2d.exchange.origin import recorded_simulator

        return recorded_simulator(log, scene)
    from horus_sim.sim3d import recorded_world

    return recorded_world(log, scene, roots)


@app.command()
def repair(
    file: FileArgument,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="PATH",
            help="Write the repaired recording here, and leave the file as it is.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make a recording whole that was cut off or damaged: all messages that can be read, indexed.

    The file as it was is kept beside it with the ending .damaged, unless --output is given. The
    exit code is 0 when the recording is whole now, also if it was before.
    """
    from horus_sim.running.recording import repair_recording

    with progress(f"repairing {file}"):
        repaired = repair_recording(file, output)
    if repaired is None:
        typer.echo(f"{printable(file)} is whole; there is nothing to repair")
        return
    for text in repaired.lost:
        typer.echo(printable(text), err=True)
    typer.echo(
        f"{printable(repaired.path)}: {repaired.messages} messages on {repaired.topics} topics, up "
        f"to {repaired.last_ns * 1e-9:.3f} s"
    )
    if repaired.kept is not None:
        typer.echo(f"the file as it was: {printable(repaired.kept)}")


def _summarize(file: Path, played: Played) -> None:
    total = sum(played.messages.values())
    typer.echo(f"played {total} messages on {len(played.messages)} topics")
    for schema, count in sorted(played.unknown.items()):
        typer.echo(f"left out {count} messages of unknown type {printable(schema)}", err=True)
    _print_missing(file, played.missing)


def _print_missing(file: Path, missing: str) -> None:
    if missing:
        typer.echo(
            f"the file is not whole: {missing}; what it holds was read; make it whole for other "
            f"programs with: {command(f'replay repair {quote(printable(file))}')}",
            err=True,
        )
