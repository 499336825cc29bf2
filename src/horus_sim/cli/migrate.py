"""The command `horus-sim migrate`: files in an older spelling, rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from horus_sim.files.migration import migrate_file
from horus_sim.files.printable import printable

_ENDINGS = {".json", ".yaml", ".yml"}


def run_migrate(paths: Iterable[Path]) -> None:
    """Rewrites files, and every YAML and JSON file of folders; prints what was changed."""
    for path in _files(paths):
        changes = migrate_file(path)
        for change in changes:
            typer.echo(f"{printable(str(path))}: {change}")
        if not changes:
            typer.echo(f"{printable(str(path))}: nothing to change")


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix in _ENDINGS)
        else:
            yield path
