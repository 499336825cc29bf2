"""The channels of a recording or of a live view, made when their first message comes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from horus_sim.running.outlets.shapes import SceneShapes
from horus_sim.running.recording.foxglove.compression import Packing
from horus_sim.running.recording.foxglove.form_names import PART_KEY, TYPE_KEY
from horus_sim.running.recording.foxglove.message_form import Wire, wires
from horus_sim.running.recording.foxglove.sdk import foxglove


class Channels:
    """Writes messages into a context of foxglove's.

    Args:
        images: How pictures are packed.

    Attributes:
        context: Joins channels with files and servers.
        counts: Messages by topic.
    """

    def __init__(self, images: Packing = "raw") -> None:
        self._images: Packing = images
        self._scene: tuple[SceneShapes, tuple[Wire, ...]] | None = None
        self.context = foxglove.Context()
        self.counts: dict[str, int] = {}
        self._channels: dict[str, foxglove.Channel] = {}
        self._of_topic: dict[str, list[foxglove.Channel]] = {}

    def log(self, topic: str, message: Any, stamp_ns: int) -> bool:  # noqa: ANN401 - any message
        """Writes a message; every one has a form.

        Args:
            topic: Name as on the hub, without a slash before it.
            message: A message of `horus_sim.hub.messages`, a dict, or static transforms.
            stamp_ns: Simulated time [ns].
        """
        for wire in self._wires(message, stamp_ns):
            part = wire.suffix
            name = f"/{topic}{part}"
            channel = self._channels.get(name)
            if channel is None:
                channel = foxglove.Channel(
                    name,
                    schema=wire.schema,
                    message_encoding=wire.encoding,
                    context=self.context,
                    metadata={TYPE_KEY: wire.kind, **({PART_KEY: part} if part else {})},
                )
                self._channels[name] = channel
                self._of_topic.setdefault(topic, []).append(channel)
            channel.log(wire.data, log_time=stamp_ns)
            self.counts[name] = self.counts.get(name, 0) + 1
        return True

    def _wires(self, message: Any, stamp_ns: int) -> Iterable[Wire]:  # noqa: ANN401 - any message
        if not isinstance(message, SceneShapes):
            return wires(message, stamp_ns, self._images)
        if self._scene is None or self._scene[0] is not message:
            # Large, and sent again and again to a live view.
            self._scene = message, tuple(wires(message, stamp_ns))
        return self._scene[1]

    def is_wanted(self, topic: str) -> bool:
        """Whether anybody reads the topic; unknown before its first message."""
        found = self._of_topic.get(topic)
        return found is None or any(channel.base.has_sinks() for channel in found)

    def close(self) -> None:
        """Ends all channels."""
        for channel in self._channels.values():
            channel.close()
        self._channels.clear()
        self._of_topic.clear()
