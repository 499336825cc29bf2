"""The way out: messages to the topics of a hub and to every outlet."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HubError
from horus_sim.hub import QoS, StaticTFBroadcaster
from horus_sim.hub.tf_broadcaster import TF_STATIC_TOPIC, TF_TOPIC
from horus_sim.running.topics.plan import SCENE_TOPIC
from horus_sim.tf import StaticTransformStamped, TFMessage, TransformStamped

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Publisher
    from horus_sim.running.outlet import Outlet
    from horus_sim.running.shapes import SceneShapes
    from horus_sim.running.stepped_world import Exchange, SteppedWorld

LATCHED = QoS(depth=1, latched=True)
NEVER_WAIT = QoS(depth=10, reliable=False)
"""A listener that cannot keep up misses messages; the simulation goes on."""

_log = logging.getLogger("horus_sim.hub")


class Outgoing:
    """Sends messages out.

    Args:
        hub: The connection, or None without topics.

    Attributes:
        outlets: Each gets every message.
        unsent: Messages that their topic could not take.
    """

    def __init__(self, world: SteppedWorld, exchange: Exchange, hub: Hub | None) -> None:
        self._world = world
        self._exchange = exchange
        self._hub = hub
        self.outlets: list[Outlet] = []
        self.unsent = 0
        self._told: set[str] = set()
        self._shapes: SceneShapes | None = None
        self._publishers: dict[str, Publisher[Any]] = {}
        # As TFBroadcaster, which would wait for listeners.
        self._moving = None if hub is None else hub.publisher(TF_TOPIC, TFMessage, NEVER_WAIT)
        self._static = None if hub is None else StaticTFBroadcaster(hub)
        self._fixed: dict[str, StaticTransformStamped] = {}

    @property
    def is_wanted(self) -> bool:
        """Whether anybody may get what is sent."""
        return self._hub is not None or bool(self.outlets)

    def show(self, world: SteppedWorld, exchange: Exchange) -> None:
        """Goes on with another world."""
        self._world, self._exchange = world, exchange
        self._shapes = None

    def send(self, topic: str, message: Any, qos: QoS = NEVER_WAIT) -> None:  # noqa: ANN401
        """Sends a message; a publisher is made with the first one.

        Args:
            topic: Where.
            message: What; one type a topic.
            qos: How it is delivered, where the topic is new.
        """
        if self._hub is not None:
            publisher = self._publishers.get(topic)
            try:
                if publisher is None:
                    publisher = self._hub.publisher(topic, type(message), qos)
                    self._publishers[topic] = publisher
                publisher.send(message)
            except HubError as error:
                # The simulation goes on; who looks finds the count and the text.
                self.leave_out(topic, str(error))
                return
        self.record(topic, message)

    def sent(self) -> dict[str, int]:
        """Messages sent on topics so far, by topic."""
        counts = {topic: publisher.sent for topic, publisher in self._publishers.items()}
        return counts if self._moving is None else counts | {TF_TOPIC: self._moving.sent}

    def leave_out(self, whom: str, cause: str) -> None:
        """Counts a message that is not sent; the cause is logged once for `whom`."""
        self.unsent += 1
        if whom not in self._told:
            self._told.add(whom)
            _log.warning("messages are not published: %s", cause)

    def send_moving(self, transforms: list[TransformStamped]) -> None:
        """Sends where frames are now."""
        if transforms:
            message = TFMessage(transforms)
            if self._moving is not None:
                self._moving.send(message)
            self.record(TF_TOPIC, message)

    def send_static(self, frames: dict[str, StaticTransformStamped]) -> None:
        """Sends fixed frames, by child; only what changed goes out."""
        if frames == self._fixed:
            return
        if self._hub is not None and self._static is not None:
            if not frames.keys() >= self._fixed.keys():
                # Late listeners must not get frames that have left the world.
                self._static.close()
                self._static = StaticTFBroadcaster(self._hub)
                self._fixed = {}
            for child, frame in frames.items():
                if self._fixed.get(child) != frame:
                    self._static.send_transform(frame.parent_frame, child, frame.transform)
        self._fixed = dict(frames)
        self.record_static()

    def record_static(self) -> None:
        """Gives all fixed frames to the outlets, as at the start of a run."""
        if self._fixed:
            self.record(TF_STATIC_TOPIC, tuple(self._fixed.values()))

    def record_shapes(self) -> None:
        """Gives what the world looks like to the outlets, as when a run begins or a part came."""
        if self.outlets:
            self._shapes = self._exchange.shapes(self._shapes)
            self.record(SCENE_TOPIC, self._shapes)

    def record(self, topic: str, message: Any) -> None:  # noqa: ANN401 - any message
        """Gives a message to the outlets alone."""
        if not self.outlets:
            return
        stamp_ns = self._world.stamp_ns
        for outlet in self.outlets:
            outlet.log(topic, message, stamp_ns)

    def close(self) -> None:
        """Ends the publishers."""
        for publisher in self._publishers.values():
            publisher.close()
        self._publishers.clear()
        if self._moving is not None:
            self._moving.close()
        if self._static is not None:
            self._static.close()
