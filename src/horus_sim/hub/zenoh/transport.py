"""Topics across processes, on zenoh."""

from __future__ import annotations

import importlib
import itertools
import logging
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import (
    ConnectionFailedError,
    HorusError,
    MessageError,
    MissingExtraError,
)
from horus_sim.hub.codec import Frame, check_epoch, decode_header, type_name
from horus_sim.hub.records import decoder
from horus_sim.hub.subscription import Subscription
from horus_sim.hub.topic import TopicInfo
from horus_sim.hub.transport import Hub, Publisher
from horus_sim.hub.zenoh.announcement import Announcement, Announcements
from horus_sim.hub.zenoh.exit import close_at_exit
from horus_sim.hub.zenoh.latch import LatchReader
from horus_sim.hub.zenoh.losses import Losses
from horus_sim.hub.zenoh.meeting import RouterKeeper, config, open_to_network, session_port
from horus_sim.hub.zenoh.publisher import ZenohPublisher
from horus_sim.interruption import uninterrupted

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub.qos import QoS

T = TypeVar("T")

logger = logging.getLogger("horus_sim.hub")

_ANNOUNCEMENT_PARTS = 7


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
        self._token_lock = threading.Lock()
        self._keeper: RouterKeeper | None = None
        self._net_router: Any = None
        self._subscribers: dict[Subscription[Any], tuple[Any, ...]] = {}
        self._is_shut = False
        self._announced = itertools.count()
        self._own_keys: set[str] = set()
        self._epoch_token: Any = None
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
            if endpoint is not None:
                where = f"at {endpoint}; is a session open there (horus-sim topic share --net ...)?"
            elif net is not None:
                where = f"and open it to others with net={net!r}; is the port taken?"
            else:
                where = "on this machine"
            # What follows are places in zenoh's own source.
            reason = str(error).split(" at /")[0]
            raise ConnectionFailedError(
                f"zenoh could not join session '{session}' {where} ({reason})"
            ) from error
        # Now, since Ctrl-C may come at any time.
        close_at_exit(self)
        self._epochs = self.zenoh_session.liveliness().declare_subscriber(
            f"{self._epoch_keys}/*", self._hear_of_epoch, history=True
        )
        self._announcements = Announcements(
            self.zenoh, self.zenoh_session, f"horus/{session}/live/**"
        )
        self._losses = Losses(self)

    @property
    def epoch(self) -> int:
        """The newest run that this connection has seen or begun."""
        return self._epoch

    def begin_epoch(self) -> int:
        """Begins a new run; others learn of it at once, and newcomers when they connect."""
        # From the clock, so that it is later than that of any process before it.
        self._adopt(max(time.time_ns(), self._epoch + 1))
        if self._epoch_token is None:
            self._announce_epoch()
        return self._epoch

    def _announce_epoch(self) -> None:
        with self._token_lock:
            before = self._epoch_token
            key = f"{self._epoch_keys}/{self._epoch}"
            self._epoch_token = self.zenoh_session.liveliness().declare_token(key)
            if before is not None:
                before.undeclare()

    @property
    def _epoch_keys(self) -> str:
        return f"horus/{self.session}/epoch"

    def _hear_of_epoch(self, sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
        if sample.kind != self.zenoh.SampleKind.PUT:
            return
        text = str(sample.key_expr).rpartition("/")[2]
        try:
            epoch = int(text)
            check_epoch(epoch)
        except ValueError as error:
            # A MessageError is one, too.
            logger.error("the announcement of a run, '%.80s', is refused: %s", text, error)
        else:
            self._adopt(epoch)

    def key(self, topic: str) -> str:
        """The key of a topic in zenoh."""
        return f"horus/{self.session}/t/{topic}"

    def latch_key(self, publisher: str) -> str:
        """Where a publisher answers who asks for what it latched."""
        return f"horus/{self.session}/latched/{publisher}"

    def announcement_key(self, end: str, kind: str, topic: str, name: str) -> str:
        """Where an end of a topic is announced; ``*`` stands for any type or name.

        Args:
            end: 'pub', 'latched' (a publisher too) or 'sub'.
            kind: Name of the type of its messages.
            topic: The topic.
            name: Name of the end.
        """
        return f"horus/{self.session}/live/{end}/{kind}/{topic.replace('/', '%')}/{name}"

    def new_name(self) -> str:
        """A name for an end of a topic that no other one has."""
        return f"{self.zenoh_session.zid()}-{next(self._announced)}"

    def announce(self, end: str, topic: str, kind: type, name: str) -> Announcement:
        """Lets `topics` of all processes see a publisher or subscription."""
        key = self.announcement_key(end, type_name(kind), topic, name)
        return Announcement(self.zenoh_session, key, self._own_keys)

    def topics(self) -> list[TopicInfo]:
        """The topics that have a publisher or a subscription in any process."""
        self._require_open()
        found: dict[str, tuple[list[str], list[str]]] = {}
        # A router may tell what its client knows already.
        for key in self._announcements.get() | self._own_keys:
            parts = key.split("/")
            if len(parts) != _ANNOUNCEMENT_PARTS:
                continue  # of another program or release
            _, _, _, end, kind, name, _ = parts
            publishers, subscriptions = found.setdefault(name.replace("%", "/"), ([], []))
            (subscriptions if end == "sub" else publishers).append(kind)
        return [
            TopicInfo.of(name, publishers, subscriptions)
            for name, (publishers, subscriptions) in sorted(found.items())
        ]

    def close(self) -> None:
        """Ends the connection."""
        if self._is_shut:
            return
        self._closed = True
        with uninterrupted():
            try:
                for end in tuple(self._ends):
                    end.close()
            finally:
                # Whatever happened: Python waits for zenoh's threads, which end with the session.
                self.zenoh_session.close()
                self._close_routers()
        # Not before: who is interrupted here closes the rest when the program ends.
        self._is_shut = True

    def _close_routers(self) -> None:
        for router in (self._net_router, self._keeper):
            if router is not None:
                router.close()

    def _publisher(self, topic: str, kind: type[T], qos: QoS) -> Publisher[T]:
        return ZenohPublisher(self, topic, kind, qos)

    def _subscribe(
        self, topic: str, kind: type[T], qos: QoS, callback: Callable[[T], object] | None
    ) -> Subscription[T]:
        subscription = Subscription(topic, kind, qos, callback, self.now_ns, self._unsubscribe)
        ext = self.zenoh.ext
        # The recovery of lost messages also brings those from before the subscription: old commands
        # must not move a robot. On this machine their time tells them apart. Another machine's
        # clock may be off; there TCP alone has to do, which loses nothing while it is connected.
        is_local = self._keeper is not None
        since = datetime.now(UTC) if is_local else None
        # For publishers that do not latch: what their caches still hold.
        history = ext.HistoryConfig() if qos.latched else None
        recovers = qos.reliable and (is_local or qos.latched)
        recovery = ext.RecoveryConfig(heartbeat=True) if recovers else None
        read = decoder(kind)

        def deliver(frame: bytes) -> None:
            self._deliver(subscription, read, frame)

        latch = LatchReader(self, topic, deliver, subscription.reject) if qos.latched else None
        subscriber = ext.declare_advanced_subscriber(
            self.zenoh_session,
            self.key(topic),
            lambda sample: self._receive(sample, deliver, latch, since),
            history=history,
            recovery=recovery,
            subscriber_detection=True,
        )

        def on_miss(miss: Any) -> None:  # noqa: ANN401 - of zenoh
            self._losses.report(subscription, miss)
            if latch is not None:
                latch.ask_again()

        misses = subscriber.sample_miss_listener(on_miss)
        announcement = self.announce("sub", topic, kind, self.new_name())
        self._subscribers[subscription] = (misses, subscriber, announcement)
        if latch is not None:
            latch.search()
            self._subscribers[subscription] += (latch,)
        return subscription

    def _receive(
        self,
        sample: Any,  # noqa: ANN401 - a zenoh sample
        deliver: Callable[[bytes], None],
        latch: LatchReader | None,
        since: datetime | None,
    ) -> None:
        stamp, attached = sample.timestamp, sample.attachment
        is_old = since is not None and stamp is not None and stamp.get_time() < since
        if latch is None or attached is None:
            if not is_old or latch is not None:
                deliver(sample.payload.to_bytes())
        elif not is_old:
            latch.receive(attached.to_string(), sample.payload.to_bytes())

    def _deliver(
        self, subscription: Subscription[Any], read: Callable[[bytes], Frame], frame: bytes
    ) -> None:
        try:
            epoch, _, sent_ns = decode_header(frame)
            if epoch > self._epoch:
                check_epoch(epoch)
                self._adopt(epoch)
            if 0 < epoch < self._epoch:
                raise MessageError("a message belongs to an earlier run of the simulation")
            message, source = read(frame)
        except HorusError as error:
            subscription.reject(error)
        else:
            subscription.deliver(message, sent_ns, source)

    def _adopt(self, epoch: int) -> None:
        with self._epoch_lock:
            if epoch <= self._epoch:
                return
            self._epoch = epoch
            for end in tuple(self._ends):
                if isinstance(end, ZenohPublisher):
                    end.forget_latched()
                elif isinstance(end, Subscription):
                    end.clear()
        if self._epoch_token is not None and not self._closed:
            # Who began a run goes on in one that another program began, also when that one ends:
            # newcomers must learn which one messages are compared with.
            self._announce_epoch()
        self._tell_epoch(epoch)

    def _unsubscribe(self, subscription: Subscription[Any]) -> None:
        for declaration in reversed(self._subscribers.pop(subscription, ())):
            declaration.undeclare()
        self.forget(subscription)

    def publisher_of(self, number: int) -> ZenohPublisher[Any] | None:
        """The open publisher with a number, by which zenoh tells those of a connection apart."""
        for end in self._ends:
            if isinstance(end, ZenohPublisher) and end.number == number:
                return end
        return None
