"""Programs on two machines, each with a network of its own, and a router between them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from .ros2_sdk import FOREIGN, Program, until

HERE, THERE = "10.231.7.1", "10.231.7.2"
ROUTER = f"{HERE}:7447"
TALKER = f"""
import json, time
from horus_sim.hub import connect
from horus_sim.hub.messages import CmdVel, String
hub = connect("zenoh://", name="robot", net="{ROUTER}")
def tell(command):
    print(json.dumps(str(command)), flush=True)

hub.subscribe("cmd_vel", CmdVel, callback=tell)
texts = hub.publisher("chatter", String)
while True:
    texts.send(String("hello"))
    time.sleep(0.05)
"""
LISTENER = f"""
import json, time
from horus_sim.hub import connect
from horus_sim.hub.messages import CmdVel, String
hub = connect("zenoh://{ROUTER}", name="desk")
print(json.dumps(str(hub.subscribe("chatter", String).wait(60))), flush=True)
commands = hub.publisher("cmd_vel", CmdVel)
while True:
    commands.send(CmdVel(0.25, 0.5))
    time.sleep(0.05)
"""
FOREIGN_LISTENER = f"""
port = {{"router_ip": "{HERE}", "router_port": 7447}}
texts = hear("/chatter", "std_msgs/msg/String")
speeds = ROS2Publisher("/cmd_vel", node_name="teleop", **typed("geometry_msgs/msg/Twist"))
while True:
    send_twist(speeds, 0.5, -0.25)
    time.sleep(0.05)
"""


@pytest.fixture
def networks() -> Iterator[tuple[str, str]]:
    """Process numbers by which two networks are entered; a cable joins them."""
    tools = [shutil.which(name) for name in ("ip", "unshare", "nsenter")]
    reason = "needs root on Linux with ip, unshare and nsenter"
    possible = all(tools) and hasattr(os, "geteuid") and os.geteuid() == 0
    if possible:
        probe = subprocess.run([str(tools[1]), "-n", "true"], capture_output=True, check=False)
        possible = probe.returncode == 0
        reason = f"networks cannot be made here: {probe.stderr.decode().strip()}"
    if not possible:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason} (CI=true asks for it)", pytrace=False)
        pytest.skip(reason)
    with ExitStack() as stack:
        holders = []
        for _ in range(2):
            # The network exists while its holder lives, and goes with it.
            holder = stack.enter_context(
                subprocess.Popen(
                    [str(tools[1]), "-n", "sh", "-c", "echo in; exec sleep infinity"],
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            stack.callback(holder.kill)
            assert holder.stdout is not None
            assert holder.stdout.readline() == "in\n"
            holders.append(str(holder.pid))
        first, second = holders
        ends = ["netns", first, "type", "veth", "peer", "name", "cable", "netns", second]
        run("ip", "link", "add", "cable", *ends)
        for holder, address in ((first, HERE), (second, THERE)):
            run(*within(holder), "ip", "addr", "add", f"{address}/24", "dev", "cable")
            run(*within(holder), "ip", "link", "set", "lo", "up")
            run(*within(holder), "ip", "link", "set", "cable", "up")
        yield first, second


def within(holder: str) -> list[str]:
    """What goes before a command that runs in a network."""
    return ["nsenter", "-t", holder, "-n"]


def run(*command: str) -> None:
    """Runs a command, which must succeed."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}: {result.stderr}"


def test_programs_in_two_networks_meet_through_a_router(
    ros_domain: None, networks: tuple[str, str]
):
    first, second = networks
    python = [sys.executable, "-c"]
    with ExitStack() as stack:

        def start(holder: str, code: str) -> Program:
            program = Program([*within(holder), *python, code])
            stack.callback(program.close)
            return program

        robot = start(first, TALKER)
        foreign = start(second, FOREIGN + FOREIGN_LISTENER)
        until(lambda: foreign.on("/chatter"))
        assert foreign.on("/chatter")[0] == {"data": "hello"}
        until(lambda: "CmdVel(linear=0.5, angular=-0.25)" in robot.told)
        desk = start(second, LISTENER)
        until(lambda: desk.told == ["String(data=hello)"])
        until(lambda: "CmdVel(linear=0.25, angular=0.5)" in robot.told)
