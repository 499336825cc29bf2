"""The Typer application and the entry point of `horus-sim`.

What a command needs is imported when it runs, so that `--version` and `--help` stay quick.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from horus_sim import __version__
from horus_sim.errors import HorusError

# The default would take brackets, as in [deg], for markup and swallow them.
_HELP_MARKUP = "markdown"

app = typer.Typer(
    name="horus-sim",
    add_completion=False,
    pretty_exceptions_show_locals=False,
    rich_markup_mode=_HELP_MARKUP,
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


class _LazyGroup(TyperGroup):
    """The commands of the module `horus_sim.cli.<name>`, imported when one of them is used."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's context
        self._load()
        return super().parse_args(ctx, args)

    def _load(self) -> None:
        if not self.commands:
            module = importlib.import_module(f"horus_sim.cli.{self.name}")
            group = cast(TyperGroup, typer.main.get_command(module.app))
            for command in group.commands.values():
                cast(Any, command).rich_markup_mode = _HELP_MARKUP
            self.commands.update(group.commands)


class _DefaultGroup(_LazyGroup):
    """The same, where a first word that is no command is the argument of the command `run`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's context
        self._load()
        known = {*self.commands, "--help"}
        return super().parse_args(ctx, args if not args or args[0] in known else ["run", *args])


class _PageGroup(_LazyGroup):
    """The same, where no command opens the page, and a first word that is none is its argument."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's context
        self._load()
        known = {*self.commands, "--help"}
        return super().parse_args(ctx, args if args and args[0] in known else ["page", *args])


def _add_group(name: str, summary: str, kind: type[TyperGroup] = _LazyGroup) -> None:
    group = typer.Typer(
        name=name, cls=kind, help=summary, no_args_is_help=True, rich_markup_mode=_HELP_MARKUP
    )
    app.add_typer(group)


_add_group(
    "arm",
    "Robot arms: `arm` opens the page; where is the tool, how does it get somewhere.",
    _PageGroup,
)
_add_group("topic", "List, print, measure and send the messages of topics.")
_add_group("sim2d", "Run, list, make and check scenarios of the 2D simulator.")
_add_group("tf", "Look at the transforms of a running session and check them.")
_add_group("rl", "Learn: list, measure, train, evaluate and play tasks.")
_add_group("robot", "Check, describe and convert robot files.")
_add_group("replay", "Play a recording: `replay run.mcap`; show and verify it.", _DefaultGroup)
_add_group("sim3d", "Run a scene: `sim3d warehouse`; list and check scenes.", _DefaultGroup)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors of this package are printed in one line, without a traceback.

    Args:
        arguments: Arguments without the program's name, none for the page with the warehouse;
            those of the process by default.

    Raises:
        SystemExit: Always, with the exit code of the command.
    """
    if arguments is None:
        arguments = sys.argv[1:]
    try:
        app(args=list(arguments) or ["sim3d", "warehouse"], prog_name="horus-sim")
    except HorusError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)


def sim3d_main() -> None:
    """The entry point of `sim3d`, which is short for `horus-sim sim3d`."""
    main(["sim3d", *sys.argv[1:]])
