"""Transforms as HORUS programs import them: a tree that hears the broadcasters by itself.

from horus_sim.library.tf import TFTree, TFBroadcaster, Transform
"""

from __future__ import annotations

from horus_sim.hub import StaticTFBroadcaster, TFBroadcaster, TFListener, connect
from horus_sim.tf import StaticTransformStamped, TFBuffer, Transform, TransformStamped
from horus_sim.tf import TFTree as _TFTree

__all__ = [
    "StaticTFBroadcaster",
    "StaticTransformStamped",
    "TFBroadcaster",
    "TFBuffer",
    "TFListener",
    "TFTree",
    "Transform",
    "TransformStamped",
]


class TFTree(_TFTree):
    """A tree that is filled by every broadcaster of its session.

    Args:
        buffer_duration: History kept for each moving frame [s].
        url: Transport to listen on, as in `horus_sim.hub.connect`.
        session: Name of the session.
    """

    def __init__(
        self, buffer_duration: float = 10.0, *, url: str = "inproc://", session: str | None = None
    ) -> None:
        super().__init__(buffer_duration)
        self._hub = connect(url, session)
        self._listener = TFListener(self._hub, TFBuffer(self))

    def close(self) -> None:
        """Stops listening; what was heard stays."""
        self._hub.close()
