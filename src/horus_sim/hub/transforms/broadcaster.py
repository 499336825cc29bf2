"""Transforms onto the topics that listeners read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.hub.connect import connect
from horus_sim.hub.qos import QoS
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped
from horus_sim.tf.messages import message_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from horus_sim.hub.transport import Hub

TF_TOPIC = "tf"
TF_STATIC_TOPIC = "tf_static"
# A listener that is busy for a second must not lose a frame of a robot at 500 Hz.
TF_QOS = QoS(depth=1000)
# The last message of a broadcaster has all of its frames.
TF_STATIC_QOS = QoS(depth=1, latched=True)


class StaticTFBroadcaster:
    """Publishes where frames are fixed to each other; late listeners get the whole set.

    Args:
        hub: The connection to use; a new one inside this process when None.
    """

    def __init__(self, hub: Hub | None = None) -> None:
        self.hub = connect() if hub is None else hub
        self._publisher = self.hub.publisher(TF_STATIC_TOPIC, TFMessage, TF_STATIC_QOS)
        self._sent: dict[str, TransformStamped] = {}
        # A new run discards what earlier ones latched.
        self._unregister = self.hub.on_epoch(lambda _: self.resend())

    def send_transform(self, parent: str, child: str, transform: Transform) -> None:
        """Publishes a fixed frame, once and for all.

        Args:
            parent: Parent frame.
            child: Child frame.
            transform: T_parent_child.
        """
        self.send_transforms([StaticTransformStamped(parent, child, transform)])

    def send_transforms(self, transforms: Iterable[StaticTransformStamped]) -> None:
        """Publishes fixed frames, once and for all, as one message."""
        for each in transforms:
            # ROS gives them a time, which nobody reads.
            stamped = TransformStamped(each.parent_frame, each.child_frame, 0, each.transform)
            self._sent[each.child_frame] = stamped
        self.resend()

    def resend(self) -> None:
        """Publishes the whole set again."""
        if self._sent:
            self._publisher.send(TFMessage(tuple(self._sent.values())))

    def close(self) -> None:
        """Ends the broadcaster; late listeners do not get its frames any more."""
        self._unregister()
        self._publisher.close()


class TFBroadcaster:
    """Publishes where frames move.

    Args:
        hub: The connection to use; a new one inside this process when None.
    """

    def __init__(self, hub: Hub | None = None) -> None:
        self.hub = connect() if hub is None else hub
        self._publisher = self.hub.publisher(TF_TOPIC, TFMessage, TF_QOS)
        self._static: StaticTFBroadcaster | None = None

    def send_transform(self, parent: str, child: str, transform: Transform, stamp_ns: int) -> None:
        """Publishes where a frame was at one time.

        Args:
            parent: Parent frame.
            child: Child frame.
            transform: T_parent_child.
            stamp_ns: Time [ns].
        """
        self._publisher.send(message_of(parent, child, stamp_ns, transform))

    def send_transforms(self, transforms: Iterable[TransformStamped]) -> None:
        """Publishes many transforms as one message."""
        self._publisher.send(TFMessage(transforms))

    def send_static_transform(
        self,
        parent: str,
        child: str,
        translation: Sequence[float] = (0, 0, 0),
        rotation: Sequence[float] = (0, 0, 0, 1),
    ) -> None:
        """Publishes a fixed frame, once and for all.

        Args:
            parent: Parent frame.
            child: Child frame.
            translation: x, y, z [m] of T_parent_child.
            rotation: Its quaternion x, y, z, w.
        """
        if self._static is None:
            self._static = StaticTFBroadcaster(self.hub)
        self._static.send_transform(parent, child, Transform(translation, rotation))

    def close(self) -> None:
        """Ends the broadcaster."""
        self._publisher.close()
        if self._static is not None:
            self._static.close()
