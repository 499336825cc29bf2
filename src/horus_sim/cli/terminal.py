"""What the commands share on the terminal: plain tables, safe text and signs of life."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import typer

from horus_sim.files.printable import printable

_SILENT_S = 2.0


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints aligned columns, never wrapped, so that other programs can read them.

    Args:
        headings: Names of the columns.
        rows: The cells, as many in each row.
    """
    table = [tuple(headings), *(tuple(printable(cell) for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        typer.echo("  ".join(cells).rstrip())


@contextmanager
def progress(text: str, seconds: float | None = None) -> Iterator[None]:
    """A spinner on stderr while something lasts, if that is a terminal.

    Args:
        text: What is going on.
        seconds: How long it takes; up to two seconds nothing is shown. None for unknown.
    """
    if not sys.stderr.isatty() or (seconds is not None and seconds <= _SILENT_S):
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(text)):
        yield


@contextmanager
def bar(text: str, total: float | None = 1.0) -> Iterator[Callable[[float, str], None]]:
    """A bar on stderr, if that is a terminal.

    Args:
        text: What is going on.
        total: What is done in the end; None shows nothing.

    Yields:
        A function to call with what is done by now, and a line about it.
    """
    if not sys.stderr.isatty() or total is None:
        yield lambda _done, _line: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[line]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(printable(text), total=total, line="")
        yield lambda done, line: shown.update(task, completed=done, line=line)


@contextmanager
def time_bar(name: str, duration: float | None) -> Iterator[Callable[[float], None]]:
    """A bar of time on stderr, if that is a terminal and it takes long but has an end.

    Args:
        name: What runs.
        duration: How long [s]; None is without end.

    Yields:
        A function to call with the time [s] that has passed.
    """
    if duration is None or duration <= _SILENT_S:
        yield lambda _: None
        return
    with bar(name, duration) as show:
        yield lambda passed: show(passed, f"{passed:.1f} of {duration:.1f} s")
