"""Inverse kinematics of every shipped arm on targets that can be reached, from random starts.

    python scripts/fuzz/arm_targets.py [COUNT] [SEED]

Targets are forward kinematics of joint positions drawn uniformly within limits, as points and as
poses, asked for with the default tolerances of 1e-6 m and 1e-6 rad. A finding is a target that is
not reached, an answer outside of the limits, or one that is not where it claims to be.
"""

from __future__ import annotations

import sys

import numpy as np

from horus_sim.arm import Arm, IKBatchResult, arm_names, random_configurations

TOLERANCE = 1e-6
PIECE = 20_000


def findings(
    arm: Arm, T_world_tool: np.ndarray, answers: IKBatchResult, *, is_pose: bool
) -> np.ndarray:
    """Which answers are wrong, measured anew: shape (N,)."""
    away = arm.fk_batch(answers.q) - T_world_tool
    wrong = ~answers.success | (np.linalg.norm(away[:, :3, 3], axis=1) > TOLERANCE * (1 + 1e-6))
    wrong |= ((answers.q < arm.lower) | (answers.q > arm.upper)).any(axis=1)
    if is_pose:
        # The chord between two rotations is sqrt(2) times a small angle; rounding adds 1e-15.
        chord = np.linalg.norm(away[:, :3, :3], axis=(1, 2))
        wrong |= chord / np.sqrt(2) > TOLERANCE * (1 + 1e-6)
    return wrong


def main(count: int, seed: int) -> int:
    """Asks `count` questions, shared among arms and modes; returns the number of findings."""
    cases = [(Arm.load(name), is_pose) for name in arm_names() for is_pose in (False, True)]
    total = asked = 0
    for number, (arm, is_pose) in enumerate(cases):
        wanted = count * (number + 1) // len(cases) - count * number // len(cases)
        found, most_starts = 0, 0
        for begin in range(0, wanted, PIECE):
            n = min(PIECE, wanted - begin)
            draws = np.random.SeedSequence((seed, number, begin)).generate_state(2)
            q = random_configurations(arm, n, int(draws[0]))
            starts = random_configurations(arm, n, int(draws[1]))
            T_world_tool = arm.fk_batch(q)
            answers = arm.ik_batch(T_world_tool, starts, "pose" if is_pose else "position")
            most_starts = max(most_starts, int(answers.starts.max()))
            for k in np.flatnonzero(findings(arm, T_world_tool, answers, is_pose=is_pose)):
                print(f"  {arm.name}: {answers[int(k)].reason}")
                print(f"    q = {q[k].tolist()}\n    start = {starts[k].tolist()}")
                found += 1
        what = "poses" if is_pose else "points"
        print(f"{arm.name}: {wanted:,} {what}, {found} findings, at most {most_starts} starts")
        total += found
        asked += wanted
    print(f"{asked:,} targets, {total} findings")
    return total


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*arguments, *(1_000_000, 0)[len(arguments) :]) > 0)
