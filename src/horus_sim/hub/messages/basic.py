"""Messages that belong to no device."""

from __future__ import annotations

from horus_sim.hub.message import Message, message
from horus_sim.hub.ros.form import RosForm


@message
class String(Message):
    """A text.

    Attributes:
        data: The text.
    """

    ROS = RosForm("std_msgs/msg/String")

    data: str


@message
class Clock(Message):
    """The time of the simulation.

    Attributes:
        stamp_ns: Simulated time [ns].
    """

    ROS = RosForm("rosgraph_msgs/msg/Clock", {"clock": "stamp_ns"})

    stamp_ns: int
