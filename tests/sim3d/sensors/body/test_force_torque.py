"""Force and torque against known loads."""

from __future__ import annotations

import math

import numpy as np
import pytest

from horus_sim.errors import SceneError
from horus_sim.robots import load_robot
from horus_sim.robots.description import Inertial, Joint, JointType, Link, RobotDescription
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors import ForceTorqueConfig, NoiseConfig
from horus_sim.tf import Transform

from ..poses import posed

G = 9.81


def mass(kilograms: float, *centre: float) -> Inertial:
    moment = 0.01 * kilograms
    return Inertial(kilograms, Transform(centre or (0, 0, 0)), (moment, moment, moment, 0, 0, 0))


def crane(base: str = "fixed") -> World:
    """A turning post, on it a beam, at its end a fixed load 0.5 m out and 0.2 m below."""
    robot = RobotDescription(
        "crane",
        (Link("base", mass(5.0)), Link("beam", mass(2.0, 0.25, 0, 0)), Link("load", mass(3.0))),
        (
            Joint("turn", JointType.CONTINUOUS, "base", "beam", Transform((0, 0, 1)), (0, 0, 1)),
            Joint("weld", JointType.FIXED, "beam", "load", Transform((0.5, 0, -0.2))),
        ),
        "base",
    )
    return World.from_robot(robot, base=base, hold=False)  # type: ignore[arg-type]


@pytest.mark.parametrize("steps", [0, 20])
def test_a_hanging_load_pulls_down(steps):
    world = crane()
    sensor = ForceTorqueConfig(mount="crane/load").build(world)
    world.step(steps)
    message = sensor.measure()
    np.testing.assert_allclose(message.force, (0, 0, -3 * G), atol=1e-9)
    np.testing.assert_allclose(message.torque, 0, atol=1e-9)
    assert message.frame_id == "crane/force_torque"


def test_the_joint_of_the_beam_carries_both_with_their_levers():
    world = crane()
    sensor = ForceTorqueConfig(mount="crane/beam").build(world)
    world.step(5)
    message = sensor.measure()
    np.testing.assert_allclose(message.force, (0, 0, -5 * G), atol=1e-9)
    # Weight at x gives a torque about +y when it pulls down: r x F = (x, 0, 0) x (0, 0, -F).
    torque = G * (2 * 0.25 + 3 * 0.5)
    np.testing.assert_allclose(message.torque, (0, torque, 0), atol=1e-9)


def test_the_other_direction_and_a_named_joint():
    world = crane()
    config = ForceTorqueConfig(mount="crane/base", joint="turn", direction="parent_to_child")
    message = config.build(world).measure()
    np.testing.assert_allclose(message.force, (0, 0, 5 * G), atol=1e-9)
    # About the origin of the base, one metre below the joint: the lever to the side is the same.
    np.testing.assert_allclose(message.torque, (0, -G * 2.0, 0), atol=1e-9)


def test_the_root_of_a_robot_that_the_world_holds():
    message = ForceTorqueConfig(mount="crane").build(crane()).measure()
    np.testing.assert_allclose(message.force, (0, 0, -10 * G), atol=1e-9)


def test_a_turned_sensor_away_from_the_joint():
    world = crane()
    # Its z axis looks along the beam, its origin is 0.1 m before the load's centre.
    config = ForceTorqueConfig(
        mount="crane/load",
        **posed(xyz=(-0.1, 0, 0), rpy=(0, math.pi / 2, 0)),
        name="turned",
    )
    message = config.build(world).measure()
    # Down is along the sensor's x axis.
    np.testing.assert_allclose(message.force, (3 * G, 0, 0), atol=1e-9)
    np.testing.assert_allclose(message.torque, (0, 0.1 * 3 * G, 0), atol=1e-9)


def test_a_turning_crane_feels_the_centrifugal_force():
    world = crane()
    world.robots["crane"].set_joint_velocities({"turn": 2.0})
    sensor = ForceTorqueConfig(mount="crane/load").build(world)
    for _ in range(3):
        message = sensor.measure()
        # The load pulls outward: m w^2 r.
        np.testing.assert_allclose(message.force, (3 * 4 * 0.5, 0, -3 * G), atol=1e-8)
        world.step(10)


def test_a_force_from_outside_is_felt():
    world = crane()
    sensor = ForceTorqueConfig(mount="crane/load").build(world)
    # Force along x and z at the centre of mass, and a torque about y.
    world.data.xfrc_applied[world.robots["crane"].body_id("load"), :] = (7, 0, -2, 0, 0.6, 0)
    world.step()
    message = sensor.measure()
    np.testing.assert_allclose(message.force, (7, 0, -3 * G - 2), atol=1e-9)
    np.testing.assert_allclose(message.torque, (0, 0.6, 0), atol=1e-9)


def test_a_falling_robot_feels_nothing():
    world = crane("floating")
    sensor = ForceTorqueConfig(mount="crane/load").build(world)
    world.step(30)
    message = sensor.measure()
    np.testing.assert_allclose(message.force, 0, atol=1e-9)
    np.testing.assert_allclose(message.torque, 0, atol=1e-9)
    with pytest.raises(SceneError, match="the root of robot 'crane', which no joint moves"):
        ForceTorqueConfig(mount="crane", name="root").build(world)


def test_wheels_carry_the_robot():
    world = World.from_robot(load_robot("turtlebot3_burger"), ground=True)
    robot = world.robots["turtlebot3_burger"]
    names = ("wheel_left_link", "wheel_right_link")
    sensors = [
        ForceTorqueConfig(mount=f"turtlebot3_burger/{name}", name=name).build(world)
        for name in names
    ]
    world.step(480)
    total = np.zeros(3)
    for sensor in sensors:
        total += sensor.T_world_sensor.transform_vector(sensor.measure().force)
    masses = world.model.body_mass
    wheels = sum(float(masses[robot.body_id(name)]) for name in names)
    # The wheels push the robot up with all of its weight but their own, less what the caster bears.
    caster = sum(
        contact.force[2]
        for contact in world.contacts
        if not any("wheel" in body for body in contact.bodies)
    )
    expected = (float(masses.sum()) - wheels) * G - abs(caster)
    np.testing.assert_allclose(total, (0, 0, expected), atol=1e-6)


def test_wrong_joints_and_noise():
    world = crane()
    with pytest.raises(SceneError, match="no joint 'weldd'; did you mean 'weld'"):
        ForceTorqueConfig(mount="crane", joint="weldd").build(world)
    sensor = ForceTorqueConfig(
        mount="crane/load", force_noise=NoiseConfig(offset=(1, 2, 3)), name="noisy"
    ).build(world)
    np.testing.assert_allclose(sensor.read().force, (1, 2, 3 - 3 * G), atol=1e-9)
