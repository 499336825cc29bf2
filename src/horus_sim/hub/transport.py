"""What every transport offers: publishers and subscriptions on the topics of one session."""

from __future__ import annotations

import abc
import logging
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from horus_sim.errors import HubError, MessageError
from horus_sim.hub.qos import QoS
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.ros.service_type import ServiceType
from horus_sim.hub.ros.service_type import service_type as type_of_service
from horus_sim.hub.services.client import ServiceClient
from horus_sim.hub.services.server import Handler, Service
from horus_sim.hub.topic import TopicInfo, topic_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from horus_sim.hub.ends import EndInfo
    from horus_sim.hub.services.info import ServiceInfo
    from horus_sim.hub.services.wire import Answer, ClientEnd, ServerEnd
    from horus_sim.hub.subscription import Subscription

T = TypeVar("T")
_End = TypeVar("_End", bound="Publisher[Any] | Subscription[Any] | Service | ServiceClient")

logger = logging.getLogger("horus_sim.hub")


class Publisher(abc.ABC, Generic[T]):
    """The sending end of a topic.

    Attributes:
        topic: The topic.
        kind: The type of its messages.
        qos: How they are delivered.
        missed: Number of messages that receivers in other processes told to have missed, summed
            over all of them.
    """

    def __init__(self, topic: str, kind: type[T], qos: QoS) -> None:
        self.topic = topic
        self.kind = kind
        self.qos = qos
        self.missed = 0

    @property
    @abc.abstractmethod
    def sent(self) -> int:
        """Number of messages sent."""

    @abc.abstractmethod
    def send(self, message: T) -> None:
        """Sends a message to all subscriptions.

        Args:
            message: The message; it must not change afterwards.

        Raises:
            MessageError: It has another type than the publisher.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Ends the publisher; what it latched is forgotten."""

    def _refuse(self, message: object) -> HubError:
        return MessageError(
            f"topic '{self.topic}' carries {self.kind.__name__}, but was given {message!r:.80} "
            f"({type(message).__name__})"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Publisher '{self.topic}': {self.kind.__name__}, {self.sent} sent>"


class Hub(abc.ABC):
    """A connection to the topics of a session. Made by `connect`.

    Attributes:
        session: Name of the session; topics of another session are out of sight.
        name: Name of this connection, which its messages carry.
        remap: Topics and services that it calls otherwise: its names -> those of the session.
    """

    def __init__(self, session: str, name: str, remap: Mapping[str, str] | None = None) -> None:
        self.session = session
        self.name = name
        self.remap = MappingProxyType(dict(remap or {}))
        self._clock: Callable[[], int] = time.time_ns
        self._closed = False
        self._ends: list[Publisher[Any] | Subscription[Any] | Service | ServiceClient] = []
        self._epoch_callbacks: list[list[Callable[[int], object]]] = []

    def resolved(self, name: str, what: str = "topic") -> str:
        """What a topic or service of this connection is called in the session, after `remap`.

        Args:
            name: The name that this program uses.
            what: What it names, for the error: a topic or a service.
        """
        bare = topic_name(name, what)
        return self.remap.get(bare, bare)

    @property
    def node(self) -> str:
        """The name by which `nodes` lists this connection."""
        return f"/{self.name}"

    def now_ns(self) -> int:
        """The time [ns] by which the age of messages is told; wall time unless `use_clock`."""
        return self._clock()

    @property
    def clock(self) -> Callable[[], int]:
        """The clock [ns] that tells the age of messages."""
        return self._clock

    def use_clock(self, clock: Callable[[], int]) -> None:
        """Tells the age of messages by another clock [ns], such as that of a simulation."""
        _require_callable(clock, "clock")
        self._clock = clock

    @property
    @abc.abstractmethod
    def epoch(self) -> int:
        """The run of the simulation that this connection belongs to; 0 when none was seen."""

    @abc.abstractmethod
    def begin_epoch(self) -> int:
        """Begins a new run: messages of earlier ones are discarded everywhere from now on."""

    def on_epoch(self, callback: Callable[[int], object]) -> Callable[[], None]:
        """Calls `callback` with the new epoch whenever a new run begins.

        Returns:
            A function that ends the registration.
        """
        _require_callable(callback, "callback")
        entry = [callback]
        self._epoch_callbacks.append(entry)

        def unregister() -> None:
            self._epoch_callbacks = [kept for kept in self._epoch_callbacks if kept is not entry]

        return unregister

    def _tell_epoch(self, epoch: int) -> None:
        for (callback,) in tuple(self._epoch_callbacks):
            try:
                callback(epoch)
            except Exception:
                # The simulation must not suffer for a listener's mistake.
                logger.exception("a callback of on_epoch failed")

    def publisher(self, topic: str, kind: type[T], qos: QoS | None = None) -> Publisher[T]:
        """The sending end of a topic.

        Args:
            topic: Name of the topic.
            kind: Type of its messages: a message class, a frozen dataclass of your own, a class of
                `ros_message`, or dict.
            qos: How they are delivered.
        """
        binding_of(kind)
        return self._opened(self._publisher, self.resolved(topic), kind, _qos(qos))

    def subscribe(
        self,
        topic: str,
        kind: type[T],
        qos: QoS | None = None,
        callback: Callable[[T], object] | None = None,
    ) -> Subscription[T]:
        """The receiving end of a topic.

        Args:
            topic: Name of the topic.
            kind: Type of its messages: a message class, a frozen dataclass of your own, a class of
                `ros_message`, or dict.
            qos: How they are kept.
            callback: Called with every message, in the thread that brings it; messages are not
                kept then.
        """
        binding_of(kind)
        if callback is not None:
            _require_callable(callback, "callback")
        return self._opened(self._subscribe, self.resolved(topic), kind, _qos(qos), callback)

    def serve(
        self, name: str, service_type: str, handler: Handler, *, in_own_thread: bool = True
    ) -> Service:
        """Answers the requests to a service.

        Args:
            name: Name of the service.
            service_type: Full name of its type, such as ``std_srvs/srv/SetBool``.
            handler: Called with the fields of each request. It gives the fields of the response,
                None where all have their defaults, or a `concurrent.futures.Future` of either.
                What it raises reaches the client as a `ServiceError`.
            in_own_thread: Whether requests are handled in a thread of the service, one after the
                other. Otherwise they are handled in the thread that brings them: the handler must
                then be quick, or give a future.

        Raises:
            HubError: The name is not fit, or somebody serves it already.
            MessageError: The type is unknown.
        """
        self._require_open()
        kind = type_of_service(service_type)
        end: list[ServerEnd] = []

        def close(service: Service) -> None:
            self.forget(service)
            for opened in end:
                opened.close()

        service = Service(
            self.resolved(name, "service"),
            kind,
            handler,
            in_own_thread=in_own_thread,
            on_close=close,
        )
        end.append(self._serve(service.name, kind, service.answer))
        self._ends.append(service)
        return service

    def client(self, name: str, service_type: str) -> ServiceClient:
        """Asks a service.

        Args:
            name: Name of the service.
            service_type: Full name of its type, such as ``std_srvs/srv/SetBool``.

        Raises:
            HubError: The name is not fit.
            MessageError: The type is unknown.
        """
        self._require_open()
        kind, name = type_of_service(service_type), self.resolved(name, "service")
        client = ServiceClient(name, kind, self.session, self._client(name, kind), self.forget)
        self._ends.append(client)
        return client

    def publishers_of(self, topic: str) -> list[str]:  # noqa: ARG002 - of this transport none
        """Names of the connections in other programs that publish a topic."""
        return []

    @abc.abstractmethod
    def services(self) -> list[ServiceInfo]:
        """The services of the session, by name."""

    @abc.abstractmethod
    def _serve(self, name: str, kind: ServiceType, answer: Answer) -> ServerEnd:
        """Hands the requests to a service over to `answer`.

        Raises:
            HubError: Somebody serves it already.
        """

    @abc.abstractmethod
    def _client(self, name: str, kind: ServiceType) -> ClientEnd:
        """Carries requests to a service."""

    def forget(self, end: Publisher[Any] | Subscription[Any] | Service | ServiceClient) -> None:
        """Called by an end of a topic or a service that was closed."""
        self._ends = [kept for kept in self._ends if kept is not end]

    def _opened(self, make: Callable[..., _End], *arguments: object) -> _End:
        """A new publisher or subscription, which ends with the connection."""
        self._require_open()
        end = make(*arguments)
        self._ends.append(end)
        return end

    def _require_open(self) -> None:
        if self._closed:
            raise HubError("this connection is closed; call connect() again")

    @abc.abstractmethod
    def topics(self) -> list[TopicInfo]:
        """The topics of the session, by name."""

    @abc.abstractmethod
    def nodes(self) -> list[str]:
        """The nodes of the session, as in ``/robot1/camera``: all connections, programs of ROS too.

        A name stands there twice where two of them have it.
        """

    @abc.abstractmethod
    def ends(self) -> list[EndInfo]:
        """The ends of all topics and services of the session: by name, role and node."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends the connection with its publishers and subscriptions."""

    @abc.abstractmethod
    def _publisher(self, topic: str, kind: type[T], qos: QoS) -> Publisher[T]: ...

    @abc.abstractmethod
    def _subscribe(
        self, topic: str, kind: type[T], qos: QoS, callback: Callable[[T], object] | None
    ) -> Subscription[T]: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _qos(qos: QoS | None) -> QoS:
    if qos is not None and not isinstance(qos, QoS):
        raise HubError(f"qos must be a QoS, such as QoS(depth=1), got {qos!r}")
    return qos or QoS()


def _require_callable(value: object, what: str) -> None:
    if not callable(value):
        raise HubError(f"{what} must be a function, got {value!r}")
