"""The receiving end of a topic, the same for every transport."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from horus_sim.errors import HubError

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub.qos import QoS

T = TypeVar("T")

logger = logging.getLogger("horus_sim.hub")


class _AtHand(threading.local):
    """Who sent the message that a callback of this thread works on."""

    source: str | None = None


_at_hand = _AtHand()


def sender() -> str:
    """In a callback: the name of the connection that sent the message at hand.

    Raises:
        HubError: It is called elsewhere.
    """
    if _at_hand.source is None:
        raise HubError("sender() tells who sent a message only in a topic's callback")
    return _at_hand.source


class Subscription(Generic[T]):
    """Messages of one topic, kept until they are taken.

    Made by `Hub.subscribe`. With a callback, messages go to it as they arrive, in the thread that
    brings them, and are not kept.

    Attributes:
        topic: The topic.
        kind: The type of its messages.
        qos: How they are kept.
        received: Messages that arrived and were fit.
        missed: Messages that were sent but did not arrive.
        rejected: Messages of another type, version or run.
        expired: Messages that were older than `QoS.max_age`.
        last_error: Why the last rejected message was not fit, or None.
    """

    def __init__(
        self,
        topic: str,
        kind: type[T],
        qos: QoS,
        callback: Callable[[T], object] | None,
        now_ns: Callable[[], int],
        on_close: Callable[[Subscription[T]], None],
    ) -> None:
        self.topic = topic
        self.kind = kind
        self.qos = qos
        self.received = 0
        self.missed = 0
        self.rejected = 0
        self.expired = 0
        self.last_error: Exception | None = None
        self._callback = callback
        self._now_ns = now_ns
        self._on_close = on_close
        self._max_age_ns = None if qos.max_age is None else round(qos.max_age * 1e9)
        self._queue: deque[Any] = deque(maxlen=qos.depth)
        self._append = self._queue.append
        self._taken = 0
        self._is_closed = False
        self._has_told_old = False
        if callback is not None or qos.max_age is not None:
            self.deliver = self._deliver_with_care
        self._condition = threading.Condition()
        self._waiting = 0

    @property
    def dropped(self) -> int:
        """Messages that left a full queue unread."""
        # Counted from the rest, so that the sender has less to do.
        return max(0, self.received - self._taken - len(self._queue))

    def has_message(self) -> bool:
        """Whether a message can be taken."""
        self._drop_expired()
        return bool(self._queue)

    def take(self) -> T | None:
        """The oldest message that was not taken yet, or None."""
        queue = self._queue
        if self._max_age_ns is not None:
            self._drop_expired()
        try:
            entry = queue.popleft()
        except IndexError:
            return None
        self._taken += 1
        return entry if self._max_age_ns is None else entry[1]

    def latest(self) -> T | None:
        """The newest message, or None; older ones are passed over."""
        newest = None
        while (message := self.take()) is not None:
            newest = message
        return newest

    def wait(self, timeout: float | None = None) -> T | None:
        """Takes the oldest message, and waits for one if there is none.

        Args:
            timeout: Longest wait [s]; None waits for ever.

        Returns:
            The message, None after the time is up or when the subscription was closed.
        """
        if timeout is not None and not (isinstance(timeout, (int, float)) and timeout >= 0):
            raise HubError(f"timeout must be seconds or None for no end, got {timeout!r}")
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._condition:
            self._waiting += 1
            try:
                while (message := self.take()) is None and not self._is_closed:
                    remaining = None if deadline is None else deadline - time.monotonic()
                    if remaining is not None and remaining <= 0:
                        return None
                    self._condition.wait(None if remaining is None else min(remaining, 1e6))
                return message
            finally:
                self._waiting -= 1

    def clear(self) -> None:
        """Forgets the messages that were not taken yet."""
        self._taken += len(self._queue)
        self._queue.clear()

    def close(self) -> None:
        """Ends the subscription; who waits for a message gets None."""
        self._on_close(self)
        self._is_closed = True
        self._wake()

    def deliver(self, message: T, sent_ns: int, source: str) -> None:  # noqa: ARG002
        """Called by the transport for every message that is fit."""
        self.received += 1
        self._append(message)
        if self._waiting:
            self._wake()

    def _deliver_with_care(self, message: T, sent_ns: int, source: str) -> None:
        self.received += 1
        age_ns = 0 if self._max_age_ns is None else self._now_ns() - sent_ns
        if self._max_age_ns is not None and age_ns > self._max_age_ns:
            self._taken += 1
            self.expired += 1
            self._tell_old(age_ns, source)
        elif self._callback is not None:
            self._taken += 1
            outer, _at_hand.source = _at_hand.source, source
            self._call_back(message)
            _at_hand.source = outer
        else:
            self._queue.append((sent_ns, message))
            if self._waiting:
                self._wake()

    def _tell_old(self, age_ns: int, source: str) -> None:
        if self._has_told_old:
            return
        self._has_told_old = True
        logger.warning(
            "topic '%s': a message of '%s' is discarded, since it is %.1f s old and max_age is "
            "%g s; if it was sent just now, the clocks of the two machines differ",
            self.topic, source, age_ns / 1e9, self.qos.max_age,
        )  # fmt: skip

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify_all()

    def reject(self, error: Exception) -> None:
        """Called by the transport for a message that is not fit; the receiver goes on."""
        self.rejected += 1
        if str(error) != str(self.last_error):
            logger.error("topic '%s': %s", self.topic, error)
        self.last_error = error

    def _call_back(self, message: T) -> None:
        try:
            self._callback(message)  # type: ignore[misc]
        except Exception:
            # The sender must not suffer for a receiver's mistake.
            logger.exception("topic '%s': the callback failed", self.topic)

    def _drop_expired(self) -> None:
        if self._max_age_ns is None:
            return
        oldest_ns = self._now_ns() - self._max_age_ns
        queue = self._queue
        while queue and queue[0][0] < oldest_ns:
            queue.popleft()
            self._taken += 1
            self.expired += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Subscription '{self.topic}': {self.kind.__name__}, {len(self._queue)} waiting>"
