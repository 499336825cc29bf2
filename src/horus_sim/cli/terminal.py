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
def time_bar(name: str, duration: float | None, timestep: float) -> Iterator[Callable[[int], None]]:
    """A bar of simulated time on stderr, if that is a terminal and the run is long but has an end.

    Args:
        name: What runs.
        duration: Simulated time [s]; None is without end.
        timestep: Simulated time of a step [s]; what is yielded takes the number of steps made.
    """
    if not sys.stderr.isatty() or duration is None or duration <= _SILENT_S:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.1f} of {task.total:.1f} s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(printable(name), total=duration)
        yield lambda count: bar.advance(task, count * timestep)


@contextmanager
def share_bar(text: str) -> Iterator[Callable[[float, str], None]]:
    """A bar on stderr, if that is a terminal.

    Args:
        text: What is going on.

    Yields:
        A function to call with the share that is done, 0 to 1, and a line about it.
    """
    if not sys.stderr.isatty():
        yield lambda _share, _line: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn(text),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[line]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=1.0, line="")
        yield lambda share, line: bar.update(task, completed=share, line=line)
