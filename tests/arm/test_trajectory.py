"""Trajectories keep limits, meet their ends, and are consistent."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horus_sim.arm import (
    Arm,
    SingularityWarning,
    arm_names,
    build_range_trajectory,
    plan_line,
    plan_quintic,
    plan_trapezoid,
    random_configurations,
)
from horus_sim.errors import ArmError
from horus_sim.tf import Transform

from . import oracle

PLANNERS = [plan_quintic, plan_trapezoid]


@pytest.mark.parametrize("name", arm_names())
def test_the_sweep_is_the_formula(name):
    arm = Arm.load(name)
    sweep = build_range_trajectory(arm, 11)
    k = np.arange(11)[:, np.newaxis]
    np.testing.assert_allclose(sweep.q, arm.lower + k / 10 * (arm.upper - arm.lower), atol=1e-12)
    assert (sweep.q >= arm.lower).all()
    assert (sweep.q <= arm.upper).all()
    dt_ns = round(arm.description.dt_s * 1e9)
    assert sweep.stamps_ns.tolist() == [dt_ns * i for i in range(11)]
    assert sweep.stamps_ns.dtype == np.int64
    np.testing.assert_allclose(np.diff(sweep.q, axis=0) / arm.description.dt_s, sweep.qd[1:])


@pytest.mark.parametrize("plan", PLANNERS)
@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(arm_names()))
@settings(max_examples=30)
def test_moves_keep_the_limits(plan, seed, name):
    arm = Arm.load(name)
    start, end = random_configurations(arm, 2, seed)
    move = plan(arm, start, end, dt=0.002)
    assert np.array_equal(move.q[0], start)
    assert np.array_equal(move.q[-1], end)
    velocity = np.array([joint.max_velocity for joint in arm.description.joints])
    acceleration = np.array([joint.max_acceleration for joint in arm.description.joints])
    assert (np.abs(move.qd) <= velocity * (1 + 1e-9)).all()
    assert (np.abs(move.qdd) <= acceleration * (1 + 1e-9)).all()
    assert (np.diff(move.stamps_ns) > 0).all()
    np.testing.assert_allclose(move.qd[[0, -1]], 0.0, atol=1e-12)
    # Velocities are the derivative of positions: the trapezoid rule brings back the travel.
    travel = np.trapezoid(move.qd, move.times, axis=0)
    np.testing.assert_allclose(travel, end - start, atol=2e-4)
    # A limit is used: a tenth less time would break one.
    used = max((np.abs(move.qd) / velocity).max(), np.sqrt(np.abs(move.qdd) / acceleration).max())
    assert used > 0.9


@pytest.mark.parametrize("plan", PLANNERS)
def test_a_duration_is_kept(plan):
    arm = Arm.load("ur5e")
    end = arm.initial + 0.3
    move = plan(arm, arm.initial, end, duration=2.0, dt=0.01)
    assert move.duration == pytest.approx(2.0)
    assert len(move) == 201
    with pytest.raises(ArmError, match=r"cannot make this move in 0.1 s .* allow at least 0\."):
        plan(arm, arm.initial, end, duration=0.1)
    still = plan(arm, arm.initial, arm.initial)
    assert np.array_equal(still.q, [arm.initial, arm.initial])
    assert not still.qd.any()


@pytest.mark.parametrize("plan", PLANNERS)
def test_what_cannot_be_planned_is_explained(plan):
    arm = Arm.load("ur5e")
    with pytest.raises(ArmError, match=r"end has elbow_joint at 9 rad, outside -3.1.*move it"):
        plan(arm, arm.initial, [0, 0, 9, 0, 0, 0])
    with pytest.raises(ArmError, match="dt is 0; it must be positive"):
        plan(arm, arm.initial, arm.initial + 0.1, dt=0)
    free = oracle.planar(0.5, 0.4)
    with pytest.raises(ArmError, match="joint_1 of 'planar' has no velocity limit; give a dur"):
        plan(free, [0, 0], [1, 1])
    assert plan(free, [0, 0], [1, 1], duration=1.0).duration == pytest.approx(1.0)
    for duration in (0, -1, np.nan, np.inf):
        with pytest.raises(ArmError, match=r"duration is .*; it must be positive \[s\]"):
            plan(arm, arm.initial, arm.initial + 0.1, duration=duration)
        with pytest.raises(ArmError, match=r"duration is .*; it must be positive"):
            plan(free, [0, 0], [0, 0], duration=duration)
    assert plan(free, [0, 0], [0, 0], duration=2.0).duration == pytest.approx(2.0)
    with pytest.raises(ArmError, match=r"a move of 1e\+09 s .* has 5e\+10 points, more than 1,000"):
        plan(free, [0, 0], [1, 1], duration=1e9)


def test_a_sweep_has_a_sensible_number_of_points():
    arm = oracle.planar(0.5, 0.4)
    with pytest.raises(ArmError, match="steps is 1"):
        build_range_trajectory(arm, 1)
    with pytest.raises(ArmError, match="steps is 1000000000000; it must be at most 1,000,000"):
        build_range_trajectory(arm, 10**12)
    with pytest.raises(ArmError, match="n is 1000000000000; it must be at most 100,000,000"):
        random_configurations(arm, 10**12)


def test_a_long_trapezoid_cruises():
    arm = Arm.load("planar3")
    move = plan_trapezoid(arm, [-2, 0, 0], [2, 0, 0], dt=0.001)
    speed = arm.description.joints[0].max_velocity
    assert speed is not None
    assert np.isclose(np.abs(move.qd[:, 0]), speed, rtol=2e-3).mean() > 0.3


def test_csv_has_all_digits():
    arm = Arm.load("planar3")
    move = plan_quintic(arm, arm.initial, arm.initial + 0.1)
    lines = move.to_csv().splitlines()
    assert lines[0] == "stamp_ns,joint_1,joint_2,joint_3"
    rows = [line.split(",") for line in lines[1:]]
    assert [int(row[0]) for row in rows] == move.stamps_ns.tolist()
    assert np.array_equal([[float(v) for v in row[1:]] for row in rows], move.q)


# Lines --------------------------------------------------------------------------------------------


def test_a_line_of_a_pose_is_straight():
    arm = Arm.load("ur5e")
    T_start = arm.fk(arm.initial)
    T_end = Transform((0.05, 0.1, -0.1)) @ T_start @ Transform.from_euler((0, 0, 0), (0.2, 0, 0.3))
    line = plan_line(arm, arm.initial, T_end, speed=0.2, dt=0.01)
    points = arm.fk_batch(line.q)[:, :3, 3]
    direction = T_end.translation - T_start.translation
    direction /= np.linalg.norm(direction)
    off = points - T_start.translation
    off -= np.outer(off @ direction, direction)
    assert np.abs(off).max() < 3e-6
    assert arm.fk(line.q[-1]).is_close(T_end, 3e-6, 3e-6)
    speed = np.linalg.norm(np.diff(points, axis=0), axis=1) / np.diff(line.times)
    assert speed.max() <= 0.2 * 1.01
    velocity = np.array([joint.max_velocity for joint in arm.description.joints])
    assert (
        np.abs(np.diff(line.q, axis=0)) <= velocity * np.diff(line.times)[:, None] * 1.001
    ).all()


def test_a_line_to_a_point_leaves_the_rotation_free():
    arm = Arm.load("robot_arm")
    target = arm.fk(arm.initial).translation + np.array([0.0, 0.1, 0.05])
    line = plan_line(arm, arm.initial, target)
    np.testing.assert_allclose(arm.fk(line.q[-1]).translation, target, atol=2e-6)


def straight(arm: Arm, line, T_start: Transform, end: np.ndarray) -> float:
    """Largest distance of the points from the line [m]."""
    along = (end - T_start.translation) / np.linalg.norm(end - T_start.translation)
    off = arm.fk_batch(line)[:, :3, 3] - T_start.translation
    return float(np.linalg.norm(off - np.outer(off @ along, along), axis=1).max())


@pytest.mark.parametrize("name", ["ur5e", "panda", "puma560", "robot_arm"])
@pytest.mark.parametrize("speed", [0.1, 1.0, 1000.0])
def test_a_line_keeps_all_limits_at_any_speed(name, speed):
    arm = Arm.load(name)
    joints = arm.description.joints
    velocity = np.array([joint.max_velocity for joint in joints])
    acceleration = np.array([joint.max_acceleration for joint in joints])
    planned = 0
    for q in random_configurations(arm, 12, seed=3):
        T = arm.fk(q)
        end = T.translation * 0.8 + (0.0, 0.0, 0.05)
        for target in (end, Transform(end, T.rotation)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SingularityWarning)
                    line = plan_line(arm, q, target, speed=speed)
            except ArmError:
                continue
            planned += 1
            assert np.array_equal(line.q[0], q)
            assert (np.abs(line.qd) <= velocity).all()
            assert (np.abs(line.qdd) <= acceleration).all()
            assert ((line.q >= arm.lower) & (line.q <= arm.upper)).all()
            # The same from the points alone, as a drive would see it.
            dt = arm.description.dt_s
            assert np.array_equal(np.diff(line.stamps_ns), np.full(len(line) - 1, round(dt * 1e9)))
            speeds = np.diff(line.q, axis=0) / dt
            assert (np.abs(speeds) <= velocity).all()
            assert (np.abs(np.diff(speeds, axis=0)) / dt <= acceleration).all()
            assert straight(arm, line.q, T, end) < 1.01e-5
            middle = 0.5 * (line.q[1:] + line.q[:-1])
            assert straight(arm, middle, T, end) < 1.01e-3
    assert planned > 4


def test_a_line_without_limits_is_a_line_too():
    arm = oracle.planar(0.5, 0.4, 0.3)
    q = np.array([0.2, 0.9, 0.5])
    T, end = arm.fk(q), np.array([0.2, -0.4, 0.0])
    line = plan_line(arm, q, end, speed=1e6)
    assert straight(arm, 0.5 * (line.q[1:] + line.q[:-1]), T, end) < 1.01e-3
    np.testing.assert_allclose(arm.fk(line.q[-1]).translation, end, atol=1e-6)


def test_a_line_takes_what_ik_takes():
    arm = Arm.load("ur5e")
    T_end = Transform((0.05, 0.1, -0.1)) @ arm.fk(arm.initial)
    line = plan_line(arm, arm.initial, T_end)
    again = plan_line(arm, arm.initial, T_end.to_matrix())
    np.testing.assert_allclose(line.q, again.q, atol=1e-7)


def test_derivatives_of_a_line_belong_together():
    arm = Arm.load("panda")
    T_end = Transform((0.05, 0.2, -0.15)) @ arm.fk(arm.initial)
    line = plan_line(arm, arm.initial, T_end, dt=0.001)
    np.testing.assert_allclose(np.gradient(line.q, 0.001, axis=0)[1:-1], line.qd[1:-1], atol=1e-4)
    np.testing.assert_allclose(np.gradient(line.qd, 0.001, axis=0)[1:-1], line.qdd[1:-1], atol=0.02)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"dt": -1}, r"dt is -1; it must be positive \[s\]"),
        ({"dt": 0}, "dt is 0; it must be positive"),
        ({"dt": np.nan}, "dt is nan; it must be positive"),
        ({"dt": 1e-9}, "dt is 1e-09; it must be from 1e-6 to 1e6 s"),
        (
            {"speed": 1e-9},
            r"a move of .* s with a point every 0\.01 s has .* points, more than 1,000",
        ),
        ({"speed": "fast"}, r"speed is 'fast' \(str\); give a positive number \[m/s\]"),
        ({"start": [0, 0, 9, 0, 0, 0]}, "start has elbow_joint at 9 rad, outside -3.1.*move it"),
        ({"target": (1e300, 0, 0)}, "target lies at x"),
    ],
)
def test_a_line_that_makes_no_sense_is_refused(arguments, text):
    arm = Arm.load("ur5e")
    options = {"start": arm.initial, "target": arm.fk(arm.initial).translation - 0.1, "dt": 0.01}
    with pytest.raises(ArmError, match=text):
        plan_line(arm, **(options | arguments))


def test_a_line_near_a_singularity_warns():
    arm = oracle.planar(0.5, 0.5, lower=-3.0, upper=3.0)
    with pytest.warns(SingularityWarning, match=r"passes near a singularity of 'planar' after"):
        plan_line(arm, (-0.6, 1.2), (0.99995, 0.0, 0.0), speed=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan_line(arm, (-0.6, 1.2), (0.7, 0.1, 0.0))


def test_a_line_out_of_the_workspace_is_refused():
    arm = oracle.planar(0.5, 0.4)
    with pytest.raises(
        ArmError, match=r"the line leaves the workspace of 'planar' after \d+%: out"
    ):
        plan_line(arm, (0.1, 0.5), (1.5, 0.0, 0.0))
    with pytest.raises(ArmError, match=r"target must be a point \(3,\), a Transform"):
        plan_line(arm, (0.1, 0.5), (1.5, 0.0))
    with pytest.raises(ArmError, match="speed is 0; it must be positive"):
        plan_line(arm, (0.1, 0.5), (0.5, 0.0, 0.0), speed=0)


def test_a_line_slows_down_for_slow_joints():
    arm = Arm.load("planar3")
    slow = Arm(
        dataclasses.replace(
            arm.description,
            joints=tuple(dataclasses.replace(j, max_velocity=0.05) for j in arm.description.joints),
        )
    )
    target = arm.fk(arm.initial).translation - np.array([0.1, 0.0, 0.0])
    assert plan_line(slow, arm.initial, target).duration > 2 * (
        plan_line(arm, arm.initial, target).duration
    )
