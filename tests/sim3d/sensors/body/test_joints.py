"""Encoders and joint states against what the joints do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from horus_sim.errors import CommandError, SceneError
from horus_sim.robots import load_robot
from horus_sim.robots.description import (
    Inertial,
    Joint,
    JointLimit,
    JointType,
    Link,
    RobotDescription,
)
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors import EncoderConfig, JointStateConfig, NoiseConfig
from horus_sim.tf import Transform

BURGER = "turtlebot3_burger"
LEFT = f"{BURGER}/wheel_left_link"


@pytest.fixture
def burger() -> World:
    return World.from_robot(load_robot(BURGER), ground=True)


def test_ticks_are_the_travel_of_the_wheel(burger):
    encoder = EncoderConfig(mount=LEFT, ticks_per_revolution=1000).build(burger)
    assert encoder.joint == "wheel_left_joint"
    robot = burger.robots[BURGER]
    for i in range(960):
        if i % 20 == 0:
            robot.command(linear=0.2)
        burger.step()
    message = encoder.measure()
    radius = robot.control.drive.config.wheel_radius  # type: ignore[union-attr]
    travelled = float(robot.pose.translation[0])
    assert travelled > 0.6
    # A tick is 0.2 mm of travel; the wheel slips a little while it speeds up.
    assert message.ticks * 2 * math.pi * radius / 1000 == pytest.approx(travelled, abs=3e-3)
    angle = robot.joint_positions()[robot.joint_index("wheel_left_joint")]
    assert message.ticks == round(angle / (2 * math.pi) * 1000)
    assert message.velocity == pytest.approx(0.2 / radius, rel=0.01)
    assert message.frame_id == f"{BURGER}/encoder"


@pytest.mark.parametrize("resolution", [1, 360, 2**20])
def test_a_tick_is_never_farther_than_half_a_step(burger, resolution):
    encoder = EncoderConfig(mount=LEFT, ticks_per_revolution=resolution).build(burger)
    most = math.pi / resolution * (1 + 1e-6) + 1e-9
    for angle in np.random.default_rng(0).normal(0.0, 1e4, 100).tolist():
        burger.robots[BURGER].set_joint_positions({"wheel_left_joint": angle})
        assert abs(encoder.measure().ticks * 2 * math.pi / resolution - angle) <= most


def test_counts_do_not_wrap_and_go_backward(burger):
    encoder = EncoderConfig(mount=LEFT, ticks_per_revolution=16).build(burger)
    for turns in (0, 3, -3, 1000, -100_000):
        burger.robots[BURGER].set_joint_positions({"wheel_left_joint": turns * 2 * math.pi})
        assert encoder.measure().ticks == 16 * turns


def test_a_reversed_encoder_and_a_named_joint(burger):
    burger.robots[BURGER].set_joint_positions({"wheel_right_joint": math.pi})
    config = EncoderConfig(mount=BURGER, joint="wheel_right_joint", ticks_per_revolution=100)
    assert config.build(burger).measure().ticks == 50
    other = config.model_copy(update={"is_reversed": True, "name": "reversed"})
    assert other.build(burger).measure().ticks == -50


def test_noise_is_counted_too(burger):
    encoder = EncoderConfig(
        mount=LEFT,
        ticks_per_revolution=3600,
        noise=NoiseConfig(std=math.radians(5.0)),
        velocity_noise=NoiseConfig(std=0.5),
    ).build(burger)
    ticks, speeds = [], []
    for seed in range(1000):
        encoder.reset(seed)
        message = encoder.read()
        ticks.append(message.ticks)
        speeds.append(message.velocity)
    assert np.std(ticks) == pytest.approx(50.0, rel=5 / math.sqrt(2000))
    assert np.std(speeds) == pytest.approx(0.5, rel=5 / math.sqrt(2000))


def test_what_has_no_joint_is_refused(burger):
    with pytest.raises(SceneError, match="the root of robot 'turtlebot3_burger', which no joint"):
        EncoderConfig(mount=BURGER).build(burger)
    with pytest.raises(SceneError, match="its mount 'ground' is not a robot; mount it on a robot"):
        EncoderConfig(mount="ground", name="e").build(burger)
    with pytest.raises(CommandError, match="no joint 'wheel_left'; did you mean"):
        EncoderConfig(mount=BURGER, joint="wheel_left", name="f").build(burger)


def lift() -> World:
    mass = Inertial(2.0, Transform(), (0.1, 0.1, 0.1, 0, 0, 0))
    joint = Joint(
        "slide",
        JointType.PRISMATIC,
        "post",
        "tray",
        Transform((0, 0, 1)),
        (0, 0, 1),
        limit=JointLimit(-1.0, 1.0, 500.0, 2.0),
    )
    robot = RobotDescription("lift", (Link("post", mass), Link("tray", mass)), (joint,), "post")
    return World.from_robot(robot, base="fixed")


def test_a_sliding_joint_counts_metres():
    world = lift()
    world.robots["lift"].set_joint_positions({"slide": 0.25})
    encoder = EncoderConfig(mount="lift/tray", ticks_per_revolution=1000).build(world)
    assert encoder.measure().ticks == 250


def test_joint_states_are_those_of_the_robot():
    world = lift()
    sensor = JointStateConfig(mount="lift").build(world)
    world.robots["lift"].command({"slide": 0.3})
    world.step(1000)
    message = sensor.measure()
    assert message.names == ("slide",)
    np.testing.assert_allclose(message.positions, 0.3, atol=0.05)
    # The drive holds two kilograms against gravity.
    assert message.efforts is not None
    np.testing.assert_allclose(message.efforts, 2 * 9.81, rtol=1e-3)
    np.testing.assert_array_equal(message.velocities, world.robots["lift"].joint_velocities())


def test_chosen_joints_in_their_order(burger):
    names = ("wheel_right_joint", "wheel_left_joint")
    sensor = JointStateConfig(mount=BURGER, joints=names).build(burger)
    burger.robots[BURGER].set_joint_positions({"wheel_right_joint": 1.0, "wheel_left_joint": 2.0})
    message = sensor.measure()
    assert message.names == names
    np.testing.assert_array_equal(message.positions, (1.0, 2.0))
    with pytest.raises(CommandError, match="no joint 'wheel'"):
        JointStateConfig(mount=BURGER, name="b", joints=("wheel",)).build(burger)


def test_joint_noise_by_channel(burger):
    sensor = JointStateConfig(
        mount=BURGER,
        position_noise=NoiseConfig(std=0.01, bias_std=(0.0, 1.0)),
        velocity_noise=NoiseConfig(resolution=0.5),
        effort_noise=NoiseConfig(offset=3.0),
    ).build(burger)
    found = []
    for seed in range(500):
        sensor.reset(seed)
        found.append(sensor.read())
    positions = np.array([message.positions for message in found])
    bound = 5 / math.sqrt(1000)
    np.testing.assert_allclose(positions.std(axis=0), (0.01, math.hypot(1, 0.01)), rtol=bound)
    np.testing.assert_array_equal(found[0].velocities, 0.0)
    efforts, ideal = found[0].efforts, sensor.measure().efforts
    assert ideal is not None
    np.testing.assert_allclose(efforts, ideal + 3.0)
