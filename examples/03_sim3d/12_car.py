"""A race car with Ackermann steering: the wheels turn by different angles about one point."""

from __future__ import annotations

import math

from horus_sim.robots import load_robot
from horus_sim.sim3d import World

STEERING = 0.3


def main() -> None:
    """Drive half a circle."""
    world = World.from_robot(load_robot("racecar"), ground=True)
    robot = world.robots["racecar"]
    car = robot.control.config.drive
    left, right = car.steering_angles(STEERING)  # type: ignore[union-attr]
    print(f"knuckles: left {left:.3f} rad, right {right:.3f} rad")
    radius = car.wheelbase / math.tan(STEERING)  # type: ignore[union-attr]

    farthest = 0.0
    while robot.pose.to_euler()[2] > -0.5:
        robot.command(speed=0.8, steering=STEERING)
        world.step(12)
        farthest = max(farthest, robot.pose.translation[1])
    error = abs(farthest / (2.0 * radius) - 1.0)
    print(f"half a circle is {2.0 * radius:.2f} m wide by geometry; met within 3 %: {error < 0.03}")


if __name__ == "__main__":
    main()
