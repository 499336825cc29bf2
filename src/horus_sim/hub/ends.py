"""Who is at the topics and services of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from horus_sim.hub.qos import QoS

EndRole = Literal["publisher", "subscription", "server", "client"]


@dataclass(frozen=True, slots=True)
class EndInfo:
    """One end of a topic or a service, of any program in the session.

    Attributes:
        name: The topic or service, without a leading slash.
        role: What it does there.
        node: Whose it is: namespace and name of a node, as in ``/robot1/camera``. Each connection
            is a node.
        ros_type: Full name of the type, such as ``sensor_msgs/msg/Imu``.
        type_hash: ``RIHS01_...`` of the type, or what another program says instead.
        qos: How messages are delivered.
    """

    name: str
    role: EndRole
    node: str
    ros_type: str
    type_hash: str
    qos: QoS

    @property
    def is_of_topic(self) -> bool:
        """Whether it is the end of a topic, not of a service."""
        return self.role in ("publisher", "subscription")
