"""Ticks nodes at their rates: in real time, in simulated time, or as fast as it goes."""

from __future__ import annotations

import heapq
import logging
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from horus_sim.errors import NodeError
from horus_sim.hub.connect import connect
from horus_sim.hub.messages import Clock
from horus_sim.hub.node import Node
from horus_sim.hub.qos import QoS
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from horus_sim.hub.transport import Hub

Mode = Literal["real", "simulated", "deterministic"]
OnError = Literal["stop", "isolate"]

CLOCK_TOPIC = "clock"

logger = logging.getLogger("horus_sim.hub")


@dataclass(order=True, slots=True)
class _Due:
    """When a node ticks next: the earlier, the lower priority number, the first added."""

    due_ns: int
    priority: int
    order: int
    node: Node = field(compare=False)
    count: int = field(compare=False, default=0)

    @property
    def period_ns(self) -> float:
        """Between two ticks [ns]."""
        return NS_PER_S / self.node.rate

    def advance(self) -> None:
        # From the count, so that the rounding of a period does not add up.
        self.count += 1
        self.due_ns = round(self.count * NS_PER_S / self.node.rate)


def _most_urgent(queue: list[_Due], now_ns: int) -> _Due:
    """Of the nodes that are due, the one with the lowest priority number.

    One that has waited for a whole period of its own goes before all others, the longest first:
    a node that takes longer than its period must not keep others from ticking at all.
    """
    due = [entry for entry in queue if entry.due_ns <= now_ns]
    starving = [entry for entry in due if now_ns - entry.due_ns > entry.period_ns]
    if starving:
        return min(starving)
    return min(due, key=lambda entry: (entry.priority, entry.due_ns, entry.order))


class Scheduler:
    """Runs nodes in one thread, each at its rate.

    Of those due together, the one with the lowest priority number ticks first. In real time, one
    that has waited for a period of its own because others took too long comes before them.

    Args:
        hub: The connection of the nodes; a new one inside this process when None.
        mode: ``real`` ticks by wall time. ``simulated`` ticks by the `Clock` messages of the topic
            ``clock``. ``deterministic`` lets its own time jump from tick to tick, so that the same
            program gives the same messages every time; it publishes that time as `Clock`.
        on_error: What happens when a tick raises: ``stop`` stops all nodes and raises `NodeError`,
            ``isolate`` logs it and goes on without that node.

    Attributes:
        now_ns: Time since the start of the run [ns], or the simulated time.
        overruns: In real time, ticks that were skipped because earlier ones took too long.
    """

    def __init__(
        self, hub: Hub | None = None, mode: Mode = "real", on_error: OnError = "stop"
    ) -> None:
        if mode not in get_args(Mode):
            raise NodeError(f"no mode {mode!r}; use one of {', '.join(get_args(Mode))}")
        if on_error not in get_args(OnError):
            raise NodeError(f"no on_error {on_error!r}; use one of {', '.join(get_args(OnError))}")
        self.hub = connect() if hub is None else hub
        self.mode = mode
        self.on_error = on_error
        self.now_ns = 0
        self.overruns = 0
        self._nodes: list[tuple[int, Node]] = []
        self._stopping = False

    def add(
        self,
        node: Node,
        priority: int = 0,
        logging: bool | None = None,  # noqa: FBT001 - HORUS programs write add(node, 0, True)
    ) -> None:
        """Adds a node.

        Args:
            node: The node.
            priority: The lower number ticks first, of nodes that are due together.
            logging: True logs start, stop and messages of the node, False silences its log below
                warnings, None leaves it as it is.
        """
        if not isinstance(node, Node) or not isinstance(priority, int):
            raise NodeError(f"add() takes a Node and a whole number, got {node!r} and {priority!r}")
        if logging is not None and not isinstance(logging, bool):
            raise NodeError(f"logging must be True, False or None, got {logging!r}")
        if any(other.name == node.name for _, other in self._nodes):
            raise NodeError(f"there is a node '{node.name}' already; give each its own name")
        if logging is not None:
            node.logging = logging
        self._nodes.append((priority, node))

    def stop(self) -> None:
        """Ends `run` after the current tick; also from another thread or a node."""
        self._stopping = True

    def run(self, duration: float | None = None) -> None:
        """Ticks the nodes until the time is up, `stop` is called or Ctrl-C is pressed.

        Args:
            duration: Seconds of the mode's own time; None runs on.

        Raises:
            NodeError: A node failed; its exception is the cause.
        """
        if duration is not None and not (
            isinstance(duration, (int, float)) and 0 <= duration < math.inf
        ):
            raise NodeError(f"duration must be seconds or None for no end, got {duration!r}")
        self._stopping = False
        self.now_ns = 0
        until_ns = None if duration is None else round(duration * NS_PER_S)
        started: list[Node] = []
        try:
            for _, node in self._nodes:
                started.append(node)
                if not self._guard(node, "init", lambda node=node: node.start(self.hub)):
                    started.pop().disconnect()
            queue = [
                _Due(0, priority, order, node)
                for order, (priority, node) in enumerate(self._nodes)
                if node in started
            ]
            heapq.heapify(queue)
            match self.mode:
                case "real":
                    self._run_real(queue, until_ns)
                case "simulated":
                    self._run_simulated(queue, until_ns)
                case "deterministic":
                    self._run_deterministic(queue, until_ns)
        except KeyboardInterrupt:
            logger.info("stopped by Ctrl-C")
        finally:
            for node in reversed(started):
                self._guard(node, "shutdown", node.stop, stopping=True)

    def _run_real(self, queue: list[_Due], until_ns: int | None) -> None:
        start_ns = time.monotonic_ns()
        while queue and not self._stopping:
            due_ns = queue[0].due_ns
            if until_ns is not None and due_ns >= until_ns:
                self._sleep_until(start_ns + until_ns)
                return
            self._sleep_until(start_ns + due_ns)
            self.now_ns = time.monotonic_ns() - start_ns
            due = _most_urgent(queue, self.now_ns)
            if not self._guard(due.node, "tick", due.node.tick):
                queue.remove(due)
            else:
                due.advance()
                self._skip_missed(due, time.monotonic_ns() - start_ns)
            heapq.heapify(queue)

    def _run_simulated(self, queue: list[_Due], until_ns: int | None) -> None:
        with self.hub.subscribe(CLOCK_TOPIC, Clock, QoS(depth=1000)) as clock:
            first_ns: int | None = None
            while queue and not self._stopping:
                message = clock.wait(timeout=0.1)
                if message is None:
                    continue
                if first_ns is None or message.stamp_ns < first_ns + self.now_ns:
                    first_ns = message.stamp_ns  # the simulation began anew
                    self._restart(queue)
                self.now_ns = message.stamp_ns - first_ns
                while queue and queue[0].due_ns <= self.now_ns and not self._stopping:
                    if until_ns is not None and queue[0].due_ns >= until_ns:
                        return
                    self._tick_first(queue)
                if until_ns is not None and self.now_ns >= until_ns:
                    return

    def _run_deterministic(self, queue: list[_Due], until_ns: int | None) -> None:
        clock = self.hub.clock
        self.hub.use_clock(lambda: self.now_ns)
        try:
            self._jump_from_tick_to_tick(queue, until_ns)
        finally:
            self.hub.use_clock(clock)

    def _jump_from_tick_to_tick(self, queue: list[_Due], until_ns: int | None) -> None:
        with self.hub.publisher(CLOCK_TOPIC, Clock) as clock:
            last_ns = -1
            while queue and not self._stopping:
                due_ns = queue[0].due_ns
                if until_ns is not None and due_ns >= until_ns:
                    self.now_ns = until_ns
                    return
                self.now_ns = due_ns
                if due_ns != last_ns:
                    clock.send(Clock(due_ns))
                    last_ns = due_ns
                self._tick_first(queue)

    def _tick_first(self, queue: list[_Due]) -> None:
        due = queue[0]
        if self._guard(due.node, "tick", due.node.tick):
            due.advance()
            heapq.heapreplace(queue, due)
        else:
            heapq.heappop(queue)

    def _skip_missed(self, due: _Due, now_ns: int) -> None:
        # Ticks that are more than a period late are not made up for: a burst helps no controller.
        while due.due_ns + due.period_ns < now_ns:
            due.advance()
            self.overruns += 1

    def _restart(self, queue: list[_Due]) -> None:
        for due in queue:
            due.count = 0
            due.due_ns = 0
        heapq.heapify(queue)
        self.now_ns = 0

    def _sleep_until(self, wake_ns: int) -> None:
        # In slices, so that stop() from another thread is seen.
        while not self._stopping:
            remaining = (wake_ns - time.monotonic_ns()) / NS_PER_S
            if remaining <= 0:
                return
            time.sleep(min(remaining, 0.05))

    def _guard(self, node: Node, what: str, action: object, *, stopping: bool = False) -> bool:
        """Runs a part of a node; False when it failed and the node is isolated."""
        try:
            action()  # type: ignore[operator]
        except Exception as error:
            text = (
                f"node '{node.name}' failed in {what} at {self.now_ns / NS_PER_S:.3f} s: {error!r}"
            )
            if self.on_error == "stop" and not stopping:
                raise NodeError(text) from error
            logger.error(text, exc_info=error)
            return False
        return True


def run(
    *nodes: Node,
    duration: float | None = None,
    hub: Hub | None = None,
    mode: Mode = "real",
    on_error: OnError = "stop",
) -> None:
    """Runs nodes until the time is up or Ctrl-C is pressed.

    Args:
        nodes: The nodes; of those due together the first ticks first.
        duration: Seconds of the mode's own time; None runs on.
        hub: The connection of the nodes; a new one inside this process when None.
        mode: As in `Scheduler`.
        on_error: As in `Scheduler`.
    """
    scheduler = Scheduler(hub, mode, on_error)
    for priority, node in enumerate(nodes):
        scheduler.add(node, priority)
    try:
        scheduler.run(duration)
    finally:
        if hub is None:
            scheduler.hub.close()
