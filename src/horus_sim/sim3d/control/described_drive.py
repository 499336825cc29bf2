"""The drive that a robot's file describes, as Gazebo's plugins do."""

from __future__ import annotations

import math
from typing import Any

from horus_sim.robots.description import RobotDescription
from horus_sim.robots.gazebo.parts import (
    CarDrive,
    FlightLimits,
    JointServo,
    Rotor,
    WheelDrive,
)
from horus_sim.sim3d.control.ackermann import AckermannConfig
from horus_sim.sim3d.control.differential_drive import DifferentialDriveConfig
from horus_sim.sim3d.control.legged_drive import LeggedDriveConfig
from horus_sim.sim3d.control.quadrotor import QuadrotorConfig
from horus_sim.sim3d.control.structure import PlacedJoint, Structure

DriveConfig = DifferentialDriveConfig | AckermannConfig | QuadrotorConfig | LeggedDriveConfig


def described_drive(
    description: RobotDescription, structure: Structure, found: DriveConfig | None
) -> DriveConfig | None:
    """The drive that the file describes.

    Args:
        description: The robot.
        structure: Its joints at position zero.
        found: The drive that its structure suggests, which says what the file does not.

    Returns:
        The drive, or None where the file describes none, or not enough of one.
    """
    for part in description.drives:
        if isinstance(part, WheelDrive):
            return _differential(part, structure)
        if isinstance(part, CarDrive) and isinstance(found, AckermannConfig):
            return _car(part, found)
    rotors = [part for part in description.drives if isinstance(part, Rotor)]
    if len(rotors) == 4:
        limits = [part for part in description.drives if isinstance(part, FlightLimits)]
        return _quadrotor(rotors, structure, limits[0] if limits else FlightLimits())
    return None


def position_servos(description: RobotDescription) -> frozenset[str]:
    """The joints that the file puts under control of their position."""
    servos = (part for part in description.drives if isinstance(part, JointServo))
    return frozenset(part.joint for part in servos if part.mode == "position")


def _differential(part: WheelDrive, structure: Structure) -> DifferentialDriveConfig | None:
    placed = {joint.name: joint for joint in structure.joints.values()}
    left, right = ([placed[name] for name in side] for side in (part.left, part.right))
    radii = [structure.round_radius(wheel) for wheel in (*left, *right)]
    known = [radius for radius in radii if radius is not None]
    radius = part.radius or (sum(known) / len(known) if known else None)
    separation = part.separation or _mean_y(left) - _mean_y(right)
    if radius is None or separation <= 0.0:
        return None
    given = {
        "max_linear": part.max_linear,
        "max_angular": part.max_angular,
        "max_linear_acceleration": part.max_linear_acceleration,
        "max_angular_acceleration": part.max_angular_acceleration,
    }
    return DifferentialDriveConfig(
        left_joints=part.left,
        right_joints=part.right,
        wheel_radius=radius,
        wheel_separation=separation,
        **_said(given),
    )


def _car(part: CarDrive, found: AckermannConfig) -> AckermannConfig:
    given: dict[str, Any] = {
        "wheel_radius": part.radius,
        "wheelbase": part.wheelbase,
        "pivot_separation": part.pivot_separation,
        "front_track": part.track,
        "rear_track": part.track,
        "max_steering": part.max_steering,
        "max_speed": part.max_speed,
        "max_acceleration": part.max_acceleration,
    }
    if set(part.steering) == set(found.steering_joints) and part.driven:
        front = not set(part.driven).isdisjoint(found.front_joints)
        rear = not set(part.driven).isdisjoint(found.rear_joints)
        if front or rear:
            given["driven"] = "all" if front and rear else "front" if front else "rear"
    return found.model_copy(update=_said(given))


def _quadrotor(
    rotors: list[Rotor], structure: Structure, limits: FlightLimits
) -> QuadrotorConfig | None:
    placed = {joint.name: joint for joint in structure.joints.values()}
    joints = [placed[rotor.joint] for rotor in rotors]
    x, y = (sum(joint.position[axis] for joint in joints) / 4 for axis in (0, 1))
    spins = {rotor.joint: rotor.is_clockwise for rotor in rotors}

    def angle(joint: PlacedJoint) -> float:
        return math.atan2(joint.position[1] - y, joint.position[0] - x)

    around = [joint.name for joint in sorted(joints, key=angle)]
    if not spins[around[0]]:
        around = [*around[1:], around[0]]
    if [spins[name] for name in around] != [True, False, True, False]:
        return None
    first = rotors[0]
    given = {
        "thrust_constant": first.thrust_constant,
        "drag": first.drag,
        "max_rotor_speed": first.max_speed,
        "max_linear": limits.max_linear,
        "max_angular": limits.max_angular,
    }
    one, two, three, four = around
    return QuadrotorConfig(rotor_joints=(one, two, three, four), **_said(given))


def _said(given: dict[str, Any]) -> dict[str, Any]:
    """What the file says; the rest stays as it is by default."""
    return {key: value for key, value in given.items() if value is not None}


def _mean_y(joints: list[PlacedJoint]) -> float:
    return sum(joint.position[1] for joint in joints) / len(joints)
