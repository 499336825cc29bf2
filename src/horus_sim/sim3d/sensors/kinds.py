"""The kinds of sensors, by the name that files use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from horus_sim.errors import SceneError, UnknownNameError
from horus_sim.files.names import propose

if TYPE_CHECKING:
    from horus_sim.sim3d.sensors.sensor import SensorConfig

KINDS = {
    "camera": ("camera", "RgbCameraConfig"),
    "contact": ("contact", "ContactConfig"),
    "depth_camera": ("depth", "DepthCameraConfig"),
    "encoder": ("encoder", "EncoderConfig"),
    "force_torque": ("force_torque", "ForceTorqueConfig"),
    "gps": ("gps", "GpsConfig"),
    "ground_truth": ("ground_truth", "GroundTruthConfig"),
    "imu": ("imu", "ImuConfig"),
    "joint_state": ("joint_state", "JointStateConfig"),
    "laser_scan": ("laser_scan", "LaserScanConfig"),
    "lidar": ("lidar", "LidarConfig"),
    "magnetometer": ("magnetometer", "MagnetometerConfig"),
    "odometry": ("odometry", "OdometryConfig"),
    "range": ("range", "RangeConfig"),
    "rgbd_camera": ("rgbd", "RgbdCameraConfig"),
    "segmentation_camera": ("segmentation", "SegmentationCameraConfig"),
}
"""Kind -> module of this package and configuration class; modules are loaded when needed."""


def config_class(kind: str) -> type[SensorConfig]:
    """The configuration class of a kind.

    Raises:
        UnknownNameError: There is no such kind; the text proposes close names.
    """
    if kind not in KINDS:
        raise UnknownNameError(propose(kind, KINDS, "the simulator", "sensor of kind"))
    module, name = KINDS[kind]
    return getattr(import_module(f"horus_sim.sim3d.sensors.{module}"), name)


def sensor_config(data: Mapping[str, Any]) -> SensorConfig:
    """A configuration from plain data, as a scene file holds it.

    Args:
        data: Its fields; ``kind`` says which.

    Raises:
        UnknownNameError: There is no such kind.
        SceneError: A field does not fit; the text names the sensor and the field.
    """
    found = config_class(str(data.get("kind", "")))
    try:
        return found.model_validate(data)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in detail["loc"])
        name = data.get("name", data["kind"])
        raise SceneError(
            f"sensor '{name}': {f'{where}: ' if where else ''}{detail['msg']}"
        ) from error
