"""The mixer is an inverse, and the quadrotor flies as told."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import CommandError
from horus_sim.hub.messages import Twist
from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.control.mixer import RotorMixer

POSITIONS = [(0.17, 0.0, 0.0), (0.0, 0.17, 0.0), (-0.17, 0.0, 0.0), (0.0, -0.17, 0.0)]
TURNS = (-1.0, 1.0, -1.0, 1.0)


def mixer(most: float = 6.0) -> RotorMixer:
    return RotorMixer(POSITIONS, TURNS, 0.016, most)


small = st.floats(-0.05, 0.05)


@given(st.floats(4.0, 12.0), small, small, st.floats(-0.01, 0.01))
def test_within_limits_the_wrench_is_the_wanted_one(thrust, roll, pitch, yaw):
    mixed = mixer()
    wrench = mixed.wrench(mixed.thrusts(thrust, (roll, pitch, yaw)))
    np.testing.assert_allclose(wrench, (thrust, roll, pitch, yaw), atol=1e-9)


@given(st.floats(-5.0, 50.0), st.floats(-5, 5), st.floats(-5, 5), st.floats(-5, 5))
def test_no_rotor_leaves_its_range(thrust, roll, pitch, yaw):
    thrusts = mixer().thrusts(thrust, (roll, pitch, yaw))
    assert (thrusts >= -1e-9).all()
    assert (thrusts <= 6.0 + 1e-9).all()


def test_yaw_is_given_up_before_roll_and_pitch():
    mixed = mixer()
    wrench = mixed.wrench(mixed.thrusts(7.0, (0.2, -0.1, 5.0)))
    np.testing.assert_allclose(wrench[:3], (7.0, 0.2, -0.1), atol=1e-9)
    assert 0.0 < wrench[3] < 5.0


def test_ahead_pushes_the_nose_up_and_left_rolls_right():
    allocation = mixer().allocation
    assert allocation[2, 0] < 0.0, "thrust ahead of the middle pitches back, about -y"
    assert allocation[1, 1] > 0.0
    assert allocation[3, 0] > 0.0, "a rotor that turns clockwise turns the body the other way"


def test_rests_on_the_ground_until_told(bench: Callable):
    craft = bench("quadrotor", height=0.09)
    craft.run(5.0)
    assert craft.data.qpos[2] == pytest.approx(0.09, abs=2e-3)
    assert (craft.data.qvel == pytest.approx(0.0, abs=1e-6)) or np.abs(craft.data.qvel).max() < 1e-3


def fly(craft, seconds: float, linear=(0.0, 0.0, 0.0), angular: float = 0.0) -> None:
    for _ in range(round(seconds * 10)):
        craft.control.command(linear=linear, angular=angular)
        craft.run(0.1)


def test_takes_off_and_hovers_for_a_minute(bench: Callable):
    craft = bench("quadrotor", height=0.09)
    fly(craft, 2.0, linear=(0.0, 0.0, 0.5))
    fly(craft, 3.0)
    start = craft.data.qpos[:3].copy()
    craft.run(60.0)
    assert np.linalg.norm(craft.data.qpos[:3] - start) < 0.1
    assert np.linalg.norm(craft.data.qvel[:6]) < 1e-3
    thrust = craft.data.xfrc_applied[craft.model.body("r/base_link").id, 2]
    assert thrust == pytest.approx(0.716 * 9.81, rel=1e-4)
    speeds = np.abs(craft.data.qvel[6:10])
    np.testing.assert_allclose(speeds, math.sqrt(0.716 * 9.81 / 4 / 8.54858e-6), rtol=1e-3)


def test_flies_at_the_velocity_in_its_own_heading(bench: Callable):
    craft = bench("quadrotor", height=1.0)
    fly(craft, 2.0, angular=0.5)
    fly(craft, 2.0)
    yaw = craft.pose[2]
    assert yaw == pytest.approx(1.0, abs=0.1)
    fly(craft, 6.0, linear=(1.0, 0.0, 0.0))
    velocity = craft.data.qvel[:3]
    wanted = (math.cos(yaw), math.sin(yaw), 0.0)
    np.testing.assert_allclose(velocity, wanted, atol=0.12)


def test_hovers_when_commands_cease(bench: Callable):
    craft = bench("quadrotor", height=1.0)
    fly(craft, 3.0, linear=(1.0, 0.0, 0.0))
    craft.run(8.0)
    assert np.linalg.norm(craft.data.qvel[:3]) < 0.1
    assert craft.data.qpos[2] > 0.8


@pytest.mark.parametrize(
    ("linear", "angular"),
    [
        ((0.0, 0.0, 0.0), 0.0),
        ((0.0, 0.0, 0.5), 0.0),
        ((0.0, 0.0, -0.3), 0.0),
        ((0.0, 1.0, 0.0), 0.0),
        ((2.0, 1.0, 0.5), 0.5),
    ],
)
def test_holds_place_and_height_when_commands_cease(bench: Callable, linear, angular):
    craft = bench("quadrotor", height=0.09)
    fly(craft, 3.0, linear=(0.0, 0.0, 0.7))
    fly(craft, 2.0, linear=linear, angular=angular)
    craft.run(0.5)  # the last command expires 0.4 s after the last look at it
    expired = craft.data.qpos[:3].copy()
    velocity = craft.data.qvel[:3].copy()
    path = []
    for _ in range(100):
        craft.run(0.1)
        path.append(craft.data.qpos[:3].copy())
    path = np.array(path)
    # It needs a way to brake, no more than 0.4 s at its speed, and never goes back or sinks.
    gone = path[-1] - expired
    assert np.linalg.norm(gone) < 0.4 * np.linalg.norm(velocity) + 0.01
    assert gone[2] == pytest.approx(0.36 * velocity[2], abs=0.02)
    assert np.abs(path[30:] - path[-1]).max() < 0.03
    assert np.abs(path[60:] - path[-1]).max() < 0.003
    upward = np.sign(velocity[2] if abs(velocity[2]) > 0.01 else 0.0)
    if upward:
        assert (upward * np.diff(path[:, 2])).min() > -0.002
    else:
        assert np.abs(path[:, 2] - expired[2]).max() < 0.01


def test_a_twist_has_three_axes(bench: Callable):
    craft = bench("quadrotor", height=1.0)
    result = craft.control.command(Twist(linear=(0.0, 0.5, 9.0), angular=(0.0, 0.0, 5.0)))
    assert [note.culprit for note in result.clamped] == ["linear z", "angular"]
    assert [note.given for note in result.clamped] == [5.0, 2.0]


def test_switched_off_it_falls(bench: Callable):
    craft = bench("quadrotor", height=2.0)
    fly(craft, 1.0)
    craft.control.drive.switch_off()
    craft.run(0.2)
    assert craft.data.qvel[2] == pytest.approx(-9.81 * 0.2, rel=0.05)


def test_cannot_fly_when_held(bench: Callable):
    from horus_sim.sim3d.control import QuadrotorConfig, RobotControlConfig

    rotors = tuple(f"rotor_{index}_joint" for index in range(4))
    drive = QuadrotorConfig(rotor_joints=rotors)  # type: ignore[arg-type]
    with pytest.raises(CommandError, match="held by the world and cannot fly"):
        bench("quadrotor", base="fixed", config=RobotControlConfig(drive=drive))


def test_state_replays_bit_by_bit(bench: Callable):
    craft = bench("quadrotor", height=1.0)
    fly(craft, 1.0, linear=(1.0, 0.5, 0.2))
    twin = bench("quadrotor", height=1.0)
    twin.data.qpos[:], twin.data.qvel[:] = craft.data.qpos, craft.data.qvel
    for name in ("xmat", "ctrl", "xfrc_applied", "qacc_warmstart"):
        getattr(twin.data, name)[:] = getattr(craft.data, name)
    twin.data.time = craft.data.time
    twin.control.set_state(craft.control.get_state())
    for each in (craft, twin):
        each.run(2.0)
    assert craft.data.qpos.tobytes() == twin.data.qpos.tobytes()


def test_no_rotor_is_asked_to_pull():
    mixer = RotorMixer(((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)), (-1, 1, -1, 1), 0.1, 1.0)
    rng = np.random.default_rng(0)
    for _ in range(2000):
        thrusts = mixer.thrusts(rng.uniform(0, 5), rng.normal(size=3) * 10.0 ** rng.uniform(-9, 2))
        assert thrusts.min() >= 0.0
        assert thrusts.max() <= 1.0


def test_pressed_sideways_into_the_ground_it_stays_finite():
    world = World.from_robot(load_robot("quadrotor"), ground=True)
    robot = world.robots["quadrotor"]
    for linear in (*[(0.0, 0.0, 1.0)] * 20, *[(5.0, 5.0, -5.0)] * 60):
        robot.command(linear=linear, angular=2.0)
        world.step(24)
    assert "badctrl" not in world.warnings
    assert np.isfinite(world.data.ctrl).all()
    assert np.isfinite(robot.pose.translation).all()
