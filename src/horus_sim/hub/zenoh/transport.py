"""Topics across processes, on zenoh, in the wire format of ROS 2 (rmw_zenoh)."""

from __future__ import annotations

import importlib
import itertools
import logging
import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import ConnectionFailedError, MessageError, MissingExtraError
from horus_sim.hub.subscription import Subscription
from horus_sim.hub.transport import Hub, Publisher
from horus_sim.hub.zenoh.exit import close_at_exit
from horus_sim.hub.zenoh.graph import Graph
from horus_sim.hub.zenoh.keys import EndKind, EndPoint, Node, domain, node_name
from horus_sim.hub.zenoh.losses import Losses
from horus_sim.hub.zenoh.meeting import RouterKeeper, config, open_to_network, router_port
from horus_sim.hub.zenoh.publisher import ZenohPublisher
from horus_sim.hub.zenoh.receiver import Receiver
from horus_sim.hub.zenoh.services import ZenohClientEnd, ZenohServerEnd, services_of
from horus_sim.interruption import uninterrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from horus_sim.hub.ends import EndInfo
    from horus_sim.hub.qos import QoS
    from horus_sim.hub.ros.service_type import ServiceType
    from horus_sim.hub.services.info import ServiceInfo
    from horus_sim.hub.services.wire import Answer
    from horus_sim.hub.topic import TopicInfo

T = TypeVar("T")

logger = logging.getLogger("horus_sim.hub")

PLAIN_SESSION = "default"
"""The session whose topics are plain ROS topics; others are a namespace of zenoh before them."""
# Epochs are times; clocks of machines differ, but not by more.
_MEETING_S = 2.0
_MOST_AHEAD_NS = 86_400_000_000_000


class ZenohHub(Hub):
    """A connection to the other processes of a session.

    Args:
        session: Name of the session.
        name: Name of this connection.
        endpoint: ``host:port`` of a router on the network; None for this machine alone.
        net: ``host:port`` of this machine on which others may join the session; None for nobody.
        remap: Its names of topics and services -> those of the session.
    """

    def __init__(
        self,
        session: str,
        name: str,
        endpoint: str | None = None,
        net: str | None = None,
        remap: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(session, name, remap)
        try:
            self.zenoh: Any = importlib.import_module("zenoh")
            importlib.import_module("zenoh.ext")
        except ImportError as error:
            raise MissingExtraError("zenoh", "zenoh") from error
        self.domain = domain()
        self._epoch = 0
        self._epoch_lock = threading.Lock()
        self._token_lock = threading.Lock()
        self._keeper: RouterKeeper | None = None
        self._net_router: Any = None
        self._receivers: dict[Subscription[Any], Receiver] = {}
        self._is_shut = False
        self._numbers = itertools.count(1)
        self._epoch_token: Any = None
        try:
            namespace = "" if session == PLAIN_SESSION else session
            if endpoint is None:
                port = router_port()
                self._keeper = RouterKeeper(self.zenoh, port)
                settings = config(
                    self.zenoh,
                    "peer",
                    ["tcp/127.0.0.1:0"],
                    [f"tcp/127.0.0.1:{port}"],
                    namespace,
                )
            else:
                settings = config(self.zenoh, "client", [], [f"tcp/{endpoint}"], namespace)
            if net is not None:
                self._net_router = open_to_network(self.zenoh, router_port(), net)
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
        self.graph = Graph(self.zenoh, self.zenoh_session, self.domain)
        self.losses = Losses(self)
        self._node = Node(str(self.zenoh_session.zid()), "0", "", node_name(name))
        self.graph.announce(self._node)

    @property
    def node(self) -> str:
        """The name by which `nodes` lists this connection."""
        return self._node.full_name

    @property
    def is_local(self) -> bool:
        """Whether all others are on this machine, as far as it knows."""
        return self._keeper is not None

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
        return f"@horus/{self.domain}/epoch"

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

    def announce(
        self,
        kind: EndKind,
        name: str,
        ros_type: str,
        type_hash: str,
        qos: QoS,
        number: str = "",
    ) -> str:
        """Lets all programs see an end of a topic or service; gives the key of its token.

        Args:
            kind: What it is.
            name: The topic or service.
            ros_type: Its type.
            type_hash: The hash of its type.
            qos: How messages are delivered.
            number: That of an end which understands further types; a new one unless given.
        """
        number = number or self.new_number()
        return self.graph.announce(
            EndPoint(self._node, number, kind, name, ros_type, type_hash, qos)
        )

    def new_number(self) -> str:
        """The number of a new end."""
        return str(next(self._numbers))

    def topics(self) -> list[TopicInfo]:
        """The topics that have a publisher or a subscription in any program."""
        self._require_open()
        return self.graph.topics()

    def publishers_of(self, topic: str) -> list[str]:
        """Names of the nodes in other programs that publish a topic."""
        self._require_open()
        self._await_router()
        own, name = self._node.zid, self.resolved(topic)
        found = (end for end in self.graph.ends() if end.kind == "MP" and end.name == name)
        return sorted({end.node.name for end in found if end.node.zid != own})

    def _await_router(self) -> None:
        """Waits until others can be known: right after the beginning nobody is."""
        end = time.monotonic() + _MEETING_S
        while not self.zenoh_session.info.routers_zid() and time.monotonic() < end:
            time.sleep(0.01)

    def services(self) -> list[ServiceInfo]:
        """The services that have a server or a client in any program."""
        self._require_open()
        return services_of(self.graph.ends())

    def nodes(self) -> list[str]:
        """The nodes of all programs."""
        self._require_open()
        return [node.full_name for node in self.graph.nodes()]

    def ends(self) -> list[EndInfo]:
        """The ends of topics and services of all programs."""
        self._require_open()
        found = [end.info() for end in self.graph.ends()]
        return sorted(found, key=lambda end: (end.name, end.role, end.node))

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
        self._receivers[subscription] = Receiver(self, subscription)
        return subscription

    def _serve(self, name: str, kind: ServiceType, answer: Answer) -> ZenohServerEnd:
        return ZenohServerEnd(self, name, kind, answer)

    def _client(self, name: str, kind: ServiceType) -> ZenohClientEnd:
        return ZenohClientEnd(self, name, kind)

    def meet_epoch(self, epoch: int) -> None:
        """Called for a message of another run than this connection's; a later one is adopted.

        Args:
            epoch: The run; 0 where its sender knows of none.

        Raises:
            MessageError: It is of an earlier run.
        """
        if epoch > self._epoch:
            check_epoch(epoch)
            self._adopt(epoch)
        elif epoch > 0:
            raise MessageError("a message belongs to an earlier run of the simulation")

    def _adopt(self, epoch: int) -> None:
        with self._epoch_lock:
            if epoch <= self._epoch:
                return
            self._epoch = epoch
            for end in tuple(self._ends):
                if isinstance(end, Subscription):
                    end.clear()
        if self._epoch_token is not None and not self._closed:
            # Who began a run goes on in one that another program began, also when that one ends:
            # newcomers must learn which one messages are compared with.
            self._announce_epoch()
        self._tell_epoch(epoch)

    def _unsubscribe(self, subscription: Subscription[Any]) -> None:
        receiver = self._receivers.pop(subscription, None)
        if receiver is not None:
            receiver.close()
        self.forget(subscription)

    def publisher_of(self, number: int) -> ZenohPublisher[Any] | None:
        """The open publisher with a number, by which zenoh tells those of a connection apart."""
        for end in self._ends:
            if isinstance(end, ZenohPublisher) and end.number == number:
                return end
        return None


def check_epoch(epoch: int) -> None:
    """Refuses the epoch of a run that cannot have begun yet; to adopt it would end all others.

    Raises:
        MessageError: It lies too far in the future.
    """
    ahead_ns = epoch - time.time_ns()
    if ahead_ns > _MOST_AHEAD_NS:
        raise MessageError(
            f"a run of the simulation claims to begin {ahead_ns / 86_400e9:.1f} days from now "
            f"(epoch {epoch}); set the clocks of the machines, or find the program that sends it"
        )
