"""Broadcasters and listeners of transforms as nodes, for a `Scheduler` or `run`."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from horus_sim.hub.node import Node
from horus_sim.hub.transforms.broadcaster import TF_QOS, StaticTFBroadcaster, TFBroadcaster
from horus_sim.hub.transforms.listener import TFListener
from horus_sim.tf import StaticTransformStamped, TFBuffer, TransformStamped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from horus_sim.hub.transport import Hub
    from horus_sim.tf import TFTree, Transform


class TFBroadcasterNode(Node):
    """Publishes where frames move.

    What is sent while the node does not run goes out with its next tick, when all nodes listen; of
    more than 1000 transforms, the newest.

    Args:
        name: Name of the node.
        rate: Ticks a second [Hz].
    """

    def __init__(self, name: str = "TFBroadcaster", rate: float = 30.0) -> None:
        super().__init__(name, rate=rate)
        self._broadcaster: TFBroadcaster | None = None
        self._pending: deque[TransformStamped] = deque(maxlen=TF_QOS.depth)

    def send_transform(self, parent: str, child: str, transform: Transform, stamp_ns: int) -> None:
        """Publishes where a frame was at one time.

        Args:
            parent: Parent frame.
            child: Child frame.
            transform: T_parent_child.
            stamp_ns: Time [ns].
        """
        self.send_transforms([TransformStamped(parent, child, stamp_ns, transform)])

    def send_transforms(self, transforms: Iterable[TransformStamped]) -> None:
        """Publishes many transforms as one message."""
        if self._broadcaster is None or self._pending:
            self._pending.extend(transforms)
        else:
            self._publish(self._broadcaster, list(transforms))

    def start(self, hub: Hub) -> None:
        """Connects the broadcaster; done by the scheduler."""
        super().start(hub)
        self._broadcaster = TFBroadcaster(hub)

    def tick(self) -> None:
        """Publishes what waits; done by the scheduler."""
        super().tick()
        if self._broadcaster is not None and self._pending:
            pending = [self._pending.popleft() for _ in range(len(self._pending))]
            self._publish(self._broadcaster, pending)

    def disconnect(self) -> None:
        """Ends the broadcaster; done by the scheduler."""
        if self._broadcaster is not None:
            self._broadcaster.close()
            self._broadcaster = None
        super().disconnect()

    def _publish(self, broadcaster: TFBroadcaster, transforms: list[TransformStamped]) -> None:
        broadcaster.send_transforms(transforms)
        if self.logging:
            for transform in transforms:
                self.log(f"sent {transform}")


class StaticTFBroadcasterNode(Node):
    """Publishes where frames are fixed to each other; late listeners get the whole set.

    Frames can be given before the node runs. They are known to late listeners while it does.

    Args:
        name: Name of the node.
        rate: Ticks a second [Hz].
    """

    def __init__(self, name: str = "StaticTFBroadcaster", rate: float = 1.0) -> None:
        super().__init__(name, rate=rate)
        self._broadcaster: StaticTFBroadcaster | None = None
        self._frames: dict[str, StaticTransformStamped] = {}

    def send_transform(self, parent: str, child: str, transform: Transform) -> None:
        """Publishes a fixed frame, once and for all.

        Args:
            parent: Parent frame.
            child: Child frame.
            transform: T_parent_child.
        """
        frame = StaticTransformStamped(parent, child, transform)
        self._frames[frame.child_frame] = frame
        if self._broadcaster is not None:
            self._publish(self._broadcaster, frame)

    def start(self, hub: Hub) -> None:
        """Publishes all frames; done by the scheduler."""
        super().start(hub)
        self._broadcaster = StaticTFBroadcaster(hub)
        for frame in tuple(self._frames.values()):
            self._publish(self._broadcaster, frame)

    def disconnect(self) -> None:
        """Ends the broadcaster; done by the scheduler."""
        if self._broadcaster is not None:
            self._broadcaster.close()
            self._broadcaster = None
        super().disconnect()

    def _publish(self, broadcaster: StaticTFBroadcaster, frame: StaticTransformStamped) -> None:
        broadcaster.send_transform(frame.parent_frame, frame.child_frame, frame.transform)
        if self.logging:
            self.log(f"sent {frame}")


class TFListenerNode(Node):
    """Fills a tree with every transform that is published while the node runs.

    Transforms are stored as they arrive, not at the node's ticks.

    Args:
        tree: The tree to fill; a new one when None.
        name: Name of the node.
        rate: Ticks a second [Hz].

    Attributes:
        buffer: The tree's `TFBuffer`, which can wait for transforms.
    """

    def __init__(
        self, tree: TFTree | None = None, name: str = "TFListener", rate: float = 30.0
    ) -> None:
        super().__init__(name, rate=rate)
        self.buffer = TFBuffer(tree)
        self._listener: TFListener | None = None
        self._told: set[str] = set()

    @property
    def tree(self) -> TFTree:
        """The tree."""
        return self.buffer.tree

    def start(self, hub: Hub) -> None:
        """Begins to listen; done by the scheduler."""
        super().start(hub)
        self._listener = TFListener(hub, self.buffer)

    def tick(self) -> None:
        """Logs frames that are new, when logging is on; done by the scheduler."""
        super().tick()
        if self.logging and self._listener is not None:
            for frame, names in tuple(self._listener.publishers.items()):
                if frame not in self._told:
                    self._told.add(frame)
                    self.log(f"heard of frame '{frame}' from {', '.join(sorted(names))}")

    def disconnect(self) -> None:
        """Stops listening; done by the scheduler."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        super().disconnect()
