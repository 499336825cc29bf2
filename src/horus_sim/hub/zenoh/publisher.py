"""The sending end of a topic over zenoh."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import HubError
from horus_sim.hub.records import encoder
from horus_sim.hub.transport import Publisher
from horus_sim.hub.zenoh.latch import Latch, tag

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
        self._encode = encoder(kind, hub.name)
        # zenoh numbers and sends a message in two steps: without it, two threads lose some.
        self._lock = threading.Lock()
        self._publisher: Any = self._declare()
        self.number: int = self._publisher.id.eid
        # zenoh copies the bytes, so that the encoder may use their memory again.
        self._put: Callable[..., object] = self._publisher.put
        self._name = hub.new_name()
        self._latch = Latch(hub, self._name) if qos.latched else None
        # Last, so that who hears of the publisher can ask it for what it latched.
        end = "pub" if self._latch is None else "latched"
        self._announcement = hub.announce(end, topic, kind, self._name)

    def send(self, message: T, key: str = "") -> None:
        """Sends a message; see `Publisher.send`."""
        if message.__class__ is not self.kind:
            raise self._refuse(message)
        with self._lock:
            hub = self._hub
            sequence = self.sent + 1
            frame = self._encode(message, hub._epoch, sequence, hub._clock())
            if self._latch is None:
                self._put(frame)
            else:
                self._put_latched(bytes(frame), key)
            self.sent = sequence

    def close(self) -> None:
        """Ends the publisher; what it latched is forgotten."""
        with self._lock:
            if self._publisher is None:
                return
            self._put = self._refuse_closed
            self._announcement.undeclare()
            if self._latch is not None:
                self._latch.close()
            self._publisher.undeclare()
            self._publisher = None
            self._hub.forget(self)

    def forget_latched(self) -> None:
        """Called when a new run begins: what was said in an earlier one is not repeated."""
        if self._latch is not None:
            self._latch.clear()

    def _declare(self) -> Any:  # noqa: ANN401 - a zenoh publisher
        zenoh = self._hub.zenoh
        ext = zenoh.ext
        # Never BLOCK, not even where lost messages are sent again: one receiver that stands still
        # would stop all of them. The priority stays that of the question: the end of the answers,
        # which has it, must not overtake them.
        drop = zenoh.CongestionControl.DROP
        replies = ext.RepliesConfig(congestion_control=drop)
        return ext.declare_advanced_publisher(
            self._hub.zenoh_session,
            self._hub.key(self.topic),
            congestion_control=drop,
            cache=(
                ext.CacheConfig(max_samples=self.qos.depth, replies_config=replies)
                if self.qos.reliable
                else None
            ),
            sample_miss_detection=ext.MissDetectionConfig(heartbeat=_HEARTBEAT_S),
            publisher_detection=True,
        )

    def _put_latched(self, frame: bytes, key: str) -> None:
        if not isinstance(key, str):
            raise HubError(f"the key of a latched message must be text, got {key!r}")
        if self._publisher is not None:
            self._latch.keep(key, frame, self.topic)  # type: ignore[union-attr]
        self._put(frame, attachment=tag(self._name, key))

    def _refuse_closed(self, *_: object, **__: object) -> None:
        raise HubError(f"the publisher of '{self.topic}' is closed; make a new one")
