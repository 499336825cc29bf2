"""Messages as plain dicts and lists, to bytes and back, for cases that nobody here wrote."""

from __future__ import annotations

from typing import Any

import numpy as np

from horus_sim.hub.ros import codec


def encode(type_name: str, value: dict[str, Any]) -> bytes:
    """The CDR of a message."""
    return codec.encode(type_name, value)


def decode(type_name: str, cdr: bytes) -> dict[str, Any]:
    """A message from its CDR; arrays as lists."""
    return _plain(codec.decode(type_name, cdr))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray) else value
