"""Services over zenoh, as ROS programs ask and answer them."""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HubError, MessageError, ServiceError
from horus_sim.hub.qos import QoS
from horus_sim.hub.ros.service_type import service_hash
from horus_sim.hub.services.info import ServiceInfo
from horus_sim.hub.zenoh.attachment import Attachment, halves, packed
from horus_sim.hub.zenoh.keys import EndPoint, data_key, gid_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from horus_sim.hub.ros.service_type import ServiceType
    from horus_sim.hub.services.wire import Answer
    from horus_sim.hub.zenoh.transport import ZenohHub

_QOS = QoS(depth=10)
# An answer may take as long as the steps that were asked for; who waits has a time-out of its own.
_LONGEST_S = 24 * 3600.0
# A server may be known before the way to it is.
_ASK_AGAIN_S = 0.1
_ATTEMPTS = 20


class ZenohServerEnd:
    """Answers the requests of all programs.

    Args:
        hub: The connection.
        name: The service.
        kind: Its type.
        answer: Takes requests.

    Raises:
        HubError: Somebody serves it already.
    """

    def __init__(self, hub: ZenohHub, name: str, kind: ServiceType, answer: Answer) -> None:
        for end in hub.graph.ends():
            if end.kind == "SS" and end.name == name:
                raise HubError(
                    f"service '{name}' is served by '{end.node.name}' already; close that one, or "
                    "choose another name or session"
                )
        self._hub = hub
        self._answer = answer
        self._key = data_key(hub.domain, name, kind.name, service_hash(kind.name))
        self._queryable = hub.zenoh_session.declare_queryable(self._key, self._take, complete=True)
        self._token = hub.announce("SS", name, kind.name, service_hash(kind.name), _QOS)

    def close(self) -> None:
        """Takes no more requests."""
        self._hub.graph.retract(self._token)
        self._queryable.undeclare()

    def _take(self, query: Any) -> None:  # noqa: ANN401 - a zenoh query
        try:
            given = query.attachment
            attached = Attachment.read(b"" if given is None else given.to_bytes())
            payload = query.payload
            if payload is None:
                raise MessageError("a request comes without its fields")
        except MessageError as error:
            query.reply_err(str(error).encode())
            query.drop()
            return
        done = self._answer(payload.to_bytes())
        done.add_done_callback(lambda future: self._reply(query, attached, future))

    def _reply(self, query: Any, asked: Attachment, done: Future[bytes]) -> None:  # noqa: ANN401
        error = done.exception()
        try:
            if error is None:
                attachment = packed(asked.sequence, time.time_ns(), asked.sender, asked.rest)
                query.reply(self._key, done.result(), attachment=attachment)
            else:
                query.reply_err(str(error).encode())
            query.drop()
        except self._hub.zenoh.ZError:
            pass  # the connection was closed meanwhile: nobody can be told


class ZenohClientEnd:
    """Asks the servers of all programs.

    Args:
        hub: The connection.
        name: The service.
        kind: Its type.
    """

    def __init__(self, hub: ZenohHub, name: str, kind: ServiceType) -> None:
        self._hub = hub
        self._name = name
        self._kind = kind
        self._key = data_key(hub.domain, name, kind.name, service_hash(kind.name))
        self._changed = threading.Condition()
        self._servers: set[EndPoint] = set()
        self._numbers = itertools.count(1)
        self._is_closed = False
        self._token = hub.announce("SC", name, kind.name, service_hash(kind.name), _QOS)
        self._sender, self._rest = halves(gid_of(self._token))
        self._stop = hub.graph.watch(self._watch)

    def send(self, request: bytes) -> Future[bytes]:
        """Sends a request."""
        future: Future[bytes] = Future()
        self._ask(request, next(self._numbers), future, 1)
        return future

    def wait_for_server(self, timeout: float | None) -> bool:
        """Waits [s] until somebody answers."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._servers), timeout)

    def remark(self) -> str:
        """Why nobody answers, where another type is served."""
        # Of whom was heard: a timer may ask this while the connection closes.
        for end in self._hub.graph.heard():
            if end.kind != "SS" or end.name != self._name or end in self._servers:
                continue
            if end.ros_type != self._kind.name:
                return f"'{end.node.name}' serves it as {end.ros_type}: ask for that type"
            return f"'{end.node.name}' serves another definition of {end.ros_type}"
        return ""

    def close(self) -> None:
        """Sends no more."""
        self._is_closed = True
        self._stop()
        self._hub.graph.retract(self._token)

    def _watch(self, end: EndPoint, *, is_here: bool) -> None:
        if end.kind != "SS" or end.name != self._name:
            return
        fits = (end.ros_type, end.type_hash) == (self._kind.name, service_hash(self._kind.name))
        with self._changed:
            if is_here and fits:
                self._servers.add(end)
            else:
                self._servers.discard(end)
            self._changed.notify_all()

    def _ask(self, request: bytes, number: int, future: Future[bytes], attempt: int) -> None:
        zenoh = self._hub.zenoh
        began, was_served = time.monotonic(), bool(self._servers)

        def on_reply(reply: Any) -> None:  # noqa: ANN401 - a zenoh reply
            if reply.ok is not None:
                _settle(future, reply.ok.payload.to_bytes())
            else:
                text = reply.err.payload.to_bytes().decode(errors="replace")
                _settle(future, error=ServiceError(text or f"service '{self._name}' failed"))

        def on_end() -> None:
            if not future.done():
                # The end may overtake the answer.
                _later(_ASK_AGAIN_S, conclude)

        def conclude() -> None:
            if future.done():
                return
            # Who had the request for a while and left may have done what it was asked for.
            is_lost = time.monotonic() - began < 3 * _ASK_AGAIN_S
            if is_lost and self._servers and attempt < _ATTEMPTS and not self._is_closed:
                self._ask(request, number, future, attempt + 1)
            else:
                _settle(future, error=ServiceError(self._silence(was_served=was_served)))

        try:
            self._hub.zenoh_session.get(
                self._key,
                zenoh.handlers.Callback(on_reply, on_end),
                target=zenoh.QueryTarget.ALL_COMPLETE,
                consolidation=zenoh.ConsolidationMode.NONE,
                timeout=_LONGEST_S,
                payload=request,
                attachment=packed(number, time.time_ns(), self._sender, self._rest),
            )
        except zenoh.ZError as error:
            _settle(future, error=ServiceError(f"service '{self._name}' cannot be asked: {error}"))

    def _silence(self, *, was_served: bool) -> str:
        if was_served or self._servers:
            return (
                f"service '{self._name}' left without an answer; what it was asked for may be done"
            )
        more = self.remark() or "call wait_for_service() before"
        return f"nobody serves '{self._name}' ({self._kind.name}) now; {more}"


def _later(delay_s: float, action: Callable[[], object]) -> None:
    timer = threading.Timer(delay_s, action)
    timer.daemon = True
    timer.start()


def services_of(ends: Iterable[EndPoint]) -> list[ServiceInfo]:
    """The services of ends, by name."""
    found: dict[str, list[EndPoint]] = {}
    for end in ends:
        if end.kind in ("SS", "SC"):
            found.setdefault(end.name, []).append(end)
    return [
        ServiceInfo(
            name,
            tuple(sorted({end.ros_type for end in known})),
            sum(end.kind == "SS" for end in known),
            sum(end.kind == "SC" for end in known),
        )
        for name, known in sorted(found.items())
    ]


def _settle(future: Future[bytes], data: bytes = b"", error: Exception | None = None) -> None:
    try:
        if error is None:
            future.set_result(data)
        else:
            future.set_exception(error)
    except InvalidStateError:
        pass  # another server was faster, or nobody waits any more
