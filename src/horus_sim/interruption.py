"""Ctrl-C, SIGTERM and SIGHUP end what runs, at a moment at which nothing is half done."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self

_TERMINATE = signal.SIGTERM
# Windows has no SIGHUP.
_HANG_UP: signal.Signals | None = getattr(signal, "SIGHUP", None)
_PATIENCE = 3


class Interruption:
    """While it is entered, SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread.

    So they end a command as Ctrl-C does. Inside a block that is `uninterrupted` this waits for the
    end of the block. A second SIGTERM or SIGHUP does nothing, since closing a terminal or stopping
    a service may send several, and what is ending must come to its end. A second Ctrl-C raises
    again; a third one does so at once, everywhere.

    A signal that something else handles, or that is ignored, as SIGHUP is under `nohup`, is left
    alone, and so are all of them in another thread than the main one.

    Args:
        waits: The first signal is only noted in `is_asked`, for a loop that looks there.

    Attributes:
        number: The first signal that came, or None.
    """

    def __init__(self, *, waits: bool = False) -> None:
        self.number: int | None = None
        self._waits = waits
        self._presses = 0
        self._outer: Interruption | None = None
        self._taken: list[tuple[signal.Signals, Any]] = []

    @property
    def is_asked(self) -> bool:
        """Whether a signal came."""
        return self.number is not None

    @property
    def exit_code(self) -> int | None:
        """128 and the number of SIGTERM or SIGHUP, as shells have it; None where none came."""
        if self.number in (_TERMINATE, _HANG_UP):
            return 128 + int(self.number or 0)
        return None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._take(signal.SIGINT, signal.default_int_handler)
            self._take(_TERMINATE, signal.SIG_DFL)
            if _HANG_UP is not None:
                self._take(_HANG_UP, signal.SIG_DFL)
        return self

    def __exit__(self, *_: object) -> None:
        while self._taken:
            signal.signal(*self._taken.pop())

    def _take(self, number: signal.Signals, usual: Any) -> None:  # noqa: ANN401 - any handler
        handler = signal.getsignal(number)
        outer = getattr(handler, "__self__", None)
        if isinstance(outer, Interruption):
            self._outer = outer
        elif handler is not usual:
            return
        self._taken.append((number, handler))
        signal.signal(number, self._hear)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        is_first = self.number is None
        self._note(number)
        self._presses += number == signal.SIGINT
        if number == _HANG_UP and not _is_ours(signal.getsignal(_TERMINATE)):
            # A web server took SIGTERM for itself; it can end properly by that alone.
            signal.raise_signal(_TERMINATE)
        elif is_first:
            if not self._waits:
                _shield.interrupt()
        elif number == signal.SIGINT and self._presses > 1:
            if self._presses >= _PATIENCE:
                raise KeyboardInterrupt
            _shield.interrupt()

    def _note(self, number: int) -> None:
        if self.number is None:
            self.number = number
        if self._outer is not None:
            self._outer._note(number)


class _Shield:
    """Puts off the end of the program. There is one, as signals reach the main thread alone."""

    def __init__(self) -> None:
        self._depth = 0
        self._is_asked = False

    def interrupt(self) -> None:
        """Raises KeyboardInterrupt: now, or when the outermost block ends."""
        if self._depth:
            self._is_asked = True
        else:
            self._is_asked = False
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        if threading.get_ident() == threading.main_thread().ident:
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        if threading.get_ident() != threading.main_thread().ident:
            return
        self._depth -= 1
        if self._depth == 0 and self._is_asked:
            self._is_asked = False
            raise KeyboardInterrupt


_shield = _Shield()


def uninterrupted() -> _Shield:
    """A block that signals do not break up: what an `Interruption` raises waits for its end.

    For short work that must not stay half done, such as a step with what is recorded of it.
    """
    return _shield


def _is_ours(handler: Any) -> bool:  # noqa: ANN401 - any handler
    return isinstance(getattr(handler, "__self__", None), Interruption)
