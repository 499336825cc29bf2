"""What kind of robot is this? Wheels, steering, rotors and fingers, found by how it is built.

A drive that the file describes comes first. Else no name is looked at: a wheel is something round
that turns without end about a level axis and reaches the ground.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from horus_sim.robots.description import JointType, RobotDescription
from horus_sim.sim3d.control.ackermann import AckermannConfig
from horus_sim.sim3d.control.described_drive import DriveConfig, described_drive
from horus_sim.sim3d.control.differential_drive import DifferentialDriveConfig
from horus_sim.sim3d.control.gripper import GripperConfig
from horus_sim.sim3d.control.legged_drive import detect_legs
from horus_sim.sim3d.control.quadrotor import QuadrotorConfig
from horus_sim.sim3d.control.structure import PlacedJoint, Structure, turns_freely

_SKEW = 0.2  # [rad]; how far rotors may be from right angles


@dataclass(frozen=True, slots=True)
class _Wheel:
    placed: PlacedJoint
    radius: float
    steering: PlacedJoint | None

    @property
    def bottom(self) -> float:
        return self.placed.position[2] - self.radius

    @property
    def is_reversed(self) -> bool:
        return self.placed.axis[1] < 0.0


def detect_drive(description: RobotDescription) -> DriveConfig | None:
    """How a robot moves from place to place: as its file says, else as it is built.

    Args:
        description: The robot.

    Returns:
        A configuration to build or to change with `model_copy`, or None for a robot that has
        neither wheels to drive with, nor rotors, nor legs that a gait is offered for.
    """
    structure = Structure(description)
    built = _built_drive(structure)
    return described_drive(description, structure, built) or built or detect_legs(description)


def _built_drive(structure: Structure) -> DriveConfig | None:
    wheels = _wheels(structure)
    steered = [wheel for wheel in wheels if wheel.steering is not None]
    fixed = [wheel for wheel in wheels if wheel.steering is None]
    left, right = _sides(fixed)
    if left and right and len(steered) >= 2:
        return _ackermann(steered, fixed)
    if left and right and len(left) == len(right):
        return _differential(left, right)
    return _quadrotor(structure) if not wheels else None


def detect_gripper(description: RobotDescription) -> GripperConfig | None:
    """Two fingers that slide towards each other, one of which may follow the other.

    Returns:
        A configuration of the first such pair, or None.
    """
    sliding = [
        placed
        for placed in Structure(description).joints.values()
        if placed.joint.kind is JointType.PRISMATIC
    ]
    for index, first in enumerate(sliding):
        for second in sliding[index + 1 :]:
            apart = float(np.dot(first.axis, second.axis))
            if first.joint.parent == second.joint.parent and abs(apart) > 0.99:
                config = _fingers(first, second, opposed=apart < 0.0)
                if config is not None:
                    return config
    return None


def _wheels(structure: Structure) -> list[_Wheel]:
    found = []
    for placed in structure.joints.values():
        if not turns_freely(placed.joint) or abs(placed.axis[1]) < 0.95:
            continue
        above = [each for each in structure.movable_above(placed) if not _is_suspension(each)]
        steering = above[0] if above else None
        if steering is not None and (
            abs(steering.axis[2]) < 0.9 or turns_freely(steering.joint) or len(above) > 1
        ):
            continue  # a swivelling caster, or a wheel that hangs from something else
        radius = structure.round_radius(placed)
        if radius is not None:
            found.append(_Wheel(placed, radius, steering))
    if not found:
        return []
    ground = min(wheel.bottom for wheel in found)
    return [wheel for wheel in found if wheel.bottom < ground + 0.25 * wheel.radius]


def _is_suspension(placed: PlacedJoint) -> bool:
    return placed.joint.kind is JointType.PRISMATIC and abs(placed.axis[2]) > 0.9


def _differential(left: list[_Wheel], right: list[_Wheel]) -> DifferentialDriveConfig:
    wheels = left + right
    return DifferentialDriveConfig(
        left_joints=tuple(wheel.placed.name for wheel in left),
        right_joints=tuple(wheel.placed.name for wheel in right),
        wheel_radius=_mean([wheel.radius for wheel in wheels]),
        wheel_separation=_mean([wheel.placed.position[1] for wheel in left])
        - _mean([wheel.placed.position[1] for wheel in right]),
        reversed_joints=tuple(wheel.placed.name for wheel in wheels if wheel.is_reversed),
    )


def _ackermann(steered: list[_Wheel], fixed: list[_Wheel]) -> AckermannConfig | None:
    sides = *_sides(steered), *_sides(fixed)
    if any(len(side) != 1 for side in sides):
        return None
    wheels = front_left, front_right, rear_left, rear_right = [side[0] for side in sides]
    left_pivot, right_pivot = front_left.steering, front_right.steering
    if left_pivot is None or right_pivot is None:
        return None
    axle_x = _mean([rear_left.placed.position[0], rear_right.placed.position[0]])
    return AckermannConfig(
        steering_joints=(left_pivot.name, right_pivot.name),
        front_joints=(front_left.placed.name, front_right.placed.name),
        rear_joints=(rear_left.placed.name, rear_right.placed.name),
        wheel_radius=_mean([wheel.radius for wheel in wheels]),
        wheelbase=_mean([left_pivot.position[0], right_pivot.position[0]]) - axle_x,
        pivot_separation=left_pivot.position[1] - right_pivot.position[1],
        front_track=front_left.placed.position[1] - front_right.placed.position[1],
        rear_track=rear_left.placed.position[1] - rear_right.placed.position[1],
        reversed_joints=tuple(
            [wheel.placed.name for wheel in wheels if wheel.is_reversed]
            + [pivot.name for pivot in (left_pivot, right_pivot) if pivot.axis[2] < 0.0]
        ),
    )


def _sides(wheels: list[_Wheel]) -> tuple[list[_Wheel], list[_Wheel]]:
    """The wheels on the left and those on the right."""
    left = [wheel for wheel in wheels if wheel.placed.position[1] > 0.0]
    right = [wheel for wheel in wheels if wheel.placed.position[1] < 0.0]
    return left, right


def _quadrotor(structure: Structure) -> QuadrotorConfig | None:
    rotors = [
        placed
        for placed in structure.joints.values()
        if turns_freely(placed.joint)
        and abs(placed.axis[2]) > 0.99
        and not structure.movable_above(placed)
        and not structure.has_moving_child(placed.joint.child)
    ]
    if len(rotors) != 4 or len({rotor.joint.parent for rotor in rotors}) != 1:
        return None
    centre_x, centre_y, _ = np.mean([rotor.position for rotor in rotors], axis=0).tolist()

    def angle(rotor: PlacedJoint) -> float:
        x, y, _ = rotor.position
        # A rotor straight ahead counts as the first, whatever its last digit.
        return (math.atan2(y - centre_y, x - centre_x) + 1e-6) % (2.0 * math.pi)

    rotors.sort(key=angle)
    around = np.diff([angle(rotor) for rotor in rotors], append=angle(rotors[0]) + 2.0 * math.pi)
    if np.abs(around - 0.5 * math.pi).max() > _SKEW:
        return None
    first, second, third, fourth = (rotor.name for rotor in rotors)
    return QuadrotorConfig(rotor_joints=(first, second, third, fourth))


def _fingers(first: PlacedJoint, second: PlacedJoint, *, opposed: bool) -> GripperConfig | None:
    mimics = {first.name: first.joint.mimic, second.name: second.joint.mimic}
    joints = []
    for placed, other in ((first, second), (second, first)):
        mimic = mimics[placed.name]
        if mimic is None:
            joints.append(placed)
        elif mimic.joint != other.name or (mimic.multiplier > 0.0) != opposed:
            return None
    if not joints or (len(joints) == 2 and not opposed):
        return None
    limits = [placed.joint.limit for placed in joints]
    if any(limit.lower is None or limit.upper is None for limit in limits):
        return None
    # Positive motion opens when the left finger's axis points away from the right one.
    opens = np.dot(np.subtract(first.position, second.position), first.axis) >= -1e-9
    names = tuple(placed.name for placed in joints)
    return GripperConfig(joints=names, fingers=2, opens_upward=bool(opens))


def _mean(values: list[float]) -> float:
    # Rounded: 0.28700000000000003 is noise from adding frames.
    return round(float(np.mean(values)), 12)
