"""Ten thousand targets at once: which of them can the arm reach?"""

from __future__ import annotations

import numpy as np

from horus_sim.arm import Arm, Outcome


def main() -> None:
    """Ask for a grid of points and count the reasons."""
    arm = Arm.load("robot_arm")
    axis = np.linspace(-0.9, 0.9, 22)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    answers = arm.ik_batch(grid, position_tolerance=1e-4)
    print(f"{len(grid)} points, {answers.success.sum()} reached")
    for outcome in Outcome:
        print(f"  {outcome.name.lower():<18}{np.count_nonzero(answers.outcome == outcome):>6}")
    blocked = np.flatnonzero(answers.outcome == Outcome.BLOCKED_BY_LIMITS)
    print("for example", grid[blocked[0]].round(3), "->", answers[int(blocked[0])].reason)
    worst = int(np.argmax(answers.position_error))
    print("farthest   ", grid[worst].round(3), "->", answers[worst].reason)


if __name__ == "__main__":
    main()
