"""A robot for programs of ROS 2: its topics are theirs, without a bridge and without ROS here.

Beside it run, with RMW_IMPLEMENTATION=rmw_zenoh_cpp, `ros2 topic list`, rviz2 or a node of yours.
This program brings its own other side: a second process that knows nothing of Horus Sim, drives the
robot with the bytes that a ROS program would send, and ends it. Needs the extra zenoh.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
import uuid

from horus_sim.errors import MissingExtraError
from horus_sim.hub import Hub, QoS, TFBroadcaster, connect
from horus_sim.hub.messages import CmdVel, Odometry
from horus_sim.hub.zenoh.meeting import router_port
from horus_sim.tf import Transform

LONGEST_S = 20.0
RATE_HZ = 50.0
# geometry_msgs/msg/Twist as ROS 2 writes it since Jazzy; before it stands the domain.
TWIST_KEY = (
    "/cmd_vel/geometry_msgs::msg::dds_::Twist_/"
    "RIHS01_9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"
)


def robot(hub: Hub) -> None:
    """Drives along x as it is told, and publishes where it is, as ROS programs expect it."""
    commands = hub.subscribe("/cmd_vel", CmdVel, QoS(depth=1))
    odometry = hub.publisher("/odom", Odometry)
    broadcaster = TFBroadcaster(hub)
    broadcaster.send_static_transform("base_footprint", "laser", translation=(0.1, 0.0, 0.2))
    x, speed, end = 0.0, 0.0, time.monotonic() + LONGEST_S
    while x < 0.5 and time.monotonic() < end:
        command = commands.latest()
        speed = speed if command is None else command.linear
        x += speed / RATE_HZ
        stamp_ns, T_odom_base = time.time_ns(), Transform((x, 0.0, 0.0))
        broadcaster.send_transform("odom", "base_footprint", T_odom_base, stamp_ns)
        where = Odometry(stamp_ns, "odom", "base_footprint", T_odom_base, (speed, 0.0, 0.0))
        odometry.send(where)
        time.sleep(1.0 / RATE_HZ)
    print(f"the robot {'was driven half a metre' if x >= 0.5 else 'was not driven'}")
    for each in hub.ends():
        print(f"/{each.name}: {each.ros_type}, {each.role} of {each.node}")


def operator(namespace: str, port: str) -> None:
    """The other process: zenoh alone, and the format of rmw_zenoh."""
    import zenoh

    config = zenoh.Config()
    config.insert_json5("connect/endpoints", json.dumps([f"tcp/127.0.0.1:{port}"]))
    config.insert_json5("scouting/multicast/enabled", "false")
    config.insert_json5("namespace", json.dumps(namespace))
    twist = b"\x00\x01\x00\x00" + struct.pack("<6d", 0.5, 0, 0, 0, 0, 0)  # CDR, little endian
    sender = uuid.uuid4().bytes
    with zenoh.open(config) as session:
        domain = os.environ.get("ROS_DOMAIN_ID") or "0"
        publisher = session.declare_publisher(domain + TWIST_KEY)
        for number in range(1, int(LONGEST_S / 0.05)):
            beside = struct.pack("<qqB16s", number, time.time_ns(), 16, sender)
            publisher.put(twist, attachment=beside)
            time.sleep(0.05)


def main() -> None:
    """Start the operator as a second process, and be the robot."""
    if len(sys.argv) > 1:
        operator(*sys.argv[1:])
        return
    # Without a session, topics are plain topics of ROS; this one keeps to itself.
    session = f"example-{uuid.uuid4().hex[:8]}"
    try:
        hub = connect("zenoh://", session=session, name="robot")
    except MissingExtraError as error:
        print(f"this example needs zenoh: {error}")
        return
    command = [sys.executable, __file__, session, str(router_port())]
    with hub, subprocess.Popen(command) as child:  # noqa: S603 - it is this file
        try:
            robot(hub)
        finally:
            child.terminate()


if __name__ == "__main__":
    main()
