"""A quadrotor takes off, flies ahead, and hovers when commands cease."""

from __future__ import annotations

from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.tf import Transform


def main() -> None:
    """Fly up and ahead."""
    pose = Transform((0.0, 0.0, 0.09))
    world = World.from_robot(load_robot("quadrotor"), pose=pose, ground=True)
    robot = world.robots["quadrotor"]

    # Velocity in the heading's frame: ahead, to the left, up.
    for linear in ((0.0, 0.0, 0.5), (0.5, 0.0, 0.0)):
        for _ in range(30):
            robot.command(linear=linear)
            world.step(24)
        x, _, z = robot.pose.translation
        print(f"after {world.time:.0f} s: {abs(x):.1f} m ahead, {z:.1f} m up")

    world.step(240 * 5)
    speed = max(map(abs, robot.velocity[0]))
    print(f"hovers: {speed < 0.1 and robot.pose.translation[2] > 1.0}")


if __name__ == "__main__":
    main()
