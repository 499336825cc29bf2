"""Transforms of a session into a buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.hub import TFListener
from horus_sim.tf2.connection import close_with, hub_of

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Node
    from horus_sim.tf2.buffer import Buffer


class TransformListener:
    """Fills a `Buffer` with every transform that is published, in threads of the connection.

    Args:
        buffer: The buffer to fill.
        node: A connection, or a node that runs; with the node it stops.

    Attributes:
        buffer: The buffer.
    """

    def __init__(self, buffer: Buffer, node: Hub | Node) -> None:
        self.buffer = buffer
        self._listener = TFListener(hub_of(node), buffer.tf_buffer)
        buffer.note_publishers(self._listener.publishers)
        close_with(node, self.unregister)

    def unregister(self) -> None:
        """Stops listening; the buffer stays as it is."""
        self._listener.close()
