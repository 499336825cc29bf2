"""Services inside one process: who answers what, in one session."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from horus_sim.errors import HubError, ServiceError
from horus_sim.hub.services.info import ServiceInfo

if TYPE_CHECKING:
    from horus_sim.hub.services.wire import Answer


@dataclass(frozen=True, slots=True)
class _Server:
    kind: str
    answer: Answer
    owner: str


class ServiceBoard:
    """The services of one session in this process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._servers: dict[str, _Server] = {}
        self._clients: Counter[tuple[str, str]] = Counter()

    def serve(self, name: str, kind: str, answer: Answer, owner: str) -> InprocServerEnd:
        """Answers the requests to a service.

        Args:
            name: The service.
            kind: Full name of its type.
            answer: Takes requests.
            owner: Name of the connection.

        Raises:
            HubError: Somebody serves it already.
        """
        with self._changed:
            other = self._servers.get(name)
            if other is not None:
                raise HubError(
                    f"service '{name}' is served by '{other.owner}' already; close that one, or "
                    "choose another name or session"
                )
            self._servers[name] = _Server(kind, answer, owner)
            self._changed.notify_all()
        return InprocServerEnd(self, name)

    def leave(self, name: str) -> None:
        """A server ends."""
        with self._changed:
            self._servers.pop(name, None)

    def client(self, name: str, kind: str) -> InprocClientEnd:
        """Asks a service."""
        with self._changed:
            self._clients[name, kind] += 1
        return InprocClientEnd(self, name, kind)

    def forget_client(self, name: str, kind: str) -> None:
        """A client ends."""
        with self._changed:
            self._clients[name, kind] -= 1

    def find(self, name: str, kind: str) -> Answer | None:
        """Who answers requests of that type, or None."""
        server = self._servers.get(name)
        return server.answer if server is not None and server.kind == kind else None

    def wait(self, name: str, kind: str, timeout: float | None) -> bool:
        """Waits [s] until somebody answers requests of that type."""
        with self._changed:
            return self._changed.wait_for(lambda: self.find(name, kind) is not None, timeout)

    def remark(self, name: str, kind: str) -> str:
        """Why nobody answers, where another type is served."""
        server = self._servers.get(name)
        if server is None or server.kind == kind:
            return ""
        return f"'{server.owner}' serves it as {server.kind}: ask for that type"

    def infos(self) -> list[ServiceInfo]:
        """The services that have a server or a client, by name."""
        with self._changed:
            asked = {key: count for key, count in self._clients.items() if count > 0}
            names = sorted({*self._servers, *(name for name, _ in asked)})
            return [self._info(name, asked) for name in names]

    def _info(self, name: str, asked: dict[tuple[str, str], int]) -> ServiceInfo:
        server = self._servers.get(name)
        kinds = {kind for other, kind in asked if other == name}
        kinds |= set() if server is None else {server.kind}
        clients = sum(count for (other, _), count in asked.items() if other == name)
        return ServiceInfo(name, tuple(sorted(kinds)), int(server is not None), clients)


class InprocServerEnd:
    """A server on the board."""

    def __init__(self, board: ServiceBoard, name: str) -> None:
        self._board = board
        self._name = name

    def close(self) -> None:
        """Takes no more requests."""
        self._board.leave(self._name)


class InprocClientEnd:
    """A client on the board."""

    def __init__(self, board: ServiceBoard, name: str, kind: str) -> None:
        self._board = board
        self._name = name
        self._kind = kind

    def send(self, request: bytes) -> Future[bytes]:
        """Hands a request over."""
        answer = self._board.find(self._name, self._kind)
        if answer is not None:
            return answer(request)
        future: Future[bytes] = Future()
        remark = self._board.remark(self._name, self._kind)
        more = remark or "call wait_for_service() before"
        future.set_exception(
            ServiceError(f"nobody serves '{self._name}' ({self._kind}) now; {more}")
        )
        return future

    def wait_for_server(self, timeout: float | None) -> bool:
        """Waits [s] until somebody answers."""
        return self._board.wait(self._name, self._kind, timeout)

    def remark(self) -> str:
        """Why nobody answers, where another type is served."""
        return self._board.remark(self._name, self._kind)

    def close(self) -> None:
        """Sends no more."""
        self._board.forget_client(self._name, self._kind)
