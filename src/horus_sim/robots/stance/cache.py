"""Stances kept on disk with what they were found from.

The folder is ``$XDG_CACHE_HOME/horus-sim/stances`` or ``~/.cache/horus-sim/stances``; it may be
deleted at any time. Where it cannot be written, stances are found anew each time.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from horus_sim.files.cache import cache_folder
from horus_sim.files.whole_file import replacing
from horus_sim.robots.stance.stance import Stance


def load_stance(key: str) -> Stance | None:
    """The stance kept under a key, or None; what is broken counts as absent."""
    try:
        kept = json.loads(_entry(key).read_text(encoding="utf-8"))
        return Stance(
            _numbers(kept["positions"]),
            {name: _quaternion(values) for name, values in kept["rotations"].items()},
            _numbers(kept["carried"]),
            str(kept["source"]),
            str(kept["problem"]),
            bool(kept["is_light"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def store_stance(key: str, stance: Stance) -> None:
    """Keeps a stance; a folder that cannot be written is not an error."""
    path = _entry(key)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, sync=False) as stream:
            # Floats are written with all digits: what is read back has the same bits.
            stream.write(json.dumps(asdict(stance)).encode())


def _entry(key: str) -> Path:
    return cache_folder("stances") / f"{key}.json"


def _numbers(stored: Mapping[str, Any]) -> dict[str, float]:
    found = {str(name): float(value) for name, value in stored.items()}
    if not all(map(math.isfinite, found.values())):
        raise ValueError
    return found


def _quaternion(stored: list[Any]) -> tuple[float, float, float, float]:
    x, y, z, w = map(float, stored)
    return x, y, z, w
