"""Transforms and filters under tf2's names, for programs that come from ROS.

What tf2_ros, tf2_geometry_msgs, tf2_sensor_msgs and message_filters call `Buffer`,
`TransformListener`, `do_transform_point` or `ApproximateTimeSynchronizer`, with their order of
arguments, on the trees of `horus_sim.tf` and the topics of `horus_sim.hub`.
"""

from horus_sim.hub.messages import PointCloud, PointStamped, PoseStamped, Vector3Stamped
from horus_sim.tf import Transform, TransformStamped
from horus_sim.tf2.broadcaster import StaticTransformBroadcaster, TransformBroadcaster
from horus_sim.tf2.buffer import Buffer
from horus_sim.tf2.do_transform import (
    do_transform,
    do_transform_cloud,
    do_transform_point,
    do_transform_pose,
    do_transform_pose_stamped,
    do_transform_vector3,
)
from horus_sim.tf2.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TimeoutException,
    TransformException,
)
from horus_sim.tf2.filters import SimpleFilter, Subscriber
from horus_sim.tf2.listener import TransformListener
from horus_sim.tf2.message_filter import FilterFailureReason, MessageFilter
from horus_sim.tf2.synchronizers import ApproximateTimeSynchronizer, TimeSynchronizer

__all__ = [
    "ApproximateTimeSynchronizer",
    "Buffer",
    "ConnectivityException",
    "ExtrapolationException",
    "FilterFailureReason",
    "InvalidArgumentException",
    "LookupException",
    "MessageFilter",
    "PointCloud",
    "PointStamped",
    "PoseStamped",
    "SimpleFilter",
    "StaticTransformBroadcaster",
    "Subscriber",
    "TimeSynchronizer",
    "TimeoutException",
    "Transform",
    "TransformBroadcaster",
    "TransformException",
    "TransformListener",
    "TransformStamped",
    "Vector3Stamped",
    "do_transform",
    "do_transform_cloud",
    "do_transform_point",
    "do_transform_pose",
    "do_transform_pose_stamped",
    "do_transform_vector3",
]
