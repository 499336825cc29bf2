"""Transforms onto the topics of a session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from horus_sim.hub import StaticTFBroadcaster, TFBroadcaster
from horus_sim.tf import StaticTransformStamped, TransformStamped
from horus_sim.tf2.buffer import as_static
from horus_sim.tf2.connection import close_with, hub_of

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Node


class TransformBroadcaster:
    """Publishes where frames move.

    Args:
        node: A connection, or a node that runs; with the node it ends.
    """

    def __init__(self, node: Hub | Node) -> None:
        self._broadcaster = TFBroadcaster(hub_of(node))
        close_with(node, self.close)

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Publishes one transform, or several as one message."""
        transforms = transform if isinstance(transform, Iterable) else (transform,)
        self._broadcaster.send_transforms(transforms)

    def close(self) -> None:
        """Ends the broadcaster."""
        self._broadcaster.close()


class StaticTransformBroadcaster:
    """Publishes where frames are fixed to each other; late listeners get the whole set.

    Args:
        node: A connection, or a node that runs; with the node it ends.
    """

    def __init__(self, node: Hub | Node) -> None:
        self._broadcaster = StaticTFBroadcaster(hub_of(node))
        close_with(node, self.close)

    def sendTransform(
        self,
        transform: TransformStamped
        | StaticTransformStamped
        | Iterable[TransformStamped | StaticTransformStamped],
    ) -> None:
        """Publishes one fixed frame or several; stamps do not matter."""
        transforms = transform if isinstance(transform, Iterable) else (transform,)
        for fixed in tuple(as_static(entry) for entry in transforms):
            self._broadcaster.send_transform(fixed.parent_frame, fixed.child_frame, fixed.transform)

    def close(self) -> None:
        """Ends the broadcaster; late listeners do not get its frames any more."""
        self._broadcaster.close()
