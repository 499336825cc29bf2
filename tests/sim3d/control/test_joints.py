"""Joint control against closed forms of one lever, and on the shipped arms."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from horus_sim.errors import CommandError, UnknownNameError
from horus_sim.robots.description import JointLimit
from horus_sim.sim3d.control import (
    JointControlConfig,
    JointGains,
    JointTrajectory,
    RobotControlConfig,
)

GRAVITY = 9.81
MASS, LENGTH = 2.0, 0.5
INERTIA = MASS * LENGTH**2
HOLDING = MASS * GRAVITY * LENGTH
SIDEWAYS = (0.0, 0.0, 1.0)


def configured(**joints: object) -> RobotControlConfig:
    return RobotControlConfig(joints=JointControlConfig(**joints))  # type: ignore[arg-type]


def gains(kp: float, kd: float, ki: float = 0.0, limit: float | None = None) -> dict:
    return {"hinge": JointGains(kp=kp, kd=kd, ki=ki, integral_limit=limit)}


def test_gravity_compensation_holds_exactly(bench: Callable, lever: Callable):
    rig = bench(lever())
    rig.run(10.0)
    assert abs(rig.position("hinge")) < 1e-9


def test_without_compensation_it_sags_by_load_over_stiffness(bench: Callable, lever: Callable):
    config = configured(gains=gains(400.0, 60.0), gravity_compensation=False)
    rig = bench(lever(), config=config)
    rig.run(10.0)
    sag = rig.position("hinge")
    # Positive about y is downward for a rod along x.
    assert sag == pytest.approx(HOLDING * math.cos(sag) / 400.0, rel=1e-6)


def test_an_integral_lifts_it_again(bench: Callable, lever: Callable):
    config = configured(gains=gains(400.0, 60.0, ki=400.0), gravity_compensation=False)
    rig = bench(lever(), config=config)
    rig.run(20.0)
    assert abs(rig.position("hinge")) < 1e-6


def test_the_integral_keeps_to_its_limit(bench: Callable, lever: Callable):
    config = configured(gains=gains(400.0, 60.0, 400.0, limit=4.0), gravity_compensation=False)
    rig = bench(lever(), config=config)
    rig.run(20.0)
    sag = rig.position("hinge")
    assert sag == pytest.approx((HOLDING * math.cos(sag) - 4.0) / 400.0, rel=1e-6)


def test_a_saturated_drive_does_not_wind_up(bench: Callable, lever: Callable):
    weak = JointLimit(-3.0, 3.0, 0.5 * HOLDING, 100.0)
    config = configured(gains=gains(50.0, 5.0, ki=200.0), gravity_compensation=False)
    rig = bench(lever(limit=weak), config=config)
    rig.run(3.0)
    integral = rig.control.get_state()["joints"]["integral"][0]
    assert abs(integral) <= 0.5 * HOLDING


@pytest.mark.parametrize("damping", [0.3, 0.6])
def test_step_response_is_that_of_second_order(bench: Callable, lever: Callable, damping: float):
    natural = 8.0
    config = configured(
        gains=gains(INERTIA * natural**2, 2.0 * damping * INERTIA * natural),
        limit_velocity=False,
    )
    rig = bench(lever(axis=SIDEWAYS), config=config, timestep=1 / 2000)
    rig.control.command({"hinge": 0.5})
    path = []
    for _ in range(4000):
        rig.step()
        path.append(rig.position("hinge"))
    root = math.sqrt(1.0 - damping**2)
    overshoot = 0.5 * math.exp(-math.pi * damping / root)
    assert max(path) - 0.5 == pytest.approx(overshoot, rel=0.02)
    assert np.argmax(path) / 2000 == pytest.approx(math.pi / (natural * root), rel=0.02)
    assert path[-1] == pytest.approx(0.5, abs=5e-3)


def test_the_builders_gains_do_not_overshoot(bench: Callable, lever: Callable):
    rig = bench(lever(axis=SIDEWAYS), config=configured(limit_velocity=False))
    rig.control.command({"hinge": 1.0})
    path = []
    for _ in range(240):
        rig.step()
        path.append(rig.position("hinge"))
    assert max(path) < 1.02
    assert path[-1] == pytest.approx(1.0, abs=1e-6)


def test_effort_accelerates_by_its_inertia(bench: Callable, lever: Callable):
    rig = bench(lever(axis=SIDEWAYS))
    result = rig.control.command({"hinge": 0.2}, mode="effort")
    assert result.kind == "joint_effort"
    rig.run(1.0)
    assert rig.data.qvel[0] == pytest.approx(0.2 / INERTIA, rel=1e-3)


def test_zero_effort_falls_and_with_compensation_floats(bench: Callable, lever: Callable):
    falling, floating = (
        bench(lever(), config=configured(compensate_effort=floats)) for floats in (False, True)
    )
    for rig in (falling, floating):
        rig.control.command({"hinge": 0.0}, mode="effort")
        rig.run(0.2)
    assert falling.position("hinge") == pytest.approx(0.5 * GRAVITY / LENGTH * 0.04, rel=0.05)
    assert abs(floating.position("hinge")) < 1e-9


def test_velocity_is_kept_under_gravity(bench: Callable, lever: Callable):
    rig = bench(lever(damping=3.0))
    rig.control.command({"hinge": -0.5}, mode="velocity")
    rig.run(2.0)
    assert rig.data.qvel[0] == pytest.approx(-0.5, rel=1e-3)


def test_position_commands_move_at_the_top_speed(bench: Callable, lever: Callable):
    rig = bench(lever(axis=SIDEWAYS, limit=JointLimit(-3.0, 3.0, 1000.0, 0.5)))
    rig.control.command({"hinge": 1.0})
    assert rig.control.joints.is_moving
    rig.run(1.0)
    assert rig.position("hinge") == pytest.approx(0.5, abs=0.02)
    rig.run(1.5)
    assert rig.position("hinge") == pytest.approx(1.0, abs=1e-6)
    assert not rig.control.joints.is_moving
    assert rig.control.joints.targets == {"hinge": 1.0}


@pytest.mark.parametrize(
    ("mode", "asked", "given"),
    [("position", 9.0, 3.0), ("velocity", -200.0, -100.0), ("effort", 5000.0, 1000.0)],
)
def test_outside_limits_is_clamped_and_reported(
    bench: Callable, lever: Callable, mode: str, asked: float, given: float
):
    rig = bench(lever())
    (note,) = rig.control.command({"hinge": asked}, mode=mode).clamped
    assert (note.culprit, note.quantity) == ("joint 'hinge'", mode)
    assert (note.asked, note.given) == (asked, given)
    assert rig.control.joints.targets == {"hinge": given}


def test_unknown_joint_is_named_with_its_neighbour(bench: Callable, lever: Callable):
    rig = bench(lever())
    with pytest.raises(CommandError, match=r"no driven joint 'hing'; did you mean 'hinge'\?"):
        rig.control.command({"hing": 0.0})
    with pytest.raises(UnknownNameError):
        rig.control.command({"hing": 0.0})


def test_not_a_number_is_refused(bench: Callable, lever: Callable):
    rig = bench(lever())
    with pytest.raises(CommandError, match="command for 'hinge' is not finite"):
        rig.control.command({"hinge": math.nan})


def test_gains_of_an_unknown_joint(bench: Callable, lever: Callable):
    config = configured(gains={"hinges": JointGains(kp=1.0, kd=1.0)})
    with pytest.raises(CommandError, match="did you mean 'hinge'"):
        bench(lever(), config=config)


def test_follows_a_trajectory(bench: Callable, lever: Callable):
    rig = bench(lever())
    path = JointTrajectory(
        ("hinge",), np.array([0.0, 0.7, 1.5]), np.array([[0.0], [-0.8], [0.6]]), "quintic"
    )
    assert rig.control.command(path).is_exact
    worst = 0.0
    while rig.control.joints.is_moving:
        rig.step()
        wanted = path.sample(rig.data.time)[0][0]
        worst = max(worst, abs(rig.position("hinge") - wanted))
    assert worst < 0.01
    rig.run(0.5)
    assert rig.position("hinge") == pytest.approx(0.6, abs=1e-4)


def test_a_trajectory_outside_limits_is_moved_and_slowed(bench: Callable, lever: Callable):
    rig = bench(lever(limit=JointLimit(-1.0, 1.0, 1000.0, 1.5)))
    path = JointTrajectory(("hinge",), np.array([0.0, 0.5]), np.array([[0.0], [2.0]]))
    result = rig.control.command(path)
    waypoint, duration = result.clamped
    assert str(waypoint) == "joint 'hinge' at way-point 1: position 2 was changed to 1"
    assert duration.quantity == "duration"
    # The peak of a cubic is 1.5 times its mean speed.
    assert duration.given == pytest.approx(1.0)
    rig.run(2.0)
    assert rig.position("hinge") == pytest.approx(1.0, abs=1e-3)


def test_a_spline_that_swings_over_a_limit_is_reported(bench: Callable, lever: Callable):
    rig = bench(lever(limit=JointLimit(-1.0, 1.0, 1000.0, 100.0)))
    path = JointTrajectory(
        ("hinge",), np.array([0.0, 0.5, 2.0, 2.5]), np.array([[0.0], [1.0], [1.0], [0.0]])
    )
    (note,) = rig.control.command(path).clamped
    assert note.quantity == "position"
    assert note.asked > 1.0
    assert note.given == 1.0


def test_a_late_first_waypoint_is_reached_from_here(bench: Callable, lever: Callable):
    rig = bench(lever())
    late = JointTrajectory(("hinge",), np.array([1.0, 2.0]), np.array([[0.5], [0.2]]))
    assert rig.control.command(late).is_exact
    rig.run(1.0)
    assert rig.position("hinge") == pytest.approx(0.5, abs=0.01)
    rig.run(1.5)
    assert rig.position("hinge") == pytest.approx(0.2, abs=1e-3)


def test_a_jump_is_refused(bench: Callable, lever: Callable):
    rig = bench(lever())
    path = JointTrajectory(("hinge",), np.array([0.0, 2.0]), np.array([[0.5], [0.2]]))
    with pytest.raises(CommandError, match=r"'hinge' at 0.5, which is at 0; give the first way-"):
        rig.control.command(path)


def test_a_command_interrupts_a_trajectory(bench: Callable, lever: Callable):
    rig = bench(lever())
    rig.control.command(JointTrajectory(("hinge",), np.array([0, 2.0]), np.array([[0.0], [1.0]])))
    rig.run(0.5)
    rig.control.stop()
    held = rig.position("hinge")
    rig.run(1.0)
    assert rig.position("hinge") == pytest.approx(held, abs=0.02)


def test_state_continues_in_the_middle_of_a_trajectory(bench: Callable, lever: Callable):
    path = JointTrajectory(("hinge",), np.array([0.0, 2.0]), np.array([[0.0], [1.0]]))
    rigs = [bench(lever()), bench(lever())]
    rigs[0].control.command(path)
    rigs[0].run(0.8)
    state = rigs[0].control.get_state()
    twin = rigs[1]
    twin.data.qpos[:], twin.data.qvel[:] = rigs[0].data.qpos, rigs[0].data.qvel
    twin.data.time = rigs[0].data.time
    twin.data.qacc_warmstart[:] = rigs[0].data.qacc_warmstart
    twin.control.set_state(state)
    for rig in rigs:
        rig.run(2.0)
    assert rigs[0].data.qpos.tobytes() == twin.data.qpos.tobytes()


@pytest.mark.parametrize("robot", ["arm6", "panda7"])
def test_arms_hold_where_they_are_told_to_go(bench: Callable, robot: str):
    rig = bench(robot)
    names = [name for name in rig.control.servos.names if "finger" not in name]
    middle = {
        name: float(np.clip(0.3, rig.control.servos.lower[index], rig.control.servos.upper[index]))
        for name, index in zip(names, rig.control.servos.indices(names), strict=True)
    }
    # Clear of the ground and of itself.
    middle[names[1]] = -1.2 if robot == "arm6" else -0.3
    middle[names[3]] = -0.5 if robot == "arm6" else -1.5
    assert rig.control.command(middle).is_exact
    rig.run(8.0)
    for name, wanted in middle.items():
        assert rig.position(name) == pytest.approx(wanted, abs=1e-6)
