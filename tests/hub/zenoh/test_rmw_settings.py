"""Ends that are declared as rmw_zenoh_cpp declares its own, with the settings of its sessions.

What it asks zenoh for is known from its sources and its default configuration; zenoh itself is the
same there and here. So this shows whether latched topics meet, as far as that can be without ROS.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from rosbags.typesys import Stores, get_typestore

from horus_sim.hub import Hub, QoS, StaticTFBroadcaster, connect
from horus_sim.hub.messages import String
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.zenoh.keys import data_key
from horus_sim.tf import TFMessage, Transform

from .ros2_sdk import LONG, Program, Start, until

STORE = get_typestore(Stores.ROS2_JAZZY)
LATCHED = QoS(depth=1, latched=True)
RMW = """
import json, os, sys, threading, time
import zenoh
from zenoh import ext

settings = {
    "mode": "peer",
    "connect/endpoints": [f"tcp/localhost:{os.environ['HORUS_ROUTER_PORT']}"],
    "listen/endpoints": ["tcp/localhost:0"],
    "scouting/multicast/enabled": False,
    "scouting/gossip/enabled": True,
    "scouting/gossip/target": {"router": ["router", "peer"], "peer": ["router"]},
    "scouting/gossip/autoconnect_strategy": {
        "peer": {"to_router": "always", "to_peer": "greater-zid"}
    },
    "timestamping/enabled": True,
    "queries_default_timeout": 600000,
}
config = zenoh.Config()
for name, value in settings.items():
    config.insert_json5(name, json.dumps(value))
session = zenoh.open(config)
zid = session.zid()
telling = threading.Lock()


def tell(value):
    with telling:
        print(json.dumps(value), flush=True)


def hear(topic, key):
    return ext.declare_advanced_subscriber(
        session,
        key,
        lambda sample: tell([topic, sample.payload.to_bytes().hex()]),
        history=ext.HistoryConfig(detect_late_publishers=True, max_samples=1),
        recovery=ext.RecoveryConfig(heartbeat=True),
        subscriber_detection=True,
    )


def publish(number, key, payload):
    publisher = ext.declare_advanced_publisher(
        session,
        key,
        cache=ext.CacheConfig(max_samples=1),
        sample_miss_detection=ext.MissDetectionConfig(sporadic_heartbeat=0.5),
        publisher_detection=True,
    )
    domain, topic, kind, type_hash = key.split("/")
    token = session.liveliness().declare_token(
        f"@ros2_lv/{domain}/{zid}/1/{number}/MP/%/%/rmw/%{topic}/{kind}/{type_hash}/:1:,1:,:,:,,"
    )
    gid = bytes([16, *range(number, number + 16)])
    sent_ns = time.time_ns().to_bytes(8, "little")
    publisher.put(bytes.fromhex(payload), attachment=(1).to_bytes(8, "little") + sent_ns + gid)
    return publisher, token
"""
WAIT = "\ntell(['ready', True])\nfor _ in sys.stdin: pass\n"


@pytest.fixture
def rmw(ros_domain: None) -> Iterator[Start]:
    """Starts programs with rmw_zenoh's settings and ends them after the test."""
    running: list[Program] = []

    def start(code: str) -> Program:
        running.append(Program([sys.executable, "-c", RMW + code + WAIT]))
        until(lambda: running[-1].on("ready"))
        return running[-1]

    yield start
    for each in running:
        each.close()


def key_of(topic: str, kind: type) -> str:
    binding = binding_of(kind)
    return data_key(int(os.environ["ROS_DOMAIN_ID"]), topic, binding.name, binding.type_hash)


def hearing(*topics: tuple[str, type]) -> str:
    ends = [f"hear({topic!r}, {key_of(topic, kind)!r})" for topic, kind in topics]
    return f"ends = [{', '.join(ends)}]"


def frames(payload: str) -> list[str]:
    message = STORE.deserialize_cdr(bytes.fromhex(payload), "tf2_msgs/msg/TFMessage")
    return [each.child_frame_id for each in message.transforms]  # type: ignore[attr-defined]


def text(payload: str) -> str:
    return STORE.deserialize_cdr(bytes.fromhex(payload), "std_msgs/msg/String").data  # type: ignore[attr-defined]


def test_late_subscriptions_get_what_we_latched_once(ros_hub: Hub, rmw: Start):
    static = StaticTFBroadcaster(ros_hub)
    static.send_transform("base_link", "laser", Transform((0.1, 0.0, 0.2)))
    static.send_transform("base_link", "camera", Transform((0.3, 0.0, 0.4)))
    description = ros_hub.publisher("burger/robot_description", String, LATCHED)
    description.send(String("<robot/>"))
    heard = rmw(hearing(("tf_static", TFMessage), ("burger/robot_description", String)))
    until(lambda: heard.on("tf_static") and heard.on("burger/robot_description"))
    # What comes next shows that there was nothing else.
    static.send_transform("base_link", "imu", Transform())
    until(lambda: len(heard.on("tf_static")) > 1)
    assert [frames(each) for each in heard.on("tf_static")] == [
        ["laser", "camera"],
        ["laser", "camera", "imu"],
    ]
    assert [text(each) for each in heard.on("burger/robot_description")] == ["<robot/>"]


def test_subscriptions_get_what_a_later_program_of_ours_latches(ros_domain: None, rmw: Start):
    with connect("zenoh://", name="first") as hub:
        heard = rmw(hearing(("map_name", String)))
        hub.publisher("map_name", String, LATCHED).send(String("hall"))
        until(lambda: heard.on("map_name"))
        with connect("zenoh://", name="second") as other:
            other.publisher("map_name", String, LATCHED).send(String("cellar"))
            until(lambda: len(heard.on("map_name")) == 2)
    assert [text(each) for each in heard.on("map_name")] == ["hall", "cellar"]


def test_we_get_what_all_publishers_of_one_program_latched(ros_hub: Hub, rmw: Start):
    names = ("hall", "cellar", "roof")
    sent = [binding_of(String).encode(String(name)).hex() for name in names]
    key = key_of("map_name", String)
    rmw(f"ends = [publish(i, {key!r}, sent) for i, sent in enumerate({sent!r}, 2)]")
    names_heard = ros_hub.subscribe("map_name", String, QoS(depth=10, latched=True))
    found = {str(names_heard.wait(LONG)) for _ in names}
    assert found == {f"String(data={name})" for name in names}
    assert names_heard.rejected == 0
