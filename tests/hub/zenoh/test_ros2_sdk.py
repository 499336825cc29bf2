"""Topics between this and an independent implementation of rmw_zenoh's wire format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from horus_sim.cli import app
from horus_sim.hub import EndInfo, Hub, QoS
from horus_sim.hub.messages import CmdVel, Image, Imu, LaserScan, Odometry, String, Twist
from horus_sim.hub.ros.binding import binding_of
from horus_sim.tf import TFMessage, Transform, TransformStamped

from .ros2_sdk import LONG, TELEOPERATION, Start, heard, subscribed, until


def header(sec: int, nanosec: int, frame_id: str) -> dict[str, Any]:
    return {"stamp": {"sec": sec, "nanosec": nanosec}, "frame_id": frame_id}


def vector(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


def test_it_hears_our_messages_and_decodes_them_equal(ros_hub: Hub, foreign: Start):
    other = foreign("""
ends = [
    hear("/scan", "sensor_msgs/msg/LaserScan"),
    hear("/camera/image_raw", "sensor_msgs/msg/Image"),
    hear("/tf", "tf2_msgs/msg/TFMessage"),
    hear("/odom", "nav_msgs/msg/Odometry"),
]
until_gone()
""")
    scans = ros_hub.publisher("scan", LaserScan)
    images = ros_hub.publisher("camera/image_raw", Image)
    transforms = ros_hub.publisher("tf", TFMessage)
    odometry = ros_hub.publisher("odom", Odometry)
    until(lambda: subscribed(ros_hub, "scan", "camera/image_raw", "tf", "odom"))

    ranges = np.array([1.5, np.inf, 0.25], np.float32)
    scan = LaserScan(1_500_000_002, "laser", -0.5, 0.5, 0.125, 8.0, ranges)
    assert heard(other, "/scan", lambda: scans.send(scan)) == {
        "header": header(1, 500_000_002, "laser"),
        "angle_min": -0.5,
        "angle_max": 0.5,
        "angle_increment": 0.5,
        "time_increment": 0.0,
        "scan_time": 0.0,
        "range_min": 0.125,
        "range_max": 8.0,
        "ranges": [1.5, np.inf, 0.25],
        "intensities": [],
    }

    pixels = np.arange(48 * 64 * 3, dtype=np.uint8).reshape(48, 64, 3)
    image = Image(7_000_000_000, "camera_optical", pixels)
    assert heard(other, "/camera/image_raw", lambda: images.send(image)) == {
        "header": header(7, 0, "camera_optical"),
        "height": 48,
        "width": 64,
        "encoding": "rgb8",
        "is_bigendian": 0,
        "step": 192,
        "data": pixels.ravel().tolist(),
    }

    T_odom_base = Transform((1.0, 2.0, 3.0), (0.0, 0.0, 0.6, 0.8))
    moving = TFMessage((TransformStamped("odom", "base_link", 3_000_000_004, T_odom_base),))
    assert heard(other, "/tf", lambda: transforms.send(moving)) == {
        "transforms": [
            {
                "header": header(3, 4, "odom"),
                "child_frame_id": "base_link",
                "transform": {
                    "translation": vector(1.0, 2.0, 3.0),
                    "rotation": {"x": 0.0, "y": 0.0, "z": 0.6, "w": 0.8},
                },
            }
        ]
    }

    covariance = np.arange(36.0).reshape(6, 6)
    where = Odometry(
        2_000_000_000,
        "odom",
        "base_footprint",
        T_odom_base,
        (0.5, 0.0, 0.0),
        (0.0, 0.0, -0.25),
        covariance,
        2.0 * covariance,
    )
    assert heard(other, "/odom", lambda: odometry.send(where)) == {
        "header": header(2, 0, "odom"),
        "child_frame_id": "base_footprint",
        "pose": {
            "pose": {
                "position": vector(1.0, 2.0, 3.0),
                "orientation": {"x": 0.0, "y": 0.0, "z": 0.6, "w": 0.8},
            },
            "covariance": list(range(36)),
        },
        "twist": {
            "twist": {"linear": vector(0.5, 0.0, 0.0), "angular": vector(0.0, 0.0, -0.25)},
            "covariance": list(range(0, 72, 2)),
        },
    }


def test_its_twist_is_our_command(ros_hub: Hub, foreign: Start):
    commands = ros_hub.subscribe("robot1/cmd_vel", CmdVel)
    in_full = ros_hub.subscribe("robot1/cmd_vel", Twist)
    foreign(TELEOPERATION.replace("TOPIC", "'/robot1/cmd_vel'"))
    assert commands.wait(LONG) == CmdVel(0.5, -0.25)
    assert in_full.wait(LONG) == Twist((0.5, 0.0, 0.0), (0.0, 0.0, -0.25))
    assert commands.rejected == 0


def test_its_discovery_lists_our_node_topics_types_and_qos(ros_hub: Hub, foreign: Start):
    ends = [
        ros_hub.publisher("scan", LaserScan, QoS(depth=5, reliable=False)),
        ros_hub.publisher("map/name", String, QoS(depth=1, latched=True)),
        ros_hub.subscribe("imu", Imu, QoS(depth=10)),
    ]
    other = foreign("""
while len(topics := get_topic_names_and_types(**port)) < 3:
    time.sleep(0.1)
tell(["topics", topics])
for name in ("/scan", "/map/name", "/imu"):
    tell([name, plain(info(name))])
tell(["hashes", [store.hash_rihs01(types[0]) for _, types in topics]])
until_gone()
""")
    until(lambda: len(other.told) == 5)
    assert other.on("topics") == [
        [
            ["/imu", ["sensor_msgs/msg/Imu"]],
            ["/map/name", ["std_msgs/msg/String"]],
            ["/scan", ["sensor_msgs/msg/LaserScan"]],
        ]
    ]
    imu, text, scan = other.on("hashes")[0]

    def end(topic_type: str, type_hash: str, qos: str) -> dict[str, Any]:
        return {
            "node_name": "our_robot",
            "node_namespace": "/",
            "topic_type": topic_type,
            "type_hash": type_hash,
            "qos": qos,
            "gid": None,
        }

    (told,) = other.on("/scan")
    assert told["publishers"] == [end("sensor_msgs/msg/LaserScan", scan, "2::,5:,:,:,,")]
    assert told["subscribers"] == []
    (told,) = other.on("/map/name")
    assert told["publishers"] == [end("std_msgs/msg/String", text, ":1:,1:,:,:,,")]
    (told,) = other.on("/imu")
    assert told["subscribers"] == [end("sensor_msgs/msg/Imu", imu, "::,10:,:,:,,")]
    assert told["publishers"] == []
    assert all(each.qos for each in ends)


def test_our_graph_lists_its_node_and_topics(ros_hub: Hub, foreign: Start):
    foreign("""
speeds = ROS2Publisher("/desk/speed", node_name="teleop", namespace="/desk", **typed(
    "geometry_msgs/msg/Twist"))
best_effort = QosProfile(reliability=QosReliability.BEST_EFFORT, history_depth=5)
scans = hear("/scan", "sensor_msgs/msg/LaserScan", node_name="viewer", qos=best_effort)
until_gone()
""")
    until(lambda: subscribed(ros_hub, "scan") and len(ros_hub.topics()) == 2)
    speed, scan = ros_hub.topics()
    assert (speed.name, speed.kinds) == ("desk/speed", ("geometry_msgs/msg/Twist",))
    assert (speed.publishers, speed.subscriptions) == (1, 0)
    assert (scan.name, scan.wanted) == ("scan", ("sensor_msgs/msg/LaserScan",))
    assert (scan.publishers, scan.subscriptions) == (0, 1)
    until(lambda: len(ros_hub.nodes()) == 3)
    assert ros_hub.nodes() == ["/desk/teleop", "/our_robot", "/viewer"]
    published, wanted = ros_hub.ends()
    twist, laser = binding_of(Twist), binding_of(LaserScan)
    assert published == EndInfo(
        "desk/speed", "publisher", "/desk/teleop", twist.name, twist.type_hash, QoS(depth=10)
    )
    assert wanted == EndInfo(
        "scan", "subscription", "/viewer", laser.name, laser.type_hash, QoS(5, reliable=False)
    )


def test_the_command_line_shows_its_ends_and_messages(
    ros_domain: None, foreign: Start, capsys: pytest.CaptureFixture[str]
):
    foreign(TELEOPERATION.replace("TOPIC", "'/desk/speed'"))

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            app.main(arguments)
        return capsys.readouterr().out

    def eventually(expected: str, *arguments: str) -> None:
        until(lambda: expected in run(*arguments, "--wait", "0.5"))

    twist = binding_of(Twist)
    ros_type, type_hash = twist.name, twist.type_hash
    qos = f"{ros_type}  reliable     volatile    10     {type_hash}\n"
    eventually(f"publisher  /desk/teleop  {qos}", "topic", "info", "/desk/speed")
    eventually(f"publisher  /desk/speed  {qos}", "node", "info", "/desk/teleop")
    eventually("/desk/teleop\n", "node", "list")
    assert run("topic", "type", "/desk/speed", "--wait", str(LONG)) == f"{ros_type}\n"
    message = "Twist(linear=(0.5, 0, 0), angular=(0, 0, -0.25))\n"
    assert run("topic", "echo", "/desk/speed", "--count", "1", "--wait", str(LONG)) == message
    # A header of four bytes, and six numbers.
    size = "over 3 messages: mean 52 B (min 52 B, max 52 B)\n"
    assert run("topic", "bw", "/desk/speed", "--window", "3", "--wait", str(LONG)).endswith(size)
