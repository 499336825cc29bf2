"""Where is the tool, and which joint angles bring it somewhere else?"""

from __future__ import annotations

import numpy as np

from horus_sim.arm import Arm
from horus_sim.tf import Transform


def main() -> None:
    """Print forward kinematics, a solution, and the answers for targets that cannot be reached."""
    np.set_printoptions(precision=4, suppress=True)
    arm = Arm.load("ur5e")
    T_world_tool = arm.fk(arm.initial)
    print(f"{arm.name} at {np.rad2deg(arm.initial)} deg: tool at {T_world_tool.translation} m")

    # 10 cm up, and the tool turned by 30 degrees about the vertical.
    T_world_goal = Transform.from_euler((0.0, 0.0, 0.1), (0.0, 0.0, 0.0)) @ T_world_tool
    T_world_goal = T_world_goal @ Transform.from_euler((0, 0, 0), (0.0, 0.0, np.deg2rad(30.0)))
    answer = arm.ik(T_world_goal, start=arm.initial)
    print(f"goal: {answer.reason} after {answer.iterations} iterations, q {np.rad2deg(answer.q)}")

    for point in ((2.0, 0.0, 0.5), (0.0, 0.0, 0.3)):
        answer = arm.ik(point)
        closest = arm.fk(answer.q).translation
        print(f"{point}: {answer.reason}; the closest point is {closest}")

    scara = Arm.load("scara")
    answer = scara.ik((-0.3, 0.0, 0.2))
    print(f"{scara.name}: {answer.reason}; at a limit: {', '.join(answer.limits_active)}")


if __name__ == "__main__":
    main()
