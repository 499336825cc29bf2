"""Two nodes on two topics: a robot on a line, and a controller that takes it to a mark.

First with time that jumps from tick to tick, which gives the same result on every machine, then for
one second of real time. The nodes do not know the difference.
"""

from __future__ import annotations

import time

from horus_sim.hub import Node, run
from horus_sim.hub.messages import CmdVel

MARK = 1.0


class Robot(Node):
    """A robot that drives along x as it is told."""

    def __init__(self) -> None:
        super().__init__("robot", subs={"cmd_vel": CmdVel}, pubs={"state": dict}, rate=100.0)
        self.x = 0.0
        self.speed = 0.0

    def tick(self) -> None:
        """One step of 10 ms."""
        super().tick()
        command = self.latest("cmd_vel")
        if command is not None:
            self.speed = command.linear
        self.x += self.speed / self.rate
        self.send("state", {"x": self.x})


def make_controller() -> Node:
    """A node from functions: drive towards the mark, at most at 1 m/s."""

    def steer(node: Node) -> None:
        state = node.latest("state")
        if state is not None:
            node.send("cmd_vel", CmdVel(linear=min(1.0, 4.0 * (MARK - state["x"]))))

    return Node("controller", subs="state", pubs={"cmd_vel": CmdVel}, tick=steer, rate=20.0)


def main() -> None:
    """The same program in both times."""
    for attempt in (1, 2):
        robot, controller = Robot(), make_controller()
        run(robot, controller, duration=3.0, mode="deterministic")
        ticks = f"{robot.ticks} and {controller.ticks} ticks"
        print(f"deterministic, run {attempt}: x = {robot.x!r} m after 3 s, {ticks}")

    robot, controller = Robot(), make_controller()
    start = time.monotonic()
    run(robot, controller, duration=1.0)
    took = time.monotonic() - start
    print(f"real time: x = {robot.x:.2f} m after {took:.1f} s, about {robot.ticks} ticks")


if __name__ == "__main__":
    main()
