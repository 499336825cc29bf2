"""`horus-sim ros2-check`: does ROS 2 on this machine understand Horus Sim?"""

from __future__ import annotations

from pathlib import Path

import typer

from horus_sim.cli.hub_options import logged_to_terminal
from horus_sim.cli.terminal import progress
from horus_sim.files.printable import printable

_CANNOT_RUN = 2


def run_checks(output: Path, timeout: float) -> int:
    """Runs the checks, prints a table and writes a report; gives the exit code.

    Args:
        output: Where the report goes.
        timeout: Longest time [s] of each command.
    """
    from horus_sim.errors import HorusError, HubError
    from horus_sim.files.whole_file import check_writable, write_whole
    from horus_sim.ros2_check import run_ros2_check

    check_writable(output, HubError)
    try:
        with logged_to_terminal(), progress("asking ROS 2; this takes some minutes"):
            report = run_ros2_check(timeout)
    except HorusError as error:
        typer.echo(f"error: {error}", err=True)
        return _CANNOT_RUN
    typer.echo(report.table())
    write_whole(output, report.text(), HubError)
    typer.echo(f"report: {printable(output)}; please send it with what you found")
    return 1 if report.has_failed else 0
