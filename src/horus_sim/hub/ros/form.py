"""How a message class says which ROS type it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RosForm:
    """The ROS type of a message class, and where the fields of the type come from.

    A field of the type that is not named here has the attribute of its own name. Where there is no
    such attribute it is written as zero, and skipped when it is read. ``header`` is `stamp_ns` and
    `frame_id`.

    Attributes:
        name: Full name of the type, such as ``sensor_msgs/msg/LaserScan``.
        attributes: Path of a field in the type, such as ``twist.twist.linear``, and the attribute
            that holds it.
        constants: Path of a field and the value that is written for it.
    """

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
