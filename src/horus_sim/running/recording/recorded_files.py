"""Files that decide how a world moves, by names and digests that a record holds."""

from __future__ import annotations

import hashlib
from pathlib import Path

from horus_sim.assets import ROOT, SHIPPED_SCHEME

DIGITS = 32


def file_name(path: Path) -> str:
    """A file by its place in the package, as ``shipped:scenes/warehouse.yaml``, or by its path."""
    path = path.resolve()
    if path.is_relative_to(ROOT.resolve()):
        return f"{SHIPPED_SCHEME}{path.relative_to(ROOT.resolve()).as_posix()}"
    return str(path)


def file_path(name: str) -> Path:
    """The file of which `file_name` gave the name."""
    if name.startswith(SHIPPED_SCHEME):
        return ROOT / name.removeprefix(SHIPPED_SCHEME)
    return Path(name)


def file_digest(path: Path) -> str | None:
    """A digest of a file; None where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:DIGITS]
    except OSError:
        return None
