"""Stops a call that does not return."""

from __future__ import annotations

import ctypes
import functools
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

_CHECK_S = 0.05
# Plain C calls: nothing can be raised in this thread before they have done their work.
_raise_in = ctypes.PYFUNCTYPE(None, ctypes.c_ulong, ctypes.py_object)(
    ("PyThreadState_SetAsyncExc", ctypes.pythonapi)
)
_take_back = ctypes.PYFUNCTYPE(None, ctypes.c_ulong, ctypes.c_void_p)(
    ("PyThreadState_SetAsyncExc", ctypes.pythonapi)
)


class _CallStopped(BaseException):
    """Raised inside a call that takes too long; no `except Exception` holds it back."""


def _stopped_again(ident: int) -> type[_CallStopped]:
    """For a call that swallows it in a loop: each one that is raised brings the next.

    So the next call or jump, in the handler or behind it, raises too, until the call is left.
    """
    kind = type("_CallStoppedAgain", (_CallStopped,), {})
    kind.__init__ = staticmethod(functools.partial(_raise_in, ident, kind))
    return kind


class Watchdog:
    """Runs calls in the calling thread and breaks off those that exceed a time limit.

    What is raised arrives between two instructions of Python code. So a call into compiled code
    cannot be stopped before it comes back to Python by itself; nor, in Python 3.12, which puts what
    is raised at a jump into the `try` before it, an endless loop whose bare `except` does nothing.

    Args:
        limit: Longest time of a call [s].
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._deadline: float | None = None
        self._ident = 0
        self._fired = False
        self._thread: threading.Thread | None = None

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401
        """Calls the function.

        Raises:
            TimeoutError: It did not return in time.
        """
        if self._thread is None:
            # Only a weak reference: the thread ends with the watchdog.
            self._thread = threading.Thread(
                target=_watch, args=(weakref.ref(self),), daemon=True, name="sim2d-watchdog"
            )
            self._thread.start()
        ident = threading.get_ident()
        with self._lock:
            self._deadline = time.monotonic() + self.limit
            self._ident = ident
            self._fired = False
        fired = False
        try:
            try:
                result = function(*arguments)
            finally:
                _take_back(ident, None)
                fired = self._disarm()
        except _CallStopped as stopped:
            # It may have arrived while the watch was being ended.
            _take_back(ident, None)
            self._disarm()
            raise self._timeout() from stopped
        except Exception as error:
            if fired:
                raise self._timeout() from error
            raise
        if fired:
            raise self._timeout()
        return result

    def check(self) -> None:
        """Breaks off the call if its time is over; with more force if it goes on nevertheless."""
        with self._lock:
            if self._deadline is None or time.monotonic() < self._deadline:
                return
            kind = _stopped_again(self._ident) if self._fired else _CallStopped
            self._fired = True
            _raise_in(self._ident, kind)

    def _disarm(self) -> bool:
        """Ends the watch of a call; whether it was broken off, even if it took no notice."""
        with self._lock:
            self._deadline = None
            # What is still on its way must not arrive later.
            if self._fired:
                _take_back(self._ident, None)
            return self._fired

    def _timeout(self) -> TimeoutError:
        return TimeoutError(f"it did not return within {self.limit:g} s")


def _watch(reference: weakref.ref[Watchdog]) -> None:
    while True:
        time.sleep(_CHECK_S)
        watchdog = reference()
        if watchdog is None:
            return
        watchdog.check()
        del watchdog
