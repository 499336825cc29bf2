"""The messages that travel on topics: frozen records with units, frames and checked shapes."""

from horus_sim.hub.messages.basic import Clock, String
from horus_sim.hub.messages.images import CameraInfo, DepthImage, Image
from horus_sim.hub.messages.motion import CmdVel, JointCommand, JointState, Odometry, Twist
from horus_sim.hub.messages.sensing import (
    Contact,
    Encoder,
    Imu,
    LaserScan,
    NavSatFix,
    PointCloud,
    Wrench,
)
from horus_sim.tf import StaticTransformStamped, TFMessage, TransformStamped

__all__ = [
    "CameraInfo",
    "Clock",
    "CmdVel",
    "Contact",
    "DepthImage",
    "Encoder",
    "Image",
    "Imu",
    "JointCommand",
    "JointState",
    "LaserScan",
    "NavSatFix",
    "Odometry",
    "PointCloud",
    "StaticTransformStamped",
    "String",
    "TFMessage",
    "TransformStamped",
    "Twist",
    "Wrench",
]
