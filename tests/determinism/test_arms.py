"""Arms have the same bits from every compiler, on every processor."""

from __future__ import annotations

import pytest

from horus_sim.arm import (
    Arm,
    arm_names,
    build_range_trajectory,
    plan_line,
    plan_quintic,
    plan_trapezoid,
    random_configurations,
)
from horus_sim.errors import ArmError

from .digest import Digest


@pytest.mark.parametrize("name", arm_names())
def test_forward_kinematics_and_jacobians(name):
    arm, digest = Arm.load(name), Digest()
    q = random_configurations(arm, 1_003, seed=1)
    digest.add(arm.fk_batch(q), arm.fk_batch(1e4 * q[:50]), arm.fk_batch(1e8 * q[:50]))
    digest.add(arm.frames(q[:100]), arm.jacobian(q[:100]), arm.reach)
    for row in q[:50]:
        T = arm.fk(row)
        digest.add(T.translation, T.rotation, arm.jacobian(row))
    digest.check(f"arm: forward {name}")


@pytest.mark.parametrize("name", arm_names())
def test_inverse_kinematics(name):
    arm, digest = Arm.load(name), Digest()
    targets = arm.fk_batch(random_configurations(arm, 150, seed=2))
    starts = random_configurations(arm, 150, seed=3)
    far = targets.copy()
    far[:, :3, 3] *= 1.5
    for mode in ("position", "pose"):
        for wanted, begin, most in (
            (targets, None, None),
            (targets, starts, None),
            (far[:20], None, 4),
        ):
            answer = arm.ik_batch(wanted, begin, mode, seed=5, max_starts=most)
            digest.add(answer.q, answer.outcome, answer.position_error, answer.rotation_error)
            digest.add(answer.iterations, answer.starts, answer.blocking)
            one = arm.ik(
                wanted[7], None if begin is None else begin[7], mode, seed=5, max_starts=most
            )
            assert (one.q == answer.q[7]).all()
    for k in range(10):
        answer = arm.ik(targets[k, :3, 3], starts[k], method="dls")
        digest.add(answer.q, answer.iterations)
    digest.check(f"arm: inverse {name}")


@pytest.mark.filterwarnings("ignore::horus_sim.arm.SingularityWarning")
@pytest.mark.parametrize("name", arm_names())
def test_trajectories(name):
    arm, digest = Arm.load(name), Digest()
    ends = random_configurations(arm, 6, seed=4)
    ways = [build_range_trajectory(arm)]
    for start, end in zip(ends[:3], ends[3:], strict=True):
        ways += [plan(arm, start, end, duration=20.0) for plan in (plan_quintic, plan_trapezoid)]
        middle = arm.fk(0.9 * start + 0.1 * end)
        for target in (middle, middle.translation):
            try:
                ways.append(plan_line(arm, start, target))
            except ArmError as error:
                digest.add(str(error))
    for way in ways:
        digest.add(way.stamps_ns, way.q, way.qd, way.qdd)
    digest.check(f"arm: trajectories {name}")
