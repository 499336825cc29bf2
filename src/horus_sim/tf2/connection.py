"""The connection of what tf2 programs call a node."""

from __future__ import annotations

from collections.abc import Callable

from horus_sim.errors import HubError
from horus_sim.hub import Hub, Node


def hub_of(node: Hub | Node) -> Hub:
    """The connection to the topics of a session.

    Args:
        node: A connection, or a node that runs: its `init` is the place to make its listeners.

    Raises:
        HubError: It is neither.
        NodeError: The node does not run.
    """
    if isinstance(node, Node):
        return node.hub
    if isinstance(node, Hub):
        return node
    raise HubError(f"expected a connection from connect(), or a Node, got {node!r:.100}")


def close_with(node: Hub | Node, close: Callable[[], object]) -> None:
    """Ends something with the node that opened it; a connection ends its topics by itself."""
    if isinstance(node, Node):
        node.on_disconnect(close)
