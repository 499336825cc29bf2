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
        try:
            result = function(*arguments)
            self._done()
        except _CallStopped:
            raise TimeoutError(f"it did not return within {self.limit:g} s") from None
        except BaseException:
            self._done()
            raise
        return result

    def _done(self) -> None:
        with self._lock:
            self._deadline = None
            fired = self._fired
        # The exception is on its way to this thread: let it arrive here and not later.
        while fired:
            time.sleep(0.001)

    def check(self) -> None:
        """Breaks off the call if its time is over."""
        with self._lock:
            if self._deadline is None or time.monotonic() < self._deadline:
                return
            self._deadline = None
            self._fired = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._ident), ctypes.py_object(_CallStopped)
            )


def _watch(reference: weakref.ref[Watchdog]) -> None:
    while True:
        time.sleep(_CHECK_S)
        watchdog = reference()
        if watchdog is None:
            return
        watchdog.check()
        del watchdog
