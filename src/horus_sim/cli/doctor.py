"""`horus-sim doctor`: runs every check and prints the report."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence

import typer

from horus_sim import __version__
from horus_sim.installation.checks import ALL_CHECKS
from horus_sim.installation.finding import Finding, Status


def run_doctor(*, as_json: bool) -> int:
    """Check this installation and print what was found.

    Args:
        as_json: Print JSON instead of a table.

    Returns:
        The exit code: 0 when nothing required is missing, 1 otherwise.
    """
    findings = [check() for check in ALL_CHECKS]
    if as_json:
        typer.echo(to_json(findings))
    else:
        _print_table(findings)
    return 0 if _is_complete(findings) else 1


def to_json(findings: Sequence[Finding]) -> str:
    """The report as JSON: an object with `version`, `ok` and the list `findings`."""
    report = {
        "version": __version__,
        "ok": _is_complete(findings),
        "findings": [dataclasses.asdict(finding) for finding in findings],
    }
    return json.dumps(report, indent=2)


def _is_complete(findings: Sequence[Finding]) -> bool:
    return all(finding.status is not Status.MISSING for finding in findings)


def _print_table(findings: Sequence[Finding]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    styles = {Status.OK: "green", Status.MISSING: "bold red", Status.OPTIONAL: "yellow"}
    table = Table(title=f"horus-sim {__version__}", title_justify="left")
    for heading in ("part", "status", "found", "for"):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        status = Text(finding.status, style=styles[finding.status])
        # Text, because a path or a message may hold brackets, which rich would read as markup
        table.add_row(finding.name, status, Text(finding.detail), Text(finding.purpose))
    console = Console(file=sys.stdout, highlight=False)
    console.print(table)
    absent = [finding for finding in findings if finding.remedy]
    if absent:
        typer.echo("To add what is missing:")
    for finding in absent:
        # outside the table, which would wrap it: the command is there to be copied
        typer.echo(f"  {finding.name + ':':14}{finding.remedy}")
    required = [finding.name for finding in findings if finding.status is Status.MISSING]
    if required:
        typer.echo(f"Required and missing: {', '.join(required)}.")
    else:
        typer.echo("Everything required is installed.")
