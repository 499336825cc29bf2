"""The server's end of a simulating process: orders go in, answers and messages come out."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from horus_sim.errors import UiError
from horus_sim.ui.runner.model.messages import Message, Sender, receive

_END_S = 5.0


class WorkerLink:
    """A process that simulates, its pipes, and who waits for an answer.

    Args:
        channel: Channel of the stream, which texts for it name.
        take: Called with each message that is not an answer, in a thread of the link.
        on_end: Called with the code when the process has ended, in that thread.
    """

    def __init__(
        self,
        channel: str,
        take: Callable[[WorkerLink, Message, bytes], None],
        on_end: Callable[[WorkerLink, int], None],
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", "horus_sim.ui.runner.model.worker", channel],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        if self._process.stdout is None or self._process.stdin is None:
            raise UiError("the simulating process has no pipes; start the program again")
        self._source = self._process.stdout
        self._sender = Sender(self._process.stdin)
        self._waiting: dict[int, Future[Any]] = {}
        self._numbers = itertools.count(1)
        self._take, self._on_end = take, on_end

    def start(self) -> None:
        """Listens from now on."""
        threading.Thread(target=self._hear, name="sim2d-runner", daemon=True).start()

    def ask(self, do: str, data: bytes = b"", **arguments: Any) -> Future[Any]:  # noqa: ANN401
        """Gives an order; the future has its result, or a UiError with what went wrong."""
        future: Future[Any] = Future()
        number = next(self._numbers)
        self._waiting[number] = future
        try:
            self._sender.send({"do": do, "id": number, **arguments}, data)
        except (OSError, ValueError):  # the process has just ended
            self._waiting.pop(number, None)
            future.set_exception(UiError("the simulation is starting again; try once more"))
        return future

    def end(self) -> None:
        """Ends the process; what was not answered yet fails."""
        self._process.kill()
        self._process.wait(_END_S)
        self._sender.close()
        for future in list(self._waiting.values()):
            if not future.done():
                future.set_exception(UiError("the simulation was stopped before it answered"))
        self._waiting.clear()

    def _hear(self) -> None:
        while (received := receive(self._source)) is not None:
            message, data = received
            if message["kind"] == "reply":
                self._answer(message)
            else:
                self._take(self, message, data)
        self._source.close()
        self._on_end(self, self._process.wait(_END_S))

    def _answer(self, message: Message) -> None:
        future = self._waiting.pop(message["id"], None)
        if future is None or not future.set_running_or_notify_cancel():
            return
        if "error" in message:
            future.set_exception(UiError(message["error"]))
        else:
            future.set_result(message.get("result"))
