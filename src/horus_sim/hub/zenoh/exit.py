"""The end of a program that did not close its connections.

zenoh calls back in threads that Python waits for when a program ends, and they end only when their
session is closed. A program that forgets it, or stops with an exception, must not hang.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from horus_sim.hub.transport import Hub

_hubs: weakref.WeakSet[Hub] = weakref.WeakSet()
_lock = threading.Lock()
_watcher: threading.Thread | None = None


def close_at_exit(hub: Hub) -> None:
    """Closes the connection when the program has ended, unless it is closed before."""
    global _watcher  # noqa: PLW0603 - one thread serves the process
    with _lock:
        _hubs.add(hub)
        if _watcher is None or not _watcher.is_alive():
            # Not a daemon: Python waits for it, and so for the sessions to be closed.
            _watcher = threading.Thread(target=_watch, name="horus-exit", daemon=False)
            _watcher.start()


def _watch() -> None:
    threading.main_thread().join()
    # Threads of the program's own may go on for a while, and use their connections.
    for thread in threading.enumerate():
        if not (thread.daemon or _is_of_zenoh(thread) or thread is threading.current_thread()):
            thread.join()
    for hub in tuple(_hubs):
        hub.close()


def _is_of_zenoh(thread: threading.Thread) -> bool:
    return "pyo3-closure" in thread.name
