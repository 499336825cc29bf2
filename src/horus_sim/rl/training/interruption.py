"""Ctrl-C that waits for a moment at which a training can be saved."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Self


class Interruption:
    """While it is entered, a first Ctrl-C is only noted; a second one raises as usual.

    Where something else handles Ctrl-C, or another thread than the main one runs, nothing changes.

    Attributes:
        is_asked: Whether there was a Ctrl-C.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._is_taken = False

    def __enter__(self) -> Self:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._is_taken = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_taken:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._is_taken = False

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True
