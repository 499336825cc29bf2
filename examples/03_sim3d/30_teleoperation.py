"""A node in another process drives a simulated robot around a square, by its odometry, over zenoh.

The simulator runs as `horus-sim sim3d` would; the node knows only topics, as on a real robot.
"""

import importlib.util
import math
import subprocess
import sys
import uuid

from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import CmdVel, Odometry
from horus_sim.installation import install_command

SIMULATOR = """
import sys
from horus_sim.hub import connect
from horus_sim.running import Loop, RunningWorld
from horus_sim.sim3d import World
with connect("zenoh://", session=sys.argv[1]) as hub:
    world = World.load("empty_world")
    world.spawn("turtlebot3_burger", name="burger")
    with RunningWorld(world, hub) as running:
        Loop(running, speed=4.0).run()  # four simulated seconds in one
"""
SIDE = 0.25  # [m]


class SquareDriver:
    """Turns to a corner, drives there, and so on."""

    def __init__(self, session: str) -> None:
        self.hub = connect("zenoh://", session=session)
        self.odom = self.hub.subscribe("burger/odom", Odometry, QoS(depth=1))
        self.drive = self.hub.publisher("burger/cmd_vel", CmdVel)

    def seen_from_here(self, x: float, y: float) -> tuple[float, float]:
        """Distance [m] and bearing [rad] of a point in the odometry frame."""
        message = self.odom.wait(30)
        if message is None:
            raise SystemExit("the simulator does not answer")
        ahead, left, _ = message.pose.inverse().transform_point((x, y, 0.0))
        return math.hypot(ahead, left), math.atan2(left, ahead)

    def go_to(self, x: float, y: float) -> None:
        """Drives to a point; each odometry message is answered with a command."""
        while True:
            distance, bearing = self.seen_from_here(x, y)
            if distance < 0.02:
                return
            speed = min(0.2, 2.0 * distance) if abs(bearing) < 0.3 else 0.0
            self.drive.send(CmdVel(speed, max(-1.5, min(1.5, 3.0 * bearing))))


def main() -> None:
    """Starts the simulator, drives once around, and ends it."""
    if importlib.util.find_spec("zenoh") is None:
        print(f"this example needs zenoh: {install_command('zenoh')}")
        return
    session = f"square-{uuid.uuid4().hex[:8]}"
    simulator = subprocess.Popen([sys.executable, "-c", SIMULATOR, session])  # noqa: S603
    try:
        driver = SquareDriver(session)
        for corner in ((SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE), (0.0, 0.0)):
            driver.go_to(*corner)
            print(f"at ({corner[0]:.2f}, {corner[1]:.2f})")
        driver.hub.close()
    finally:
        simulator.kill()
        simulator.wait()


if __name__ == "__main__":
    main()
