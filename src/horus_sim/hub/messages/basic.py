"""Messages that belong to no device."""

from __future__ import annotations

from horus_sim.hub.message import Message, message


@message
class String(Message):
    """A text.

    Attributes:
        data: The text.
    """

    data: str


@message
class Clock(Message):
    """The time of the simulation.

    Attributes:
        stamp_ns: Simulated time [ns].
    """

    stamp_ns: int
