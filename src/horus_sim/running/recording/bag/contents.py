"""What a bag holds, without reading its messages where its index tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from horus_sim.running.recording.mcap.reader import Recorded


@dataclass(frozen=True, slots=True)
class BagContents:
    """What a bag holds.

    Attributes:
        messages: Number by topic, as on the hub, and ROS type.
        start_ns: Time [ns] of the first message.
        end_ns: Time [ns] of the last one.
    """

    messages: dict[tuple[str, str], int]
    start_ns: int
    end_ns: int

    @classmethod
    def of(cls, recorded: Iterable[Recorded]) -> BagContents:
        """Counts messages, as of a bag whose index is missing."""
        counts: Counter[tuple[str, str]] = Counter()
        stamps: list[int] = []
        for each in recorded:
            counts[(each.topic, each.schema)] += 1
            stamps = [min([*stamps[:1], each.stamp_ns]), max([*stamps[1:], each.stamp_ns])]
        return cls(dict(counts), *(stamps or (0, 0)))
