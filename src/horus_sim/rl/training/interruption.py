"""Ctrl-C and SIGTERM that wait for a moment at which a training can be saved."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self


class Interruption:
    """While it is entered, a first Ctrl-C is only noted, and a second one raises as usual.

    SIGTERM is noted too. It never raises: who passes a Ctrl-C on by it must not make it a second.
    Where something else handles them, or another thread than the main one runs, nothing changes.

    Attributes:
        is_asked: Whether there was a Ctrl-C or a SIGTERM.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._is_pressed = False
        self._taken: list[tuple[signal.Signals, Any]] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._take(signal.SIGINT, signal.default_int_handler)
            self._take(signal.SIGTERM, signal.SIG_DFL)
        return self

    def __exit__(self, *_: object) -> None:
        while self._taken:
            signal.signal(*self._taken.pop())

    def _take(self, number: signal.Signals, usual: Any) -> None:  # noqa: ANN401 - any handler
        if signal.getsignal(number) is usual:
            self._taken.append((number, usual))
            signal.signal(number, self._note)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.is_asked = True
        if number == signal.SIGINT:
            if self._is_pressed:
                raise KeyboardInterrupt
            self._is_pressed = True
