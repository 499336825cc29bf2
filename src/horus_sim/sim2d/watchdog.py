"""Stops a call that does not return."""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

_CHECK_S = 0.05


class _CallStopped(BaseException):
    """Raised inside a call that takes too long; no `except Exception` holds it back."""


class Watchdog:
    """Runs calls in the calling thread and breaks off those that exceed a time limit.

    A call inside compiled code that never comes back to Python cannot be stopped.

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
        with self._lock:
            self._deadline = time.monotonic() + self.limit
            self._ident = threading.get_ident()
            self._fired = False
        fired = False
        try:
            try:
                result = function(*arguments)
            finally:
                fired = self._disarm()
        except _CallStopped as stopped:
            # It may have arrived while the watch was being ended.
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
        """Breaks off the call if its time is over; again if the call goes on nevertheless."""
        with self._lock:
            if self._deadline is None or time.monotonic() < self._deadline:
                return
            self._fired = True
            _raise_in(self._ident, _CallStopped)

    def _disarm(self) -> bool:
        """Ends the watch of a call; whether it was broken off, even if it took no notice."""
        with self._lock:
            self._deadline = None
            if self._fired:
                # What is still on its way must not arrive later.
                _raise_in(self._ident, None)
            return self._fired

    def _timeout(self) -> TimeoutError:
        return TimeoutError(f"it did not return within {self.limit:g} s")


def _raise_in(ident: int, kind: type[BaseException] | None) -> None:
    """Raises an exception in a thread as soon as it runs Python; None takes it back."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(ident), None if kind is None else ctypes.py_object(kind)
    )


def _watch(reference: weakref.ref[Watchdog]) -> None:
    while True:
        time.sleep(_CHECK_S)
        watchdog = reference()
        if watchdog is None:
            return
        watchdog.check()
        del watchdog
