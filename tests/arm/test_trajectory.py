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
    build_range_trajectory,
    plan_line,
    plan_quintic,
    plan_trapezoid,
    random_configurations,
    shipped_arms,
)
from horus_sim.errors import ArmError
from horus_sim.tf import Transform

from . import oracle

PLANNERS = [plan_quintic, plan_trapezoid]


@pytest.mark.parametrize("name", shipped_arms())
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
@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(shipped_arms()))
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
    with pytest.raises(ArmError, match="steps is 1"):
        build_range_trajectory(free, 1)


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
    with pytest.raises(ArmError, match="target must be a finite point"):
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
