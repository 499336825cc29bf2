"""Steps that somebody waits for: each order ends when its steps are made and all is sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from horus_sim.errors import CommandError

_MOST_ORDERS = 1000


class OnEnd(Protocol):
    """Called when an order has ended."""

    def __call__(self, messages: Mapping[str, int], began_ns: int, error: str) -> object:
        """Takes the outcome.

        Args:
            messages: Topic -> messages that were sent in these steps.
            began_ns: Simulated time [ns] before the first of them.
            error: Why not all steps were made; empty when they were.
        """


@dataclass(slots=True)
class _Order:
    steps: int
    on_end: OnEnd | None
    on_step: Callable[[], object] | None
    made: int = 0
    sent_before: dict[str, int] = field(default_factory=dict)
    began_ns: int = 0


class Lockstep:
    """The orders of steps, first come, first served.

    Args:
        sent: Gives the number of messages sent so far, by topic.
        now_ns: Gives the simulated time [ns].
    """

    def __init__(self, sent: Callable[[], dict[str, int]], now_ns: Callable[[], int]) -> None:
        self._sent = sent
        self._now_ns = now_ns
        self._orders: deque[_Order] = deque()

    @property
    def has_steps(self) -> bool:
        """Whether steps are still to be made."""
        return bool(self._orders)

    def order(
        self,
        steps: int,
        on_end: OnEnd | None = None,
        on_step: Callable[[], object] | None = None,
    ) -> None:
        """Orders steps.

        Args:
            steps: How many.
            on_end: Called after the last of them, or when there will be no more.
            on_step: Called after each of them.

        Raises:
            CommandError: Too many orders wait already.
        """
        if len(self._orders) >= _MOST_ORDERS:
            raise CommandError(
                f"{_MOST_ORDERS} orders of steps wait already; wait for the reply to one before "
                "the next"
            )
        self._orders.append(_Order(steps, on_end, on_step))
        if len(self._orders) == 1:
            self._begin()

    def step_made(self) -> None:
        """Counts a step, after all of its messages were sent."""
        if not self._orders:
            return
        order = self._orders[0]
        order.made += 1
        if order.on_step is not None:
            order.on_step()
        if order.made == order.steps:
            self._end("")

    def cancel(self, cause: str) -> None:
        """Ends all orders.

        Args:
            cause: What ended them, such as "a pause".
        """
        while self._orders:
            order = self._orders[0]
            self._end(f"{cause} ended the request after {order.made} of {order.steps} steps")

    def _begin(self) -> None:
        order = self._orders[0]
        if order.on_end is not None:
            order.sent_before = self._sent()
            order.began_ns = self._now_ns()

    def _end(self, error: str) -> None:
        order = self._orders.popleft()
        if order.on_end is not None:
            before = order.sent_before
            sent = {topic: n - before.get(topic, 0) for topic, n in self._sent().items()}
            order.on_end({topic: n for topic, n in sent.items() if n > 0}, order.began_ns, error)
        if self._orders:
            self._begin()
