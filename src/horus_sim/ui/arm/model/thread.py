"""The thread that moves a bench: orders are done between two ticks, and states are told."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.running.loop.orders import OrderThread
from horus_sim.ui.arm.model.bench import Bench

if TYPE_CHECKING:
    from horus_sim.arm import Arm
    from horus_sim.running.loop.event_log import EventLog
    from horus_sim.ui.arm.model.bench import BenchState

_TICK_S = 1.0 / 60.0
# After a long sleep of the machine the arm goes on where it was.
_LONGEST_TICK_S = 0.1
_Result = TypeVar("_Result")
Order = Callable[[Bench], Any]


class BenchThread(OrderThread[Bench]):
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
        super().__init__("arm", log)
        self._bench = Bench(arm)
        self._on_state = on_state
        self._state = self._bench.state

    @property
    def state(self) -> BenchState:
        """How the bench is; any thread may look."""
        return self._state

    def prepare(self, order: Order) -> None:
        """Does something with the bench before the thread is started."""
        order(self._bench)
        self._note()

    def call(self, order: Callable[[Bench], _Result]) -> Future[_Result]:
        """Does something with the bench, in its thread; the future has result or exception."""
        return self._orders.call(order)

    def post(self, key: str, order: Order) -> None:
        """Does something soon; a later one under the same key takes the place of an earlier one."""
        self._orders.post(key, order)

    def _run(self) -> None:
        before = time.monotonic()
        self._tell()
        while not self._orders.is_closed:
            self._orders.wait(_TICK_S if self._bench.is_busy else None)
            if self._orders.is_closed:
                break
            was_busy = self._bench.is_busy
            has_obeyed = self._orders.obey(self._bench, self._note)
            now = time.monotonic()
            if was_busy:
                self._bench.advance(min(now - before, _LONGEST_TICK_S))
            before = now
            self._tell()
            if has_obeyed:
                # So that a flood of orders does not make more states than anybody can draw.
                time.sleep(_TICK_S / 2)

    def _note(self) -> None:
        self._state = self._bench.state

    def _tell(self) -> None:
        self._note()
        if self._on_state is not None:
            self._on_state(self._state)
