"""A node in a session that runs: by simulated time where there is a clock, else by the wall's."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from horus_sim.errors import DeployError
from horus_sim.hub import Hub, QoS
from horus_sim.hub.messages import Clock
from horus_sim.rl.deploy.node import PolicyNode, State
from horus_sim.running.topic_plan import CLOCK_TOPIC
from horus_sim.time import NS_PER_S

Time = Literal["auto", "simulated", "wall"]
# Of wall time, without news from the clock [s].
_SILENT_CLOCK = 1.0
_POLL = 0.1
_QOS = QoS(depth=1)


class NodeLoop:
    """Ticks a node at the rate of its contract.

    Args:
        node: The node.
        hub: The connection.
        period: Time between two actions [s].
        clock: 'simulated' follows the topic `clock`, 'wall' the clock on the wall; 'auto' the topic
            if somebody sends it.
        wait: How long sensors may take to speak for the first time [s], wall time.
        tell: Told in a line when something changes.
    """

    def __init__(
        self,
        node: PolicyNode,
        hub: Hub,
        period: float,
        *,
        clock: Time = "auto",
        wait: float = 10.0,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._node, self._hub, self._period_ns = node, hub, round(period * NS_PER_S)
        self._clock_kind, self._wait, self._tell = clock, wait, tell
        self._is_stopping = False

    def stop(self) -> None:
        """Ends `run`; also from another thread."""
        self._is_stopping = True

    def run(self, duration: float | None = None) -> None:
        """Lets the node act until it is stopped.

        Args:
            duration: Ends it after this time of its clock [s].

        Raises:
            DeployError: A sensor never spoke; the text says which, and what to do.
        """
        with self._hub.subscribe(CLOCK_TOPIC, Clock, _QOS) as clock:
            began = time.monotonic()
            first = self._first_clock(clock, began)
            if first is None:
                self._tell("time: wall")
                self._run_by_wall(duration, began)
            else:
                self._tell("time: simulated")
                self._run_by_clock(clock, first, duration, began)

    def _first_clock(self, clock, began: float) -> Clock | None:  # noqa: ANN001 - a subscription
        """The first message of the clock, or None where time is the wall's."""
        if self._clock_kind == "wall":
            return None
        while not self._is_stopping:
            message = clock.wait(_POLL)
            if message is not None:
                return message
            passed = time.monotonic() - began
            has_clock = bool(self._hub.publishers_of(CLOCK_TOPIC)) or any(
                info.name == CLOCK_TOPIC and info.publishers for info in self._hub.topics()
            )
            if self._clock_kind == "auto" and not has_clock and passed > _SILENT_CLOCK:
                return None
            if passed > self._wait:
                raise DeployError(
                    f"no Clock came on topic '{CLOCK_TOPIC}' in {self._wait:g} s; start the "
                    "simulation or let it go on, or give --time wall"
                )
        return None

    def _run_by_clock(self, clock, first: Clock, duration: float | None, began: float) -> None:  # noqa: ANN001
        node, start_ns = self._node, first.stamp_ns
        now_ns, due_ns, heard = start_ns, start_ns, time.monotonic()
        is_silent = False
        while not self._is_stopping:
            message = clock.wait(_POLL)
            if message is None:
                if not is_silent and time.monotonic() - heard > _SILENT_CLOCK:
                    is_silent = True
                    node.stop()
                    self._tell("the simulation stands still, or is gone; the robot was stopped")
                continue
            heard, is_silent = time.monotonic(), False
            if message.stamp_ns < now_ns:
                node.restart()
                start_ns = due_ns = message.stamp_ns
            now_ns = message.stamp_ns
            if duration is not None and now_ns - start_ns >= duration * NS_PER_S:
                return
            if now_ns >= due_ns:
                node.tick(now_ns)
                self._check_complete(began)
                # On the grid of the clock, whatever was missed.
                due_ns = (now_ns // self._period_ns + 1) * self._period_ns

    def _run_by_wall(self, duration: float | None, began: float) -> None:
        node, start_ns = self._node, time.monotonic_ns()
        due_ns = start_ns
        while not self._is_stopping:
            now_ns = time.monotonic_ns()
            if duration is not None and now_ns - start_ns >= duration * NS_PER_S:
                return
            if now_ns < due_ns:
                time.sleep(min((due_ns - now_ns) / NS_PER_S, _POLL))
                continue
            node.tick(now_ns)
            self._check_complete(began)
            missed = (now_ns - due_ns) // self._period_ns
            due_ns += (missed + 1) * self._period_ns

    def _check_complete(self, began: float) -> None:
        node = self._node
        if node.state is not State.WAITING or node.is_complete:
            return
        if time.monotonic() - began > self._wait:
            raise DeployError(f"after {self._wait:g} s {node.explain_absent()}")
