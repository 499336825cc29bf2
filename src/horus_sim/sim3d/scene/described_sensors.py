"""Sensors that the files of robots describe, as entries of a scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from horus_sim.files.names import free_name
from horus_sim.robots.frame_name import frame_name
from horus_sim.robots.gazebo.parts import SdfSensor
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.placed import PlacedRobot
from horus_sim.sim3d.scene.scene import SensorEntry
from horus_sim.tf import Transform

_OPTICAL = "_optical_frame"
_FRAME_TAGS = ("gz_frame_id", "ignition_frame_id", "frame_id", "optical_frame_id")


def described_sensors(robot: PlacedRobot, report: Report) -> list[SensorEntry]:
    """The sensors that a robot's file describes.

    Names are unique on a link; those that are not unique on a robot get that of their link.

    Args:
        robot: The robot, as it is in the world.
        report: Gets the remarks.
    """
    sensors = robot.description.sensors
    counts = Counter(sensor.name for sensor in sensors)
    names: set[str] = set()
    frames = {
        frame_name(f"{robot.frame_prefix}{name}")
        for name in (
            *(link.name for link in robot.description.links),
            *robot.description.extra_frames,
        )
    }
    topics: set[str] = set()
    entries = []
    for sensor in sensors:
        own = sensor.name if counts[sensor.name] == 1 else f"{sensor.link}/{sensor.name}"
        name = free_name(f"{robot.name}/{own}", names)
        names.add(name)
        if own != sensor.name:
            short = name.removeprefix(f"{robot.name}/")
            text = f"the model has {counts[sensor.name]} of that name; this one is called '{short}'"
            culprit = f"sensor '{sensor.name}' of link '{sensor.link}'"
            report.add(NoteKind.SUBSTITUTION, culprit, text)
        fields: dict[str, Any] = {
            "kind": sensor.type,
            "name": name,
            "mount": f"{robot.name}/{sensor.link}",
            "rate_hz": sensor.rate,
            "pose": PoseConfig.of(sensor.T_link_sensor).model_dump(exclude_unset=True),
            "joint": sensor.joint,
            "owner": robot.name,
            "sdf": _with_own_topic(sensor, topics),
        }
        frame = _frame_of(sensor, name, robot, frames)
        if frame is not None:
            fields["frame"] = frame
            frames |= {frame, frame + _OPTICAL}
        entries.append(SensorEntry.model_validate(fields))
    return entries


def without_replaced(
    described: Iterable[SensorEntry], given: Iterable[SensorEntry], report: Report
) -> list[SensorEntry]:
    """The sensors of files without those that a scene replaces.

    A sensor of a scene replaces one of the same name, and those of the same type on its link.

    Args:
        described: Sensors of the files.
        given: Sensors of the scene.
        report: Gets a remark for each that is replaced.
    """
    names, places = set(), set()
    for entry in given:
        robot = entry.mount.partition("/")[0]
        names |= {entry.name, f"{robot}/{entry.name}"}
        places.add((entry.mount, entry.kind))
    kept = []
    for entry in described:
        types = {entry.kind, _KINDS.get(entry.kind, entry.kind)}
        if entry.name in names or any((entry.mount, kind) in places for kind in types):
            text = "is replaced by a sensor of the scene"
            report.add(NoteKind.SUBSTITUTION, f"sensor '{entry.name}'", text)
            continue
        kept.append(entry)
    return kept


# What files call the kinds of scenes; a lidar with one ring and one with more are alike.
_KINDS = {
    **dict.fromkeys(("ray", "gpu_ray", "gpu_lidar"), "laser_scan"),
    "lidar": "laser_scan",
    **dict.fromkeys(("depth",), "depth_camera"),
    "rgbd": "rgbd_camera",
    "navsat": "gps",
    "segmentation": "segmentation_camera",
    "sonar": "range",
}


def _with_own_topic(sensor: SdfSensor, topics: set[str]) -> dict[str, Any]:
    """What the file says, without a topic that another sensor of the robot has."""
    topic = str(sensor.parameters.get("topic", "")).strip("/")
    if not topic:
        return sensor.parameters
    if topic not in topics:
        topics.add(topic)
        return sensor.parameters
    return {key: value for key, value in sensor.parameters.items() if key != "topic"}


def _frame_of(sensor: SdfSensor, name: str, robot: PlacedRobot, taken: set[str]) -> str | None:
    """The frame that messages are to have; None for that which a sensor has by itself.

    That of the link is taken where the sensor is in its origin and the file names no other: this is
    what Gazebo's plugins do.
    """
    prefix = robot.frame_prefix
    stated = _stated_frame(sensor)
    is_camera = "camera" in sensor.type or sensor.type in ("depth", "rgbd")
    link = frame_name(f"{prefix}{sensor.link}")
    if stated:
        stated = stated.removesuffix(_OPTICAL) if is_camera else stated
        frame = frame_name(f"{prefix}{stated}")
        if frame not in taken and not (is_camera and frame + _OPTICAL in taken):
            return frame
    if sensor.type == "odometry":
        return None
    is_in_origin = sensor.T_link_sensor == Transform.identity()
    if is_in_origin and not is_camera and (not stated or frame_name(f"{prefix}{stated}") == link):
        return link
    own = frame_name(name)
    frame = own
    while frame in taken or (is_camera and frame + _OPTICAL in taken):
        frame += "_sensor"
    return None if frame == own else frame


def _stated_frame(sensor: SdfSensor) -> str:
    """The frame that the file wants in the messages, without a model before it; or ''."""
    said = sensor.parameters
    camera = said.get("camera")
    parts = (said, camera) if isinstance(camera, dict) else (said,)
    for part in parts:
        for tag in _FRAME_TAGS:
            text = str(part.get(tag, "")).strip()
            if text:
                return text.replace("::", "/").rpartition("/")[2]
    return ""
