"""What latched topics keep for late subscribers.

A publisher keeps its last messages in zenoh's cache, as ROS programs do. A subscription asks every
latching publisher that it learns of, before or after its own beginning. zenoh's own search for late
publishers is not enough: it loses messages when two of its questions overlap, and gives up when
the way to a publisher is not known yet. What a publisher sends meanwhile waits for its answer, so
that an older message never follows a newer one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from horus_sim.hub.zenoh.keys import EndPoint

if TYPE_CHECKING:
    from horus_sim.hub.zenoh.transport import ZenohHub

# A publisher that has sent nothing yet does not answer, nor does one that cannot be reached yet.
_ASK_AGAIN_S = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)


class History:
    """Asks the publishers of a topic for what they keep.

    Args:
        hub: The connection of the subscription.
        key: The key of the topic.
        is_asked: Whether a publisher is one of the topic.
        receive: Takes samples of one publisher, in any order.
    """

    def __init__(
        self,
        hub: ZenohHub,
        key: str,
        is_asked: Callable[[EndPoint], bool],
        receive: Callable[[list[Any]], object],
    ) -> None:
        self._hub = hub
        self._key = key
        self._is_asked = is_asked
        self._receive = receive
        # Under it samples are received, too: they must not overtake each other.
        self._lock = threading.RLock()
        self._present: set[str] = set()
        self._held: dict[str, list[Any]] = {}
        self._asking: set[str] = set()
        self._is_closed = False
        self._stop: Callable[[], None] = lambda: None

    def search(self) -> None:
        """Begins, once the subscription itself is known to others."""
        self._stop = self._hub.graph.watch(self._on_change)

    def take(self, zid: str, sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
        """Takes what a publisher sends: at once, or when its answer has come."""
        with self._lock:
            held = self._held.get(zid)
            if held is None:
                self._receive([sample])
                return
            held.append(sample)
            is_asking = zid in self._asking
        if not is_asking:
            # It has sent something by now, and the way to it is known.
            self._ask(zid, len(_ASK_AGAIN_S))

    def ask_again(self) -> None:
        """Asks all publishers anew, after messages were missed."""
        for zid in tuple(self._present):
            self._ask(zid, 0)

    def undeclare(self) -> None:
        """Ends the search for publishers."""
        self._is_closed = True
        self._stop()

    def _on_change(self, end: EndPoint, *, is_here: bool) -> None:
        if end.kind != "MP" or not end.qos.latched or not self._is_asked(end):
            return
        with self._lock:
            if not is_here:
                self._present.discard(end.node.zid)
                self._release(end.node.zid, [])
                return
            self._present.add(end.node.zid)
            self._held.setdefault(end.node.zid, [])
        self._ask(end.node.zid, 0)

    def _ask(self, zid: str, attempt: int) -> None:
        answers: list[Any] = []

        def on_answer(reply: Any) -> None:  # noqa: ANN401 - a zenoh reply
            if reply.ok is not None:
                answers.append(reply.ok)

        def on_end() -> None:
            with self._lock:
                self._asking.discard(zid)
                is_due = not answers and zid in self._present and attempt < len(_ASK_AGAIN_S)
                if not is_due or self._held.get(zid):
                    self._release(zid, answers)
            if is_due and not self._is_closed:
                timer = threading.Timer(_ASK_AGAIN_S[attempt], self._ask, [zid, attempt + 1])
                timer.daemon = True
                timer.start()

        if self._is_closed:
            return
        with self._lock:
            self._asking.add(zid)
        zenoh = self._hub.zenoh
        try:
            # With a priority of its own: a question to who stands still waits, and would hold up
            # what is published.
            self._hub.zenoh_session.get(
                f"{self._key}/@adv/pub/{zid}/**?_anyke",
                zenoh.handlers.Callback(on_answer, on_end),
                consolidation=zenoh.ConsolidationMode.NONE,
                priority=zenoh.Priority.DATA_LOW,
            )
        except zenoh.ZError:
            # The connection may be closed at any time by another thread.
            if not self._is_closed:
                raise

    def _release(self, zid: str, answers: list[Any]) -> None:
        """Hands on what was kept and what came meanwhile; from now on nothing waits."""
        samples = answers + self._held.pop(zid, [])
        if samples:
            self._receive(samples)
