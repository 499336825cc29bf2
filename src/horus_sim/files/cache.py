"""The user's folder for what may be deleted at any time."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """``$XDG_CACHE_HOME/horus-sim/NAME`` or ``~/.cache/horus-sim/NAME``; it may be absent."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if given.startswith("/") else Path.home() / ".cache"
    return base / "horus-sim" / name
