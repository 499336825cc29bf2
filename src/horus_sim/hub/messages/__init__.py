"""The messages that travel on topics: frozen records with units, frames and checked shapes."""

from horus_sim.hub.messages.basic import Clock, String
from horus_sim.hub.messages.images import (
    CameraInfo,
    DepthImage,
    Image,
    RgbdImage,
    SegmentationImage,
)
from horus_sim.hub.messages.motion import CmdVel, JointCommand, JointState, Odometry, Twist
from horus_sim.hub.messages.sensing import (
    Contact,
    Contacts,
    Encoder,
    Imu,
    LaserScan,
    MagneticField,
    NavSatFix,
    PointCloud,
    Range,
    Reflectance,
    Wrench,
)
from horus_sim.tf import StaticTransformStamped, TFMessage, TransformStamped

__all__ = [
    "CameraInfo",
    "Clock",
    "CmdVel",
    "Contact",
    "Contacts",
    "DepthImage",
    "Encoder",
    "Image",
    "Imu",
    "JointCommand",
    "JointState",
    "LaserScan",
    "MagneticField",
    "NavSatFix",
    "Odometry",
    "PointCloud",
    "Range",
    "Reflectance",
    "RgbdImage",
    "SegmentationImage",
    "StaticTransformStamped",
    "String",
    "TFMessage",
    "TransformStamped",
    "Twist",
    "Wrench",
]
