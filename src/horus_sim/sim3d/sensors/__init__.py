"""Sensors of a 3D world: mounts, rates, noise, and a file for each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.lazy_names import lazy_names
from horus_sim.sim3d.sensors.kinds import KINDS

if TYPE_CHECKING:
    from horus_sim.sim3d.sensors.body.contact import ContactConfig as ContactConfig
    from horus_sim.sim3d.sensors.body.encoder import EncoderConfig as EncoderConfig
    from horus_sim.sim3d.sensors.body.force_torque import ForceTorqueConfig as ForceTorqueConfig
    from horus_sim.sim3d.sensors.body.gps import GpsConfig as GpsConfig
    from horus_sim.sim3d.sensors.body.ground_truth import GroundTruthConfig as GroundTruthConfig
    from horus_sim.sim3d.sensors.body.imu import ImuConfig as ImuConfig
    from horus_sim.sim3d.sensors.body.joint_state import JointStateConfig as JointStateConfig
    from horus_sim.sim3d.sensors.body.magnetometer import MagnetometerConfig as MagnetometerConfig
    from horus_sim.sim3d.sensors.body.odometry import OdometryConfig as OdometryConfig
    from horus_sim.sim3d.sensors.cameras.camera import RgbCameraConfig as RgbCameraConfig
    from horus_sim.sim3d.sensors.cameras.depth import DepthCameraConfig as DepthCameraConfig
    from horus_sim.sim3d.sensors.cameras.rgbd import RgbdCameraConfig as RgbdCameraConfig
    from horus_sim.sim3d.sensors.cameras.segmentation import (
        SegmentationCameraConfig as SegmentationCameraConfig,
    )
    from horus_sim.sim3d.sensors.collection import Sensors as Sensors
    from horus_sim.sim3d.sensors.kinds import sensor_config as sensor_config
    from horus_sim.sim3d.sensors.noise import NoiseChannel as NoiseChannel
    from horus_sim.sim3d.sensors.noise import NoiseConfig as NoiseConfig
    from horus_sim.sim3d.sensors.rays.laser_scan import LaserScanConfig as LaserScanConfig
    from horus_sim.sim3d.sensors.rays.lidar import LidarConfig as LidarConfig
    from horus_sim.sim3d.sensors.rays.range import RangeConfig as RangeConfig
    from horus_sim.sim3d.sensors.sensor import Sensor as Sensor
    from horus_sim.sim3d.sensors.sensor import SensorConfig as SensorConfig

_HOMES = {
    "NoiseChannel": "noise",
    "NoiseConfig": "noise",
    "Sensor": "sensor",
    "SensorConfig": "sensor",
    "Sensors": "collection",
    "sensor_config": "kinds",
} | {name: module for module, name in KINDS.values()}

__all__ = [*_HOMES]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]

__getattr__ = lazy_names(__name__, _HOMES)
