"""The command `horus-sim migrate`: files in an older spelling, rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from horus_sim.errors import HorusError
from horus_sim.files.migration import migrate_file
from horus_sim.files.printable import printable

_ENDINGS = {".json", ".yaml", ".yml"}


def run_migrate(paths: Iterable[Path]) -> None:
    """Rewrites files, and every YAML and JSON file of folders; prints what was changed."""
    for path, is_named in _files(paths):
        try:
            changes = migrate_file(path)
        except HorusError as error:
            if is_named:
                raise
            # Others may keep files of their own in the folder.
            typer.echo(f"left out: {printable(str(error))}", err=True)
            continue
        for change in changes:
            typer.echo(f"{printable(str(path))}: {change}")
        if not changes:
            typer.echo(f"{printable(str(path))}: nothing to change")


def _files(paths: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Files, and whether each was named itself."""
    for path in paths:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.suffix in _ENDINGS)
            yield from ((file, False) for file in found)
        else:
            yield path, True
