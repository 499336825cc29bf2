"""The sending end of a topic over zenoh."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import HubError
from horus_sim.hub.records import encoder
from horus_sim.hub.transport import Publisher

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub.qos import QoS
    from horus_sim.hub.zenoh_transport import ZenohHub

T = TypeVar("T")

_HEARTBEAT_S = 0.1
_FEWEST_LATCHED = 8
_MOST_LATCHED_KEYS = 5_000


class ZenohPublisher(Publisher[T]):
    """Sends messages of one topic; made by `ZenohHub.publisher`."""

    def __init__(self, hub: ZenohHub, topic: str, kind: type[T], qos: QoS) -> None:
        super().__init__(topic, kind, qos)
        self._hub = hub
        self._encode = encoder(kind, hub.name)
        self._is_latched = qos.latched
        # zenoh numbers and sends a message in two steps: without it, two threads lose some.
        self._lock = threading.Lock()
        self._latched: dict[str, tuple[T, int]] = {}
        self._since_refresh = 0
        self._samples = max(qos.depth, _FEWEST_LATCHED if qos.latched else 0)
        self._declare()
        self._token = hub.announce("pub", topic, kind)

    def send(self, message: T, key: str = "") -> None:
        """Sends a message; see `Publisher.send`."""
        if message.__class__ is not self.kind:
            raise self._refuse(message)
        with self._lock:
            hub = self._hub
            if self._is_latched:
                self._send_latched(message, key)
            else:
                sequence = self.sent = self.sent + 1
                self._put(self._encode(message, hub._epoch, sequence, hub._clock()))

    def close(self) -> None:
        """Ends the publisher; what it latched is forgotten."""
        with self._lock:
            if self._publisher is not None:
                self._put = self._refuse_closed
                self._publisher.undeclare()
                self._token.undeclare()
                self._publisher = None
                self._hub.forget(self)

    def forget_latched(self) -> None:
        """Called when a new run begins: what was said in an earlier one is not repeated."""
        with self._lock:
            self._latched.clear()

    def _declare(self) -> None:
        ext, control = self._hub.zenoh.ext, self._hub.zenoh.CongestionControl
        cached = self.qos.reliable or self.qos.latched
        self._publisher: Any = ext.declare_advanced_publisher(
            self._hub.zenoh_session,
            self._hub.key(self.topic),
            congestion_control=control.BLOCK if self.qos.reliable else control.DROP,
            cache=ext.CacheConfig(max_samples=self._samples) if cached else None,
            sample_miss_detection=ext.MissDetectionConfig(heartbeat=_HEARTBEAT_S),
            publisher_detection=True,
        )
        # zenoh copies the bytes, so that the encoder may use their memory again.
        self._put: Callable[[Any], object] = self._publisher.put

    def _send_latched(self, message: T, key: str) -> None:
        if not isinstance(key, str):
            raise HubError(f"the key of a latched message must be text, got {key!r}")
        if self._publisher is None:
            self._refuse_closed(None)
        now_ns = self._hub.now_ns()
        if key not in self._latched:
            self._make_room()
        self._latched[key] = message, now_ns
        self._send_as_of(message, now_ns)
        self._since_refresh += 1
        # The cache keeps the last samples, whatever their key: before an old key falls out of it,
        # the last message of every key is sent again.
        if self._since_refresh + len(self._latched) >= self._samples:
            self._send_all_again()

    def _make_room(self) -> None:
        keys = len(self._latched) + 1
        if keys > _MOST_LATCHED_KEYS:
            raise HubError(
                f"topic '{self.topic}' has {_MOST_LATCHED_KEYS} latched keys already, the most "
                "that are kept for late subscribers; use another publisher for the rest"
            )
        if 2 * keys > self._samples:
            # A cache of fixed size would keep thousands of maps that nobody wants any more.
            self._samples = 4 * keys
            self._publisher.undeclare()
            self._declare()
            self._send_all_again()

    def _send_all_again(self) -> None:
        self._since_refresh = 0
        for message, sent_ns in self._latched.values():
            self._send_as_of(message, sent_ns)

    def _send_as_of(self, message: T, sent_ns: int) -> None:
        self.sent += 1
        self._put(self._encode(message, self._hub.epoch, self.sent, sent_ns))

    def _refuse_closed(self, _: object) -> None:
        raise HubError(f"the publisher of '{self.topic}' is closed; make a new one")
