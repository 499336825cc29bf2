"""A seven-axis arm holds its pose, moves its joints, follows a trajectory and uses its gripper."""

from __future__ import annotations

import numpy as np

from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.control import JointTrajectory


def main() -> None:
    """Command the arm in each of its ways."""
    world = World.from_robot(load_robot("panda7"))
    robot = world.robots["panda7"]

    start = robot.joint_positions()
    world.step(240 * 5)
    sag = np.abs(robot.joint_positions() - start).max()
    print(f"held for 5 s within a micro-radian: {sag < 1e-6}")

    # Values by joint are positions unless mode says 'velocity' or 'effort'.
    result = robot.command({"panda_joint1": 0.5, "panda_joint4": 1.0})
    print(result)
    world.step(240 * 3)
    print(f"joint 1 is at {robot.joint_positions()[0]:.3f} rad")

    # The first way-point is later than zero: the arm comes from where it is.
    trajectory = JointTrajectory.through(
        [{"panda_joint1": 0.0, "panda_joint2": -0.5}, {"panda_joint1": -0.4, "panda_joint2": 0.1}],
        times=[1.0, 2.5],
        method="quintic",
    )
    print(robot.command(trajectory))
    world.step(240 * 3)
    first, second = robot.joint_positions()[:2]
    print(f"joints 1 and 2 are at {first:.3f} and {second:.3f} rad")

    robot.command(gripper="open")
    world.step(240 * 2)
    gripper = robot.control.gripper
    if gripper is not None:
        print(f"the gripper is {1000.0 * gripper.width:.0f} mm wide")


if __name__ == "__main__":
    main()
