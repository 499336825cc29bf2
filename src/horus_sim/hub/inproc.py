"""Topics inside one process: messages are handed over as they are, without copies."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import HorusError, HubError, MessageError
from horus_sim.hub.ends import EndInfo
from horus_sim.hub.qos import QoS
from horus_sim.hub.ros.binding import binding_of, ros_type
from horus_sim.hub.ros.service_type import service_hash
from horus_sim.hub.services.inproc import ServiceBoard
from horus_sim.hub.services.server import Service
from horus_sim.hub.subscription import Subscription
from horus_sim.hub.topic import TopicInfo
from horus_sim.hub.transport import Hub, Publisher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from horus_sim.hub.ros.service_type import ServiceType
    from horus_sim.hub.services.client import ServiceClient
    from horus_sim.hub.services.info import ServiceInfo
    from horus_sim.hub.services.inproc import InprocClientEnd, InprocServerEnd
    from horus_sim.hub.services.wire import Answer

T = TypeVar("T")


class _Topic:
    """One topic: who sends, who receives, and the last messages for late subscribers."""

    def __init__(self) -> None:
        # Replaced, never changed: a sender in another thread keeps its own tuple.
        self.subscriptions: tuple[Subscription[Any], ...] = ()
        self.publishers: tuple[_InprocPublisher[Any], ...] = ()
        self.latched: dict[int, deque[tuple[Any, int, str]]] = {}

    def receive_by(self, subscriptions: tuple[Subscription[Any], ...]) -> None:
        self.subscriptions = subscriptions
        for publisher in self.publishers:
            publisher.route()


class _Bus:
    """The topics and services of one session, shared by all its connections in this process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.services = ServiceBoard()
        self.topics: dict[str, _Topic] = {}
        self.connections: list[InprocHub] = []
        self.epoch = 0

    def topic(self, name: str) -> _Topic:
        return self.topics.setdefault(name, _Topic())


_buses: dict[str, _Bus] = {}
_buses_lock = threading.Lock()


class _InprocPublisher(Publisher[T]):
    def __init__(self, hub: InprocHub, topic: str, kind: type[T], qos: QoS) -> None:
        super().__init__(topic, kind, qos)
        self._hub = hub
        self._bus = hub.bus
        self._entry = hub.bus.topic(topic)
        self._source = hub.name
        self._closed = False
        self._sent = 0
        self.route()

    @property
    def sent(self) -> int:
        return self._sent

    def route(self) -> None:
        """Called when the subscriptions change: settles what `send` need not ask each time."""
        subscriptions = self._entry.subscriptions
        self._deliver = tuple(each.deliver for each in subscriptions)
        self._is_plain = (
            not self._closed
            and not self.qos.latched
            and all(each.kind is self.kind and each.qos.max_age is None for each in subscriptions)
        )

    def send(self, message: T) -> None:
        # Not chosen anew with the subscriptions: callers may keep it.
        if message.__class__ is not self.kind:
            raise self._refuse(message)
        if self._is_plain:
            self._sent += 1
            for deliver in self._deliver:
                deliver(message, 0, self._source)
        else:
            self._send_with_care(message)

    def _send_with_care(self, message: T) -> None:
        if self._closed:
            raise self._refuse(message)
        self._sent += 1
        entry = self._entry
        sent_ns = self._hub.now_ns()
        if self.qos.latched:
            kept = entry.latched.setdefault(id(self), deque(maxlen=self.qos.depth))
            kept.append((message, sent_ns, self._source))
        for subscription in entry.subscriptions:
            _deliver(message, sent_ns, self._source, subscription)

    def _refuse(self, message: object) -> HubError:
        if self._closed:
            return HubError(f"the publisher of '{self.topic}' is closed; make a new one")
        return super()._refuse(message)

    def close(self) -> None:
        with self._bus.lock:
            self._closed = True
            self.route()
            entry = self._entry
            entry.publishers = tuple(other for other in entry.publishers if other is not self)
            entry.latched.pop(id(self), None)
            self._hub.forget(self)


class InprocHub(Hub):
    """A connection inside this process."""

    def __init__(self, session: str, name: str, remap: Mapping[str, str] | None = None) -> None:
        super().__init__(session, name, remap)
        with _buses_lock:
            self.bus = _buses.setdefault(session, _Bus())
            self.bus.connections.append(self)

    @property
    def epoch(self) -> int:
        """The run of the simulation that all connections of this session belong to."""
        return self.bus.epoch

    def begin_epoch(self) -> int:
        """Begins a new run: what is queued or latched is forgotten."""
        with self.bus.lock:
            self.bus.epoch += 1
            for entry in self.bus.topics.values():
                entry.latched.clear()
                for subscription in entry.subscriptions:
                    subscription.clear()
            connections = tuple(self.bus.connections)
        for connection in connections:
            connection._tell_epoch(self.bus.epoch)
        return self.bus.epoch

    def topics(self) -> list[TopicInfo]:
        """The topics that have a publisher or a subscription."""
        with self.bus.lock:
            return [
                TopicInfo.of(
                    name,
                    [ros_type(end.kind) for end in topic.publishers],
                    [ros_type(end.kind) for end in topic.subscriptions],
                )
                for name, topic in sorted(self.bus.topics.items())
                if topic.publishers or topic.subscriptions
            ]

    def nodes(self) -> list[str]:
        """The connections of this session."""
        with self.bus.lock:
            return sorted(connection.node for connection in self.bus.connections)

    def ends(self) -> list[EndInfo]:
        """The ends of all connections of this session."""
        with self.bus.lock:
            found = [
                _end_info(connection.node, end)
                for connection in self.bus.connections
                for end in tuple(connection._ends)
            ]
        return sorted(found, key=lambda end: (end.name, end.role, end.node))

    def services(self) -> list[ServiceInfo]:
        """The services that have a server or a client."""
        return self.bus.services.infos()

    def close(self) -> None:
        """Ends the connection; the last one of a session takes its topics along."""
        if self._closed:
            return
        self._closed = True
        for end in tuple(self._ends):
            end.close()
        with _buses_lock:
            self.bus.connections.remove(self)
            if not self.bus.connections:
                _buses.pop(self.session, None)

    def _publisher(self, topic: str, kind: type[T], qos: QoS) -> Publisher[T]:
        with self.bus.lock:
            publisher = _InprocPublisher(self, topic, kind, qos)
            entry = self.bus.topic(topic)
            entry.publishers = (*entry.publishers, publisher)
        return publisher

    def _subscribe(
        self, topic: str, kind: type[T], qos: QoS, callback: Callable[[T], object] | None
    ) -> Subscription[T]:
        with self.bus.lock:
            entry = self.bus.topic(topic)
            subscription = Subscription(topic, kind, qos, callback, self.now_ns, self._unsubscribe)
            entry.receive_by((*entry.subscriptions, subscription))
            kept = itertools.chain.from_iterable(entry.latched.values()) if qos.latched else ()
            latched = tuple(kept)
        for message, sent_ns, source in latched:
            _deliver(message, sent_ns, source, subscription)
        return subscription

    def _serve(self, name: str, kind: ServiceType, answer: Answer) -> InprocServerEnd:
        return self.bus.services.serve(name, kind.name, answer, self.name)

    def _client(self, name: str, kind: ServiceType) -> InprocClientEnd:
        return self.bus.services.client(name, kind.name)

    def _unsubscribe(self, subscription: Subscription[Any]) -> None:
        with self.bus.lock:
            entry = self.bus.topic(subscription.topic)
            entry.receive_by(
                tuple(other for other in entry.subscriptions if other is not subscription)
            )
        self.forget(subscription)


def _end_info(
    node: str, end: Publisher[Any] | Subscription[Any] | Service | ServiceClient
) -> EndInfo:
    if isinstance(end, (Publisher, Subscription)):
        binding = binding_of(end.kind)
        role = "publisher" if isinstance(end, Publisher) else "subscription"
        return EndInfo(end.topic, role, node, binding.name, binding.type_hash, end.qos)
    role = "server" if isinstance(end, Service) else "client"
    kind = end.kind.name
    return EndInfo(end.name, role, node, kind, service_hash(kind), QoS())


def _deliver(message: Any, sent_ns: int, source: str, subscription: Subscription[Any]) -> None:  # noqa: ANN401
    """Delivers a message; one of another class of the same ROS type is turned into its class."""
    sent, wanted = message.__class__, subscription.kind
    if sent is not wanted:
        sent_binding, binding = binding_of(sent), binding_of(wanted)
        reader = binding.readable.get(sent_binding.name)
        if reader is None:
            subscription.reject(
                MessageError(
                    f"'{source}' sends the type '{sent_binding.name}', but '{binding.name}' is "
                    "expected"
                )
            )
            return
        try:
            message = reader.decode(sent_binding.encode(message))
        except HorusError as error:
            subscription.reject(error)
            return
    subscription.deliver(message, sent_ns, source)
