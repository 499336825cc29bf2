"""Forward kinematics and the Jacobian against references."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.arm import Arm, arm_names, random_configurations
from horus_sim.errors import ArmError
from horus_sim.tf import Transform

from . import oracle
from .random_arms import random_arm

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", ["puma560", "ur5e"])
def test_the_reference_is_matched(name, shared_data):
    data = json.loads(shared_data("arm/fk_reference.json").read_text(encoding="utf-8"))
    reference = data["arms"][name]
    arm = Arm.load(name)
    q = np.radians([case["q_deg"] for case in reference["cases"]])
    expected = np.array([case["T"] for case in reference["cases"]])
    assert len(q) == 50
    np.testing.assert_allclose(arm.fk_batch(q), expected, rtol=0, atol=1e-12)
    for row, T in zip(q, expected, strict=True):
        np.testing.assert_allclose(arm.fk(row).to_matrix(), T, rtol=0, atol=1e-12)
    limits = [[joint["min_deg"], joint["max_deg"]] for joint in reference["dh"]]
    np.testing.assert_allclose(np.degrees([arm.lower, arm.upper]).T, limits, atol=1e-12)


@given(seeds)
def test_frames_are_the_product_of_the_books(seed):
    rng = np.random.default_rng(seed)
    arm = random_arm(rng)
    q = rng.uniform(-4, 4, arm.dof)
    np.testing.assert_allclose(arm.frames(q), oracle.frames(arm, q), rtol=0, atol=1e-13)
    np.testing.assert_allclose(arm.fk(q).to_matrix(), arm.frames(q)[-1], rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", arm_names())
def test_a_batch_is_a_loop(name):
    arm = Arm.load(name)
    q = random_configurations(arm, 203)
    frames = arm.frames(q)
    batch = arm.fk_batch(q, threads=1)
    assert frames.shape == (203, arm.dof + 1, 4, 4)
    assert np.array_equal(batch, arm.fk_batch(q, threads=3))
    assert np.array_equal(batch, frames[:, -1])
    assert np.array_equal(frames, [arm.frames(row) for row in q])
    assert np.array_equal(arm.jacobian(q), [arm.jacobian(row) for row in q])
    assert arm.fk_batch(np.empty((0, arm.dof))).shape == (0, 4, 4)


def test_base_and_tool_are_included():
    plain = Arm.load("ur5e")
    T_world_base = Transform.from_euler((1, 2, 3), (0.1, 0.2, 0.3))
    T_flange_tool = Transform.from_euler((0, 0.1, 0.2), (1, 0, 2))
    import dataclasses

    arm = Arm(
        dataclasses.replace(
            plain.description, T_world_base=T_world_base, T_flange_tool=T_flange_tool
        )
    )
    q = random_configurations(arm, 1)[0]
    assert arm.fk(q).is_close(T_world_base @ plain.fk(q) @ T_flange_tool, 1e-12, 1e-12)
    np.testing.assert_allclose(arm.frames(q), oracle.frames(arm, q), atol=1e-13)


@given(seeds)
def test_the_jacobian_is_the_derivative(seed):
    rng = np.random.default_rng(seed)
    arm = random_arm(rng)
    q = rng.uniform(-3, 3, arm.dof)
    J = arm.jacobian(q)
    h = 1e-6
    for j in range(arm.dof):
        step = np.eye(arm.dof)[j] * h
        low, high = arm.fk(q - step).to_matrix(), arm.fk(q + step).to_matrix()
        np.testing.assert_allclose(J[:3, j], (high - low)[:3, 3] / (2 * h), atol=2e-9)
        spin = (high - low)[:3, :3] @ arm.fk(q).to_matrix()[:3, :3].T / (2 * h)
        np.testing.assert_allclose(J[3:, j], (spin[2, 1], spin[0, 2], spin[1, 0]), atol=2e-9)


def test_the_jacobian_agrees_with_the_numerical_one():
    arm = Arm.load("robot_arm")
    for q in random_configurations(arm, 20):
        np.testing.assert_allclose(
            arm.jacobian(q)[:3], oracle.numerical_jacobian(arm, q), atol=5e-6
        )


def test_many_threads_read_one_arm():
    arm = Arm.load("panda")
    q = random_configurations(arm, 64)
    expected = arm.fk_batch(q)
    different = []

    def read() -> None:
        for row, T in zip(q, expected, strict=True):
            if not np.array_equal(arm.frames(row)[-1], T):
                different.append(row)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not different


@pytest.mark.parametrize(
    ("q", "text"),
    [
        ([0, 0], r"q must have shape \(6,\), one number for each joint of 'ur5e', got \(2,\)"),
        ([0, 0, 0, 0, 0, np.nan], r"q\[5\] is nan; every number must be finite"),
        ([0, 0, 0, 0, 0, np.inf], r"q\[5\] is inf"),
        (["a"] * 6, "q must be numbers"),
        ([[0] * 6], r"q must have shape \(6,\)"),
    ],
)
def test_a_wrong_configuration_is_explained(q, text):
    with pytest.raises(ArmError, match=text):
        Arm.load("ur5e").fk(q)


def test_a_wrong_batch_is_explained():
    arm = Arm.load("scara")
    with pytest.raises(ArmError, match=r"q must have shape \(N, 4\), a column for each joint"):
        arm.fk_batch(np.zeros((3, 5)))
    with pytest.raises(ArmError, match=r"q\[1, 2\] is nan"):
        arm.jacobian(np.array([[0.0] * 4, [0, 0, np.nan, 0]]))
    with pytest.raises(ArmError, match="threads is -1; write 0"):
        arm.fk_batch(np.zeros((3, 4)), threads=-1)


def test_an_arm_tells_its_limits():
    arm = Arm.load("scara")
    assert arm.within_limits(arm.initial)
    assert not arm.within_limits([0, 0, 0.3, 0])
    assert repr(arm) == "<Arm 'scara', 4 joints>"
    with pytest.raises(ValueError, match="read-only"):
        arm.lower[0] = 1.0
