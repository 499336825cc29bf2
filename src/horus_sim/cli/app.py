"""The Typer application and the entry point of `horus-sim`.

What a command needs is imported when it runs, so that `--version` and `--help` stay quick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from horus_sim import __version__
from horus_sim.errors import HorusError

app = typer.Typer(
    name="horus-sim",
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001  Typer calls it with the option's value
    if wanted:
        typer.echo(f"horus-sim {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """A robot described once, then driven, seen, measured and trained."""


@app.command()
def doctor(
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print machine-readable JSON instead of a table.")
    ] = False,
) -> None:
    """Show what is installed, what is missing and the command that installs it.

    The exit code is 0 when everything required is there, 1 otherwise; optional parts do not count.
    """
    from horus_sim.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(as_json=as_json))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors of this package are printed in one line, without a traceback.

    Args:
        arguments: Arguments without the program's name, none asking for help; those of the process
            by default.

    Raises:
        SystemExit: Always, with the exit code of the command.
    """
    if arguments is None:
        arguments = sys.argv[1:]
    try:
        app(args=list(arguments) or ["--help"], prog_name="horus-sim")
    except HorusError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
