"""Ackermann steering: all wheels turn about one point."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.robots.robot import load_robot
from horus_sim.sim3d.control import AckermannConfig, RobotControlConfig, detect_drive

CONFIG = AckermannConfig(
    steering_joints=("sl", "sr"),
    front_joints=("fl", "fr"),
    rear_joints=("rl", "rr"),
    wheel_radius=0.05,
    wheelbase=0.33,
    pivot_separation=0.2,
    front_track=0.26,
    rear_track=0.25,
)
steering_angles = st.floats(-0.7, 0.7).filter(lambda angle: abs(angle) > 1e-3)


def test_straight_ahead():
    assert CONFIG.steering_angles(0.0) == (0.0, 0.0)
    assert CONFIG.wheel_speeds(1.0, 0.0) == pytest.approx((20.0,) * 4)


@given(steering_angles)
def test_axles_of_all_wheels_meet_in_one_point(steering: float):
    centre = np.array((0.0, CONFIG.wheelbase / math.tan(steering)))
    for side, angle in zip((1.0, -1.0), CONFIG.steering_angles(steering), strict=True):
        pivot = np.array((CONFIG.wheelbase, 0.5 * side * CONFIG.pivot_separation))
        forward = np.array((math.cos(angle), math.sin(angle)))
        assert forward @ (centre - pivot) == pytest.approx(0.0, abs=1e-9)


@given(steering_angles, st.floats(-3.0, 3.0))
def test_each_wheel_is_as_fast_as_its_distance_from_that_point(steering: float, speed: float):
    yaw_rate = speed * math.tan(steering) / CONFIG.wheelbase
    speeds = CONFIG.wheel_speeds(speed, steering)
    left, right = CONFIG.steering_angles(steering)
    arm = 0.5 * (CONFIG.front_track - CONFIG.pivot_separation)
    half = 0.5 * CONFIG.pivot_separation
    wheels = [
        ((CONFIG.wheelbase - arm * math.sin(left), half + arm * math.cos(left)), left),
        ((CONFIG.wheelbase + arm * math.sin(right), -half - arm * math.cos(right)), right),
        ((0.0, 0.5 * CONFIG.rear_track), 0.0),
        ((0.0, -0.5 * CONFIG.rear_track), 0.0),
    ]
    for ((x, y), angle), turning in zip(wheels, speeds, strict=True):
        velocity = (speed - yaw_rate * y, yaw_rate * x)
        rolling = velocity[0] * math.cos(angle) + velocity[1] * math.sin(angle)
        assert turning * CONFIG.wheel_radius == pytest.approx(rolling, abs=1e-9)


@given(st.floats(-0.7, 0.7))
def test_steering_is_found_again_from_the_knuckles(steering: float):
    found = CONFIG.steering_from_knuckles(*CONFIG.steering_angles(steering))
    assert found == pytest.approx(steering, abs=1e-12)


@pytest.mark.parametrize("driven", ["all", "rear", "front"])
@pytest.mark.parametrize("steering", [0.25, -0.4])
def test_drives_a_circle_of_the_bicycle_radius(bench: Callable, driven: str, steering: float):
    found = detect_drive(load_robot("racecar").description)
    assert isinstance(found, AckermannConfig)
    drive = found.model_copy(update={"driven": driven})
    car = bench("racecar", config=RobotControlConfig(drive=drive))
    car.drive(2.0, speed=0.6, steering=steering)
    points = []
    for _ in range(30):
        car.drive(0.2, speed=0.6, steering=steering)
        points.append(car.pose[:2])
    points = np.array(points)
    a, b, c = np.linalg.lstsq(
        np.column_stack((2.0 * points, np.ones(len(points)))), (points**2).sum(1), rcond=None
    )[0]
    radius = found.wheelbase / math.tan(abs(steering))
    assert math.sqrt(c + a * a + b * b) == pytest.approx(radius, rel=0.02)
    odometry = car.control.drive.odometry
    assert math.dist(car.pose[:2], (odometry.x, odometry.y)) < 0.1


def test_twist_steers_to_the_same_circle(bench: Callable):
    car = bench("racecar")
    assert car.control.command(linear=1.0, angular=0.5).is_exact
    speed, steering = car.control.drive.wanted
    assert speed == 1.0
    assert math.tan(steering) / car.control.drive.config.wheelbase == pytest.approx(0.5)
    car.control.command(linear=-1.0, angular=0.5)
    assert car.control.drive.wanted[1] == pytest.approx(-steering)


def test_steers_as_far_as_the_knuckles_reach(bench: Callable):
    car = bench("racecar")
    result = car.control.command(speed=0.5, steering=1.0)
    (note,) = result.clamped
    assert (note.culprit, note.quantity) == ("steering", "position")
    assert max(car.control.drive.config.steering_angles(note.given)) == pytest.approx(0.52)
    assert note.given > 0.4189


def test_a_car_does_not_turn_on_the_spot(bench: Callable):
    car = bench("racecar")
    result = car.control.command(linear=0.0, angular=1.0)
    assert [note.culprit for note in result.clamped] == ["steering"]
    car.run(0.4)
    assert car.position("left_steering_joint") == pytest.approx(0.52, abs=0.01)
    assert abs(car.pose[2]) < 0.02


def test_watchdog_stops_the_car_and_keeps_the_steering(bench: Callable):
    car = bench("racecar")
    car.drive(1.0, speed=1.0, steering=0.2)
    car.run(1.5)
    assert np.linalg.norm(car.data.qvel[:2]) < 1e-3
    assert car.position("left_steering_joint") > 0.2


def test_state_continues(bench: Callable):
    car = bench("racecar")
    car.drive(0.5, speed=1.0, steering=0.2)
    state = car.control.get_state()
    twin = bench("racecar")
    twin.control.set_state(state)
    assert twin.control.drive.wanted == car.control.drive.wanted
    assert twin.control.get_state()["drive"] == state["drive"]
