"""Programs of zenoh-ros2-sdk, an independent implementation of rmw_zenoh's wire format.

They have the definitions and hashes of rosbags: nothing in them is ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from horus_sim.hub import Hub

# Longer than anything here takes; reached only when something is broken.
LONG = 60.0
FOREIGN = """
import dataclasses, json, os, sys, threading, time
import numpy as np
from rosbags.typesys import Stores, get_typestore
from zenoh_ros2_sdk import ROS2Publisher, ROS2Subscriber, get_topic_info, get_topic_names_and_types
from zenoh_ros2_sdk.qos import QosDurability, QosProfile, QosReliability

store = get_typestore(Stores.ROS2_JAZZY)
port = {"router_port": int(os.environ["HORUS_ROUTER_PORT"])}
latched = QosProfile(durability=QosDurability.TRANSIENT_LOCAL)


telling = threading.Lock()  # each subscriber calls from a thread of its own


def tell(value):
    with telling:
        print(json.dumps(value), flush=True)


def plain(value):
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        # Neither constants nor the name of the type.
        return {n: plain(getattr(value, n)) for n in names if n[0].islower()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def typed(name, **more):
    text, _ = store.generate_msgdef(name, ros_version=2)
    return {"msg_type": name, "msg_definition": text, "type_hash": store.hash_rihs01(name),
            **port, **more}


def hear(topic, name, **more):
    return ROS2Subscriber(topic, callback=lambda m: tell([topic, plain(m)]), **typed(name, **more))


def send_twist(publisher, speed, turn):
    vector = publisher.session_mgr.store.types["geometry_msgs/msg/Vector3"]
    publisher.publish(linear=vector(x=speed, y=0.0, z=0.0), angular=vector(x=0.0, y=0.0, z=turn))


def info(topic):
    # While links are being made, an answer of zenoh may lack what is there.
    while (found := get_topic_info(topic, verbose=True, **port)) is None:
        time.sleep(0.1)
    return found


def until_gone():
    for _ in sys.stdin:
        pass
"""
TELEOPERATION = """
publisher = ROS2Publisher(TOPIC, node_name="teleop", namespace="/desk", **typed(
    "geometry_msgs/msg/Twist"))
while True:
    send_twist(publisher, 0.5, -0.25)
    time.sleep(0.05)
"""


class Program:
    """A program in another process, and what it told so far: a value in JSON on each line.

    Args:
        command: What starts it.
        environment: What is different in its environment.
    """

    def __init__(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        self.child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | (environment or {}),
        )
        self.told: list[Any] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.child.stdout is not None
        for line in self.child.stdout:
            self.told.append(json.loads(line))

    def on(self, topic: str) -> list[Any]:
        """The messages that it heard on a topic."""
        return [told[1] for told in tuple(self.told) if told[0] == topic]

    def kill(self) -> None:
        """Ends it without giving it a chance to say so."""
        self.child.kill()
        self.child.wait()

    def close(self) -> None:
        """Ends it and what reads it."""
        self.kill()
        self._reader.join()
        for stream in (self.child.stdin, self.child.stdout):
            assert stream is not None
            stream.close()


Start = Callable[..., Program]


def until(condition: Callable[[], object]) -> None:
    """Waits for a condition that another process brings about."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


def subscribed(hub: Hub, *topics: str) -> bool:
    return set(topics) <= {info.name for info in hub.topics() if info.subscriptions}


def heard(foreign: Program, topic: str, send: Callable[[], object]) -> Any:
    """What the other side hears first on a topic; sends until it does, as links take a while."""
    end = time.monotonic() + LONG
    while not foreign.on(topic):
        assert time.monotonic() < end, f"nothing was heard on {topic}"
        send()
        time.sleep(0.1)
    return foreign.on(topic)[0]
