"""Tyres and motors, against closed forms."""

from __future__ import annotations

import math

import pytest

from horus_sim.sim2d import Simulator
from horus_sim.sim2d.scenario.devices import MOTOR_PRESETS, motor_params

from ..makers import body, scenario

G = 9.81


def wheeled(places, world=None, bodies=None, **params):
    """A robot of 1 kg with a wheel at each place (x, y) of its chassis."""
    wheels = [
        {"name": f"w{k}", "type": "motor", "body": "chassis", "mount_pose": [x, y, 0],
         "params": params}
        for k, (x, y) in enumerate(places)
    ]  # fmt: skip
    return Simulator(scenario(world, bodies=bodies or [body()], actuators=wheels, sensors=[]))


AXLE = ((0.0, 0.08), (0.0, -0.08))
REAR_AXLE = ((-0.05, 0.08), (-0.05, -0.08))
ONE = ((0.0, 0.0),)
SLIPPERY = {"mu_long": 0.5, "mu_lat": 0.3, "max_force": 1e4, "response_time": 0.0,
            "max_wheel_omega": 1000.0}  # fmt: skip


@pytest.mark.parametrize("places", [ONE, AXLE])
@pytest.mark.parametrize("side", [0.0, 1.0, 3.0, 8.0])
def test_the_force_of_a_slipping_tyre_is_on_its_ellipse_along_the_slip(places, side):
    sim = wheeled(places, **SLIPPERY)
    for motor in sim.robots["robot"].motors.values():
        motor.command = 0.1
    sim.body("chassis").set_velocity(0.0, side, 0.0)
    sim.run(10 / 120)
    vx, vy, w = sim.body("chassis").velocity
    ax, ay = vx * 12, (vy - side) * 12
    assert math.hypot(ax / 0.5, ay / 0.3) == pytest.approx(G, rel=2e-3)
    # Normal to the ellipse: force over squared half axis is parallel to the slip. Rims: 3 m/s.
    slip_x, slip_y = 3.0 - 0.5 * vx, -(side + vy) / 2
    assert ax / 0.5**2 * slip_y == pytest.approx(ay / 0.3**2 * slip_x, abs=0.5)
    assert w == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("places", [ONE, AXLE, REAR_AXLE])
def test_no_wheel_gives_more_than_its_ellipse(places):
    sim = wheeled(places, **SLIPPERY)
    states = []
    motors = list(sim.robots["robot"].motors.values())
    for k in range(240):
        for n, motor in enumerate(motors):
            motor.command = 0.05 * math.sin(0.3 * k + n)
        sim.body("chassis").apply_force(0.0, 6.0 * math.sin(0.1 * k), 0.1 * math.cos(0.17 * k))
        sim.step()
        states.extend(sim._world.wheel_states()[:, 3:5].tolist())
    load = G / len(places) / 120
    used = [math.hypot(along / (0.5 * load), side / (0.3 * load)) for along, side in states]
    assert max(used) <= 1.0 + 1e-9
    # It did get there.
    assert max(used) == pytest.approx(1.0, abs=1e-9)


def test_the_motor_limits_what_the_tyre_could():
    sim = wheeled(AXLE, **{**SLIPPERY, "max_force": 1.0})
    for motor in sim.robots["robot"].motors.values():
        motor.command = 1.0
    sim.body("chassis").set_velocity(0.0, 10.0, 0.0)
    sim.run(0.1)
    vx, vy, _ = sim.body("chassis").velocity
    # Rims at 30 m/s and 10 m/s sideways: the motors' 2 N along, and across what the ellipse leaves.
    assert vx == pytest.approx(2.0 * 0.1, rel=1e-6)
    left = math.sqrt(1.0 - (2.0 / (0.5 * G)) ** 2)
    assert 10.0 - vy == pytest.approx(0.3 * G * left * 0.1, rel=1e-3)


@pytest.mark.parametrize("places", [ONE, AXLE, REAR_AXLE])
@pytest.mark.parametrize("turn", [0.0, 0.8])
def test_a_side_force_below_the_limit_is_held(places, turn):
    sim = wheeled(places, bodies=[body(pose=[0, 0, turn])], mu_lat=0.8)
    start = sim.body("chassis").pose
    side = (-math.sin(turn), math.cos(turn))
    x = places[0][0]
    for _ in range(240):
        # Through the axle, so that it does not turn.
        torque = 7.0 * x
        sim.body("chassis").apply_force(7.0 * side[0], 7.0 * side[1], torque)
        sim.step()
        assert math.hypot(*sim.body("chassis").velocity[:2]) < 1e-4
    assert sim.body("chassis").pose == pytest.approx(start, abs=1e-6)
    sim.body("chassis").apply_force(9.0 * side[0], 9.0 * side[1], 9.0 * x)
    sim.step()
    vx, vy, _ = sim.body("chassis").velocity
    # Off the center the body begins to turn, against which the tyres need some of their grip.
    slack = 1e-6 if x == 0.0 else 0.03
    assert vx * side[0] + vy * side[1] == pytest.approx((9.0 - 0.8 * G) / 120, rel=slack)


@pytest.mark.parametrize(("damping", "timestep", "left"), [(0.25, 1 / 120, 0.25), (0.0, 1 / 120, 0),
                                                           (0.5, 1 / 60, 0.25)])  # fmt: skip
def test_lateral_damping_is_what_is_left_of_a_slip(damping, timestep, left):
    sim = wheeled(AXLE, {"timestep": timestep}, lateral_damping=damping)
    sim.body("chassis").set_velocity(0.0, 1e-3, 0.0)
    sim.step()
    assert sim.body("chassis").velocity[1] == pytest.approx(left * 1e-3, abs=1e-12)
    sim.step()
    assert sim.body("chassis").velocity[1] == pytest.approx(left**2 * 1e-3, abs=1e-12)


def test_a_slip_goes_on_after_a_snapshot():
    sim = wheeled(AXLE)
    sim.body("chassis").set_velocity(0.1, 1e-3, 0.0)
    sim.step()
    snapshot = sim.snapshot()
    sim.step()
    expected = sim.body("chassis").velocity
    sim.apply_snapshot(snapshot)
    sim.step()
    assert sim.body("chassis").velocity == expected


@pytest.mark.parametrize("ratio", [1.0, 5.0, 20.0])
def test_a_gear_trades_speed_for_torque_and_gives_no_power(ratio):
    torque, top, radius = 0.45, 40.0, 0.03
    sim = wheeled(AXLE, detailed=True, gear_ratio=ratio, torque=torque, max_wheel_omega=top,
                  wheel_radius=radius, mu_long=1e4)  # fmt: skip
    sim.robots["robot"].drive.set(1.0, 1.0)
    chassis = sim.body("chassis")
    stall = 2 * torque * ratio / radius
    powers = []
    for share in (0.0, 0.25, 0.5, 0.75):
        # The line of a direct-current motor: no-load speed minus what the load takes.
        for _ in range(600):
            chassis.apply_force(-share * stall, 0.0)
            sim.step()
        speed = chassis.velocity[0]
        assert speed == pytest.approx(radius * top / ratio * (1.0 - share), rel=1e-3)
        powers.append(share * stall * speed)
    assert max(powers) == pytest.approx(2 * torque * top / 4, rel=1e-3)


def test_a_drive_with_gears_goes_as_fast_as_it_is_told():
    sim = wheeled(AXLE, detailed=True, gear_ratio=4.0)
    motor = sim.robots["robot"].drive.left
    assert motor.max_omega == 10.0
    sim.robots["robot"].drive.drive(0.2, 0.0)
    sim.run(5.0)
    assert sim.body("chassis").velocity[0] == pytest.approx(0.2, rel=1e-3)


def test_a_gear_of_one_changes_nothing_and_presets_have_it():
    assert {motor_params({"preset": name}).gear_ratio for name in MOTOR_PRESETS} == {1.0}
    paths = []
    for params in ({"detailed": True}, {"detailed": True, "gear_ratio": 1.0}):
        sim = wheeled(AXLE, **params)
        sim.robots["robot"].drive.set(0.7, 0.5)
        sim.run(1.0)
        paths.append(sim.body("chassis").pose)
    assert paths[0] == paths[1]


def test_wheels_of_a_body_that_cannot_move_stay_finite():
    for detailed in (False, True):
        sim = wheeled(AXLE, bodies=[body(can_move=False)], detailed=detailed)
        sim.robots["robot"].drive.set(1.0, -1.0)
        sim.run(2.0)
        assert sim.body("chassis").pose == (0.0, 0.0, 0.0)
        assert sim.warnings == []
        # The simple motor turns at the speed that it is told; the other one rubs on the floor.
        top = sim.robots["robot"].drive.left.omega
        assert (top == pytest.approx(40.0)) if not detailed else (0.0 <= top <= 40.0)
