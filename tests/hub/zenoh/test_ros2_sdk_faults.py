"""What goes wrong between our programs and those of others, and what does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from horus_sim.hub import Hub, QoS, StaticTFBroadcaster, TFListener, connect
from horus_sim.hub.messages import CmdVel, Image, Odometry, String
from horus_sim.tf import Transform

from .ros2_sdk import LONG, TELEOPERATION, Start, heard, subscribed, until

OUR_PROGRAM = """
import time
from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import CmdVel, String
hub = connect("zenoh://", name=NAME)
commands = hub.subscribe("cmd_vel", CmdVel, callback=lambda _: print("heard", flush=True))
text = hub.publisher("chatter", String)
while True:
    text.send(String(NAME))
    time.sleep(0.02)
"""
WORLD = """
from horus_sim.hub import connect
from horus_sim.running import Loop, RunningWorld
from horus_sim.sim3d import World
with connect("zenoh://", name="world") as hub:
    world = World.load("empty_world")
    world.spawn("turtlebot3_burger", name="burger")
    with RunningWorld(world, hub) as running:
        Loop(running, speed=1.0).run()
"""


@pytest.fixture
def ours(ros_domain: None):
    """Starts programs of our own and ends them after the test."""
    running = []

    def start(code: str):
        child = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
        )
        running.append(child)
        return child

    yield start
    for child in running:
        child.kill()
        child.communicate()


def test_late_listeners_on_both_sides_get_the_static_frames(ros_hub: Hub, foreign: Start):
    static = StaticTFBroadcaster(ros_hub)
    static.send_transform("base_link", "laser", Transform((0.1, 0.0, 0.2)))
    static.send_transform("base_link", "camera", Transform((0.3, 0.0, 0.4)))
    with connect("zenoh://", name="late") as late:
        listener = TFListener(late)
        until(lambda: len(listener.tree.get_all_frames()) == 3)
    other = foreign("""
# It asks once, for the publishers that it knows of by then.
while not info("/tf_static").publishers:
    time.sleep(0.1)
static = hear("/tf_static", "tf2_msgs/msg/TFMessage", qos=latched)
until_gone()
""")
    until(lambda: other.on("/tf_static"))
    transforms = other.on("/tf_static")[0]["transforms"]
    assert [each["child_frame_id"] for each in transforms] == ["laser", "camera"]
    assert [each["header"]["frame_id"] for each in transforms] == ["base_link", "base_link"]


def test_a_session_is_a_namespace_of_zenoh(ros_hub: Hub, foreign: Start):
    code = """
texts = hear("/chatter", "std_msgs/msg/String")
until_gone()
"""
    with connect("zenoh://", session="lab", name="in_the_lab") as lab:
        inside = foreign(code, ZENOH_CONFIG_OVERRIDE='namespace="lab"')
        outside = foreign(code)
        here, there = ros_hub.publisher("chatter", String), lab.publisher("chatter", String)
        until(lambda: subscribed(ros_hub, "chatter") and subscribed(lab, "chatter"))

        def send() -> None:
            here.send(String("plain"))
            there.send(String("lab"))

        assert heard(inside, "/chatter", send) == {"data": "lab"}
        assert heard(outside, "/chatter", send) == {"data": "plain"}
        assert {"data": "plain"} not in inside.on("/chatter")
        assert {"data": "lab"} not in outside.on("/chatter")


def test_a_wrong_type_is_told(ros_hub: Hub, foreign: Start):
    commands = ros_hub.subscribe("cmd_vel", CmdVel)
    foreign("""
publisher = ROS2Publisher("/cmd_vel", node_name="talker", **typed("std_msgs/msg/String"))
until_gone()
""")
    until(lambda: commands.rejected)
    assert str(commands.last_error) == (
        "'talker' sends the type 'std_msgs/msg/String', but 'geometry_msgs/msg/Twist' is expected"
    )


def test_a_wrong_hash_is_told(ros_hub: Hub, foreign: Start):
    commands = ros_hub.subscribe("cmd_vel", CmdVel)
    foreign("""
kind = typed("geometry_msgs/msg/Twist") | {"type_hash": "RIHS01_" + "0" * 64}
publisher = ROS2Publisher("/cmd_vel", node_name="old_robot", **kind)
until_gone()
""")
    until(lambda: commands.rejected)
    assert str(commands.last_error) == (
        "'old_robot' sends another definition of 'geometry_msgs/msg/Twist' (RIHS01_00000000... "
        "instead of RIHS01_9c45bf16...); use the same release of the message package"
    )


def test_bytes_that_are_no_message_are_told_and_the_next_one_arrives(ros_hub: Hub, foreign: Start):
    texts = ros_hub.subscribe("chatter", String)
    foreign("""
publisher = ROS2Publisher("/chatter", node_name="talker", **typed("std_msgs/msg/String"))
attachment = publisher._create_attachment(0, time.time_ns())
while True:
    publisher.pub.put(b"\\0\\1\\0\\0\\xff\\xff\\xff\\xffab", attachment=attachment)
    publisher.pub.put(b"\\0\\1\\0\\0\\3\\0\\0\\0ab\\0")
    publisher.publish(data="fine")
    time.sleep(0.05)
""")
    assert texts.wait(LONG) == String("fine")
    until(lambda: texts.rejected >= 2)


def test_a_killed_foreign_program_leaves_the_graph_and_its_successor_is_heard(
    ros_hub: Hub, foreign: Start
):
    commands = ros_hub.subscribe("cmd_vel", CmdVel, QoS(depth=1))
    code = TELEOPERATION.replace("TOPIC", "'/cmd_vel'")
    first = foreign(code)
    assert commands.wait(LONG) == CmdVel(0.5, -0.25)
    first.kill()
    until(lambda: not any(info.publishers for info in ros_hub.topics()))
    commands.clear()
    foreign(code.replace("0.5,", "0.75,"))
    assert commands.wait(LONG) == CmdVel(0.75, -0.25)


def test_foreign_programs_find_our_successor_when_ours_with_the_router_is_killed(ours, foreign):
    first = ours(OUR_PROGRAM.replace("NAME", "'first'"))
    talker = foreign(
        "texts = hear('/chatter', 'std_msgs/msg/String')\n"
        + TELEOPERATION.replace("TOPIC", "'/cmd_vel'")
    )
    until(lambda: {"data": "first"} in talker.on("/chatter"))
    assert first.stdout.readline() == "heard\n"
    first.kill()
    first.wait()
    second = ours(OUR_PROGRAM.replace("NAME", "'second'"))
    until(lambda: {"data": "second"} in talker.on("/chatter"))
    assert second.stdout.readline() == "heard\n"


def test_a_foreign_subscriber_that_stands_still_holds_up_nobody(ros_hub: Hub, foreign: Start):
    code = """
def count(message):
    tell(["/image", message.header.stamp.nanosec])


images = ROS2Subscriber("/image", callback=count, node_name=NAME, **typed("sensor_msgs/msg/Image"))
until_gone()
"""
    stopped = foreign(code.replace("NAME", "'stopped'"))
    live = foreign(code.replace("NAME", "'live'"))
    pixels = np.zeros((600, 600, 3), np.uint8)
    images = ros_hub.publisher("image", Image)

    def send() -> None:
        images.send(Image(images.sent + 1, "camera", pixels))
        time.sleep(0.01)

    heard(stopped, "/image", send)
    heard(live, "/image", send)
    stopped.child.send_signal(signal.SIGSTOP)
    last = images.sent + 60
    done = threading.Event()

    def stream() -> None:
        # Until the live one has what was sent long after the other one had stopped.
        while not any(number > last for number in tuple(live.on("/image"))):
            send()
        done.set()

    threading.Thread(target=stream, daemon=True).start()
    was_held_up = not done.wait(LONG)
    stopped.child.send_signal(signal.SIGCONT)
    assert not was_held_up
    # What was lost to it stays lost, as it does not ask; what is sent now arrives.
    now = images.sent

    def reaches_now() -> bool:
        send()
        return any(number > now for number in stopped.on("/image"))

    until(reaches_now)


def test_a_foreign_twist_drives_a_robot_in_a_world(ros_hub: Hub, ours, foreign: Start):
    odometry = ros_hub.subscribe("burger/odom", Odometry, QoS(depth=1))
    ours(WORLD)
    other = foreign("""
odometry = hear("/burger/odom", "nav_msgs/msg/Odometry")
speeds = ROS2Publisher("/burger/cmd_vel", node_name="teleop", **typed("geometry_msgs/msg/Twist"))
while True:
    send_twist(speeds, 0.2, 0.0)
    time.sleep(0.05)
""")
    until(lambda: (at := odometry.latest()) is not None and at.pose.translation[0] > 0.1)
    until(lambda: other.on("/burger/odom")[-1:] and _x(other.on("/burger/odom")[-1]) > 0.1)
    other.kill()
    # Nobody drives it any more.
    until(lambda: (at := odometry.latest()) is not None and abs(at.linear[0]) < 1e-3)


def _x(odometry) -> float:
    return odometry["pose"]["pose"]["position"]["x"]
