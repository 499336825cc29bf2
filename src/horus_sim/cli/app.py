"""The Typer application and the entry point of `horus-sim`.

What a command needs is imported when it runs, so that `--version` and `--help` stay quick.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from horus_sim import __version__
from horus_sim.errors import HorusError
from horus_sim.interruption import Interruption

# The default would take brackets, as in [deg], for markup and swallow them.
_HELP_MARKUP = "markdown"
DEBUG = "HORUS_DEBUG"
"""Environment variable; unless it is empty, unexpected errors show their traceback."""

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


def _show_tracebacks(wanted: bool) -> None:  # noqa: FBT001  Typer calls it with the option's value
    if wanted:
        os.environ[DEBUG] = "1"


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            callback=_show_tracebacks,
            is_eager=True,
            help=f"Show where an unexpected error came from, as {DEBUG}=1 does.",
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


@app.command()
def migrate(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Scenes, scenarios and tasks, or folders of them."),
    ],
) -> None:
    """Rewrite files of an earlier version: keys that were renamed get their present names.

    Comments and layout stay. A file that holds nothing old is not touched.
    """
    from horus_sim.cli.migrate import run_migrate

    run_migrate(files)


@app.command("ros2-check")
def ros2_check(
    *,
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="Where the report is written.")
    ] = Path("horus-ros2-check.txt"),
    timeout: Annotated[
        float,
        typer.Option("--timeout", metavar="SECONDS", min=1.0, help="Longest wait for a command."),
    ] = 30.0,
) -> None:
    """Check with the commands of ROS 2 on this machine that both sides understand each other.

    A world is started on plain topics; ros2 lists, echoes, drives, steps and records it. The exit
    code is 0 when nothing failed, 1 when something did, and 2 where ROS 2 is not installed.
    """
    from horus_sim.cli.ros2_check import run_checks

    raise typer.Exit(run_checks(output, timeout))


@app.command()
def launch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML, JSON or Python file.")],
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Check the file and print what would start.")
    ] = False,
    session: Annotated[
        str | None,
        typer.Option(
            "--session", metavar="NAME", help="Another session than the file's.", show_default=False
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value: world.page=false."),
    ] = None,
) -> None:
    """Start a world, nodes and a page from one file; Ctrl-C ends them all.

    The exit code is 0 when all went well, and 1 when something failed, which is then named.
    """
    from horus_sim.cli.launch import run_launch_file

    run_launch_file(file, check=check, session=session, changes=overrides)


@app.command(hidden=True)
def cli() -> None:
    """Print where the joints and the tool of the default arm are; short for `arm cli`."""
    app(args=["arm", "cli"], prog_name="horus-sim", standalone_mode=False)


class _LazyGroup(TyperGroup):
    """The commands of the module `horus_sim.cli.<name>`, imported when one of them is used."""

    package = "horus_sim.cli"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's context
        self._load()
        return super().parse_args(ctx, args)

    def _load(self) -> None:
        if not self.commands:
            module = importlib.import_module(f"{self.package}.{self.name}")
            group = cast(TyperGroup, typer.main.get_command(module.app))
            for command in group.commands.values():
                cast(Any, command).rich_markup_mode = _HELP_MARKUP
            self.commands.update(group.commands)


class _RunGroup(_LazyGroup):
    """The same, where a first word that is not a command is an argument of the usual one."""

    usual = "run"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's context
        self._load()
        known = {*self.commands, "--help"}
        return super().parse_args(ctx, args if args and args[0] in known else [self.usual, *args])


class _TopicsGroup(_LazyGroup):
    """The same, of modules in `horus_sim.cli.topics`."""

    package = "horus_sim.cli.topics"


class _PageGroup(_RunGroup):
    """The same, where the usual command opens a page."""

    usual = "page"


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
_add_group("topic", "List, print, measure and send the messages of topics; who is there.")
_add_group("node", "List the nodes of a session and what each has to do.", _TopicsGroup)
_add_group("service", "List the services of a session, and ask them.", _TopicsGroup)
_add_group("bag", "ROS 2 bags: record the topics of a session, show what a bag holds.")
_add_group(
    "sim2d",
    "Run a scenario in 2D: `sim2d maze`; list, make, draw and check scenarios.",
    _RunGroup,
)
_add_group("tf", "Look at the transforms of a running session and check them.")
_add_group("rl", "Learn: list, measure, train, evaluate and play tasks.")
_add_group("robot", "Robots: list, search, check, describe, view and convert them.")
_add_group(
    "replay",
    "Play a recording or a ROS 2 bag: `replay run.mcap`; show, verify and repair it.",
    _RunGroup,
)
_add_group("sim3d", "Run a scene: `sim3d warehouse`; list and check scenes.", _RunGroup)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors are printed in one line, without a traceback.

    The details of an error that nobody expected go into a file, or are shown with ``--debug``.
    SIGTERM and SIGHUP end every command as Ctrl-C does; the exit code is then 143 or 129.

    Args:
        arguments: Arguments without the program's name, none for the page with the warehouse;
            those of the process by default.

    Raises:
        SystemExit: Always, with the exit code of the command.
    """
    if arguments is None:
        arguments = sys.argv[1:]
    interruption = Interruption()
    try:
        with interruption:
            try:
                _run(arguments)
            except (SystemExit, OSError) as error:
                # After SIGHUP, nothing can be written to the terminal that was closed.
                if interruption.exit_code is None:
                    _end(error, arguments)
            except Exception as error:  # noqa: BLE001 - all of it is reported
                _end(error, arguments)
    except KeyboardInterrupt:
        # It came where no command runs: while the handlers were set, or before or after Typer.
        sys.exit(interruption.exit_code or 128 + signal.SIGINT)
    if interruption.exit_code is not None:
        _forget_unwritten()
    sys.exit(interruption.exit_code)


def _forget_unwritten() -> None:
    """Drops what a closed terminal did not take.

    Python would try to write it once more at its end, and exit with 120 when that fails, too.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _run(arguments: Sequence[str]) -> None:
    try:
        app(args=list(arguments) or ["sim3d", "warehouse"], prog_name="horus-sim")
    except HorusError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)


def _end(error: Exception | SystemExit, arguments: Sequence[str]) -> NoReturn:
    """Ends with the exit code that was asked for, or with a report of what nobody expected."""
    if isinstance(error, SystemExit) or os.environ.get(DEBUG):
        raise error
    from horus_sim.cli.crash_log import crash_report

    typer.echo(f"error: {crash_report(error, arguments)}", err=True)
    sys.exit(1)


def sim2d_main() -> None:
    """The entry point of `sim2d`, which is short for `horus-sim sim2d`."""
    main(["sim2d", *sys.argv[1:]])


def sim3d_main() -> None:
    """The entry point of `sim3d`, which is short for `horus-sim sim3d`."""
    main(["sim3d", *sys.argv[1:]])
