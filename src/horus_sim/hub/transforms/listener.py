"""Topics into a transform buffer."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from horus_sim.errors import TFError
from horus_sim.hub.connect import connect
from horus_sim.hub.subscription import sender
from horus_sim.hub.transforms.broadcaster import TF_QOS, TF_STATIC_QOS, TF_STATIC_TOPIC, TF_TOPIC
from horus_sim.tf import StaticTransformStamped, TFBuffer, TFMessage, TransformStamped

if TYPE_CHECKING:
    from horus_sim.hub.transport import Hub
    from horus_sim.tf import TFTree

logger = logging.getLogger("horus_sim.hub")


class TFListener:
    """Fills a `TFBuffer` with every transform that is published.

    Transforms are stored as they arrive, in the thread that brings them. A new run of the
    simulation, or a clock that jumps back by more than the history, empties the moving part of the
    tree. A transform that the tree refuses is logged and counted; the listener goes on.

    Args:
        hub: The connection to use; a new one inside this process when None.
        buffer: The buffer to fill; a new one when None.

    Attributes:
        buffer: The buffer.
        refused: Number of transforms that the tree refused.
        publishers: For each child frame, the names of the connections that published it.
    """

    def __init__(self, hub: Hub | None = None, buffer: TFBuffer | None = None) -> None:
        self.hub = connect() if hub is None else hub
        self.buffer = TFBuffer() if buffer is None else buffer
        self.refused = 0
        self.publishers: dict[str, set[str]] = {}
        self._newest_ns: int | None = None
        subscribe = self.hub.subscribe
        self._subscriptions = (
            subscribe(TF_STATIC_TOPIC, TFMessage, TF_STATIC_QOS, self._on_static),
            subscribe(TF_TOPIC, TFMessage, TF_QOS, self._on_message),
        )
        self._unregister = self.hub.on_epoch(lambda _: self._reset())

    @property
    def tree(self) -> TFTree:
        """The tree of the buffer."""
        return self.buffer.tree

    def close(self) -> None:
        """Stops listening; the buffer stays as it is."""
        self._unregister()
        for subscription in self._subscriptions:
            subscription.close()

    def _on_static(self, message: TFMessage) -> None:
        for each in message:
            fixed = StaticTransformStamped(each.parent_frame, each.child_frame, each.transform)
            self._note(fixed)
            try:
                self.buffer.set_static_transform(fixed)
            except TFError as error:
                self._refuse(fixed, error)

    def _on_message(self, message: TFMessage) -> None:
        for transform in message:
            self._on_transform(transform)

    def _on_transform(self, message: TransformStamped) -> None:
        self._note(message)
        stamp_ns = message.stamp_ns
        history_ns = round(self.tree.buffer_duration * 1e9)
        if self._newest_ns is not None and stamp_ns < self._newest_ns - history_ns:
            logger.warning(
                "the clock of the transforms jumped back from %d to %d ns; the tree was cleared",
                self._newest_ns,
                stamp_ns,
            )
            self._reset()
        self._newest_ns = stamp_ns if self._newest_ns is None else max(self._newest_ns, stamp_ns)
        try:
            self.buffer.set_transform(message)
        except TFError as error:
            self._refuse(message, error)

    def _note(self, message: TransformStamped | StaticTransformStamped) -> None:
        self.publishers.setdefault(message.child_frame, set()).add(sender())

    def _reset(self) -> None:
        self._newest_ns = None
        self.tree.clear()

    def _refuse(self, message: TransformStamped | StaticTransformStamped, error: TFError) -> None:
        self.refused += 1
        logger.error("the transform %s was refused: %s", message, error)
