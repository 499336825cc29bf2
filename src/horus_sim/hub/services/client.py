"""The end of a service that asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING, Any, Self

from horus_sim.errors import HubError, ServiceError, ServiceTimeoutError
from horus_sim.hub.services.values import from_bytes, to_bytes

if TYPE_CHECKING:
    from horus_sim.hub.ros.service_type import ServiceType
    from horus_sim.hub.services.wire import ClientEnd

TIMEOUT_S = 10.0


class ServiceClient:
    """Asks a service. Made by `Hub.client`; any thread may use it.

    Args:
        name: Name of the service.
        kind: Its type.
        session: Name of the session, for errors.
        end: Carries requests.
        on_close: Called with this client when it is closed.

    Attributes:
        name: Name of the service.
        kind: Its type.
    """

    def __init__(
        self,
        name: str,
        kind: ServiceType,
        session: str,
        end: ClientEnd,
        on_close: Callable[[ServiceClient], object],
    ) -> None:
        self.name = name
        self.kind = kind
        self._session = session
        self._end = end
        self._on_close = on_close
        self._is_closed = False
        self._open: set[Future[dict[str, Any]]] = set()

    def call(
        self,
        request: Mapping[str, Any] | None = None,
        /,
        *,
        timeout: float | None = TIMEOUT_S,
        **fields: Any,  # noqa: ANN401 - the fields of the request
    ) -> dict[str, Any]:
        """Asks, and waits for the answer; for the server, too, if there is none yet.

        Args:
            request: Fields of the request; those left out have their defaults.
            timeout: Longest wait [s]; None waits for ever.
            fields: The same, by keyword.

        Returns:
            The fields of the response.

        Raises:
            MessageError: A field of the request does not fit; nothing was sent.
            ServiceTimeoutError: Nobody serves it, or no answer came in time.
            ServiceError: The server failed, or left.
        """
        data = self._encoded(request, fields)
        end_s = None if _seconds(timeout) is None else time.monotonic() + (timeout or 0.0)
        if not self._end.wait_for_server(timeout):
            raise ServiceTimeoutError(f"{self._nobody()} within {timeout:g} s{self._remark()}")
        future = self._send(data)
        try:
            return future.result(None if end_s is None else max(0.0, end_s - time.monotonic()))
        except TimeoutError:
            if future.done():
                raise
            future.cancel()
            raise ServiceTimeoutError(
                f"service '{self.name}' did not answer within {timeout:g} s; what it was asked for "
                "may still be done"
            ) from None

    def call_async(
        self,
        request: Mapping[str, Any] | None = None,
        /,
        **fields: Any,  # noqa: ANN401 - the fields of the request
    ) -> Future[dict[str, Any]]:
        """Asks without waiting.

        Args:
            request: Fields of the request; those left out have their defaults.
            fields: The same, by keyword.

        Returns:
            The fields of the response, or a `ServiceError`.

        Raises:
            MessageError: A field of the request does not fit; nothing was sent.
        """
        return self._send(self._encoded(request, fields))

    def wait_for_service(self, timeout: float | None = TIMEOUT_S) -> bool:
        """Waits until somebody serves it.

        Args:
            timeout: Longest wait [s]; None waits for ever.

        Returns:
            Whether somebody does.
        """
        self._require_open()
        return self._end.wait_for_server(_seconds(timeout))

    def close(self) -> None:
        """Ends the client; who waits for an answer is told."""
        if self._is_closed:
            return
        self._is_closed = True
        self._end.close()
        self._on_close(self)
        for future in tuple(self._open):
            _settle(future, error=self._closed())

    def _send(self, data: bytes) -> Future[dict[str, Any]]:
        self._require_open()
        future: Future[dict[str, Any]] = Future()
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        self._end.send(data).add_done_callback(lambda done: self._take(future, done))
        return future

    def _take(self, future: Future[dict[str, Any]], done: Future[bytes]) -> None:
        error = done.exception()
        if error is not None:
            _settle(future, error=error)
            return
        try:
            response = from_bytes(self.kind.response, done.result())
        except HubError as wrong:
            text = f"the response of service '{self.name}' cannot be read: {wrong}"
            _settle(future, error=ServiceError(text))
        else:
            _settle(future, response)

    def _encoded(self, request: Mapping[str, Any] | None, fields: dict[str, Any]) -> bytes:
        self._require_open()
        if request is not None and fields:
            raise HubError(
                f"service '{self.name}': give the request as a dict or by keywords, not both"
            )
        return to_bytes(self.kind.request, fields if request is None else request)

    def _nobody(self) -> str:
        return f"nobody serves '{self.name}' ({self.kind.name}) in session '{self._session}'"

    def _remark(self) -> str:
        return f"; {self._end.remark() or 'is the program running, and in this session?'}"

    def _require_open(self) -> None:
        if self._is_closed:
            raise self._closed()

    def _closed(self) -> ServiceError:
        return ServiceError(f"the client of service '{self.name}' is closed; make a new one")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ServiceClient '{self.name}': {self.kind.name}>"


def _seconds(timeout: float | None) -> float | None:
    if timeout is not None and not (isinstance(timeout, int | float) and timeout >= 0):
        raise HubError(f"timeout must be seconds or None for no end, got {timeout!r}")
    return timeout


def _settle(
    future: Future[dict[str, Any]],
    response: dict[str, Any] | None = None,
    error: BaseException | None = None,
) -> None:
    try:
        if error is None:
            future.set_result(response or {})
        else:
            future.set_exception(error)
    except InvalidStateError:
        pass  # nobody waits any more
