"""The foxglove-sdk, or an error that says how to install it."""

from __future__ import annotations

from horus_sim.errors import MissingExtraError

try:
    import foxglove
    from foxglove import messages
    from foxglove.mcap import MCAPWriteOptions
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError("foxglove-sdk", "record") from error

__all__ = ["MCAPWriteOptions", "foxglove", "messages"]
