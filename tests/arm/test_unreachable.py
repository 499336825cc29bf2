"""Targets that cannot be met: the closest point within limits, and why."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from scipy.optimize import least_squares

from horus_sim.arm import Arm, ArmDescription, ArmJoint, Outcome
from horus_sim.tf import Transform

from . import oracle


def scipy_closest(arm: Arm, target: np.ndarray, rng: np.random.Generator, starts: int) -> float:
    """Smallest distance that bounded least squares finds from random starts [m]."""
    best = np.inf
    for _ in range(starts):
        found = least_squares(
            lambda q: arm.fk(q).translation - target,
            rng.uniform(arm.lower, arm.upper),
            jac=lambda q: arm.jacobian(q)[:3],  # pyright: ignore[reportArgumentType]
            bounds=(arm.lower, arm.upper),
        )
        best = min(best, float(np.linalg.norm(found.fun)))
    return best


@pytest.mark.parametrize("name", ["puma560", "panda", "robot_arm", "scara"])
def test_no_solver_comes_closer(name):
    arm = Arm.load(name)
    rng = np.random.default_rng(21)
    checked = 0
    while checked < 6:
        direction = rng.normal(size=3)
        target = direction / np.linalg.norm(direction) * arm.reach * rng.uniform(0.1, 1.5)
        answer = arm.ik(target)
        if answer.success:
            continue
        checked += 1
        assert arm.within_limits(answer.q)
        away = np.linalg.norm(arm.fk(answer.q).translation - target)
        assert answer.position_error == pytest.approx(away, abs=1e-12)
        assert answer.position_error <= scipy_closest(arm, target, rng, 8) + 1e-3


def test_out_of_reach_says_by_how_much():
    arm = oracle.planar(0.5, 0.3)
    answer = arm.ik((1.524, 0.0, 0.0))
    assert not answer.success
    assert answer.outcome is Outcome.OUT_OF_REACH
    assert answer.reason == "out of reach by 0.724 m"
    np.testing.assert_allclose(answer.q, 0.0, atol=1e-6)
    assert answer.limits_active == ()


def test_the_hole_in_the_middle_is_out_of_reach_too():
    assert oracle.planar(0.5, 0.3).ik((0.0, 0.05, 0.0)).reason == "out of reach by 0.150 m"


def test_a_limit_in_the_way_is_named():
    joints = (
        ArmJoint.from_dh("joint_1", a=0.5, alpha=0.0, lower=-pi, upper=pi),
        ArmJoint.from_dh("joint_2", a=0.3, alpha=0.0, lower=-0.3, upper=0.3),
    )
    arm = Arm(ArmDescription("stiff", joints))
    answer = arm.ik((0.0, 0.5, 0.0))
    assert answer.outcome is Outcome.BLOCKED_BY_LIMITS
    assert answer.reason.startswith("blocked by limits of joint_2: ")
    assert answer.reason.endswith(" m short")
    assert answer.limits_active == ("joint_2",)
    expected = np.hypot(0.5 + 0.3 * np.cos(0.3), 0.3 * np.sin(0.3)) - 0.5
    assert answer.position_error == pytest.approx(expected, abs=1e-9)


def test_limits_are_not_blamed_for_what_is_far_away():
    answer = Arm.load("puma560").ik((30.0, 0.0, 0.5))
    assert answer.reason.startswith("out of reach by ")


def test_a_rotation_that_cannot_be():
    arm = oracle.planar(0.5, 0.3, 0.2)
    T = arm.fk((0.2, 0.4, 0.1))
    tilted = T @ Transform.from_euler((0, 0, 0), (0.4, 0, 0))
    answer = arm.ik(tilted, rotation_weight=0.1)
    assert answer.reason == "orientation out of reach by 0.400 rad"
    assert answer.position_error < 1e-6
    far = Transform((3.0, 0, 0), tilted.rotation)
    assert arm.ik(far).reason.startswith("out of reach by 2.0")
    assert arm.ik(far).reason.endswith(" rad")


def test_reachable():
    arm = Arm.load("planar3")
    assert arm.reachable((0.5, 0.3, 0.0))
    assert not arm.reachable((0.5, 0.3, 0.1))
    assert arm.reachable((0.5, 0.3, 0.1), tolerance=0.11)
