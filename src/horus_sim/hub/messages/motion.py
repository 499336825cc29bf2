"""Messages that move a robot or tell how it moves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MessageError
from horus_sim.hub.message import Message, Names, Vector, array, message, optional_array
from horus_sim.hub.ros.form import RosForm
from horus_sim.tf import Transform

_JOINT_MODES = ("position", "velocity", "effort")


@message
class Twist(Message):
    """A velocity in six dimensions.

    Attributes:
        linear: Linear velocity [m/s], body frame.
        angular: Angular velocity [rad/s], body frame.
    """

    ROS = RosForm("geometry_msgs/msg/Twist")
    ALSO = (
        RosForm(
            "geometry_msgs/msg/TwistStamped",
            {"twist.linear": "linear", "twist.angular": "angular"},
        ),
    )

    linear: Vector = (0.0, 0.0, 0.0)
    angular: Vector = (0.0, 0.0, 0.0)


@message
class TwistStamped(Message):
    """A velocity in six dimensions, with time and frame.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The frame of both velocities.
        linear: Linear velocity [m/s].
        angular: Angular velocity [rad/s].
    """

    ROS = RosForm(
        "geometry_msgs/msg/TwistStamped",
        {"twist.linear": "linear", "twist.angular": "angular"},
    )

    stamp_ns: int
    frame_id: str
    linear: Vector = (0.0, 0.0, 0.0)
    angular: Vector = (0.0, 0.0, 0.0)


@message
class CmdVel(Message):
    """The velocity that a ground robot is to drive at; two numbers of a `Twist`.

    Attributes:
        linear: Forward speed [m/s].
        angular: Yaw rate [rad/s], positive to the left.
    """

    ROS = RosForm("geometry_msgs/msg/Twist", {"linear.x": "linear", "angular.z": "angular"})
    ALSO = (
        RosForm(
            "geometry_msgs/msg/TwistStamped",
            {"twist.linear.x": "linear", "twist.angular.z": "angular"},
        ),
    )

    linear: float = 0.0
    angular: float = 0.0


@message
class Odometry(Message):
    """Where a body is and how fast it moves.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the pose, such as ``odom``.
        child_frame_id: Frame of the velocities, such as ``base_link``.
        pose: T_frame_child.
        linear: Linear velocity [m/s], child frame.
        angular: Angular velocity [rad/s], child frame.
        pose_covariance: Covariance of x, y, z, roll, pitch, yaw, shape (6, 6), or None.
        twist_covariance: Covariance of the velocities, shape (6, 6), or None.
    """

    ROS = RosForm(
        "nav_msgs/msg/Odometry",
        {
            "pose.pose": "pose",
            "pose.covariance": "pose_covariance",
            "twist.twist.linear": "linear",
            "twist.twist.angular": "angular",
            "twist.covariance": "twist_covariance",
        },
    )

    stamp_ns: int
    frame_id: str
    child_frame_id: str
    pose: Transform
    linear: Vector = (0.0, 0.0, 0.0)
    angular: Vector = (0.0, 0.0, 0.0)
    pose_covariance: npt.NDArray[np.float64] | None = optional_array("float64", 6, 6, default=None)
    twist_covariance: npt.NDArray[np.float64] | None = optional_array("float64", 6, 6, default=None)


@message
class JointState(Message):
    """Positions, velocities and efforts of joints.

    Attributes:
        stamp_ns: Time [ns].
        names: Names of the joints.
        positions: Positions [rad or m], shape (N,).
        velocities: Velocities [rad/s or m/s], shape (N,), or None.
        efforts: Efforts [N m or N], shape (N,), or None.
    """

    ROS = RosForm(
        "sensor_msgs/msg/JointState",
        {
            "name": "names",
            "position": "positions",
            "velocity": "velocities",
            "effort": "efforts",
        },
    )

    stamp_ns: int
    names: Names
    positions: npt.NDArray[np.float64] = array("float64", -1)
    velocities: npt.NDArray[np.float64] | None = optional_array("float64", -1, default=None)
    efforts: npt.NDArray[np.float64] | None = optional_array("float64", -1, default=None)

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        for name in ("positions", "velocities", "efforts"):
            _check_count(self, name)


@message
class JointCommand(Message):
    """What joints are to do.

    Attributes:
        names: Names of the joints.
        values: One for each joint, shape (N,): [rad or m], [rad/s or m/s], [N m or N].
        mode: ``position``, ``velocity`` or ``effort``.
        stamp_ns: Time [ns].
    """

    names: Names
    values: npt.NDArray[np.float64] = array("float64", -1)
    mode: str = "position"
    stamp_ns: int = 0

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        _check_count(self, "values")
        if self.mode not in _JOINT_MODES:
            raise MessageError(
                f"JointCommand.mode must be one of {', '.join(_JOINT_MODES)}, got {self.mode!r}"
            )


def _check_count(joints: JointState | JointCommand, name: str) -> None:
    values = getattr(joints, name)
    if values is not None and len(values) != len(joints.names):
        raise MessageError(
            f"{joints.NAME}.{name} must have one value for each of the {len(joints.names)} names, "
            f"got {len(values)}"
        )
