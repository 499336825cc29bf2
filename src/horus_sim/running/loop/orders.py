"""Orders to a thread that alone touches something: they are done in turn, when it has time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from horus_sim.errors import HorusError, SimulationStoppedError

if TYPE_CHECKING:
    from horus_sim.running.loop.event_log import EventLog

_Owned = TypeVar("_Owned")
_Result = TypeVar("_Result")


class OrderQueue(Generic[_Owned]):
    """What others want of a thread.

    Any thread may use `call`, `post` and `close`; the thread itself uses `obey` and `wait`.

    Args:
        log: Where errors go that nobody waits for.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._wake = threading.Condition()
        self._orders: deque[tuple[Callable[[_Owned], Any], Future[Any]]] = deque()
        self._latest: dict[str, Callable[[_Owned], Any]] = {}
        self._is_closed = False
        self._is_woken = False

    @property
    def is_closed(self) -> bool:
        """Whether the thread is to end."""
        return self._is_closed

    def call(self, order: Callable[[_Owned], _Result]) -> Future[_Result]:
        """Does something in the thread; the future has its result or exception.

        Raises:
            SimulationStoppedError: The thread has ended, or is about to.
        """
        future: Future[_Result] = Future()
        with self._wake:
            if self._is_closed:
                raise SimulationStoppedError
            self._orders.append((order, future))
            self._wake.notify()
        return future

    def post(self, key: str, order: Callable[[_Owned], Any]) -> None:
        """Does something soon; a later one under the same key takes the place of an earlier one.

        Errors go to the log.
        """
        with self._wake:
            if not self._is_closed:
                self._latest[key] = order
                self._wake.notify()

    def obey(self, owned: _Owned, before_answer: Callable[[], object] | None = None) -> bool:
        """Does what waits.

        Args:
            owned: What the orders are about.
            before_answer: Called after each order that succeeded, before its result is told.

        Returns:
            Whether there was anything.
        """
        with self._wake:
            orders, self._orders = self._orders, deque()
            latest, self._latest = self._latest, {}
        for order, future in orders:
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = order(owned)
                if before_answer is not None:
                    before_answer()
            except Exception as error:  # noqa: BLE001 - it belongs to whoever gave the order
                future.set_exception(error)
            else:
                future.set_result(result)
        for order in latest.values():
            self.guard(order, owned)
        return bool(orders or latest)

    def guard(self, order: Callable[[_Owned], Any], owned: _Owned) -> None:
        """Does something whose failure must not end the thread: it is logged."""
        try:
            order(owned)
        except HorusError as error:
            self._log.add(str(error), "error")
        except Exception as error:  # noqa: BLE001 - a fault in a view is shown, not fatal
            self._log.add(f"{type(error).__name__}: {error}", "error")

    def wait(self, seconds: float | None) -> None:
        """Waits for an order or the end, at most so long [s]; None for as long as it takes."""
        with self._wake:
            if not (self._orders or self._latest or self._is_closed or self._is_woken):
                self._wake.wait(seconds)
            self._is_woken = False

    def wake(self) -> None:
        """Ends a `wait`, although there is no order; any thread may call this."""
        with self._wake:
            self._is_woken = True
            self._wake.notify()

    def close(self) -> None:
        """Takes no more orders, and wakes the thread."""
        with self._wake:
            self._is_closed = True
            self._wake.notify()

    def refuse(self) -> None:
        """Lets orders fail that were not begun; for when the thread has ended."""
        with self._wake:
            orders, self._orders = self._orders, deque()
        for _, future in orders:
            if future.set_running_or_notify_cancel():
                future.set_exception(SimulationStoppedError())


class OrderThread(ABC, Generic[_Owned]):
    """Start and end of such a thread; `_run` is what it does until `_orders.is_closed`.

    Args:
        name: Name of the thread.
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
