"""The channels of a bag: messages as CDR with the definitions of their ROS types."""

from __future__ import annotations

from typing import Any

import numpy as np

from horus_sim.hub import messages
from horus_sim.hub.messages import CompressedImage, Image
from horus_sim.hub.ros.binding import Binding, binding_of
from horus_sim.running.outlets.shapes import SceneShapes
from horus_sim.running.recording.bag.definitions import definition_text
from horus_sim.running.recording.bag.qos_profiles import QOS_KEY, offered_qos, profiles_text
from horus_sim.running.recording.foxglove.compression import Packing, pack
from horus_sim.running.recording.foxglove.form_names import PART_KEY, TYPE_KEY
from horus_sim.running.recording.foxglove.sdk import foxglove
from horus_sim.tf import TFMessage, TransformStamped

HASH_KEY = "topic_type_hash"
COMPRESSED = "/compressed"
"""End of the topics of packed pictures, as image_transport names them."""


class CdrChannels:
    """Writes messages into a context of foxglove's, as ROS 2 does.

    Args:
        images: How pictures are packed; others than raw go to ``TOPIC/compressed``.

    Attributes:
        context: Joins channels with the file.
        counts: Messages by topic.
    """

    def __init__(self, images: Packing = "raw") -> None:
        self._images: Packing = images
        self.context = foxglove.Context()
        self.counts: dict[str, int] = {}
        self._channels: dict[tuple[str, type], tuple[foxglove.Channel, Binding]] = {}

    def log(self, topic: str, message: Any, stamp_ns: int) -> bool:  # noqa: ANN401 - any message
        """Writes a message.

        Args:
            topic: Name as on the hub, without a slash before it.
            message: Any message, a dict, or a tuple of static transforms.
            stamp_ns: Simulated time [ns].

        Returns:
            Whether it was written; shapes of the world have no form in ROS.
        """
        if isinstance(message, SceneShapes):
            return False
        kind, part = type(message), ""
        if isinstance(message, tuple):
            # ROS gives them a time, which nobody reads.
            stamped = (
                TransformStamped(each.parent_frame, each.child_frame, 0, each.transform)
                for each in message
            )
            message, kind = TFMessage(tuple(stamped)), TFMessage
        elif isinstance(message, Image) and self._images != "raw":
            message, part = _packed(message, self._images), COMPRESSED
        channel, binding = self._channel(topic, kind, type(message), part)
        channel.log(binding.encode(message), log_time=stamp_ns)
        name = f"/{topic}{part}"
        self.counts[name] = self.counts.get(name, 0) + 1
        return True

    def _channel(
        self, topic: str, kind: type, written: type, part: str
    ) -> tuple[foxglove.Channel, Binding]:
        found = self._channels.get((topic, kind))
        if found is None:
            binding = binding_of(written)
            data = definition_text(binding.name).encode()
            metadata = {QOS_KEY: profiles_text(offered_qos(topic)), HASH_KEY: binding.type_hash}
            # Two of our classes may be of one ROS type.
            if kind is dict or getattr(messages, kind.__name__, None) is kind:
                metadata[TYPE_KEY] = kind.__name__
            if part:
                metadata[PART_KEY] = part
            channel = foxglove.Channel(
                f"/{topic}{part}",
                schema=foxglove.Schema(name=binding.name, encoding="ros2msg", data=data),
                message_encoding="cdr",
                context=self.context,
                metadata=metadata,
            )
            found = self._channels[(topic, kind)] = channel, binding
        return found

    def close(self) -> None:
        """Ends all channels."""
        for channel, _ in self._channels.values():
            channel.close()
        self._channels.clear()


def _packed(image: Image, images: Packing) -> CompressedImage:
    data, form = pack(image.data, image.encoding, "jpeg" if images == "jpeg" else "png")
    # What image_transport writes there: how it was, how it is packed, and what OpenCV unpacks.
    unpacked = image.encoding if image.encoding == "mono8" else "bgr8"
    if image.encoding == "rgba8":
        unpacked = "bgra8"
    text = f"{image.encoding}; {form} compressed {unpacked}"
    return CompressedImage(
        image.stamp_ns, image.frame_id, text, np.frombuffer(data, dtype=np.uint8)
    )
