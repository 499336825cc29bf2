"""`horus-sim tf`: see the transforms of a running session, and find what is wrong with them."""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.hub_options import ListenOptions, TopicOptions, until_interrupted
from horus_sim.cli.options import Commands
from horus_sim.cli.terminal import print_table, progress
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.hub.transforms.watch import Watch
    from horus_sim.tf import FrameInfo

app = Commands(name="tf")

_FORMATS = ("text", "dot", "json", "svg")


@app.command()
def view(
    *,
    as_dot: Annotated[bool, typer.Option("--dot", help="Graphviz DOT.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON.")] = False,
    as_svg: Annotated[bool, typer.Option("--svg", help="An SVG drawing.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write there; its ending names the format."),
    ] = None,
    topics: ListenOptions,
) -> None:
    """Show the tree of frames, as text unless another format is asked for."""
    chosen = [name for name, on in (("dot", as_dot), ("json", as_json), ("svg", as_svg)) if on]
    if len(chosen) > 1:
        raise typer.BadParameter(f"choose one of {', '.join(f'--{name}' for name in chosen)}")
    with topics.open() as hub:
        frames = _listen(hub, topics.wait).buffer.frames()
    suffix = "" if output is None else output.suffix[1:].lower()
    text = _draw(frames, (chosen or [suffix if suffix in _FORMATS else "text"])[0])
    if output is None:
        typer.echo(text)
    else:
        _write(output, text)


@app.command()
def check(
    *,
    stale: Annotated[
        float,
        typer.Option(
            "--stale", metavar="SECONDS", min=0.0, help="How far a frame may lag behind others."
        ),
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    topics: ListenOptions,
) -> None:
    """Look for cycles, several roots or publishers, stale frames and mixed clocks.

    The exit code is 0 when nothing is wrong, 1 otherwise.
    """
    with topics.open(quiet=True) as hub:
        watch = _listen(hub, topics.wait)
        frames = watch.buffer.frames()
        findings = watch.problems(stale)
    if as_json:
        report = {
            "ok": not findings,
            "frames": len(frames),
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        typer.echo(json.dumps(report, indent=2))
    else:
        for finding in findings:
            typer.echo(printable(finding))
        if not findings:
            typer.echo(f"{len(frames)} frames, one tree, no problems")
    raise typer.Exit(1 if findings else 0)


@app.command()
def echo(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Frame coordinates come from.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Frame that they go to.")],
    *,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="SECONDS", help="Print the transform of this stamp, once."),
    ] = None,
    ago: Annotated[
        str | None,
        typer.Option(
            "--ago", metavar="SECONDS", help="Print what was this long before the newest stamp."
        ),
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", min=1, help="Times to print; endless by default.")
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", metavar="HZ", min=0.001, help="How often to print.")
    ] = 1.0,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", "--wait", metavar="SECONDS", min=0.0, help="Longest wait for the frames."
        ),
    ] = 5.0,
    topics: TopicOptions,
) -> None:
    """Print T_target_source, which is the pose of SOURCE in TARGET, until Ctrl-C.

    The past is known from when the command began to listen: --ago waits until that is long enough,
    and --at until its stamp has come.
    """
    from horus_sim.cli.transforms.echo import Echo, moment_of

    moment = moment_of(at, ago)
    with until_interrupted(), topics.open() as hub:
        echo = Echo(hub, source, target, moment, timeout)
        begin = time.monotonic()
        for number in itertools.count(1):
            typer.echo(echo.text())
            if number == count or at is not None:
                return
            time.sleep(max(0.0, begin + number / rate - time.monotonic()))


@app.command()
def static(
    parent: Annotated[str, typer.Argument(metavar="PARENT", help="Parent frame.")],
    child: Annotated[str, typer.Argument(metavar="CHILD", help="Frame that is fixed to it.")],
    *,
    x: Annotated[float, typer.Option("--x", help="Translation [m].")] = 0.0,
    y: Annotated[float, typer.Option("--y", help="Translation [m].")] = 0.0,
    z: Annotated[float, typer.Option("--z", help="Translation [m].")] = 0.0,
    roll: Annotated[float | None, typer.Option("--roll", help="About fixed x [rad].")] = None,
    pitch: Annotated[float | None, typer.Option("--pitch", help="About fixed y [rad].")] = None,
    yaw: Annotated[float | None, typer.Option("--yaw", help="About fixed z [rad].")] = None,
    qx: Annotated[float | None, typer.Option("--qx", help="Quaternion.")] = None,
    qy: Annotated[float | None, typer.Option("--qy", help="Quaternion.")] = None,
    qz: Annotated[float | None, typer.Option("--qz", help="Quaternion.")] = None,
    qw: Annotated[float | None, typer.Option("--qw", help="Quaternion.")] = None,
    topics: TopicOptions,
) -> None:
    """Publish a fixed frame until Ctrl-C: where CHILD is in PARENT.

    The rotation is given by angles or as a quaternion; without either there is none.
    """
    from horus_sim.cli.transforms.static import publish, static_transform

    transform = static_transform((x, y, z), (roll, pitch, yaw), (qx, qy, qz, qw))
    with until_interrupted(), topics.open() as hub:
        publish(hub, parent, child, transform)


@app.command()
def monitor(
    *,
    duration: Annotated[
        float | None,
        typer.Option("--duration", metavar="SECONDS", min=0.0, help="How long; endless by default"),
    ] = None,
    topics: ListenOptions,
) -> None:
    """Show rate, delay and publisher of every frame live, until Ctrl-C.

    Where the output is not a terminal, one plain table is printed after --duration or --wait
    seconds.
    """
    with until_interrupted(), topics.open(quiet=True) as hub:
        from horus_sim.cli.transforms.monitor import HEADINGS, rows_now, show_live
        from horus_sim.hub.transforms.watch import Watch

        if sys.stdout.isatty():
            show_live(Watch(hub), duration)
        else:
            watch = _listen(hub, topics.wait if duration is None else duration)
            print_table(HEADINGS, rows_now(watch))


def _listen(hub: Hub, wait: float) -> Watch:
    from horus_sim.hub.transforms.watch import Watch

    watch = Watch(hub)
    with progress("listening for transforms", wait):
        time.sleep(wait)
    watch.require_some(wait)
    return watch


def _draw(frames: list[FrameInfo], format: str) -> str:  # noqa: A002 - what it is
    if format == "svg":
        from horus_sim.tf.svg import draw_svg

        return draw_svg(frames)
    from horus_sim.tf.dump import dump

    text = dump(frames, format)
    if format == "text":
        # Names are not trusted: they may hold what moves the cursor.
        return "\n".join(printable(line) for line in text.split("\n"))
    return text


def _write(path: Path, text: str) -> None:
    from horus_sim.errors import HorusError
    from horus_sim.files.whole_file import write_whole

    write_whole(path, text + "\n", HorusError, "choose another --output")
