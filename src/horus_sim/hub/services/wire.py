"""What a transport does for services: it carries bytes from clients to servers and back."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

Answer = Callable[[bytes], "Future[bytes]"]
"""Takes a request and gives the response, at once or later, or a `ServiceError`, whose text is for
the client. It does not raise, and may be called from any thread."""


class ServerEnd(Protocol):
    """The end of a service that answers, as the transport holds it."""

    def close(self) -> None:
        """Takes no more requests."""


class ClientEnd(Protocol):
    """The end of a service that asks, as the transport holds it."""

    def send(self, request: bytes) -> Future[bytes]:
        """Sends a request.

        Returns:
            The response, or a `ServiceError`: the server's own, or that there is no server, or
            that it left without an answer. It may never come.
        """
        ...

    def wait_for_server(self, timeout: float | None) -> bool:
        """Waits until somebody answers requests.

        Args:
            timeout: Longest wait [s]; None waits for ever.
        """
        ...

    def remark(self) -> str:
        """Why nobody answers, such as that another type is served; empty where it is unknown."""
        ...

    def close(self) -> None:
        """Sends no more."""
