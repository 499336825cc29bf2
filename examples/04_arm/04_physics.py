"""The exported arm in MuJoCo: the same tool to the last digit, and a check against itself."""

from __future__ import annotations

import numpy as np

from horus_sim.arm import Arm, random_configurations, to_urdf
from horus_sim.arm.collision import SelfCollision
from horus_sim.arm.verify import verify_mujoco


def main() -> None:
    """Verify one arm, and find a configuration in which it touches itself."""
    arm = Arm.load("robot_arm")
    print(
        f"the URDF of '{arm.name}' has {to_urdf(arm).count('<joint ')} joints, fixed ones included"
    )
    for check in verify_mujoco(arm, configurations=50):
        verdict = "agrees" if check.agrees else "DISAGREES"
        print(f"  {check.simulator} {check.model:<5}{check.what:<18}{verdict}")

    touching = SelfCollision(arm)
    print("initial configuration:", touching.pairs(arm.initial) or "free")
    samples = random_configurations(arm, 200)
    folded = next(q for q in samples if touching.pairs(q))
    print(f"at {np.rad2deg(folded).round()} deg: {touching.pairs(folded)}")


if __name__ == "__main__":
    main()
