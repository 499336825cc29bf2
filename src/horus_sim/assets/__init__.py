"""Data that ships with the package: robots, scenes, scenarios, arms and tasks."""

from __future__ import annotations

from pathlib import Path

from horus_sim.errors import UnknownNameError
from horus_sim.files.names import did_you_mean

ROOT = Path(__file__).parent
SHIPPED_SCHEME = "shipped:"
"""Before the names of shipped files, where files of the user's may stand, too."""


def asset_names(kind: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the shipped files of a kind, sorted, without suffix.

    Args:
        kind: Folder of the kind, such as 'robots' or 'scenes'.
        suffixes: Endings that count, such as ('.urdf',).
    """
    return tuple(sorted({path.stem for path in _files(kind, suffixes)}))


def asset_path(kind: str, name: str, suffixes: tuple[str, ...]) -> Path:
    """The shipped file of that kind and name.

    Raises:
        UnknownNameError: There is none; the text proposes close names.
    """
    for path in _files(kind, suffixes):
        if path.stem == name:
            return path
    hint = did_you_mean(name, asset_names(kind, suffixes))
    raise UnknownNameError(f"no shipped {kind.removesuffix('s')} is called '{name}'; {hint}")


def _files(kind: str, suffixes: tuple[str, ...]) -> list[Path]:
    folder = ROOT / kind
    return sorted(path for path in folder.rglob("*") if path.suffix in suffixes)
