"""Sensors and drives as Gazebo's tags: the way back from `reading`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from xml.etree import ElementTree as ET

from horus_sim.robots.gazebo.parts import (
    CarDrive,
    DrivePart,
    FlightLimits,
    JointServo,
    Rotor,
    SdfSensor,
    SdfValue,
    WheelDrive,
)
from horus_sim.robots.xml_writing import add, add_pose, text_of
from horus_sim.tf import Transform

_PLUGINS = frozenset({"ground_truth", "joint_state", "odometry"})
"""Types of sensors that Gazebo has as plugins of a model."""


def is_plugin(sensor: SdfSensor) -> bool:
    """Whether a sensor is written as a plugin of the model, by `plugins_of`."""
    return sensor.type in _PLUGINS


def sensor_element(sensor: SdfSensor, T_parent_sensor: Transform) -> ET.Element:
    """A sensor as ``<sensor>``.

    Args:
        sensor: The sensor; none that `is_plugin`.
        T_parent_sensor: Where it sits in the element that gets it.
    """
    is_range = sensor.type == "range"
    kind = "gpu_lidar" if is_range else sensor.type
    element = ET.Element("sensor", name=sensor.name.replace("::", "_"), type=kind)
    add_pose(element, T_parent_sensor)
    if sensor.rate:
        add(element, "update_rate", float(sensor.rate))
    for tag, value in sensor.parameters.items():
        _add_value(element, tag, value)
    if is_range:
        # A lidar of which one distance is told.
        add(element, "plugin", name="range", filename="libgazebo_ros_range.so")
    return element


def plugins_of(
    sensors: Sequence[SdfSensor],
    drives: Sequence[DrivePart],
    links: Mapping[str, str],
    joints: Mapping[str, str],
) -> Iterator[ET.Element]:
    """The plugins of a model: its drives, and the sensors that are plugins.

    Args:
        sensors: All sensors of the robot.
        drives: Its drives.
        links: What links are called in the file, by name.
        joints: What joints are called in the file, by name; drives of others are left out.
    """
    wheels = next((each for each in sensors if _source(each) == "wheels"), None)
    for part in drives:
        if all(name in joints for name in part.joints):
            element = _WRITERS[type(part)](part, joints)
            if isinstance(part, WheelDrive | CarDrive) and wheels is not None:
                # The plugin measures, too.
                add(element, "odom_publish_frequency", float(wheels.rate))
                add(element, "child_frame_id", links.get(wheels.link, wheels.link))
                wheels = None
            yield element
    for sensor in sensors:
        if sensor.type in _SENSORS and _source(sensor) != "wheels":
            yield _SENSORS[sensor.type](sensor, links, joints)


def _source(sensor: SdfSensor) -> str:
    return str(sensor.parameters.get("source", "")) if sensor.type == "odometry" else ""


def _system(name: str) -> ET.Element:
    """A plugin of Gazebo Sim, such as 'DiffDrive'."""
    dashed = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)
    attributes = {"filename": f"gz-sim{dashed}-system", "name": f"gz::sim::systems::{name}"}
    return ET.Element("plugin", attributes)


def _wheels(part: WheelDrive, joints: Mapping[str, str]) -> ET.Element:
    element = _system("DiffDrive")
    if part.separation is None or part.radius is None:
        # The system has values of its own where these are missing.
        element = ET.Element("plugin", filename="libgazebo_ros_diff_drive.so", name="drive")
    for tag, names in (("left_joint", part.left), ("right_joint", part.right)):
        for name in names:
            add(element, tag, joints[name])
    _add_numbers(
        element,
        wheel_separation=part.separation,
        wheel_radius=part.radius,
        max_linear_velocity=part.max_linear,
        max_angular_velocity=part.max_angular,
        max_linear_acceleration=part.max_linear_acceleration,
        max_angular_acceleration=part.max_angular_acceleration,
    )
    return element


def _car(part: CarDrive, joints: Mapping[str, str]) -> ET.Element:
    element = _system("AckermannSteering")
    half = len(part.driven) // 2
    for tag, names in (
        ("left_joint", part.driven[:half]),
        ("right_joint", part.driven[half:]),
        ("left_steering_joint", part.steering[:1]),
        ("right_steering_joint", part.steering[1:]),
    ):
        for name in names:
            add(element, tag, joints[name])
    _add_numbers(
        element,
        wheel_base=part.wheelbase,
        kingpin_width=part.pivot_separation,
        wheel_separation=part.track,
        wheel_radius=part.radius,
        steering_limit=part.max_steering,
        max_velocity=part.max_speed,
        max_acceleration=part.max_acceleration,
    )
    return element


def _rotor(part: Rotor, joints: Mapping[str, str]) -> ET.Element:
    element = _system("MulticopterMotorModel")
    add(element, "jointName", joints[part.joint])
    add(element, "turningDirection", "cw" if part.is_clockwise else "ccw")
    _add_numbers(
        element,
        motorConstant=part.thrust_constant,
        momentConstant=part.drag,
        maxRotVelocity=part.max_speed,
    )
    return element


def _flight(part: FlightLimits, joints: Mapping[str, str]) -> ET.Element:  # noqa: ARG001 - as the other parts
    element = _system("MulticopterVelocityControl")
    if part.max_linear is not None:
        add(element, "maximumLinearVelocity", (part.max_linear,) * 3)
    if part.max_angular is not None:
        add(element, "maximumAngularVelocity", (part.max_angular,) * 3)
    return element


def _servo(part: JointServo, joints: Mapping[str, str]) -> ET.Element:
    system = "JointPositionController" if part.mode == "position" else "JointController"
    element = _system(system)
    add(element, "joint_name", joints[part.joint])
    return element


_WRITERS: dict[type, Callable[..., ET.Element]] = {
    WheelDrive: _wheels,
    CarDrive: _car,
    Rotor: _rotor,
    FlightLimits: _flight,
    JointServo: _servo,
}


def _odometry(
    sensor: SdfSensor,
    links: Mapping[str, str],
    joints: Mapping[str, str],  # noqa: ARG001 - as the others
) -> ET.Element:
    element = _system("OdometryPublisher")
    add(element, "odom_publish_frequency", float(sensor.rate))
    add(element, "robot_base_frame", links.get(sensor.link, sensor.link))
    return element


def _joint_state(
    sensor: SdfSensor,
    links: Mapping[str, str],  # noqa: ARG001 - as the others
    joints: Mapping[str, str],
) -> ET.Element:
    element = _system("JointStatePublisher")
    names = sensor.parameters.get("joint_name", ())
    for name in (names,) if isinstance(names, str) else names if isinstance(names, tuple) else ():
        add(element, "joint_name", joints.get(str(name), str(name)))
    add(element, "update_rate", float(sensor.rate))
    return element


def _truth(
    sensor: SdfSensor,
    links: Mapping[str, str],
    joints: Mapping[str, str],  # noqa: ARG001 - as the others
) -> ET.Element:
    element = ET.Element("plugin", filename="libgazebo_ros_p3d.so", name=sensor.name)
    add(element, "bodyName", links.get(sensor.link, sensor.link))
    topic = sensor.parameters.get("topic")
    if isinstance(topic, str):
        add(element, "topicName", topic)
    if sensor.rate:
        add(element, "updateRate", float(sensor.rate))
    add(element, "xyzOffset", sensor.T_link_sensor.translation)
    add(element, "rpyOffset", sensor.T_link_sensor.to_euler())
    return element


_SENSORS: dict[str, Callable[[SdfSensor, Mapping[str, str], Mapping[str, str]], ET.Element]] = {
    "odometry": _odometry,
    "joint_state": _joint_state,
    "ground_truth": _truth,
}


def _add_numbers(element: ET.Element, **values: float | None) -> None:
    for tag, value in values.items():
        if value is not None:
            add(element, tag, float(value))


def _add_value(parent: ET.Element, tag: str, value: SdfValue) -> None:
    """The way back from `plain_value`."""
    if tag.startswith("@"):
        parent.set(tag[1:], text_of(value))
    elif tag == "text":
        parent.text = text_of(value)
    elif isinstance(value, list):
        for each in value:
            _add_value(parent, tag, each)
    elif isinstance(value, dict):
        child = add(parent, tag)
        for name, inner in value.items():
            _add_value(child, name, inner)
    else:
        add(parent, tag, value)
