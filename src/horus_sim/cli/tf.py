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
    from collections.abc import Iterable

    from horus_sim.hub import Hub, TFListener
    from horus_sim.hub.transforms.watch import Watch
    from horus_sim.tf import FrameInfo, Transform

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
    """Print T_target_source, which is the pose of SOURCE in TARGET, until Ctrl-C."""
    with until_interrupted(), topics.open() as hub:
        from horus_sim.hub import TFListener

        listener = TFListener(hub)
        begin = time.monotonic()
        for number in itertools.count(1):
            T_target_source, stamp_ns = _look_up(listener, source, target, timeout)
            typer.echo("\n".join(_describe(T_target_source, stamp_ns, source, target)))
            if number == count:
                return
            time.sleep(max(0.0, begin + number / rate - time.monotonic()))


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
        from horus_sim.cli.tf_monitor import HEADINGS, rows_now, show_live
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


def _look_up(
    listener: TFListener, source: str, target: str, timeout: float
) -> tuple[Transform, int | None]:
    from horus_sim.tf import TFError

    end = time.monotonic() + timeout
    while True:
        if not listener.tree.can_transform(source, target):
            with progress(f"waiting for '{source}' -> '{target}'", timeout):
                listener.buffer.wait_for_transform(source, target, timeout=timeout)
        try:
            return listener.tree.lookup_stamped(source, target)
        except TFError:
            # A new run may have begun in between and emptied the tree.
            if time.monotonic() >= end:
                raise


def _describe(T: Transform, stamp_ns: int | None, source: str, target: str) -> list[str]:
    import numpy as np

    from horus_sim.errors import seconds

    rpy = T.to_euler()
    when = "static" if stamp_ns is None else f"at {seconds(stamp_ns)}"
    return [
        printable(f"'{source}' -> '{target}' {when}"),
        f"  translation xyz [m]    {_numbers(T.translation)}",
        f"  quaternion xyzw        {_numbers(T.rotation)}",
        f"  roll pitch yaw [rad]   {_numbers(rpy)}",
        f"  roll pitch yaw [deg]   {_numbers(np.degrees(rpy))}",
    ]


def _numbers(values: Iterable[float]) -> str:
    # Rounded first and plus 0.0, so that none reads -0.000000.
    return " ".join(f"{round(float(value), 6) + 0.0:.6f}" for value in values)
