"""A TurtleBot3 drives a circle, compares odometry with the truth, and stops when commands cease."""

from __future__ import annotations

import math

from horus_sim.robots import load_robot
from horus_sim.sim3d import World

LINEAR, ANGULAR = 0.15, 0.5


def main() -> None:
    """Drive for one lap, then fall silent."""
    world = World.from_robot(load_robot("turtlebot3_burger"), ground=True)
    robot = world.robots["turtlebot3_burger"]
    print(f"drive: {robot.control.kind}")

    result = robot.command(linear=1.0)
    print(f"too fast: {result}")

    # A program sends its velocity again and again; 20 times a second is common.
    lap = 2.0 * math.pi / ANGULAR
    highest = 0.0
    for _ in range(round(lap * 20)):
        robot.command(linear=LINEAR, angular=ANGULAR)
        world.step(12)
        highest = max(highest, robot.pose.translation[1])
    x, y, _ = robot.pose.translation
    print(f"diameter {highest:.2f} m, by v / w {2.0 * LINEAR / ANGULAR:.2f} m")

    odometry = robot.control.drive.odometry  # type: ignore[union-attr]
    error_mm = 1000.0 * math.dist((x, y), (odometry.x, odometry.y))
    print(f"odometry is off by less than 20 mm: {error_mm < 20.0}")

    # No command for longer than the time-out of 0.5 s: the robot stops by itself.
    world.step(240)
    linear, _ = robot.velocity
    print(f"one second later it stands still: {abs(linear[0]) < 0.001}")


if __name__ == "__main__":
    main()
