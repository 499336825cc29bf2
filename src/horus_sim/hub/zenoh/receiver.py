"""The receiving end of a topic over zenoh."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from horus_sim.errors import HorusError, MessageError
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.zenoh.attachment import Attachment, numbers_in, sender_in
from horus_sim.hub.zenoh.history import History
from horus_sim.hub.zenoh.keys import EndPoint, data_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub.ros.binding import Binding
    from horus_sim.hub.subscription import Subscription
    from horus_sim.hub.zenoh.transport import ZenohHub

Decode: TypeAlias = "Callable[[bytes], Any]"
_UNKNOWN = "a ROS node"
_MOST_MET = 1_000
_NOT_MET = ("", -1, 0)


class Receiver:
    """Brings the messages of a topic to a subscription.

    Args:
        hub: The connection.
        subscription: Takes the messages.
    """

    def __init__(self, hub: ZenohHub, subscription: Subscription[Any]) -> None:
        self._hub = hub
        self._subscription = subscription
        self._binding = binding = binding_of(subscription.kind)
        self._readable = binding.readable
        self._lock = threading.RLock()
        self._newest: dict[bytes, int] = {}
        self._told: set[str] = set()
        qos = subscription.qos
        # The recovery of lost messages also brings those from before the subscription: old commands
        # must not move a robot. On this machine their time tells them apart. Another machine's
        # clock may be off; there TCP alone has to do, which loses nothing while it is connected.
        self._since = datetime.now(UTC) if hub.is_local and not qos.latched else None
        self._history: History | None = None
        if qos.latched:
            self._history = History(hub, self._key(binding), self._is_publisher, self._keep_all)
        self._declared = [self._declare(each) for each in binding.readable.values()]
        # One end with a token for each type: ROS programs look for their own type.
        topic, number = subscription.topic, hub.new_number()
        self._tokens = [
            hub.announce("MS", topic, each.name, each.type_hash, qos, number)
            for each in binding.readable.values()
        ]
        self._stop_watching = hub.graph.watch(self._compare)
        if self._history is not None:
            self._history.search()

    def _key(self, binding: Binding) -> str:
        topic = self._subscription.topic
        return data_key(self._hub.domain, topic, binding.name, binding.type_hash)

    def _declare(self, binding: Binding) -> tuple[Any, Any]:
        """Subscribes to one ROS type: a subscriber and a listener for misses."""
        hub, qos = self._hub, self._subscription.qos
        ext = hub.zenoh.ext
        recovers = qos.reliable and (hub.is_local or qos.latched)
        subscriber = ext.declare_advanced_subscriber(
            hub.zenoh_session,
            self._key(binding),
            self._keep if qos.latched else self._receiving(binding.decode),
            recovery=ext.RecoveryConfig(heartbeat=True) if recovers else None,
            subscriber_detection=True,
        )
        return subscriber, subscriber.sample_miss_listener(self._on_miss)

    def close(self) -> None:
        """Ends it."""
        self._stop_watching()
        if self._history is not None:
            self._history.undeclare()
        for token in self._tokens:
            self._hub.graph.retract(token)
        for subscriber, misses in self._declared:
            subscriber.undeclare()
            misses.undeclare()

    def _is_publisher(self, end: EndPoint) -> bool:
        return (
            end.kind == "MP"
            and end.name == self._subscription.topic
            and end.type_hash == self._binding.type_hash
            and end.ros_type == self._binding.name
        )

    def _compare(self, end: EndPoint, *, is_here: bool) -> None:
        """Tells of publishers whose messages cannot arrive here."""
        if not is_here or end.kind != "MP" or end.name != self._subscription.topic:
            return
        binding, key = self._binding, f"{end.node.zid}/{end.eid}"
        readable = self._readable.get(end.ros_type)
        fits = readable is not None and readable.type_hash == end.type_hash
        if fits or key in self._told:
            return
        self._told.add(key)
        what = f"the type '{end.ros_type}', but '{binding.name}' is expected"
        if readable is not None:
            what = (
                f"another definition of '{end.ros_type}' ({end.type_hash:.15}... instead of "
                f"{readable.type_hash:.15}...); use the same release of the message package"
            )
        self._subscription.reject(MessageError(f"'{end.node.name}' sends {what}"))

    def _receiving(self, decode: Decode) -> Callable[[Any], None]:
        """The callback of a topic that is not latched."""
        hub, subscription = self._hub, self._subscription
        # Senders that were met, by what names them and their run in a message: name, run, and the
        # number of the first message from which on none is too old.
        met: dict[bytes, tuple[str, int, int]] = {}

        def receive(sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
            attached = sample.attachment
            beside = b"" if attached is None else attached.to_bytes()
            source, epoch, first = met.get(sender_in(beside), _NOT_MET)
            if epoch != hub._epoch and epoch != 0:
                receive_with_care(sample, beside)
                return
            sequence, sent_ns = numbers_in(beside)
            if sequence < first:
                receive_with_care(sample, beside)
                return
            try:
                message = decode(sample.payload.to_bytes())
            except HorusError as error:
                subscription.reject(error)
            else:
                subscription.deliver(message, sent_ns, source)

        def receive_with_care(sample: Any, beside: bytes) -> None:  # noqa: ANN401 - a zenoh sample
            since, stamp = self._since, sample.timestamp
            if since is not None and stamp is not None and stamp.get_time() < since:
                return
            try:
                attached = Attachment.read(beside)
            except MessageError as error:
                subscription.reject(error)
                return
            self._take(sample, attached, decode)
            known = hub.graph.sender(attached.sender)
            if known is not None:
                if len(met) >= _MOST_MET:
                    met.clear()
                epoch = attached.rest ^ known[1]
                met[sender_in(beside)] = (known[0].node.name, epoch, attached.sequence)

        return receive

    def _keep(self, sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
        """Takes a message of a latched topic, which may have to wait for what was sent before."""
        try:
            known = self._hub.graph.sender(_attached(sample).sender)
        except MessageError as error:
            self._subscription.reject(error)
            return
        if known is None or self._history is None:
            self._keep_all([sample])
        else:
            self._history.take(known[0].node.zid, sample)

    def _keep_all(self, samples: list[Any]) -> None:
        """Takes messages of a latched topic: an older one never follows a newer."""
        found: list[tuple[Attachment, Any]] = []
        for sample in samples:
            try:
                found.append((_attached(sample), sample))
            except MessageError as error:
                self._subscription.reject(error)
        found.sort(key=lambda pair: pair[0].sequence)
        with self._lock:
            for attached, sample in found:
                if attached.sequence > self._newest.get(attached.sender, -1):
                    self._newest[attached.sender] = attached.sequence
                    self._take(sample, attached, self._binding.decode)

    def _take(self, sample: Any, attached: Attachment, decode: Decode) -> None:  # noqa: ANN401
        hub = self._hub
        try:
            known = hub.graph.sender(attached.sender)
            if known is None:
                source, epoch = self._likely_source(), 0
            else:
                source, epoch = known[0].node.name, attached.rest ^ known[1]
            if epoch != hub._epoch:
                if self._history is not None and 0 < epoch < hub._epoch:
                    return  # a cache still has it
                hub.meet_epoch(epoch)
            message = decode(sample.payload.to_bytes())
        except HorusError as error:
            self._subscription.reject(error)
        else:
            self._subscription.deliver(message, attached.sent_ns, source)

    def _likely_source(self) -> str:
        """Who sends with a GID of its own making: the one publisher that is not known by it."""
        graph = self._hub.graph
        found = {end.node.name for end in graph.heard() if self._is_publisher(end)}
        return found.pop() if len(found) == 1 else _UNKNOWN

    def _on_miss(self, miss: Any) -> None:  # noqa: ANN401 - of zenoh
        self._hub.losses.report(self._subscription, miss)
        if self._history is not None:
            self._history.ask_again()


def _attached(sample: Any) -> Attachment:  # noqa: ANN401 - a zenoh sample
    attached = sample.attachment
    return Attachment.read(b"" if attached is None else attached.to_bytes())
