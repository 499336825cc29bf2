"""Plugins that sense: those inside a ``<sensor>`` say more about it, others are of a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from horus_sim.robots.gazebo.parts import SdfSensor, SdfValue
from horus_sim.robots.gazebo.plugin import Plugin
from horus_sim.tf import Transform

Fields = dict[str, Any]
_SLOWEST_DRIFT_HZ = 1.0 / 3600.0
_ODOMETRY_HZ = 50.0
_DEFAULT_TOPIC = "__default__"
_CAMERAS = frozenset({"camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "multicamera"})
_RAYS = frozenset({"ray", "gpu_ray", "lidar", "gpu_lidar", "sonar"})

INSIDE = frozenset(
    {
        "gazebo_ros_block_laser",
        "gazebo_ros_bumper",
        "gazebo_ros_camera",
        "gazebo_ros_depth_camera",
        "gazebo_ros_ft_sensor",
        "gazebo_ros_gps_sensor",
        "gazebo_ros_gpu_laser",
        "gazebo_ros_imu_sensor",
        "gazebo_ros_laser",
        "gazebo_ros_multicamera",
        "gazebo_ros_openni_kinect",
        "gazebo_ros_prosilica",
        "gazebo_ros_range",
        "gazebo_ros_ray_sensor",
        "gazebo_ros_triggered_camera",
        "gazebo_ros_velodyne_gpu_laser",
        "gazebo_ros_velodyne_laser",
    }
)
"""Plugins that publish what the sensor around them measures."""


def with_plugin(sensor: SdfSensor, plugin: Plugin) -> SdfSensor:
    """A sensor with what a plugin of `INSIDE` within it says: its type, topic, frame and noise.

    Raises:
        DescriptionError: A number in it is wrong.
    """
    kind, said = sensor.type, dict(sensor.parameters)
    output = plugin.text("output_type").rpartition("/")[2]
    if sensor.type in _RAYS and (plugin.kind == "gazebo_ros_range" or output == "Range"):
        kind = "range"
    elif sensor.type in ("depth", "depth_camera") and plugin.kind != "gazebo_ros_prosilica":
        kind = "rgbd_camera"  # these publish colours beside the depths
    topic = _topic(sensor, plugin)
    if topic and str(said.get("topic", _DEFAULT_TOPIC)) in ("", _DEFAULT_TOPIC):
        said["topic"] = topic
    frame = plugin.text("frame_name", "frameName", "frame_id", "frameId")
    if frame:
        said.setdefault("frame_id", frame)
    spread = plugin.positive("gaussianNoise", "gaussian_noise")
    part = next((tag for tag in ("ray", "lidar", "camera") if tag in said), "")
    inside = said.get(part)
    if spread is not None and isinstance(inside, dict) and "noise" not in inside:
        noisy: dict[str, SdfValue] = {**inside, "noise": _noise(0.0, spread)}
        said[part] = noisy
    rate = sensor.rate or plugin.positive("updateRate", "update_rate") or 0.0
    return replace(sensor, type=kind, rate=rate, parameters=said)


def _topic(sensor: SdfSensor, plugin: Plugin) -> str:
    if sensor.type not in _CAMERAS:
        renamed = plugin.remapped("out", "bumper_states")
        return renamed or plugin.text("topicName", "topic_name", "bumperTopicName")
    space = plugin.text("cameraName", "camera_name")
    image = plugin.remapped("image_raw", f"{space or sensor.name}/image_raw")
    if image:
        return image
    image = plugin.text("imageTopicName", "image_topic_name")
    if not space:
        return image
    return f"{space.rstrip('/')}/{image.strip('/') or 'image_raw'}"


def sensors_of(plugin: Plugin) -> tuple[SdfSensor, ...]:
    """The sensors that a plugin of a model is; empty for one that senses nothing.

    A link that is not named is the root; one of a joint is the child of the joint.

    Raises:
        DescriptionError: A number is wrong.
    """
    read = _MODEL_PLUGINS.get(plugin.kind)
    return () if read is None else (read(plugin),)


def _sensor(
    plugin: Plugin, kind: str, name: str, link: str, rate: float, said: Fields, joint: str = ""
) -> SdfSensor:
    offset = plugin.vector("xyzOffset", "xyzOffsets", "xyz_offset")
    turn = plugin.vector("rpyOffset", "rpyOffsets", "rpy_offset")
    T_link_sensor = Transform.from_euler(offset, turn)
    parameters: dict[str, SdfValue] = {key: value for key, value in said.items() if value}
    # Names of links may have the model before them, as 'model::link'.
    return SdfSensor(link, name, kind, T_link_sensor, rate, parameters, joint or None)


def _rate(plugin: Plugin, usual: float = 0.0) -> float:
    tags = ("updateRate", "update_rate", "odom_publish_frequency", "odom_publisher_frequency")
    return plugin.positive(*tags) or usual


def _imu(plugin: Plugin) -> SdfSensor:
    spread = plugin.number("gaussianNoise") or 0.0
    axes = {}
    for quantity, own in (("angular_velocity", "rate"), ("linear_acceleration", "accel")):
        offset = plugin.vector(f"{own}Offset")
        noise = plugin.vector(f"{own}GaussianNoise")
        drift = plugin.vector(f"{own}Drift")
        time = _drift_time(plugin, f"{own}DriftFrequency")
        axes[quantity] = {
            axis: {"noise": _noise(offset[i], noise[i] or spread, drift[i], time)}
            for i, axis in enumerate("xyz")
        }
    link = plugin.text("bodyName", "body_name")
    said = {"imu": axes, "topic": plugin.text("topicName"), "frame_id": plugin.text("frameId")}
    return _sensor(plugin, "imu", "imu", link, _rate(plugin), said)


def _gps(plugin: Plugin) -> SdfSensor:
    quantities: Fields = {}
    for quantity, own in (("position", ""), ("velocity", "velocity")):
        noise = plugin.vector(f"{own}GaussianNoise" if own else "gaussianNoise")
        drift = plugin.vector(f"{own}Drift" if own else "drift")
        time = _drift_time(plugin, f"{own}DriftFrequency" if own else "driftFrequency")
        quantities[f"{quantity}_sensing"] = {
            axis: {"noise": _noise(0.0, noise[i], drift[i], time)}
            for axis, i in (("horizontal", 0), ("vertical", 2))
        }
    said = {"navsat": quantities, "topic": plugin.text("topicName")}
    return _sensor(plugin, "navsat", "gps", plugin.text("bodyName"), _rate(plugin), said)


def _magnetometer(plugin: Plugin) -> SdfSensor:
    said = {"topic": plugin.text("topicName")}
    link = plugin.text("bodyName")
    return _sensor(plugin, "magnetometer", "magnetometer", link, _rate(plugin), said)


def _truth(plugin: Plugin) -> SdfSensor:
    topic = plugin.text("topicName", "topic_name") or plugin.remapped("odom")
    link = plugin.text("bodyName", "body_name")
    said = {"topic": topic}
    return _sensor(plugin, "ground_truth", "ground_truth", link, _rate(plugin), said)


def _wrench(plugin: Plugin) -> SdfSensor:
    joint = plugin.text("jointName", "joint_name")
    if not joint:
        raise plugin.element.error(f"{plugin.title}: names no joint; add <joint_name>")
    topic = plugin.text("topicName") or plugin.remapped("wrench")
    name, said = f"{joint}_force_torque", {"topic": topic}
    return _sensor(plugin, "force_torque", name, "", _rate(plugin), said, joint)


def _odometry(plugin: Plugin, source: str = "truth") -> SdfSensor:
    link = plugin.text("child_frame_id", "robot_base_frame", "robotBaseFrame")
    link = link.rpartition("/")[2]
    said = {"source": source, "topic": "odom"}
    rate = _rate(plugin, _ODOMETRY_HZ)
    return replace(
        _sensor(plugin, "odometry", "odometry", link, rate, said),
        T_link_sensor=Transform.identity(),
    )


def _wheel_odometry(plugin: Plugin) -> SdfSensor:
    return _odometry(plugin, "wheels")


def _joint_states(plugin: Plugin) -> SdfSensor:
    said = {"joint_name": plugin.texts("joint_name"), "topic": "joint_states"}
    rate = _rate(plugin, _ODOMETRY_HZ)
    return _sensor(plugin, "joint_state", "joint_states", "", rate, said)


_MODEL_PLUGINS: dict[str, Callable[[Plugin], SdfSensor]] = {
    **dict.fromkeys(("gazebo_ros_imu", "hector_gazebo_ros_imu"), _imu),
    **dict.fromkeys(("gazebo_ros_gps", "hector_gazebo_ros_gps"), _gps),
    **dict.fromkeys(("gazebo_ros_magnetic", "hector_gazebo_ros_magnetic"), _magnetometer),
    "gazebo_ros_p3d": _truth,
    **dict.fromkeys(("gazebo_ros_f3d", "gazebo_ros_ft_sensor"), _wrench),
    "odometry_publisher": _odometry,
    **dict.fromkeys(
        (
            "ackermann_steering",
            "diff_drive",
            "gazebo_ros_ackermann_drive",
            "gazebo_ros_diff_drive",
            "gazebo_ros_skid_steer_drive",
        ),
        _wheel_odometry,
    ),
    **dict.fromkeys(("gazebo_ros_joint_state_publisher", "joint_state_publisher"), _joint_states),
}


def _noise(mean: float, std: float, drift: float = 0.0, time: float = 0.0) -> dict[str, SdfValue]:
    found: dict[str, SdfValue] = {"@type": "gaussian", "mean": mean, "stddev": abs(std)}
    if drift:
        found |= {"dynamic_bias_stddev": abs(drift), "dynamic_bias_correlation_time": time}
    return found


def _drift_time(plugin: Plugin, tag: str) -> float:
    frequency = plugin.positive(tag) or _SLOWEST_DRIFT_HZ
    return min(1.0 / frequency, math.inf)
