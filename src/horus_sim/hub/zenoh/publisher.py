"""The sending end of a topic over zenoh."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import HubError
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.transport import Publisher
from horus_sim.hub.zenoh.attachment import halves, packed
from horus_sim.hub.zenoh.keys import data_key, gid_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub.qos import QoS
    from horus_sim.hub.zenoh.transport import ZenohHub

T = TypeVar("T")

_HEARTBEAT_S = 0.1


class ZenohPublisher(Publisher[T]):
    """Sends messages of one topic; made by `ZenohHub.publisher`.

    Attributes:
        number: Number by which zenoh tells the publishers of a connection apart.
    """

    def __init__(self, hub: ZenohHub, topic: str, kind: type[T], qos: QoS) -> None:
        super().__init__(topic, kind, qos)
        self._hub = hub
        binding = binding_of(kind)
        self._encode = binding.encode
        # zenoh numbers and sends a message in two steps: without it, two threads lose some.
        self._lock = threading.Lock()
        self._publisher: Any = self._declare(
            data_key(hub.domain, topic, binding.name, binding.type_hash)
        )
        self.number: int = self._publisher.id.eid
        self._put: Callable[..., object] = self._publisher.put
        # Last, so that who hears of the publisher can ask it for what it latched.
        self._token = hub.announce("MP", topic, binding.name, binding.type_hash, qos)
        self._sender, self._rest = halves(gid_of(self._token))

    def send(self, message: T) -> None:
        """Sends a message; see `Publisher.send`."""
        if message.__class__ is not self.kind:
            raise self._refuse(message)
        data = self._encode(message)
        with self._lock:
            hub = self._hub
            sequence = self.sent + 1
            rest = self._rest ^ hub._epoch
            self._put(data, attachment=packed(sequence, hub._clock(), self._sender, rest))
            self.sent = sequence

    def close(self) -> None:
        """Ends the publisher; what it latched is forgotten."""
        with self._lock:
            if self._publisher is None:
                return
            self._put = self._refuse_closed
            self._hub.graph.retract(self._token)
            self._publisher.undeclare()
            self._publisher = None
            self._hub.forget(self)

    def _declare(self, key: str) -> Any:  # noqa: ANN401 - a zenoh publisher
        zenoh = self._hub.zenoh
        ext = zenoh.ext
        # Never BLOCK, not even where lost messages are sent again: one receiver that stands still
        # would stop all of them. The priority stays that of the question: the end of the answers,
        # which has it, must not overtake them.
        drop = zenoh.CongestionControl.DROP
        replies = ext.RepliesConfig(congestion_control=drop)
        keeps = self.qos.reliable or self.qos.latched
        return ext.declare_advanced_publisher(
            self._hub.zenoh_session,
            key,
            congestion_control=drop,
            cache=(
                ext.CacheConfig(max_samples=self.qos.depth, replies_config=replies)
                if keeps
                else None
            ),
            sample_miss_detection=ext.MissDetectionConfig(heartbeat=_HEARTBEAT_S),
            publisher_detection=True,
        )

    def _refuse_closed(self, *_: object, **__: object) -> None:
        raise HubError(f"the publisher of '{self.topic}' is closed; make a new one")
