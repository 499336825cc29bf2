"""Plugins that move robots, as drives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from horus_sim.robots.gazebo.parts import (
    CarDrive,
    DrivePart,
    FlightLimits,
    JointServo,
    Rotor,
    WheelDrive,
)
from horus_sim.robots.gazebo.plugin import Plugin


def drives_of(plugin: Plugin) -> tuple[DrivePart, ...]:
    """What a plugin drives; empty for one that is no drive.

    Raises:
        DescriptionError: It names no joints, or a number is wrong.
    """
    read = _READERS.get(plugin.kind)
    return () if read is None else read(plugin)


def _wheels(plugin: Plugin) -> tuple[DrivePart, ...]:
    left = plugin.texts("left_joint", "leftJoint", "leftFrontJoint", "leftRearJoint")
    right = plugin.texts("right_joint", "rightJoint", "rightFrontJoint", "rightRearJoint")
    if not left or not right:
        side = "left" if not left else "right"
        raise plugin.element.error(f"{plugin.title}: names no {side} wheel; add <{side}_joint>")
    is_system = plugin.kind == "diff_drive"
    radius, separation = _radius(plugin), plugin.positive("wheel_separation", "wheelSeparation")
    if is_system:
        # What the system takes where the file says nothing.
        radius, separation = radius or 0.2, separation or 1.0
    linear = plugin.positive("max_linear_acceleration", "max_acceleration")
    angular = plugin.positive("max_angular_acceleration", "max_acceleration")
    rim = plugin.positive("max_wheel_acceleration", "wheelAcceleration")
    if rim is not None and separation is not None:
        # The plugins limit the acceleration of the rim [m/s^2], whatever their tag says.
        linear, angular = linear or rim, angular or 2.0 * rim / separation
    return (
        WheelDrive(
            left,
            right,
            separation,
            radius,
            plugin.positive("max_linear_velocity", "max_velocity"),
            plugin.positive("max_angular_velocity", "max_velocity"),
            linear,
            angular,
        ),
    )


def _car(plugin: Plugin) -> tuple[DrivePart, ...]:
    left = plugin.text("left_steering_joint", "leftSteeringJoint")
    right = plugin.text("right_steering_joint", "rightSteeringJoint")
    if not left or not right:
        side = "left" if not left else "right"
        raise plugin.element.error(
            f"{plugin.title}: names no {side} knuckle; add <{side}_steering_joint>"
        )
    # The classic plugin drives the rear wheels; the system drives those that it is given.
    driven = plugin.texts("left_joint", "right_joint", "rear_left_joint", "rear_right_joint")
    return (
        CarDrive(
            driven,
            (left, right),
            plugin.positive("wheel_base"),
            plugin.positive("kingpin_width"),
            plugin.positive("wheel_separation"),
            _radius(plugin),
            plugin.positive("steering_limit", "max_steer"),
            plugin.positive("max_speed", "max_velocity"),
            plugin.positive("max_acceleration"),
        ),
    )


def _radius(plugin: Plugin) -> float | None:
    radius = plugin.positive("wheel_radius", "wheelRadius")
    diameter = plugin.positive("wheel_diameter", "wheelDiameter")
    return radius if radius is not None or diameter is None else 0.5 * diameter


def _rotor(plugin: Plugin) -> tuple[DrivePart, ...]:
    joint, turning = plugin.text("jointName"), plugin.text("turningDirection").lower()
    if not joint:
        raise plugin.element.error(f"{plugin.title}: names no joint; add <jointName>")
    if turning not in ("cw", "ccw", "1", "-1"):
        raise plugin.element.error(
            f"{plugin.title}: <turningDirection> = {turning!r:.40}; give 'cw' or 'ccw'"
        )
    return (
        Rotor(
            joint,
            turning in ("cw", "-1"),
            plugin.positive("motorConstant"),
            plugin.positive("momentConstant"),
            plugin.positive("maxRotVelocity"),
        ),
    )


def _flight(plugin: Plugin) -> tuple[DrivePart, ...]:
    linear = [abs(value) for value in plugin.vector("maximumLinearVelocity") if value]
    angular = abs(plugin.vector("maximumAngularVelocity")[2])
    return (FlightLimits(min(linear, default=None), angular or None),)


def _servo(mode: Literal["position", "velocity"]) -> Callable[[Plugin], tuple[DrivePart, ...]]:
    def read(plugin: Plugin) -> tuple[DrivePart, ...]:
        joints = plugin.texts("joint_name", "jointName", "joint")
        if not joints:
            raise plugin.element.error(f"{plugin.title}: names no joint; add <joint_name>")
        return tuple(JointServo(joint, mode) for joint in joints)

    return read


_READERS: dict[str, Callable[[Plugin], tuple[DrivePart, ...]]] = {
    **dict.fromkeys(
        ("diff_drive", "gazebo_ros_diff_drive", "gazebo_ros_skid_steer_drive"), _wheels
    ),
    **dict.fromkeys(("ackermann_steering", "gazebo_ros_ackermann_drive"), _car),
    **dict.fromkeys(
        ("multicopter_motor_model", "gazebo_motor_model", "rotors_gazebo_motor_model"), _rotor
    ),
    **dict.fromkeys(("multicopter_control", "multicopter_velocity_control"), _flight),
    "joint_controller": _servo("velocity"),
    "joint_position_controller": _servo("position"),
    "joint_trajectory_controller": _servo("position"),
}


def says(parts: tuple[DrivePart, ...]) -> str:
    """What plugins become, for remarks."""
    names = ", ".join(f"'{name}'" for part in parts for name in part.joints)
    match parts[0]:
        case WheelDrive():
            return f"becomes a differential drive on {names}"
        case CarDrive():
            return f"becomes a car's drive with the knuckles {names}"
        case Rotor():
            return f"becomes the rotor of {names}"
        case FlightLimits():
            return "becomes the control of the quadrotor"
        case JointServo(mode=mode):
            return f"becomes the {mode} control of {names}; our own gains hold"
