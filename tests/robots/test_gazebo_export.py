"""Sensors and drives go to URDF and SDF as Gazebo's tags, and come back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from horus_sim.robots import load_robot
from horus_sim.robots.description import Inertial, Joint, JointType, Link, RobotDescription
from horus_sim.robots.gazebo.parts import (
    CarDrive,
    DrivePart,
    FlightLimits,
    JointServo,
    Rotor,
    SdfSensor,
    WheelDrive,
)
from horus_sim.robots.sdf.reading import load_sdf
from horus_sim.robots.sdf.writing.robot import write_sdf
from horus_sim.robots.urdf.writing import write_urdf
from horus_sim.tf import Transform

T = Transform.from_euler((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
HOME = Transform.identity()
BODY = Inertial(1.0, HOME, (1, 1, 1, 0, 0, 0))
JOINTS = ("a", "b", "c", "d")


def robot(
    sensors: tuple[SdfSensor, ...] = (), drives: tuple[DrivePart, ...] = ()
) -> RobotDescription:
    links = (Link("base", BODY), *(Link(f"{name}_link", BODY) for name in JOINTS))
    joints = tuple(Joint(name, JointType.CONTINUOUS, "base", f"{name}_link", T) for name in JOINTS)
    return RobotDescription("r", links, joints, "base", sensors=sensors, drives=drives)


def again(description: RobotDescription, folder: Path, suffix: str) -> RobotDescription:
    path = folder / f"r.{suffix}"
    if suffix == "urdf":
        write_urdf(description, path)
        return load_robot(path).description
    write_sdf(description, path)
    (model,) = load_sdf(path).models
    return model.trees[0]


SENSORS = (
    SdfSensor("a_link", "eye", "camera", T, 30.0, {"camera": {"horizontal_fov": 1.25}}),
    SdfSensor(
        "base",
        "scan",
        "gpu_lidar",
        HOME,
        0.0,
        {
            "topic": "scan",
            "always_on": True,
            "lidar": {"range": {"min": 0.5, "max": 12.0}, "noise": {"@type": "gaussian"}},
        },
    ),
    SdfSensor("b_link", "imu", "imu", T, 100.0, {"frame_id": "here"}),
    SdfSensor("base", "near", "range", T, 10.0, {"ray": {"range": {"max": 2.0}}}),
    SdfSensor("a_link", "force", "force_torque", T, 0.0, {}, "a"),
    SdfSensor("base", "odometry", "odometry", HOME, 20.0, {"source": "truth", "topic": "odom"}),
    SdfSensor("c_link", "ground_truth", "ground_truth", T, 5.0, {"topic": "truth"}),
    SdfSensor(
        "base",
        "joint_states",
        "joint_state",
        HOME,
        25.0,
        {"joint_name": ("a", "b"), "topic": "joint_states"},  # pyright: ignore[reportArgumentType]
    ),
)


@pytest.mark.parametrize("suffix", ["urdf", "sdf"])
def test_sensors(tmp_path: Path, suffix: str):
    found = {sensor.name: sensor for sensor in again(robot(SENSORS), tmp_path, suffix).sensors}
    assert len(found) == len(SENSORS)
    for sensor in SENSORS:
        other = found[sensor.name]
        assert replace(other, T_link_sensor=sensor.T_link_sensor) == sensor
        np.testing.assert_allclose(
            other.T_link_sensor.to_matrix(), sensor.T_link_sensor.to_matrix(), atol=1e-12
        )


WHEELS = WheelDrive(("a", "b"), ("c", "d"), 0.5, 0.1, 1.0, 2.0, 3.0, 4.0)


@pytest.mark.parametrize("suffix", ["urdf", "sdf"])
@pytest.mark.parametrize(
    "drives",
    [
        (WHEELS,),
        (WheelDrive(("a",), ("c",)),),
        (CarDrive(("a", "b"), ("c", "d"), 1.0, 0.5, 0.6, 0.1, 0.4, 5.0, 6.0),),
        (CarDrive((), ("c", "d")),),
        (Rotor("a", True, 1e-5, 0.02, 800.0), Rotor("b", False), FlightLimits(2.0, 1.5)),
        (JointServo("a", "position"), JointServo("b", "velocity")),
    ],
)
def test_drives(tmp_path: Path, suffix: str, drives: tuple[DrivePart, ...]):
    found = again(robot(drives=drives), tmp_path, suffix)
    assert found.drives == drives


@pytest.mark.parametrize("suffix", ["urdf", "sdf"])
def test_odometry_of_wheels_is_that_of_their_drive(tmp_path: Path, suffix: str):
    said = {"source": "wheels", "topic": "odom"}
    odometry = SdfSensor("base", "odometry", "odometry", HOME, 20.0, dict(said))
    found = again(robot((odometry,), (WHEELS,)), tmp_path, suffix)
    assert found.sensors == (odometry,)
    assert found.drives == (WHEELS,)
