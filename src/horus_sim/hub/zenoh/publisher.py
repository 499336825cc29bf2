"""The sending end of a topic over zenoh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from horus_sim._native import MessageSender
from horus_sim.errors import HubError, MessageError
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.transport import Publisher
from horus_sim.hub.zenoh.keys import data_key, gid_of

if TYPE_CHECKING:
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
        self._is_closed = False
        binding = binding_of(kind)
        self._encode = binding.encode
        self._publisher: Any = self._declare(
            data_key(hub.domain, topic, binding.name, binding.type_hash)
        )
        self.number: int = self._publisher.id.eid
        # Last, so that who hears of the publisher can ask it for what it latched.
        self._token = hub.announce("MP", topic, binding.name, binding.type_hash, qos)
        self._sender = MessageSender(
            kind,
            binding.codec,
            binding.layout.to_fields,
            hub,
            gid_of(self._token),
            self._publisher.put,
            self._refuse_unfit,
        )
        # Without a call in between.
        self.send = self._sender.send

    def send(self, message: T) -> None:
        """Sends a message; see `Publisher.send`."""
        self._sender.send(message)

    @property
    def sent(self) -> int:
        """Number of messages sent."""
        return self._sender.sent

    def close(self) -> None:
        """Ends the publisher; what it latched is forgotten."""
        self._is_closed = True
        if not self._sender.close():
            return
        self._hub.graph.retract(self._token)
        self._publisher.undeclare()
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

    def _refuse_unfit(self, message: T) -> NoReturn:
        """Tells why a message was not sent."""
        if message.__class__ is not self.kind:
            raise self._refuse(message)
        if self._is_closed:
            raise HubError(f"the publisher of '{self.topic}' is closed; make a new one")
        self._encode(message)
        raise MessageError(f"{message!r:.80} changed while it was sent on '{self.topic}'")
