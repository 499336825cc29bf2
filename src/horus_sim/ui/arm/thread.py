"""The thread that moves a bench: orders are done between two ticks, and states are told."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self, TypeVar

from horus_sim.errors import HorusError, SimulationStoppedError
from horus_sim.ui.arm.bench import Bench

if TYPE_CHECKING:
    from horus_sim.arm import Arm
    from horus_sim.ui.arm.bench import BenchState
    from horus_sim.ui.event_log import EventLog

_TICK_S = 1.0 / 60.0
# After a long sleep of the machine the arm goes on where it was.
_LONGEST_TICK_S = 0.1
_Result = TypeVar("_Result")
Order = Callable[[Bench], Any]


class BenchThread:
    """A bench that runs at the pace of the clock.

    Only its thread touches the bench; everybody else uses `call`, `post` and `state`.

    Args:
        arm: On the bench to begin with.
        log: Where errors of posted orders go.
        on_state: Called in the thread with each new state.
    """

    def __init__(
        self, arm: Arm, log: EventLog, on_state: Callable[[BenchState], None] | None = None
    ) -> None:
        self._bench = Bench(arm)
        self._log = log
        self._on_state = on_state
        self._wake = threading.Condition()
        self._orders: deque[tuple[Order, Future[Any]]] = deque()
        self._latest: dict[str, Order] = {}
        self._is_stopping = False
        self._state = self._bench.state
        self._thread = threading.Thread(target=self._run, name="arm", daemon=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def state(self) -> BenchState:
        """How the bench is; any thread may look."""
        return self._state

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def close(self) -> None:
        """Lets the thread end; orders that were not begun fail."""
        with self._wake:
            self._is_stopping = True
            self._wake.notify()

    def call(self, order: Callable[[Bench], _Result]) -> Future[_Result]:
        """Does something with the bench, in its thread; the future has result or exception."""
        future: Future[_Result] = Future()
        with self._wake:
            if self._is_stopping:
                raise SimulationStoppedError
            self._orders.append((order, future))
            self._wake.notify()
        return future

    def post(self, key: str, order: Order) -> None:
        """Does something soon; a later one under the same key takes the place of an earlier one."""
        with self._wake:
            self._latest[key] = order
            self._wake.notify()

    def _run(self) -> None:
        before = time.monotonic()
        self._tell()
        while True:
            with self._wake:
                if not (self._orders or self._latest or self._is_stopping):
                    self._wake.wait(_TICK_S if self._bench.is_busy else None)
                if self._is_stopping:
                    break
                orders, self._orders = self._orders, deque()
                latest, self._latest = self._latest, {}
            was_busy = self._bench.is_busy
            self._obey(orders, latest)
            now = time.monotonic()
            if was_busy:
                self._bench.advance(min(now - before, _LONGEST_TICK_S))
            before = now
            self._tell()
            if orders or latest:
                # So that a flood of orders does not make more states than anybody can draw.
                time.sleep(_TICK_S / 2)
        for _, future in self._orders:
            future.set_exception(SimulationStoppedError())

    def _obey(self, orders: deque[tuple[Order, Future[Any]]], latest: dict[str, Order]) -> None:
        for order, future in orders:
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = order(self._bench)
            except Exception as error:  # noqa: BLE001 - goes to whoever gave the order
                future.set_exception(error)
            else:
                self._state = self._bench.state
                future.set_result(result)
        for order in latest.values():
            try:
                order(self._bench)
            except HorusError as error:
                self._log.add(str(error), "error")
            except Exception as error:  # noqa: BLE001 - nobody waits for it, and the arm goes on
                self._log.add(f"{type(error).__name__}: {error}", "error")

    def _tell(self) -> None:
        self._state = self._bench.state
        if self._on_state is not None:
            self._on_state(self._state)
