"""Differential drive: kinematics, and robots that drive as they are told."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from horus_sim.robots.robot import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.control import (
    Clamp,
    DifferentialDriveConfig,
    RobotControlConfig,
    detect_drive,
)
from horus_sim.sim3d.control.differential_drive import DifferentialDrive

CONFIG = DifferentialDriveConfig(
    left_joints=("l",), right_joints=("r",), wheel_radius=0.033, wheel_separation=0.16
)
BURGER = "turtlebot3_burger"
ROBOTS = (BURGER, "turtlebot3_waffle")
# Seconds, forward speed and yaw rate: straight, curves, reversals and spins.
PROFILE = (
    (1.0, 0.2, 0.0),
    (1.0, 0.15, 0.8),
    (1.0, -0.2, 0.0),
    (1.0, 0.0, 1.5),
    (1.0, 0.0, -1.5),
    (1.0, 0.1, -1.0),
    (1.0, -0.15, 0.6),
    (1.0, 0.2, 0.0),
    (1.0, 0.0, 1.5),
    (1.0, 0.1, 0.3),
)


def configured(robot: str = BURGER, **changes: object) -> RobotControlConfig:
    found = detect_drive(load_robot(robot).description)
    assert found is not None
    return RobotControlConfig(drive=found.model_copy(update=changes))  # type: ignore[arg-type]


def test_straight_and_spin():
    assert CONFIG.wheel_speeds(0.33, 0.0) == pytest.approx((10.0, 10.0))
    left, right = CONFIG.wheel_speeds(0.0, 1.0)
    assert right == pytest.approx(0.08 / 0.033)
    assert left == -right


@given(st.floats(-5.0, 5.0), st.floats(-10.0, 10.0))
def test_twist_undoes_wheel_speeds(linear: float, angular: float):
    back = CONFIG.twist(*CONFIG.wheel_speeds(linear, angular))
    assert back == pytest.approx((linear, angular), abs=1e-12)


def test_a_side_without_wheels_is_refused():
    with pytest.raises(ValidationError, match="joints on both sides"):
        DifferentialDriveConfig(
            left_joints=(), right_joints=("r",), wheel_radius=0.1, wheel_separation=0.3
        )


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize(("linear", "angular"), [(0.15, 0.5), (-0.1, 0.6), (0.12, -1.0)])
def test_drives_a_circle_of_radius_v_over_w(bench: Callable, robot: str, linear, angular):
    car = bench(robot)
    car.drive(1.0, linear=linear, angular=angular)
    points = []
    for _ in range(40):
        car.drive(0.1, linear=linear, angular=angular)
        points.append(car.pose[:2])
    points = np.array(points)
    # Least squares: x^2 + y^2 = 2 a x + 2 b y + c.
    a, b, c = np.linalg.lstsq(
        np.column_stack((2.0 * points, np.ones(len(points)))), (points**2).sum(1), rcond=None
    )[0]
    assert math.sqrt(c + a * a + b * b) == pytest.approx(abs(linear / angular), rel=0.015)


@pytest.mark.parametrize("robot", ROBOTS)
def test_stays_with_a_fine_reference_over_reversals_and_spins(bench: Callable, robot: str):
    paths = []
    for timestep in (1 / 240, 1 / 9600):
        car = bench(robot, timestep=timestep)
        path = []
        for seconds, linear, angular in PROFILE:
            for _ in range(round(seconds * 20)):
                car.drive(0.05, linear=linear, angular=angular)
                path.append(car.pose)
        path = np.array(path)
        path[:, 2] = np.unwrap(path[:, 2])
        paths.append(path)
        odometry = car.control.drive.odometry
        assert math.dist(path[-1, :2], (odometry.x, odometry.y)) < 0.005
        assert path[-1, 2] == pytest.approx(odometry.yaw, abs=math.radians(1.0))
    apart = paths[0] - paths[1]
    assert np.hypot(apart[:, 0], apart[:, 1]).max() < 0.005
    assert np.abs(apart[:, 2]).max() < math.radians(1.0)


def test_turns_as_far_as_told_on_its_caster(bench: Callable):
    car = bench(BURGER, config=configured(max_angular_acceleration=None))
    car.drive(1.0, linear=0.0, angular=math.radians(51.0))
    assert math.degrees(car.pose[2]) == pytest.approx(51.0, abs=1.5)


def test_watchdog_stops_the_robot(bench: Callable):
    car = bench(BURGER)
    car.control.command(linear=0.2)
    car.run(0.45)
    assert car.data.qvel[0] == pytest.approx(0.2, rel=0.02)
    car.run(0.55)
    assert abs(car.data.qvel[0]) < 1e-3
    assert car.control.drive.wanted == (0.0, 0.0)


def test_without_timeout_it_drives_on(bench: Callable):
    car = bench(BURGER, config=configured(timeout=None))
    car.control.command(linear=0.1)
    car.run(5.0)
    assert car.data.qvel[0] == pytest.approx(0.1, rel=0.02)
    car.control.stop()
    car.run(0.5)
    assert abs(car.data.qvel[0]) < 1e-3


def test_accelerates_as_limited(bench: Callable):
    car = bench(BURGER, config=configured(max_linear_acceleration=0.25, timeout=None))
    car.control.command(linear=0.2)
    car.run(0.4)
    assert car.data.qvel[0] == pytest.approx(0.25 * 0.4, rel=0.06)
    car.run(1.0)
    assert car.pose[0] == pytest.approx(0.2 * 1.4 - 0.2**2 / (2 * 0.25), rel=0.02)


def test_too_fast_is_clamped_and_reported(bench: Callable):
    car = bench(BURGER)
    result = car.control.command(linear=1.0)
    assert result.kind == "differential_drive"
    assert not result.is_exact
    (note,) = result.clamped
    assert (note.culprit, note.quantity, note.asked) == ("linear", "velocity", 1.0)
    assert note.given == pytest.approx(6.885 * 0.033)
    assert str(note) == "linear: velocity 1 was changed to 0.227205"
    assert car.control.command(linear=0.22).is_exact
    assert car.control.command(angular=2.84).is_exact


def test_a_wheel_at_its_limit_keeps_the_radius(bench: Callable):
    car = bench(BURGER)
    result = car.control.command(linear=0.2, angular=2.0)
    linear, angular = car.control.drive.wanted
    assert linear / angular == pytest.approx(0.1)
    assert max(car.control.drive.config.wheel_speeds(linear, angular)) == pytest.approx(6.885)
    assert result.clamped == (
        Clamp("linear", "velocity", 0.2, linear),
        Clamp("angular", "velocity", 2.0, angular),
    )


def test_reversed_joints_turn_the_other_way(bench: Callable):
    car = bench(BURGER, config=configured(reversed_joints=("wheel_left_joint",), timeout=None))
    car.control.command(linear=0.1)
    car.run(1.0)
    assert car.pose[2] > 1.0, "the left wheel goes backward: a turn to the left"


def test_putting_the_wheels_elsewhere_is_no_motion(bench: Callable):
    car = bench(BURGER)
    car.data.qpos[-1] += 10.0
    car.control.sync()
    car.run(0.1)
    assert abs(car.control.drive.odometry.yaw) < 1e-3


def test_state_replays_bit_by_bit(bench: Callable):
    import mujoco

    car = bench(BURGER)
    car.drive(0.3, linear=0.1, angular=0.7)
    state = car.control.get_state()
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    physics = np.empty(mujoco.mj_stateSize(car.model, kind))
    mujoco.mj_getState(car.model, car.data, physics, kind)
    ends = []
    for _ in range(2):
        mujoco.mj_setState(car.model, car.data, physics, kind)
        mujoco.mj_forward(car.model, car.data)
        mujoco.mj_setState(car.model, car.data, physics, kind)
        car.control.set_state(state)
        car.run(1.0)
        ends.append((car.data.qpos.tobytes(), car.control.drive.odometry.get_state()))
    assert ends[0] == ends[1]
    assert isinstance(car.control.drive, DifferentialDrive)


def test_a_caster_slides_on_a_floor_that_states_its_friction():
    """The floor of the warehouse is a little slippery; the caster is more so, and decides."""
    world = World.load("warehouse")
    robot = world.robots["burger"]
    for _ in range(20):
        robot.command(linear=0.2)
        world.step(24)
    turned = robot.joint_positions()[0] * 0.033
    assert robot.pose.translation[0] == pytest.approx(turned, rel=0.03)
