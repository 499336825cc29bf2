"""A recording played back onto topics."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from horus_sim.errors import RecordingError
from horus_sim.files.names import propose
from horus_sim.hub import Publisher, QoS, StaticTFBroadcaster
from horus_sim.hub.ros.binding import binding_of, ros_message
from horus_sim.running.recording.foxglove.scene_form import SCENE_SCHEMA

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.running.recording.bag.reader import Bag
    from horus_sim.running.recording.mcap.reader import McapFile, Recorded

_QOS = QoS(depth=1000)


@dataclass(slots=True)
class Played:
    """What was played.

    Attributes:
        messages: Number by topic.
        unknown: Messages whose type this version does not know, by schema.
        missing: What the file lacks at its end, in words; empty where it is whole.
    """

    messages: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    missing: str = ""


class Player:
    """Publishes the messages of a recording again.

    Those of ROS programs keep every field, also such that our classes have not. Fixed transforms
    and other topics that were latched are latched again.

    Args:
        file: The recording; see `open_recording`.
        hub: The connection.
        topics: Only these; all unless given.
        speed: Recorded seconds in one second; None is as fast as possible.
        clock: Gives the time [s].
        sleep: Waits [s].

    Raises:
        RecordingError: The file has no such topic.
    """

    def __init__(
        self,
        file: McapFile | Bag,
        hub: Hub,
        topics: Collection[str] | None = None,
        speed: float | None = 1.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if speed is not None and not speed > 0:
            raise RecordingError(f"the speed of a replay must be positive, got {speed}")
        self._file = file
        self._hub = hub
        self._topics = None if topics is None else {name.removeprefix("/") for name in topics}
        if self._topics is not None:
            known = file.topics()
            for topic in sorted(self._topics - known):
                raise RecordingError(propose(topic, known, f"'{file.path}'", "topic"))
        self._speed = speed
        self._clock = clock
        self._sleep = sleep
        self._publishers: dict[tuple[str, type], Publisher[Any]] = {}
        self._static: StaticTFBroadcaster | None = None

    def play(self, advance: Callable[[int], object] | None = None) -> Played:
        """Plays the recording once; a new run begins for all listeners.

        Args:
            advance: Called with the time [ns] that was played since the start.

        Raises:
            RecordingError: The file is damaged.
        """
        self._hub.begin_epoch()
        played = Played()
        started = first_ns = None
        for message in self._file.read(self._topics):
            if started is None or first_ns is None:
                started, first_ns = self._clock(), message.stamp_ns
            passed_ns = message.stamp_ns - first_ns
            if self._speed is not None:
                wait = started + passed_ns * 1e-9 / self._speed - self._clock()
                if wait > 0:
                    self._sleep(wait)
            self._publish(message, played)
            if advance is not None:
                advance(passed_ns)
        played.missing = self._file.missing
        return played

    def _publish(self, message: Recorded, played: Played) -> None:
        value = message.value
        if message.schema == SCENE_SCHEMA:
            return  # for Foxglove, not for topics
        if value is None:
            played.unknown[message.schema] += 1
            return
        played.messages[message.topic] += 1
        if isinstance(value, tuple):
            if self._static is None:
                self._static = StaticTFBroadcaster(self._hub)
            for item in value:
                self._static.send_transform(item.parent_frame, item.child_frame, item.transform)
            return
        if message.cdr is not None:
            value = binding_of(ros_message(message.schema)).decode(message.cdr)
        key = message.topic, type(value)
        publisher = self._publishers.get(key)
        if publisher is None:
            qos = message.qos if message.qos is not None and message.qos.latched else _QOS
            publisher = self._publishers[key] = self._hub.publisher(*key, qos)
        publisher.send(value)

    def close(self) -> None:
        """Ends the publishers."""
        for publisher in self._publishers.values():
            publisher.close()
        if self._static is not None:
            self._static.close()
