"""A thread that alone touches something, and takes orders about it from others."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from horus_sim.running.order_queue import OrderQueue

if TYPE_CHECKING:
    from horus_sim.running.event_log import EventLog

_Owned = TypeVar("_Owned")


class OrderThread(ABC, Generic[_Owned]):
    """Start and end of such a thread; `_run` is what it does until `_orders.is_closed`.

    Args:
        name: Of the thread.
        log: Where errors go that nobody waits for.
    """

    def __init__(self, name: str, log: EventLog) -> None:
        self._orders: OrderQueue[_Owned] = OrderQueue(log)
        self._thread = threading.Thread(target=self._run_and_refuse, name=name, daemon=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self.join()

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def close(self) -> None:
        """Lets the thread end, without waiting for it; orders that were not begun fail."""
        self._orders.close()

    def join(self) -> None:
        """Waits until the thread has ended, unless it is the one that asks or never began."""
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        self._orders.refuse()

    @abstractmethod
    def _run(self) -> None: ...

    def _run_and_refuse(self) -> None:
        self._run()
        self._orders.refuse()
