"""The topics of a session written into a bag, whoever publishes them."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Collection
from typing import Any, Self

from horus_sim.errors import HubError, MessageError
from horus_sim.hub import Hub, QoS, Subscription
from horus_sim.hub.ros.binding import ros_message
from horus_sim.hub.topic import topic_name
from horus_sim.running.recording.bag.recorder import BagRecorder

# A disk that is busy for a moment must not cost messages.
_MOST_WAITING = 10_000
_QOS = QoS(depth=1000, latched=True)


class SessionRecorder:
    """Subscribes to topics and writes what comes into a bag, with all fields of the ROS types.

    Messages have the time at which they came. Topics that appear later are recorded from then on.

    Args:
        hub: The connection.
        recorder: Writes the bag.
        topics: Only these; all unless given.
        now_ns: Gives the time [ns].

    Attributes:
        left_out: Topics that cannot be recorded, and why.
        dropped: Messages that came faster than they could be written.
    """

    def __init__(
        self,
        hub: Hub,
        recorder: BagRecorder,
        topics: Collection[str] | None = None,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._hub = hub
        self._recorder = recorder
        self._topics = None if topics is None else {topic_name(each) for each in topics}
        self._now_ns = now_ns
        self._last_ns = 0
        self._waiting: queue.Queue[tuple[str, Any, int]] = queue.Queue(_MOST_WAITING)
        self._subscriptions: dict[tuple[str, str], Subscription[Any]] = {}
        self.left_out: dict[str, str] = {}
        self.dropped = 0

    @property
    def topics(self) -> list[str]:
        """Topics that are recorded, sorted."""
        return sorted({topic for topic, _ in self._subscriptions})

    @property
    def absent(self) -> list[str]:
        """Topics that were asked for and that nobody has published yet, sorted."""
        return sorted((self._topics or set()) - {*self.topics, *self.left_out})

    def look(self) -> list[str]:
        """Subscribes to topics that are new, and gives their names."""
        found: list[str] = []
        for info in self._hub.topics():
            if self._topics is not None and info.name not in self._topics:
                continue
            for kind in info.kinds:
                if (info.name, kind) in self._subscriptions or info.name in self.left_out:
                    continue
                try:
                    self._subscribe(info.name, kind)
                    found.append(info.name)
                except (HubError, MessageError) as error:
                    self.left_out[info.name] = str(error)
        return found

    def write(self) -> int:
        """Writes what has come, and gives how many messages it was."""
        count = 0
        while True:
            try:
                topic, message, stamp_ns = self._waiting.get_nowait()
            except queue.Empty:
                return count
            # Threads bring messages side by side, and a clock may be set back.
            self._last_ns = max(self._last_ns, stamp_ns)
            self._recorder.log(topic, message, self._last_ns)
            count += 1

    def close(self) -> None:
        """Ends the subscriptions and writes what came before."""
        for subscription in self._subscriptions.values():
            subscription.close()
        self.write()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _subscribe(self, topic: str, kind: str) -> None:
        def take(message: Any) -> None:  # noqa: ANN401 - any message
            try:
                self._waiting.put_nowait((topic, message, self._now_ns()))
            except queue.Full:
                self.dropped += 1

        # Dicts of all fields: our classes leave out some.
        subscription = self._hub.subscribe(topic, ros_message(kind), _QOS, take)
        self._subscriptions[(topic, kind)] = subscription
