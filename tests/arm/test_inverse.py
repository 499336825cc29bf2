"""Inverse kinematics: targets are reached, within limits, and the answer says the truth."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from horus_sim.arm import (
    Arm,
    ArmDescription,
    ArmJoint,
    JointKind,
    Outcome,
    arm_names,
    random_configurations,
)
from horus_sim.errors import ArmError
from horus_sim.tf import Transform

from . import oracle
from .random_arms import random_arm

POSITION_M, ROTATION_RAD = 1e-4, 1e-3


def angles_between(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Angles between rotations (N, 3, 3), from chords: exact for small ones."""
    chord = np.linalg.norm(A - B, axis=(1, 2))
    return 2 * np.arcsin(np.clip(chord / np.sqrt(8), 0, 1))


def check_answers(arm: Arm, answers, T: np.ndarray, *, is_pose: bool) -> int:
    """Everything that an answer claims, measured anew; returns the number of failures."""
    reached = arm.fk_batch(answers.q)
    away = np.linalg.norm((reached - T)[:, :3, 3], axis=1)
    np.testing.assert_allclose(answers.position_error, away, atol=1e-12)
    good = away <= POSITION_M
    if is_pose:
        turned = angles_between(reached[:, :3, :3], T[:, :3, :3])
        np.testing.assert_allclose(answers.rotation_error, turned, atol=1e-7)
        good &= turned <= ROTATION_RAD + 1e-9
    assert np.array_equal(answers.success, good)
    assert (answers.q >= arm.lower).all()
    assert (answers.q <= arm.upper).all()
    return int((~answers.success).sum())


@pytest.mark.parametrize("name", arm_names())
@pytest.mark.parametrize("is_pose", [False, True], ids=["position", "pose"])
def test_every_reachable_target_is_reached(name, is_pose):
    arm = Arm.load(name)
    T = arm.fk_batch(random_configurations(arm, 2000, seed=1))
    targets = T if is_pose else np.ascontiguousarray(T[:, :3, 3])
    for starts in (None, arm.initial, random_configurations(arm, 2000, seed=2)):
        answers = arm.ik_batch(
            targets, starts, position_tolerance=POSITION_M, rotation_tolerance=ROTATION_RAD
        )
        assert check_answers(arm, answers, T, is_pose=is_pose) == 0


def test_random_arms_reach_what_they_can():
    rng = np.random.default_rng(8)
    failures = 0
    for _ in range(40):
        arm = random_arm(rng)
        T = arm.fk_batch(random_configurations(arm, 100, seed=3))
        for is_pose, targets in ((False, T[:, :3, 3]), (True, T)):
            answers = arm.ik_batch(
                targets, position_tolerance=POSITION_M, rotation_tolerance=ROTATION_RAD
            )
            failures += check_answers(arm, answers, T, is_pose=is_pose)
    assert failures <= 8  # 99.9 % of 8,000


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_the_default_tolerance_is_a_micrometre(seed):
    arm = Arm.load("panda")
    q = random_configurations(arm, 1, seed)[0]
    T = arm.fk(q)
    answer = arm.ik(T, start=arm.initial)
    assert answer.success
    assert answer.reason == "solved"
    assert answer.outcome is Outcome.SOLVED
    assert arm.fk(answer.q).is_close(T, 1.001e-6, 1.001e-6)
    assert answer.iterations > 0
    assert answer.starts >= 1


def test_a_batch_is_a_loop_at_any_thread_count():
    arm = Arm.load("puma560")
    T = arm.fk_batch(random_configurations(arm, 150, seed=5))
    T[::7, :3, 3] += 3.0  # out of reach
    starts = random_configurations(arm, 150, seed=6)
    batch = arm.ik_batch(T, starts, threads=1)
    assert np.array_equal(batch.q, arm.ik_batch(T, starts, threads=4).q)
    for index, (target, start) in enumerate(zip(T, starts, strict=True)):
        one = arm.ik(target, start)
        other = batch[index]
        assert np.array_equal(one.q, other.q)
        assert (one.success, one.reason, one.limits_active, one.iterations, one.starts) == (
            other.success,
            other.reason,
            other.limits_active,
            other.iterations,
            other.starts,
        )
    assert len(list(batch)) == len(batch) == 150
    transforms = [Transform.from_matrix(matrix) for matrix in T[:5]]
    np.testing.assert_allclose(arm.ik_batch(transforms, starts[:5]).q, batch.q[:5], atol=1e-5)


def test_the_seed_decides_and_nothing_else():
    arm = oracle.planar(0.5, 0.4, 0.3)
    far = (2.0, 0.0, 0.0)
    assert np.array_equal(arm.ik(far, seed=3).q, arm.ik(far, seed=3).q)


def test_the_answer_stays_near_the_start():
    arm = Arm.load("ur5e")
    for q in random_configurations(arm, 50, seed=9):
        near = np.clip(q + 0.02, arm.lower, arm.upper)
        for mode in ("position", "pose"):
            answer = arm.ik(arm.fk(q), near, mode)
            assert answer.success
            if mode == "position":
                assert np.abs(answer.q - near).max() < 0.3


def test_a_small_step_does_not_turn_a_joint_around():
    arm = Arm.load("ur5e")
    q = np.radians([192.52, -124.81, 128.37, -359.86, 95.13, -143.26])
    answer = arm.ik(arm.fk(q).translation + np.array([0.005, 0, 0]), start=q)
    assert answer.success
    assert np.abs(answer.q - q).max() < 0.1


def test_a_start_from_which_short_steps_end_short_of_the_target():
    arm = Arm.load("ur5e")
    start = (
        *(-1.9631470733818173, -4.516797915559925, -3.1105101033319165),
        *(-1.0495697440058498, -2.9683500830564933, -3.983556852612971),
    )
    target = (-0.03300772484505296, 0.007112342883648211, 0.09615683845202201)
    answer = arm.ik(target, start)
    assert answer.reason == "solved"
    np.testing.assert_allclose(arm.fk(answer.q).translation, target, rtol=0, atol=1.001e-6)


def bounded_answer(arm: Arm, T: np.ndarray, q: np.ndarray, *, is_pose: bool) -> np.ndarray | None:
    """Joint positions that bounded least squares finds from q, or None."""

    def error(x: np.ndarray) -> np.ndarray:
        reached = arm.fk_batch(x[np.newaxis])[0]
        away = reached[:3, 3] - T[:3, 3]
        turned = Rotation.from_matrix(reached[:3, :3] @ T[:3, :3].T).as_rotvec()
        return np.concatenate((away, 0.25 * turned)) if is_pose else away

    def slope(x: np.ndarray) -> np.ndarray:
        weights = np.array([1, 1, 1, 0.25, 0.25, 0.25])[: 6 if is_pose else 3, np.newaxis]
        return arm.jacobian(x)[: len(weights)] * weights

    inside = np.clip(q, arm.lower + 1e-9, arm.upper - 1e-9)
    options = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14, "max_nfev": 40}
    bounds = (arm.lower, arm.upper)
    found = least_squares(error, inside, jac=slope, bounds=bounds, **options)  # pyright: ignore[reportArgumentType]
    return found.x if np.linalg.norm(found.fun) < 1e-6 else None


@pytest.mark.parametrize("name", ["ur5e", "panda", "puma560", "robot_arm"])
@pytest.mark.parametrize("mode", ["position", "pose"])
def test_where_a_near_answer_exists_a_far_one_is_rare(name, mode):
    arm = Arm.load(name)
    q = random_configurations(arm, 4000, seed=15)
    step = np.random.default_rng(1).normal(size=(4000, 3))
    T = arm.fk_batch(q)
    T[:, :3, 3] += 0.005 * step / np.linalg.norm(step, axis=1, keepdims=True)
    answers = arm.ik_batch(T, q, mode)
    far = np.flatnonzero(answers.success & (np.abs(answers.q - q).max(axis=1) > 1.5))
    assert mode == "pose" or len(far) < 40
    needless = 0
    for k in far[:6]:
        near = bounded_answer(arm, T[k], q[k], is_pose=mode == "pose")
        needless += near is not None and np.abs(near - q[k]).max() < 0.6
    assert needless == 0


@pytest.mark.parametrize("name", ["panda", "robot_arm", "ur5e"])
def test_poses_at_joint_limits_are_reached(name):
    arm = Arm.load(name)
    rng = np.random.default_rng(11)
    q = random_configurations(arm, 10_000, seed=7)
    at, above = rng.random((2, *q.shape)) < 0.5
    T = arm.fk_batch(np.where(at, np.where(above, arm.upper, arm.lower), q))
    assert (~arm.ik_batch(T).success).sum() <= 1


def test_a_pose_in_a_corner_of_the_limits_is_reached():
    arm = Arm.load("panda")
    a, c = np.radians([-142.76, -132.17])
    q = [a, arm.upper[1], c, arm.lower[3], *arm.upper[4:]]
    assert arm.ik(arm.fk(q)).reason == "solved"


def test_poses_of_a_stretched_arm_that_need_a_start_beside_the_closest_end():
    # Found among millions: the search used to end micrometres away, or half a turn of two joints.
    arm = Arm.load("panda")
    for seed, index in ((3, 152390), (4, 297548), (8, 177318), (9, 37770)):
        q = random_configurations(arm, 300_000, seed)[index]
        start = random_configurations(arm, 300_000, seed + 10**6)[index]
        assert arm.ik_batch(arm.fk_batch([q]), start)[0].reason == "solved"


@pytest.mark.parametrize("far", [1e12, -1e12, 1e300])
@pytest.mark.parametrize("name", ["ur5e", "panda"])
def test_a_start_far_outside_is_moved_inside(name, far):
    arm = Arm.load(name)
    T = arm.fk(random_configurations(arm, 1, 3)[0])
    for target in (T, T.translation):
        answer = arm.ik(target, start=np.full(arm.dof, far))
        assert answer.reason == "solved"
        assert arm.within_limits(answer.q)


def test_a_continuous_joint_after_very_many_turns():
    joints = tuple(
        ArmJoint.from_dh(
            f"joint_{i}", a=0.3, alpha=0.0, kind=JointKind.CONTINUOUS, lower=-np.inf, upper=np.inf
        )
        for i in range(2)
    )
    assert Arm(ArmDescription("wheel", joints)).ik((0.3, 0.2, 0.0), start=(1e12, 1e12)).success


def test_a_continuous_joint_has_no_bound_and_keeps_its_turn():
    joints = tuple(
        ArmJoint.from_dh(
            f"joint_{i}", a=0.3, alpha=0.0, kind=JointKind.CONTINUOUS, lower=-np.inf, upper=np.inf
        )
        for i in range(2)
    )
    arm = Arm(ArmDescription("wheel", joints))
    goal = np.array([7.0, -8.0])
    answer = arm.ik(arm.fk(goal).translation, start=goal + 0.05)
    np.testing.assert_allclose(answer.q, goal, atol=1e-4)
    assert answer.limits_active == ()
    answer = arm.ik(arm.fk(goal).translation)
    assert (np.abs(answer.q) <= pi).all()


@pytest.mark.parametrize("mode", ["position", "pose"])
def test_the_answer_does_not_depend_on_how_the_question_is_written(mode):
    arm = Arm.load("ur5e")
    T = arm.fk(random_configurations(arm, 1, 4)[0])
    start = np.array([0.0, -1.0, 1.0, -1.0, -2.0, 0.0])
    wanted = arm.ik_batch([T.to_matrix()], start, mode).q[0]
    spread = np.zeros((6, 2))
    spread[:, 0] = start
    starts = (start, start.tolist(), (0, -1, 1, -1, -2, 0), spread[:, 0], start.astype(np.float32))
    fixed = T.to_matrix()
    fixed.flags.writeable = False
    targets = [T, T.to_matrix(), T.to_matrix().tolist(), np.asfortranarray(T.to_matrix()), fixed]
    if mode == "position":
        point = T.translation
        targets += [point, tuple(point), point.tolist(), point.astype(object)]
    for target in targets:
        assert np.array_equal(arm.ik(target, start, mode).q, wanted)
    for written in starts:
        assert np.array_equal(arm.ik(T, written, mode).q, wanted)
    numpy: dict[str, Any] = {"max_starts": np.int64(50), "rotation_tolerance": np.float32(1e-6)}
    assert np.array_equal(arm.ik(T, start, mode, **numpy).q, wanted)


def test_position_mode_takes_a_pose_and_ignores_its_rotation():
    arm = Arm.load("robot_arm")
    T = arm.fk(arm.initial)
    answer = arm.ik(T, mode="position")
    assert answer.success
    assert answer.rotation_error == 0.0


# Damped least squares -----------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_dls_is_the_textbook_algorithm(seed):
    arm = Arm.load("robot_arm")
    start, goal = random_configurations(arm, 2, seed)
    target = arm.fk(goal).translation
    dls = arm.description.dls
    q, iterations = oracle.clamped_dls(arm, target, start, 6, dls.damping, dls.tolerance_m)
    answer = arm.ik(target, start, method="dls", max_iters=6)
    assert answer.iterations == iterations
    # Few steps: clamping amplifies rounding from step to step.
    np.testing.assert_allclose(answer.q, q, atol=1e-8)
    assert answer.success == (np.linalg.norm(target - arm.fk(q).translation) <= dls.tolerance_m)


def test_dls_honours_its_parameters():
    arm = Arm.load("robot_arm")
    assert (arm.description.dls.max_iters, arm.description.dls.damping) == (200, 0.05)
    target = arm.fk(random_configurations(arm, 1, 4)[0]).translation
    answer = arm.ik(target, method="dls", max_iters=3, position_tolerance=1e-9)
    assert answer.iterations == 3
    assert answer.starts == 1
    assert answer.outcome is Outcome.NOT_CONVERGED
    assert answer.reason.startswith("not converged after 3 iterations: ")
    heavy = arm.ik(target, method="dls", max_iters=3, damping=10.0)
    assert np.abs(heavy.q - arm.initial).max() < 0.1


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"target": (0, 0)}, r"target must be a point \(3,\), a Transform or a matrix \(4, 4\)"),
        ({"target": (0, 0, np.nan)}, r"target\[2\] is nan"),
        ({"target": (0, 0, 0), "mode": "pose"}, "mode='pose' needs a Transform"),
        ({"target": (0, 0, 0), "mode": "poses"}, "mode is 'poses'; write 'position' or 'pose'"),
        ({"target": 2 * np.eye(4)}, "target is not a rigid transform"),
        ({"target": np.diag([1, 1, -1, 1])}, "target is not a rigid transform"),
        ({"target": (0, 0, 0), "start": (1, 2)}, r"start must have shape \(6,\)"),
        ({"target": (0, 0, 0), "method": "magic"}, "method is 'magic'; write 'robust' or 'dls'"),
        ({"target": (0, 0, 0), "damping": 0.1}, "damping has no meaning for method='robust'"),
        ({"target": (0, 0, 0), "max_starts": 0}, "max_starts is 0; it must be at least 1"),
        ({"target": (0, 0, 0), "position_tolerance": 0}, "position_tolerance is 0; it must be pos"),
        ({"target": (0, 0, 0), "seed": -1}, "seed is -1"),
        ({"target": (0, 0, 0), "seed": 1.5}, r"seed is '1\.5' \(float\); give a whole number"),
        ({"target": None}, r"target is None; give a point \(3,\), a Transform or a matrix"),
        ({"target": (1e300, 0, 0)}, r"target lies at x = 1e\+300 m; give metres, at most 1e\+06"),
        ({"target": Transform((0, -1e7, 0))}, r"target lies at y = -1e\+07 m; give metres"),
        ({"target": (0, 0, 0), "max_starts": 10**12}, "max_starts is 1000000000000; it must be at"),
        ({"target": (0, 0, 0), "max_starts": 2.5}, r"max_starts is '2\.5' \(float\); give a whole"),
        (
            {"target": (0, 0, 0), "position_tolerance": "1"},
            r"position_tolerance is '1' \(str\); give a positive number \[m\]",
        ),
        ({"target": (0, 0, 0), "rotation_weight": True}, r"rotation_weight is 'True' \(bool\)"),
        ({"target": (0, 0, 0), "method": "dls", "damping": np.nan}, "damping is nan; it must be"),
        (
            {"target": (0, 0, 0), "method": "dls", "max_starts": 3},
            "max_starts has no meaning for method='dls'; use method='robust'",
        ),
    ],
)
def test_a_wrong_question_is_explained(arguments, text):
    with pytest.raises(ArmError, match=text):
        Arm.load("robot_arm").ik(**arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"targets": np.zeros((2, 5))}, r"targets must be points \(N, 3\), Transforms or matrices"),
        ({"targets": np.zeros((2, 3)), "mode": "pose"}, "mode='pose' needs a Transform"),
        ({"targets": np.zeros((2, 4, 4))}, r"targets\[0\] is not a rigid transform"),
        ({"targets": np.zeros((4, 3)), "starts": np.zeros((3, 6))}, "starts has 3 rows for 4"),
        ({"targets": [[0, 0, 0], [0, 0, 1e9]]}, r"targets\[1\] lies at z = 1e\+09 m; give metres"),
        ({"targets": None}, "targets is None; give numbers"),
        ({"targets": np.zeros((2, 3)), "threads": 10**9}, "threads is 1000000000; it must be at"),
    ],
)
def test_a_wrong_batch_is_explained(arguments, text):
    with pytest.raises(ArmError, match=text):
        Arm.load("robot_arm").ik_batch(**arguments)
