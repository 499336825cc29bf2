"""Messages of several topics that belong together by their stamps."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

from horus_sim.errors import MessageError
from horus_sim.tf2.filters import SimpleFilter, header_of
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    _Queue = dict[int, Any]


class TimeSynchronizer(SimpleFilter):
    """Passes on messages of equal stamps, one of each input, as a set.

    A new run of the simulation empties the queues. A message that was passed on is used up.

    Args:
        fs: The inputs; what comes out has their order.
        queue_size: Messages of each input that wait for the others; beyond, that with the oldest
            stamp is dropped.
    """

    def __init__(self, fs: Sequence[SimpleFilter], queue_size: int) -> None:
        super().__init__()
        if len(fs) == 0:
            raise MessageError("a synchronizer needs at least one input")
        self._queue_size = checked_queue_size(queue_size, 1)
        self._queues: list[_Queue] = [{} for _ in fs]
        self._lock = threading.Lock()
        for index, source in enumerate(fs):
            source.registerCallback(self.add, index)
            source.on_reset(self._reset)

    def add(self, message: Any, index: int) -> None:  # noqa: ANN401 - any message with a stamp
        """Takes a message of one input; inputs call this.

        Args:
            message: The message.
            index: Number of the input, from 0.
        """
        (stamp_ns,) = header_of(message, "stamp_ns")
        with self._lock:
            queue = self._queues[index]
            queue[stamp_ns] = message
            if len(queue) > self._queue_size:
                del queue[min(queue)]
            matched = self._match(index, stamp_ns) if stamp_ns in queue else None
            found = matched and [
                other.pop(stamp) for other, stamp in zip(self._queues, matched, strict=True)
            ]
        # Outside the lock: what is called may send on the same topics.
        if found:
            self.signalMessage(*found)

    def clear(self) -> None:
        """Forgets the messages that wait."""
        with self._lock:
            for queue in self._queues:
                queue.clear()

    def _match(self, index: int, stamp_ns: int) -> list[int] | None:  # noqa: ARG002
        """Stamps of the messages that go with the newest one, one for each input."""
        if all(stamp_ns in queue for queue in self._queues):
            return [stamp_ns] * len(self._queues)
        return None

    def _reset(self) -> None:
        self.clear()
        self.signal_reset()


class ApproximateTimeSynchronizer(TimeSynchronizer):
    """Passes on messages of nearly equal stamps, one of each input, as a set.

    A set is looked for when a message arrives, and contains it: of every other input the message
    that is nearest to it in time, as long as the whole set spans less than `slop`. Where the
    nearest do not fit each other, those of the first inputs are kept and the next ones of the last
    inputs are tried.

    Args:
        fs: The inputs; what comes out has their order.
        queue_size: Messages of each input that wait for the others; beyond, that with the oldest
            stamp is dropped.
        slop: The stamps of a set differ by less than this [s].
    """

    def __init__(self, fs: Sequence[SimpleFilter], queue_size: int, slop: float) -> None:
        if not (isinstance(slop, int | float) and 0 < slop < math.inf):
            raise MessageError(
                f"slop must be more than 0 seconds, got {slop!r}; equal stamps are a matter of "
                "TimeSynchronizer"
            )
        super().__init__(fs, queue_size)
        self._slop_ns = round(slop * NS_PER_S)

    def _match(self, index: int, stamp_ns: int) -> list[int] | None:
        candidates = [
            [stamp_ns]
            if i == index
            else sorted(
                (stamp for stamp in queue if abs(stamp - stamp_ns) < self._slop_ns),
                key=lambda stamp: abs(stamp - stamp_ns),
            )
            for i, queue in enumerate(self._queues)
        ]
        return self._complete([], candidates, stamp_ns, stamp_ns)

    def _complete(
        self, chosen: list[int], candidates: list[list[int]], first_ns: int, last_ns: int
    ) -> list[int] | None:
        """The first way to add a stamp of each further input to those chosen."""
        if len(chosen) == len(candidates):
            return chosen
        for stamp in candidates[len(chosen)]:
            first, last = min(first_ns, stamp), max(last_ns, stamp)
            if last - first < self._slop_ns:
                found = self._complete([*chosen, stamp], candidates, first, last)
                if found is not None:
                    return found
        return None


def checked_queue_size(queue_size: int, smallest: int) -> int:
    """The length of a filter's queue.

    Raises:
        MessageError: It is not a whole number of at least `smallest`.
    """
    if not isinstance(queue_size, int) or isinstance(queue_size, bool) or queue_size < smallest:
        raise MessageError(
            f"queue_size must be a whole number of at least {smallest}, got {queue_size!r}"
        )
    return queue_size
