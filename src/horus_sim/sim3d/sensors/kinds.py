"""The kinds of sensors, by the name that files use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from horus_sim.errors import SceneError, UnknownNameError
from horus_sim.files.explaining import explain
from horus_sim.files.names import propose

if TYPE_CHECKING:
    from horus_sim.sim3d.scene.scene import SensorEntry
    from horus_sim.sim3d.sensors.sensor import SensorConfig

KINDS = {
    "camera": ("cameras.camera", "RgbCameraConfig"),
    "contact": ("body.contact", "ContactConfig"),
    "depth_camera": ("cameras.depth", "DepthCameraConfig"),
    "encoder": ("body.encoder", "EncoderConfig"),
    "force_torque": ("body.force_torque", "ForceTorqueConfig"),
    "gps": ("body.gps", "GpsConfig"),
    "ground_truth": ("body.ground_truth", "GroundTruthConfig"),
    "imu": ("body.imu", "ImuConfig"),
    "joint_state": ("body.joint_state", "JointStateConfig"),
    "laser_scan": ("rays.laser_scan", "LaserScanConfig"),
    "lidar": ("rays.lidar", "LidarConfig"),
    "magnetometer": ("body.magnetometer", "MagnetometerConfig"),
    "odometry": ("body.odometry", "OdometryConfig"),
    "range": ("rays.range", "RangeConfig"),
    "rgbd_camera": ("cameras.rgbd", "RgbdCameraConfig"),
    "segmentation_camera": ("cameras.segmentation", "SegmentationCameraConfig"),
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


def check_entries(entries: Iterable[SensorEntry]) -> None:
    """Checks sensors as users wrote them, each by the rules of its kind.

    Raises:
        SceneError: One does not fit; the text names file, line and key.
    """
    for entry in entries:
        document, key = entry.place.document, entry.place.key
        if document is None:
            continue
        try:
            kind = config_class(entry.kind)
        except UnknownNameError as error:
            raise SceneError(document.problem((*key, "kind"), str(error))) from None
        try:
            kind.model_validate(entry.model_dump(exclude_unset=True))
        except ValidationError as error:
            raise SceneError(explain(error, kind, document, key)) from None


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
