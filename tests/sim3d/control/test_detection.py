"""What kind of robot it is, found by how it is built."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from horus_sim.robots.description import JointLimit, JointType, RobotDescription
from horus_sim.robots.robot import load_robot
from horus_sim.sim3d.control import (
    AckermannConfig,
    DifferentialDriveConfig,
    QuadrotorConfig,
    detect_drive,
    detect_gripper,
)

# Wheel radius and separation [m] that the manufacturers state.
DIFFERENTIAL = {
    "turtlebot3_burger": (0.033, 0.160),
    "turtlebot3_waffle": (0.033, 0.288),
    "create3": (0.03575, 0.233),
    "jackal": (0.098, 0.37559),
    "tiago": (0.0985, 0.4044),
    "r2d2_tutorial": (0.035, 0.44),
}
GRIPPERS = {"open_manipulator_x", "tiago"}


@pytest.fixture(scope="module")
def corpus(shared_data: Callable[[str], Path]) -> dict[str, RobotDescription]:
    folder = shared_data("robots/urdf")
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return {
        entry["name"]: load_robot(
            folder / entry["urdf"],
            package_roots=[folder / root for root in entry["package_roots"]],
            allow_missing=True,
        ).description
        for entry in entries
    }


def test_wheeled_robots_of_the_corpus(corpus: dict[str, RobotDescription]):
    found = {name: detect_drive(robot) for name, robot in corpus.items()}
    assert {name for name, drive in found.items() if drive is not None} == set(DIFFERENTIAL)
    for name, (radius, separation) in DIFFERENTIAL.items():
        drive = found[name]
        assert isinstance(drive, DifferentialDriveConfig)
        assert drive.wheel_radius == pytest.approx(radius, abs=1e-6)
        assert drive.wheel_separation == pytest.approx(separation, abs=1e-6)
        assert all("left" in joint for joint in drive.left_joints)
        assert all("right" in joint for joint in drive.right_joints)


def test_grippers_of_the_corpus(corpus: dict[str, RobotDescription]):
    found = {name for name, robot in corpus.items() if detect_gripper(robot) is not None}
    assert found == GRIPPERS


@pytest.mark.parametrize(
    ("robot", "kind"),
    [
        ("turtlebot3_burger", DifferentialDriveConfig),
        ("turtlebot3_waffle", DifferentialDriveConfig),
        ("racecar", AckermannConfig),
        ("quadrotor", QuadrotorConfig),
        ("arm6", type(None)),
        ("panda7", type(None)),
        ("quadruped", type(None)),
    ],
)
def test_shipped_robots(robot: str, kind: type):
    assert isinstance(detect_drive(load_robot(robot).description), kind)


def test_the_race_car_is_measured():
    car = detect_drive(load_robot("racecar").description)
    assert isinstance(car, AckermannConfig)
    assert car.steering_joints == ("left_steering_joint", "right_steering_joint")
    assert car.front_joints == ("left_front_wheel_joint", "right_front_wheel_joint")
    assert car.rear_joints == ("left_rear_wheel_joint", "right_rear_wheel_joint")
    assert car.wheelbase == pytest.approx(0.3302)
    assert car.front_track == car.rear_track == pytest.approx(0.265)
    assert car.pivot_separation == pytest.approx(0.205)


def test_rotors_are_sorted_counter_clockwise():
    craft = detect_drive(load_robot("quadrotor").description)
    assert isinstance(craft, QuadrotorConfig)
    assert craft.rotor_joints == tuple(f"rotor_{index}_joint" for index in range(4))


def changed(robot: str, joint: str, **changes: object) -> RobotDescription:
    description = load_robot(robot).description
    joints = tuple(
        replace(each, **changes) if each.name == joint else each for each in description.joints
    )
    return replace(description, joints=joints)


def test_an_axis_to_the_right_is_reversed():
    robot = changed("turtlebot3_burger", "wheel_left_joint", axis=(0.0, 0.0, -1.0))
    drive = detect_drive(robot)
    assert isinstance(drive, DifferentialDriveConfig)
    assert drive.reversed_joints == ("wheel_left_joint",)


def test_one_wheel_is_no_drive():
    robot = changed("turtlebot3_burger", "wheel_left_joint", kind=JointType.FIXED)
    assert detect_drive(robot) is None


def test_a_swivelling_caster_is_no_steering():
    robot = load_robot("racecar").description
    joints = tuple(
        replace(joint, kind=JointType.CONTINUOUS, limit=JointLimit())
        if "steering" in joint.name
        else joint
        for joint in robot.joints
    )
    drive = detect_drive(replace(robot, joints=joints))
    assert isinstance(drive, DifferentialDriveConfig)
    assert drive.joints == ("left_rear_wheel_joint", "right_rear_wheel_joint")


@pytest.mark.parametrize(
    ("robot", "joint"), [("arm6", "left_finger_joint"), ("panda7", "panda_finger_joint1")]
)
def test_the_leading_finger_is_found(robot: str, joint: str):
    gripper = detect_gripper(load_robot(robot).description)
    assert gripper is not None
    assert (gripper.joints, gripper.fingers, gripper.opens_upward) == ((joint,), 2, True)


def test_fingers_that_slide_the_same_way_do_not_grip():
    robot = changed("panda7", "panda_finger_joint2", axis=(0.0, 1.0, 0.0))
    assert detect_gripper(robot) is None
