"""What a latched topic keeps for late subscribers, over zenoh.

A publisher keeps the last frame of every key and hands out all of them at once to who asks. A
subscription asks every publisher that it learns of, before or after its own beginning. What was
sent in the meantime arrives as well: the numbers of the messages tell which is the newer.

The cache of zenoh's advanced publisher is not enough: it keeps the last samples whatever their
key, and its search for late publishers loses the older ones when two of its queries overlap.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import msgspec

from horus_sim.errors import HubError, MessageError
from horus_sim.hub.codec import decode_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub.zenoh.transport import ZenohHub

MOST_KEYS = 5_000
_ASK_AGAIN_S = 0.1


def tag(publisher: str, key: str) -> bytes:
    """What goes beside a live message of a latched topic."""
    return f"{publisher} {key}".encode()


class Latch:
    """The last frame of every key of one publisher.

    Args:
        hub: Its connection.
        publisher: The name under which the publisher is announced.
    """

    def __init__(self, hub: ZenohHub, publisher: str) -> None:
        self._lock = threading.Lock()
        self._frames: dict[str, bytes] = {}
        self._key = hub.latch_key(publisher)
        self._queryable = hub.zenoh_session.declare_queryable(self._key, self._answer)

    def keep(self, key: str, frame: bytes, topic: str) -> None:
        """Replaces the frame of a key.

        Raises:
            HubError: There are too many keys.
        """
        with self._lock:
            if key not in self._frames and len(self._frames) >= MOST_KEYS:
                raise HubError(
                    f"topic '{topic}' has {MOST_KEYS} latched keys already, the most that are "
                    "kept for late subscribers; use another publisher for the rest"
                )
            # In the order of sending.
            self._frames.pop(key, None)
            self._frames[key] = frame

    def clear(self) -> None:
        """Forgets every frame."""
        with self._lock:
            self._frames.clear()

    def close(self) -> None:
        """Ends the answers."""
        self._queryable.undeclare()

    def _answer(self, query: Any) -> None:  # noqa: ANN401 - a zenoh query
        with self._lock:
            frames = dict(self._frames)
        with query:
            query.reply(self._key, msgspec.msgpack.encode(frames))


class LatchReader:
    """Asks the publishers of a topic for what they keep.

    Args:
        hub: The connection of the subscription.
        topic: The topic.
        deliver: Takes a frame.
        reject: Takes the reason why an answer is not fit.
    """

    def __init__(
        self,
        hub: ZenohHub,
        topic: str,
        deliver: Callable[[bytes], None],
        reject: Callable[[Exception], None],
    ) -> None:
        self._hub = hub
        self._deliver = deliver
        self._reject = reject
        # Deliveries are made under it, so that an older message never follows a newer one.
        self._lock = threading.RLock()
        self._newest: dict[str, dict[str, int]] = {}
        self._asked: set[str] = set()
        self._ask_later: set[str] = set()
        self._is_closed = False
        self._topic = topic
        self._watch: Any = None

    def search(self) -> None:
        """Begins, once the subscription itself is known to others."""
        self._watch = self._hub.zenoh_session.liveliness().declare_subscriber(
            self._hub.announcement_key("latched", "*", self._topic, "*"),
            self._on_change,
            history=True,
        )

    def receive(self, tagged: str, frame: bytes) -> None:
        """Takes a message of a latched topic, live or kept.

        Args:
            tagged: What `tag` put beside it.
            frame: The message.
        """
        publisher, _, key = tagged.partition(" ")
        try:
            sequence = decode_header(frame).sequence
        except MessageError as error:
            self._reject(error)
            return
        with self._lock:
            newest = self._newest.setdefault(publisher, {})
            if sequence > newest.get(key, 0):
                newest[key] = sequence
                self._deliver(frame)

    def ask_again(self) -> None:
        """Asks all publishers anew, after messages were missed."""
        for publisher in tuple(self._newest):
            with self._lock:
                # The answer that is awaited may be older than what was missed.
                is_awaited = publisher in self._asked
                if is_awaited:
                    self._ask_later.add(publisher)
            if not is_awaited:
                self._ask(publisher)

    def undeclare(self) -> None:
        """Ends the search for publishers."""
        self._is_closed = True
        self._watch.undeclare()

    def _on_change(self, sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
        publisher = str(sample.key_expr).rpartition("/")[2]
        if sample.kind == self._hub.zenoh.SampleKind.PUT:
            with self._lock:
                self._newest.setdefault(publisher, {})
            self._ask(publisher)
        else:
            with self._lock:
                self._newest.pop(publisher, None)

    def _ask(self, publisher: str) -> None:
        answers: list[Any] = []

        def on_end() -> None:
            with self._lock:
                self._asked.discard(publisher)
                is_due = publisher in self._ask_later
                self._ask_later.discard(publisher)
                # The publisher may be known before the way to it is.
                is_due = (is_due or not answers) and publisher in self._newest
            if is_due and not self._is_closed:
                timer = threading.Timer(_ASK_AGAIN_S, self._ask, [publisher])
                timer.daemon = True
                timer.start()

        def on_answer(reply: Any) -> None:  # noqa: ANN401 - a zenoh reply
            if reply.ok is not None:
                answers.append(reply)
                self._take(publisher, reply.ok.payload.to_bytes())

        if self._is_closed:
            return
        with self._lock:
            self._asked.add(publisher)
        callback = self._hub.zenoh.handlers.Callback(on_answer, on_end)
        try:
            # With a priority of its own: a question to who stands still waits, and would hold up
            # what is published.
            self._hub.zenoh_session.get(
                self._hub.latch_key(publisher),
                callback,
                priority=self._hub.zenoh.Priority.DATA_LOW,
            )
        except self._hub.zenoh.ZError:
            # The connection may be closed at any time by another thread.
            if not self._is_closed:
                raise

    def _take(self, publisher: str, answer: bytes) -> None:
        try:
            frames = msgspec.msgpack.decode(answer, type=dict[str, bytes])
        except msgspec.MsgspecError as error:
            self._reject(error)
            return
        for key, frame in frames.items():
            self.receive(f"{publisher} {key}", frame)
