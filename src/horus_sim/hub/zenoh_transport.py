"""Topics across processes, on zenoh."""

from __future__ import annotations

import importlib
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import (
    ConnectionFailedError,
    HorusError,
    HubError,
    MessageError,
    MissingExtraError,
)
from horus_sim.hub.codec import Frame, decode_header, type_name
from horus_sim.hub.records import decoder, encoder, is_record
from horus_sim.hub.subscription import Subscription
from horus_sim.hub.topic import TopicInfo
from horus_sim.hub.transport import Hub, Publisher
from horus_sim.hub.zenoh_exit import close_at_exit
from horus_sim.hub.zenoh_meeting import RouterKeeper, config, open_to_network, session_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub.qos import QoS

T = TypeVar("T")

_HEARTBEAT_S = 0.1
_LATCHED_SAMPLES = 10_000
_MOST_LATCHED_KEYS = _LATCHED_SAMPLES // 2


class _ZenohPublisher(Publisher[T]):
    def __init__(self, hub: ZenohHub, topic: str, kind: type[T], qos: QoS) -> None:
        super().__init__(topic, kind, qos)
        self._hub = hub
        self._encode = encoder(kind, hub.name)
        self._is_plain = is_record(kind) and not qos.latched
        self._lock = threading.Lock()
        self._latched: dict[str, T] = {}
        self._since_refresh = 0
        self._samples = max(qos.depth, _LATCHED_SAMPLES if qos.latched else 0)
        self._publisher = self._declare()
        # zenoh copies the bytes, so that the encoder may use their memory again.
        self._put: Callable[[Any], object] = self._publisher.put
        self._token = hub.announce("pub", topic, kind)

    def send(self, message: T, key: str = "") -> None:
        if message.__class__ is not self.kind:
            raise self._refuse(message)
        if self._is_plain:
            # Without the lock, which costs as much as the rest: nothing is shared but the count.
            sequence = self.sent = self.sent + 1
            hub = self._hub
            self._put(self._encode(message, hub._epoch, sequence, hub._clock()))
        else:
            self._send_with_care(message, key)

    def _send_with_care(self, message: T, key: str) -> None:
        with self._lock:
            if self.qos.latched:
                self._latch(message, key)
            self._send_again(message)
            if self.qos.latched:
                self._refresh_latched()

    def close(self) -> None:
        with self._lock:
            if self._publisher is not None:
                self._put = self._refuse_closed
                self._publisher.undeclare()
                self._token.undeclare()
                self._publisher = None
                self._hub.forget(self)

    def _declare(self) -> Any:  # noqa: ANN401 - a zenoh publisher
        ext, control = self._hub.zenoh.ext, self._hub.zenoh.CongestionControl
        cached = self.qos.reliable or self.qos.latched
        return ext.declare_advanced_publisher(
            self._hub.zenoh_session,
            self._hub.key(self.topic),
            congestion_control=control.BLOCK if self.qos.reliable else control.DROP,
            cache=ext.CacheConfig(max_samples=self._samples) if cached else None,
            sample_miss_detection=ext.MissDetectionConfig(heartbeat=_HEARTBEAT_S),
            publisher_detection=True,
        )

    def _send_again(self, message: T) -> None:
        self.sent += 1
        self._put(self._encode(message, self._hub.epoch, self.sent, self._hub.now_ns()))

    def _refuse_closed(self, _: object) -> None:
        raise HubError(f"the publisher of '{self.topic}' is closed; make a new one")

    def _latch(self, message: T, key: str) -> None:
        if key not in self._latched and len(self._latched) >= _MOST_LATCHED_KEYS:
            raise HubError(
                f"topic '{self.topic}' has {_MOST_LATCHED_KEYS} latched keys already, the most "
                "that zenoh keeps for late subscribers; use another publisher for the rest"
            )
        self._latched[key] = message

    def _refresh_latched(self) -> None:
        # The cache keeps the last samples, whatever their key: before an old key falls out of it,
        # the last message of every key is sent again.
        self._since_refresh += 1
        if self._since_refresh + len(self._latched) < self._samples:
            return
        self._since_refresh = 0
        for message in self._latched.values():
            self._send_again(message)


class ZenohHub(Hub):
    """A connection to the other processes of a session.

    Args:
        session: Name of the session.
        name: Name of this connection.
        endpoint: ``host:port`` of a router on the network; None for this machine alone.
        net: ``host:port`` of this machine on which others may join the session; None for nobody.
    """

    def __init__(
        self, session: str, name: str, endpoint: str | None = None, net: str | None = None
    ) -> None:
        super().__init__(session, name)
        try:
            self.zenoh: Any = importlib.import_module("zenoh")
            importlib.import_module("zenoh.ext")
        except ImportError as error:
            raise MissingExtraError("zenoh", "zenoh") from error
        self._epoch = 0
        self._epoch_lock = threading.Lock()
        self._keeper: RouterKeeper | None = None
        self._net_router: Any = None
        self._ends: list[Publisher[Any] | Subscription[Any]] = []
        self._subscribers: dict[Subscription[Any], tuple[Any, ...]] = {}
        self._closed = False
        try:
            if endpoint is None:
                port = session_port(session)
                self._keeper = RouterKeeper(self.zenoh, port)
                settings = config(
                    self.zenoh, "peer", ["tcp/127.0.0.1:0"], [f"tcp/127.0.0.1:{port}"]
                )
            else:
                settings = config(self.zenoh, "client", [], [f"tcp/{endpoint}"])
            if net is not None:
                self._net_router = open_to_network(self.zenoh, session_port(session), net)
            self.zenoh_session = self.zenoh.open(settings)
        except self.zenoh.ZError as error:
            self._close_routers()
            where = f"this machine (net={net!r})" if endpoint is None else endpoint
            raise ConnectionFailedError(
                f"zenoh could not connect session '{session}' on {where}: {error}"
            ) from error

        close_at_exit(self)

    @property
    def epoch(self) -> int:
        """The newest run that this connection has seen or begun."""
        return self._epoch

    def begin_epoch(self) -> int:
        """Begins a new run; others learn of it with the next message that they get from here."""
        # From the clock, so that it is later than that of any process before it.
        self._adopt(max(time.time_ns(), self._epoch + 1))
        return self._epoch

    def key(self, topic: str) -> str:
        """The key of a topic in zenoh."""
        return f"horus/{self.session}/t/{topic}"

    def announce(self, end: str, topic: str, kind: type) -> Any:  # noqa: ANN401 - a zenoh token
        """Lets `topics` of all processes see a publisher or subscription."""
        name = topic.replace("/", "%")
        key = f"horus/{self.session}/live/{end}/{type_name(kind)}/{name}"
        unique = f"{key}/{self.zenoh_session.zid()}-{len(self._ends)}"
        return self.zenoh_session.liveliness().declare_token(unique)

    def topics(self) -> list[TopicInfo]:
        """The topics that have a publisher or a subscription in any process."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        for reply in self.zenoh_session.liveliness().get(f"horus/{self.session}/live/**"):
            if reply.ok is None:
                continue
            _, _, _, end, kind, name, _ = str(reply.ok.key_expr).split("/")
            publishers, subscriptions = found.setdefault(name.replace("%", "/"), ([], []))
            (publishers if end == "pub" else subscriptions).append(kind)
        return [
            TopicInfo(name, tuple(sorted(set(publishers))), len(publishers), len(subscriptions))
            for name, (publishers, subscriptions) in sorted(found.items())
        ]

    def close(self) -> None:
        """Ends the connection."""
        if self._closed:
            return
        self._closed = True
        for end in tuple(self._ends):
            end.close()
        self.zenoh_session.close()
        self._close_routers()

    def _close_routers(self) -> None:
        for router in (self._net_router, self._keeper):
            if router is not None:
                router.close()

    def _publisher(self, topic: str, kind: type[T], qos: QoS) -> Publisher[T]:
        self._require_open()
        publisher = _ZenohPublisher(self, topic, kind, qos)
        self._ends.append(publisher)
        return publisher

    def _subscribe(
        self, topic: str, kind: type[T], qos: QoS, callback: Callable[[T], object] | None
    ) -> Subscription[T]:
        self._require_open()
        subscription = Subscription(topic, kind, qos, callback, self.now_ns, self._unsubscribe)
        ext = self.zenoh.ext
        # The recovery of lost messages also brings those from before the subscription: old commands
        # must not move a robot. Another machine's clock may be off, so only on this one.
        is_local = self._keeper is not None
        since = None if qos.latched or not is_local else datetime.now(UTC)
        history = ext.HistoryConfig(detect_late_publishers=True) if qos.latched else None
        recovery = ext.RecoveryConfig(heartbeat=True) if qos.reliable else None
        read = decoder(kind)
        subscriber = ext.declare_advanced_subscriber(
            self.zenoh_session,
            self.key(topic),
            lambda sample: self._receive(subscription, read, sample, since),
            history=history,
            recovery=recovery,
            subscriber_detection=True,
        )
        misses = subscriber.sample_miss_listener(lambda miss: _count_missed(subscription, miss))
        token = self.announce("sub", topic, kind)
        self._subscribers[subscription] = (misses, subscriber, token)
        self._ends.append(subscription)
        return subscription

    def _receive(
        self,
        subscription: Subscription[Any],
        read: Callable[[bytes], Frame],
        sample: Any,  # noqa: ANN401 - a zenoh sample
        since: datetime | None,
    ) -> None:
        stamp = sample.timestamp
        if since is not None and stamp is not None and stamp.get_time() < since:
            return
        data = sample.payload.to_bytes()
        try:
            epoch, _, sent_ns = decode_header(data)
            if epoch > self._epoch:
                self._adopt(epoch)
            if 0 < epoch < self._epoch:
                raise MessageError("a message belongs to an earlier run of the simulation")
            message, source = read(data)
        except HorusError as error:
            subscription.reject(error)
        else:
            subscription.deliver(message, sent_ns, source)

    def _adopt(self, epoch: int) -> None:
        with self._epoch_lock:
            if epoch <= self._epoch:
                return
            self._epoch = epoch
            for subscription in tuple(self._subscribers):
                subscription.clear()
        self._tell_epoch(epoch)

    def _unsubscribe(self, subscription: Subscription[Any]) -> None:
        for declaration in self._subscribers.pop(subscription, ()):
            declaration.undeclare()
        self.forget(subscription)

    def forget(self, end: Publisher[Any] | Subscription[Any]) -> None:
        """Called by a publisher or subscription that was closed."""
        self._ends = [kept for kept in self._ends if kept is not end]

    def _require_open(self) -> None:
        if self._closed:
            raise HubError("this connection is closed; call connect() again")


def _count_missed(subscription: Subscription[Any], miss: Any) -> None:  # noqa: ANN401
    subscription.missed += miss.nb
