"""Two processes on one machine: a robot, and this program, which drives it and looks at its frames.

They find each other by the name of their session alone. Needs the extra zenoh.
"""

from __future__ import annotations

import subprocess
import sys
import time
import uuid

from horus_sim.errors import MissingExtraError
from horus_sim.hub import Hub, Node, QoS, TFBroadcaster, TFListener, connect, run
from horus_sim.hub.messages import CmdVel, String
from horus_sim.tf import Transform

LONGEST_S = 20.0


def robot(hub: Hub) -> None:
    """The other process: drives along x as it is told, and publishes where it is."""
    broadcaster = TFBroadcaster(hub)
    broadcaster.send_static_transform("base_link", "camera", translation=(0.5, 0.0, 0.2))
    x = 0.0

    def tick(node: Node) -> None:
        nonlocal x
        command = node.latest("cmd_vel")
        if command is not None:
            x += command.linear / node.rate
        broadcaster.send_transform("odom", "base_link", Transform((x, 0.0, 0.0)), time.time_ns())

    commands = QoS(max_age=0.5)
    node = Node("robot", subs={"cmd_vel": CmdVel}, tick=tick, rate=50.0, qos=commands)
    hub.publisher("status", String, QoS(latched=True)).send(String("robot ready"))
    run(node, duration=LONGEST_S, hub=hub)


def drive(hub: Hub) -> None:
    """This process: waits for the robot, drives it half a metre, and asks for its camera."""
    status = hub.subscribe("status", String, QoS(latched=True)).wait(LONGEST_S)
    if status is None:
        raise TimeoutError("the robot did not start")
    print(f"{status.data}; topics: {', '.join(info.name for info in hub.topics())}")
    listener = TFListener(hub)
    listener.buffer.wait_for_transform("camera", "odom", timeout=LONGEST_S)
    publisher = hub.publisher("cmd_vel", CmdVel)
    end = time.monotonic() + LONGEST_S
    x = 0.0
    while x < 1.0 and time.monotonic() < end:
        publisher.send(CmdVel(linear=1.0))
        time.sleep(0.02)
        x = listener.tree.lookup_transform("camera", "odom").translation[0]
    print(f"the camera has come to {'x >= 1 m' if x >= 1.0 else f'x = {x:.2f} m only'}")
    names = {frame: len(publishers) for frame, publishers in sorted(listener.publishers.items())}
    print(f"frames and the number of their publishers: {names}")


def main() -> None:
    """Start the robot as a second process of the same session."""
    if len(sys.argv) > 1:
        with connect("zenoh://", session=sys.argv[1], name="robot") as hub:
            robot(hub)
        return
    session = f"example-{uuid.uuid4().hex[:8]}"
    try:
        hub = connect("zenoh://", session=session, name="operator")
    except MissingExtraError as error:
        print(f"this example needs zenoh: {error}")
        return
    command = [sys.executable, __file__, session]
    with hub, subprocess.Popen(command) as child:  # noqa: S603 - it is this file
        try:
            drive(hub)
        finally:
            child.terminate()


if __name__ == "__main__":
    main()
