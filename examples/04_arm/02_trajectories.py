"""Moves in joint space and along a straight line, and how close to singular they come."""

from __future__ import annotations

import numpy as np

from horus_sim.arm import Arm, manipulability, plan_line, plan_quintic, plan_trapezoid, singularity
from horus_sim.tf import Transform


def main() -> None:
    """Plan three moves of a Panda and print what they need."""
    arm = Arm.load("panda")
    T_start = arm.fk(arm.initial)
    T_goal = Transform((0.05, 0.2, -0.15)) @ T_start
    end = arm.ik(T_goal, start=arm.initial).q

    moves = {
        "quintic": plan_quintic(arm, arm.initial, end),
        "trapezoid": plan_trapezoid(arm, arm.initial, end),
        "line": plan_line(arm, arm.initial, T_goal, speed=0.25),
    }
    straight = T_goal.translation - T_start.translation
    straight /= np.linalg.norm(straight)
    for name, move in moves.items():
        off = arm.fk_batch(move.q)[:, :3, 3] - T_start.translation
        bend_mm = 1e3 * np.linalg.norm(off - np.outer(off @ straight, straight), axis=1).max()
        speed = np.abs(move.qd).max()
        print(
            f"{name:<10}{len(move):>4} points, {move.duration:.2f} s, fastest joint {speed:.2f} "
            f"rad/s, {bend_mm:.3f} mm off the straight line"
        )
    print(f"manipulability {manipulability(arm, arm.initial):.4f} at the start", end=", ")
    print(f"{manipulability(arm, end):.4f} at the end")
    worst = np.min(singularity(arm, moves["line"].q, mode="pose"))
    print(f"smallest singularity measure along the line: {worst:.3f}")


if __name__ == "__main__":
    main()
