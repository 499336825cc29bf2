"""`horus-sim launch`: one file starts a world, nodes and a page."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from horus_sim.cli.hub_options import logged_to_terminal
from horus_sim.cli.terminal import progress
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.launch import Launch

_INTERRUPTED = 128 + int(signal.SIGINT)


def run_launch_file(
    path: Path, *, check: bool = False, session: str | None = None, changes: list[str] | None = None
) -> None:
    """Runs a launch file, or tells what it would start.

    Args:
        path: The file.
        check: Nothing is started.
        session: Session instead of that of the file.
        changes: Values to change, as ``world.seed=2``.
    """
    from horus_sim.launch import load_launch, run_launch

    with progress(f"reading {path}"):
        launch = load_launch(path, changes or ())
    if check:
        _print_plan(launch, path, session)
        return
    with logged_to_terminal():
        outcome = run_launch(launch, session=session, show=_show, style=_style())
    for failure in outcome.failures:
        typer.echo(f"error: {failure}", err=True)
    if outcome.is_interrupted or outcome.failures:
        raise typer.Exit(_INTERRUPTED if outcome.is_interrupted else 1)


def _show(line: str) -> None:
    typer.echo(line)


def _style():  # noqa: ANN202 - a Style or None
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return None
    return lambda text, colour: typer.style(text, fg=colour)


def _print_plan(launch: Launch, path: Path, session: str | None) -> None:
    from horus_sim.hub.connect import session_name
    from horus_sim.launch.program import programs

    name = session_name(launch.session if session is None else session)
    typer.echo(f"{printable(path)}: sound; in session '{name}' it would start")
    for number, program in enumerate(programs(launch, name), 1):
        typer.echo(f"{number}. {program.name}: {printable(program.shown)}")
        node = launch.nodes.get(program.name)
        facts = [f"after {', '.join(program.after)}"] if program.after else []
        if node is not None:
            facts += [f"{inside} is {outside}" for inside, outside in node.remap.items()]
            facts += [f"sets {variable}" for variable in node.env]
        if program.restart != "never":
            facts.append(f"restart {program.restart}, at most {program.restarts} times in a row")
        if program.required:
            facts.append("all ends with it")
        for fact in facts:
            typer.echo(f"     {printable(fact)}")
