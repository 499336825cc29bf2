"""What the commands share on the terminal: plain tables, safe text and signs of life."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

_SILENT_S = 2.0


def printable(text: object) -> str:
    """Text on one line, with control characters as escapes: what programs send is not trusted."""
    line = str(text)
    if line.isprintable():
        return line
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in line
    )


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
