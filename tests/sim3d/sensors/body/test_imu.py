"""IMU against closed forms: rest, free fall, circles, lever arms, and sums of what it reads."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from horus_sim.robots import load_robot
from horus_sim.robots.description import Inertial, Joint, JointType, Link, RobotDescription
from horus_sim.sim3d import ObjectConfig, PhysicsConfig, Scene, World
from horus_sim.sim3d.sensors import ImuConfig, NoiseConfig
from horus_sim.tf import Transform

from ..poses import posed

G = 9.81
BURGER = "turtlebot3_burger"


def turntable(axis: tuple[float, float, float] = (0, 0, 1)) -> World:
    """A light arm on a vertical axis, without gravity's influence on its motion."""
    mass = Inertial(1.0, Transform(), (0.1, 0.1, 0.1, 0, 0, 0))
    robot = RobotDescription(
        "table",
        (Link("post", mass), Link("arm", mass)),
        (Joint("spin", JointType.CONTINUOUS, "post", "arm", Transform((0, 0, 1)), axis),),
        "post",
    )
    return World.from_robot(robot, base="fixed", hold=False)


def ball(**options: object) -> World:
    data = {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "dynamic": True, **options}
    return World.load(Scene(objects=(ObjectConfig.model_validate(data),)))


def test_at_rest_it_reads_gravity_upward():
    world = World.from_robot(load_robot(BURGER), ground=True)
    imu = ImuConfig(mount=f"{BURGER}/imu_link").build(world)
    world.step(480)
    message = imu.measure()
    np.testing.assert_allclose(message.linear_acceleration, (0, 0, G), atol=2e-2)
    assert math.hypot(*message.linear_acceleration) == pytest.approx(G, abs=1e-7)
    np.testing.assert_allclose(message.angular_velocity, 0, atol=1e-7)


@pytest.mark.parametrize("rpy", [(0, 0, 0), (math.pi, 0, 0), (0.3, -0.7, 2.0)])
def test_a_tilted_sensor_reads_gravity_in_its_own_axes(rpy):
    imu = ImuConfig(mount="world", **posed(rpy=rpy)).build(turntable())
    expected = Rotation.from_euler("xyz", rpy).inv().apply((0, 0, G))
    message = imu.measure()
    np.testing.assert_allclose(message.linear_acceleration, expected, atol=1e-12)
    q = message.orientation
    assert q is not None
    R = Rotation.from_quat(q)
    np.testing.assert_allclose(R.apply(message.linear_acceleration), (0, 0, G), atol=1e-12)


def test_in_free_fall_it_feels_nothing():
    world = ball(pose={"xyz": [0, 0, 100]})
    imu = ImuConfig(mount="ball", **posed(xyz=(0.05, 0, 0))).build(world)
    np.testing.assert_allclose(imu.measure().linear_acceleration, 0, atol=1e-9)
    world.objects["ball"].set_velocity((3, 0, 2))
    world.step(50)
    np.testing.assert_allclose(imu.measure().linear_acceleration, 0, atol=1e-9)


def test_a_ball_that_spins_in_free_fall_feels_the_centripetal_term():
    world = ball(pose={"xyz": [0, 0, 100]})
    world.objects["ball"].set_velocity((0, 0, 0), (0, 0, 7.0))
    imu = ImuConfig(mount="ball", **posed(xyz=(0.05, 0, 0))).build(world)
    for _ in range(3):
        message = imu.measure()
        np.testing.assert_allclose(message.linear_acceleration, (-49 * 0.05, 0, 0), atol=1e-8)
        np.testing.assert_allclose(message.angular_velocity, (0, 0, 7), atol=1e-9)
        world.step(20)


@pytest.mark.parametrize("speed", [2.5, -4.0])
@pytest.mark.parametrize("steps", [0, 30])
def test_in_a_circle_it_feels_the_centripetal_term(speed, steps):
    world = turntable()
    world.robots["table"].set_joint_velocities({"spin": speed})
    world.step(steps)
    imu = ImuConfig(mount="table/arm", **posed(xyz=(0.6, 0, 0.1))).build(world)
    message = imu.measure()
    np.testing.assert_allclose(message.linear_acceleration, (-(speed**2) * 0.6, 0, G), atol=1e-9)
    np.testing.assert_allclose(message.angular_velocity, (0, 0, speed), atol=1e-9)


def test_a_turned_sensor_reads_the_circle_in_its_own_axes():
    world = turntable()
    world.robots["table"].set_joint_velocities({"spin": 3.0})
    imu = ImuConfig(
        mount="table/arm",
        **posed(xyz=(0.6, 0, 0), rpy=(0, 0, math.pi / 2)),
    ).build(world)
    message = imu.measure()
    # Its y axis points backward along the arm's x axis.
    np.testing.assert_allclose(message.linear_acceleration, (0, 9 * 0.6, G), atol=1e-9)


def test_a_lever_arm_feels_the_tangential_term():
    world = turntable()
    world.data.qfrc_applied[:] = 0.4
    imu = ImuConfig(mount="table/arm", **posed(xyz=(0.5, 0, 0))).build(world)
    alpha = 0.4 / (0.1 + float(world.model.dof_armature[0]))
    np.testing.assert_allclose(
        imu.measure().linear_acceleration, (0, 0.5 * alpha, G), rtol=1e-9, atol=1e-9
    )
    world.step(10)
    speed = float(world.data.qvel[0])
    assert speed == pytest.approx(10 * alpha * world.timestep, rel=1e-9)
    np.testing.assert_allclose(
        imu.measure().linear_acceleration, (-(speed**2) * 0.5, 0.5 * alpha, G), rtol=1e-8
    )


def test_a_pendulum_reads_its_closed_form():
    # A light rod turns about y; the sensor sits at its end, 0.5 m below the axis.
    mass = Inertial(2.0, Transform((0, 0, -0.5)), (1e-3, 1e-3, 1e-3, 0, 0, 0))
    joint = Joint("hinge", JointType.CONTINUOUS, "post", "rod", Transform((0, 0, 1)), (0, 1, 0))
    robot = RobotDescription("pendulum", (Link("post"), Link("rod", mass)), (joint,), "post")
    world = World.from_robot(robot, base="fixed", hold=False, physics=PhysicsConfig(timestep=1e-4))
    world.robots["pendulum"].set_joint_positions({"hinge": 1.0})
    imu = ImuConfig(mount="pendulum/rod", **posed(xyz=(0, 0, -0.5))).build(world)
    world.step(3000)
    angle, speed = float(world.data.qpos[0]), float(world.data.qvel[0])
    inertia = 2.0 * 0.25 + 1e-3 + float(world.model.dof_armature[0])
    alpha = -2.0 * G * 0.5 * math.sin(angle) / inertia
    # In the rod's axes: x across, z along, away from the end towards the axis.
    across = -0.5 * alpha - G * math.sin(angle)
    along = 0.5 * speed**2 + G * math.cos(angle)
    np.testing.assert_allclose(imu.measure().linear_acceleration, (across, 0, along), atol=5e-3)


def test_added_up_it_gives_the_velocity():
    world = World.from_robot(load_robot(BURGER), ground=True)
    robot = world.robots[BURGER]
    imu = ImuConfig(mount=f"{BURGER}/base_link").build(world)
    world.step(240)
    start = robot.link_velocity("base_link")[0]
    total = np.zeros(3)
    fastest = 0.0
    for i in range(120):
        if i % 10 == 0:
            robot.command(linear=0.2, angular=1.0)
        world.step()
        message = imu.measure()
        R = Rotation.from_quat(message.orientation)
        total += (R.apply(message.linear_acceleration) - (0, 0, G)) * world.timestep
        gained = robot.link_velocity("base_link")[0] - start
        np.testing.assert_allclose(total, gained, atol=1e-4)
        fastest = max(fastest, float(np.linalg.norm(gained)))
    assert fastest > 0.15


def test_a_jump_by_hand_is_no_acceleration():
    world = ball(pose={"xyz": [0, 0, 100]})
    imu = ImuConfig(mount="ball").build(world)
    world.step(10)
    world.objects["ball"].set_velocity((50, 0, 0))
    np.testing.assert_allclose(imu.measure().linear_acceleration, 0, atol=1e-9)
    world.step()
    np.testing.assert_allclose(imu.measure().linear_acceleration, 0, atol=1e-9)


def test_noise_of_the_orientation_is_a_small_rotation():
    config = ImuConfig(
        mount="world",
        **posed(rpy=(0.5, 0, 0)),
        orientation_noise=NoiseConfig(std=0.02),
    )
    imu = config.build(turntable())
    ideal = Rotation.from_quat(imu.measure().orientation)
    turns = []
    for k in range(2000):
        imu.reset(k)
        message = imu.read()
        q = message.orientation
        assert q is not None
        assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-12)
        turns.append((ideal.inv() * Rotation.from_quat(q)).as_rotvec())
    assert np.std(turns) == pytest.approx(0.02, rel=5 / math.sqrt(2 * 6000))
    assert abs(np.mean(turns)) < 5 * 0.02 / math.sqrt(6000)


def test_an_imu_without_orientation():
    assert (
        ImuConfig(mount="world", has_orientation=False).build(turntable()).read().orientation
        is None
    )
