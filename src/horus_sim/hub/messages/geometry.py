"""Points, poses and vectors with a time and a frame."""

from __future__ import annotations

from horus_sim.hub.message import Message, Vector, message
from horus_sim.hub.ros.form import RosForm
from horus_sim.tf import Transform


@message
class PointStamped(Message):
    """A point in a frame at one time.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the point.
        point: x, y, z [m].
    """

    ROS = RosForm("geometry_msgs/msg/PointStamped")

    stamp_ns: int
    frame_id: str
    point: Vector = (0.0, 0.0, 0.0)


@message
class PoseStamped(Message):
    """A pose in a frame at one time.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the pose.
        pose: T_frame_object.
    """

    ROS = RosForm("geometry_msgs/msg/PoseStamped")

    stamp_ns: int
    frame_id: str
    pose: Transform


@message
class Vector3Stamped(Message):
    """A direction in a frame at one time, such as a velocity: it has no place.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the vector.
        vector: Its three components.
    """

    ROS = RosForm("geometry_msgs/msg/Vector3Stamped")

    stamp_ns: int
    frame_id: str
    vector: Vector = (0.0, 0.0, 0.0)
