"""Waiting for a tree to change, in threads and in asyncio, and being called when it does."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from horus_sim._native import Tree

_Result = TypeVar("_Result")

logger = logging.getLogger("horus_sim.tf")


class ChangeSignal:
    """Wakes those who wait for a change of one tree.

    The tree calls back only while someone waits, so that writing stays cheap otherwise.

    Args:
        tree: The tree, which owns this signal.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = weakref.ref(tree)
        self._condition = threading.Condition()
        self._waiting = 0
        self._events: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._callbacks: list[list[Callable[[], object]]] = []

    def on_change(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Calls `callback` after every change, in the thread that made it.

        What it raises is logged: who writes a transform must not suffer for a reader's mistake.

        Returns:
            A function that ends the registration.
        """
        # By identity of the registration: the same function may be registered twice.
        entry = [callback]
        with self._condition:
            self._callbacks.append(entry)
            self._set_hook(self._notify)

        def unregister() -> None:
            with self._condition:
                self._callbacks = [kept for kept in self._callbacks if kept is not entry]
                self._rest()

        return unregister

    def wait(self, attempt: Callable[[], _Result | None], timeout: float | None) -> _Result | None:
        """Repeats `attempt` after every change until it gives something.

        Args:
            attempt: Gives None as long as the wait goes on.
            timeout: Longest wait [s]; None waits for ever.

        Returns:
            What `attempt` gave, None after the time is up.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._listening(), self._condition:
            while (result := attempt()) is None:
                remaining = None if deadline is None else deadline - time.monotonic()
                if remaining is not None and remaining <= 0:
                    return None
                self._condition.wait(remaining)
            return result

    async def wait_async(
        self, attempt: Callable[[], _Result | None], timeout: float | None
    ) -> _Result | None:
        """The same for a coroutine: the event loop goes on meanwhile."""
        waiter = (asyncio.get_running_loop(), asyncio.Event())
        event = waiter[1]
        with self._listening():
            with self._condition:
                self._events.add(waiter)
            try:
                async with asyncio.timeout(timeout):
                    while (result := attempt()) is None:
                        await event.wait()
                        event.clear()
                    return result
            except TimeoutError:
                return None
            finally:
                with self._condition:
                    self._events.discard(waiter)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        with self._condition:
            self._waiting += 1
            self._set_hook(self._notify)
        try:
            yield
        finally:
            with self._condition:
                self._waiting -= 1
                self._rest()

    def _rest(self) -> None:
        if self._waiting == 0 and not self._callbacks:
            self._set_hook(None)

    def _set_hook(self, hook: Callable[[], None] | None) -> None:
        tree = self._tree()
        if tree is not None:
            tree._set_change_hook(hook)

    def _notify(self) -> None:
        with self._condition:
            self._condition.notify_all()
            for loop, event in self._events:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(event.set)
            callbacks = tuple(self._callbacks)
        for (callback,) in callbacks:
            try:
                callback()
            except Exception:
                logger.exception("a callback of on_change failed")
