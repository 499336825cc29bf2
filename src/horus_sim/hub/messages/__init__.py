"""The messages that travel on topics: frozen records with units, frames and checked shapes."""

from horus_sim.hub.messages.basic import Clock, String
from horus_sim.hub.messages.clouds import PointCloud
from horus_sim.hub.messages.geometry import PointStamped, PoseStamped, Vector3Stamped
from horus_sim.hub.messages.images import (
    CameraInfo,
    CompressedImage,
    DepthImage,
    Image,
    RgbdImage,
    SegmentationImage,
)
from horus_sim.hub.messages.markers import Marker, MarkerArray
from horus_sim.hub.messages.motion import (
    CmdVel,
    JointCommand,
    JointState,
    Odometry,
    Twist,
    TwistStamped,
)
from horus_sim.hub.messages.planning import JointTrajectory, OccupancyGrid, Path
from horus_sim.hub.messages.sensing import (
    Contact,
    Contacts,
    Encoder,
    Imu,
    LaserScan,
    MagneticField,
    NavSatFix,
    Range,
    Reflectance,
    Wrench,
)
from horus_sim.tf import StaticTransformStamped, TFMessage, TransformStamped

__all__ = [
    "CameraInfo",
    "Clock",
    "CmdVel",
    "CompressedImage",
    "Contact",
    "Contacts",
    "DepthImage",
    "Encoder",
    "Image",
    "Imu",
    "JointCommand",
    "JointState",
    "JointTrajectory",
    "LaserScan",
    "MagneticField",
    "Marker",
    "MarkerArray",
    "NavSatFix",
    "OccupancyGrid",
    "Odometry",
    "Path",
    "PointCloud",
    "PointStamped",
    "PoseStamped",
    "Range",
    "Reflectance",
    "RgbdImage",
    "SegmentationImage",
    "StaticTransformStamped",
    "String",
    "TFMessage",
    "TransformStamped",
    "Twist",
    "TwistStamped",
    "Vector3Stamped",
    "Wrench",
]
