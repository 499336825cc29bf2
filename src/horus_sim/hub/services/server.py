"""The end of a service that answers."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING, Any, Self

from horus_sim.errors import HubError, MessageError, ServiceError
from horus_sim.hub.services.values import from_bytes, to_bytes

if TYPE_CHECKING:
    from horus_sim.hub.ros.service_type import ServiceType

logger = logging.getLogger("horus_sim.hub")

Response = Mapping[str, Any] | None
Handler = Callable[[dict[str, Any]], "Response | Future[Any]"]
"""Takes a request. Gives the fields of the response, None where all have their defaults, or a
future of either, for an answer that comes later."""


class Service:
    """Answers requests. Made by `Hub.serve`.

    Args:
        name: Name of the service.
        kind: Its type.
        handler: What is called with each request.
        in_own_thread: Whether requests are handled in a thread of the service, one after the other;
            else in the thread that brings them.
        on_close: Called with this service when it is closed.

    Attributes:
        name: Name of the service.
        kind: Its type.
        answered: Number of requests that were answered, failed ones too.
    """

    def __init__(
        self,
        name: str,
        kind: ServiceType,
        handler: Handler,
        *,
        in_own_thread: bool,
        on_close: Callable[[Service], object],
    ) -> None:
        if not callable(handler):
            raise HubError(f"the handler of service '{name}' must be a function, got {handler!r}")
        self.name = name
        self.kind = kind
        self.answered = 0
        self._handler = handler
        self._on_close = on_close
        self._lock = threading.Lock()
        self._is_closed = False
        self._open: set[Future[bytes]] = set()
        self._in_own_thread = in_own_thread
        self._requests: queue.SimpleQueue[tuple[bytes, Future[bytes]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def answer(self, request: bytes) -> Future[bytes]:
        """Called by the transport with each request, from any thread."""
        future: Future[bytes] = Future()
        with self._lock:
            if self._is_closed:
                future.set_exception(self._ended())
                return future
            self._open.add(future)
            if self._in_own_thread:
                self._requests.put((request, future))
                if self._thread is None:
                    # A daemon: a handler that hangs does not hold up the end of the program.
                    self._thread = threading.Thread(
                        target=self._work, name=f"service {self.name}", daemon=True
                    )
                    self._thread.start()
        if not self._in_own_thread:
            self._handle(request, future)
        return future

    def close(self) -> None:
        """Ends the service; clients that wait for an answer are told."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            waiting = tuple(self._open)
            self._requests.put(None)
        # Before the end is closed, which carries the answers.
        for future in waiting:
            self._settle(future, error=self._ended())
        self._on_close(self)

    def _work(self) -> None:
        while (taken := self._requests.get()) is not None:
            request, future = taken
            if not future.done():
                self._handle(request, future)

    def _handle(self, request: bytes, future: Future[bytes]) -> None:
        try:
            fields = from_bytes(self.kind.request, request)
        except MessageError as error:
            cause = f"service '{self.name}' was sent what is no request: {error}"
            logger.error(cause)
            self._settle(future, error=ServiceError(cause))
            return
        try:
            outcome = self._handler(fields)
        except Exception as error:  # noqa: BLE001 - the client gets it
            self._fail(future, error)
            return
        if isinstance(outcome, Future):
            outcome.add_done_callback(lambda done: self._take_outcome(future, done))
        else:
            self._respond(future, outcome)

    def _take_outcome(self, future: Future[bytes], done: Future[Any]) -> None:
        if done.cancelled():
            self._settle(future, error=ServiceError(f"service '{self.name}' dropped the request"))
        elif (error := done.exception()) is not None:
            self._fail(future, error)
        else:
            self._respond(future, done.result())

    def _respond(self, future: Future[bytes], response: Response) -> None:
        try:
            data = to_bytes(self.kind.response, {} if response is None else response)
        except Exception as error:  # noqa: BLE001 - the client gets it
            self._fail(future, error)
        else:
            self._settle(future, data)

    def _fail(self, future: Future[bytes], error: BaseException) -> None:
        logger.error("service '%s': the handler failed", self.name, exc_info=error)
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        self._settle(future, error=ServiceError(f"service '{self.name}' failed: {cause}"))

    def _settle(
        self, future: Future[bytes], data: bytes = b"", error: ServiceError | None = None
    ) -> None:
        with self._lock:
            self._open.discard(future)
        # Before: who has the answer may look at the count.
        self.answered += 1
        try:
            if error is None:
                future.set_result(data)
            else:
                future.set_exception(error)
        except InvalidStateError:
            self.answered -= (
                1  # the service was closed meanwhile, or the client does not wait any more
            )

    def _ended(self) -> ServiceError:
        return ServiceError(f"service '{self.name}' was closed before it answered")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Service '{self.name}': {self.kind.name}, {self.answered} answered>"
