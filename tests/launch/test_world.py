"""Launches with a world: nodes start when it is there, drive it, and end before it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
import uuid
from pathlib import Path

import pytest

from horus_sim.running.recording import CommandLog, replay_commands
from horus_sim.sim3d import recorded_world

from .conftest import Start
from .launched import CLI, LONG, Launched, is_alive, wait_for_ends, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")

WORLD = {"scene": "warehouse", "seed": 1, "page": False}
# Knows a robot with other names, and none of those of the warehouse.
DRIVER = """
import sys
from horus_sim.hub import connect
from horus_sim.hub.messages import CmdVel, Odometry
from horus_sim.interruption import Interruption
with Interruption(waits=True) as asked, connect("zenoh://") as hub:
    odom = hub.subscribe("where", Odometry)
    drive = hub.publisher("/go", CmdVel)
    told = False
    while not asked.is_asked:
        message = odom.wait(0.1)
        if message is None:
            continue
        drive.send(CmdVel(0.2))
        if message.pose.translation[0] > 0.05 and not told:
            told = True
            print("driven")
            if "--once" in sys.argv:
                break
"""
REMAP = {"where": "/burger/odom", "go": "burger/cmd_vel"}


def verify(path: Path) -> str:
    """What `horus-sim replay verify` says of a recording; it must be sound."""
    done = subprocess.run(
        [sys.executable, "-c", CLI, "replay", "verify", str(path)],
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def has_driven(path: Path) -> None:
    """A recording is whole, holds commands, and can be done again."""
    log = CommandLog.load(path)
    assert log.entries[-1]["kind"] == "end"
    done = replay_commands(recorded_world(log), log)
    assert done.commands > 0
    assert "states equal bit by bit" in verify(path)


def test_ctrl_c_ends_nodes_then_the_world_whose_recording_is_whole(launch: Start, folder: Path):
    launched = launch(
        {"driver": (DRIVER, {"remap": REMAP, "after": "world"})},
        world=WORLD | {"record": "run.mcap"},
    )
    launched.wait_for("driver | driven")
    launched.send(signal.SIGINT)
    assert launched.end() == 130
    told = launched.lines_of("launch")
    assert told.index("the world is on its topics") < told.index(
        "starting node 'driver': python driver.py"
    )
    assert told[-3:] == [
        "Ctrl-C: ending 1 node, then the world",
        "node 'driver' has ended",
        "the world has ended",
    ]
    assert any(line.startswith("recorded ") for line in launched.lines_of("world"))
    assert launched.err == ""
    has_driven(folder / "run.mcap")


def test_a_launch_that_is_killed_ends_its_world_whose_recording_is_whole(
    launch: Start, folder: Path
):
    launched = launch(
        {
            "driver": (DRIVER + "\n", {"remap": REMAP}),
            "pid": ("import os; print(os.getppid())", {}),
        },
        world=WORLD | {"record": "run.mcap"},
    )
    launched.wait_for("driver | driven")
    pids = children_of(launched.process.pid)
    assert len(pids) >= 3  # the guard, the world and the driver
    launched.send(signal.SIGKILL)
    launched.end()
    wait_for_ends(pids)
    has_driven(folder / "run.mcap")


def children_of(pid: int) -> list[int]:
    """Processes of a parent."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(entry.parent.name))
    return [child for child in found if is_alive(child)]


def test_the_end_of_the_world_ends_all(launch: Start):
    launched = launch(
        {"driver": (DRIVER, {"remap": REMAP})}, world=WORLD | {"duration": 1.0, "realtime": False}
    )
    assert launched.end() == 0
    assert "the world is required and has ended" in launched.out
    assert launched.err == ""


def test_a_world_that_fails_is_named(launch: Start):
    launched = launch(
        {"driver": (DRIVER, {"remap": REMAP})}, world=WORLD | {"set": {"physics.timestep": -1}}
    )
    assert launched.end() == 1
    assert launched.errors == ["error: the world ended with exit code 1"]
    assert any("physics.timestep" in line for line in launched.lines_of("world"))
    assert not launched.lines_of("driver")


def test_services_are_renamed_for_both_ends(launch: Start):
    server = """
from horus_sim.hub import connect
from horus_sim.interruption import Interruption
import time
with Interruption(waits=True) as asked, connect("zenoh://") as hub:
    hub.serve("add", "example_interfaces/srv/AddTwoInts", lambda r: {"sum": r["a"] + r["b"]})
    while not asked.is_asked:
        time.sleep(0.01)
"""
    client = """
from horus_sim.hub import connect
with connect("zenoh://") as hub:
    print(hub.client("plus", "example_interfaces/srv/AddTwoInts").call(a=2, b=3, timeout=60))
    (info,) = [info for info in hub.services() if "AddTwoInts" in info.kinds[0]]
    print(info.name, info.servers)
"""
    launched = launch(
        {
            "server": (server, {"remap": {"add": "math/add"}}),
            "client": (client, {"remap": {"/plus": "/math/add"}, "required": True}),
        }
    )
    assert launched.end() == 0, launched.out
    assert launched.lines_of("client") == ["{'sum': 5}", "math/add 1"]


def test_the_page_of_a_launch_is_served(launch: Start):
    launched = launch(world={"scene": "empty_world", "page": {"port": 0, "open": False}})
    launched.wait_for("http://")
    (address,) = re.findall(r"http://\S+", launched.out)  # with the token of the page
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(address, timeout=LONG) as page:
        assert page.status == 200
    launched.send(signal.SIGINT)
    assert launched.end() == 130
    assert launched.err == ""


def test_a_2d_scenario_is_a_world_too(launch: Start):
    code = """
from horus_sim.hub import connect
from horus_sim.hub.messages import Odometry
with connect("zenoh://") as hub:
    print("x", hub.subscribe("odom", Odometry).wait(60) is not None)
"""
    launched = launch(
        {"node": (code, {"required": True, "remap": {"odom": "robot/odom"}})},
        world={"scenario": "line_follower", "page": False},
    )
    assert launched.end() == 0, launched.out
    assert launched.lines_of("node") == ["x True"]


def test_a_session_that_has_a_world_is_refused_and_no_node_starts(launch: Start, folder: Path):
    session = f"taken-{uuid.uuid4().hex[:8]}"
    first = launch({"node": ("print('node')", {})}, world=WORLD, session=session)
    first.wait_for("node   | node")
    second = Launched(folder / "test.launch.yaml")
    try:
        assert second.end() == 1
        # Where the others are not known at once, it is the world that finds out.
        text = f"'world_{first.process.pid}' runs a world in session '{session}' already; end it"
        assert text in f"{second.out}{second.err}"
        assert not second.lines_of("node")
    finally:
        second.close()
    other = Launched(folder / "test.launch.yaml", "--session", f"{session}-2")
    try:
        wait_until(lambda: any("the world" in line for line in other.lines), other)
        other.wait_for(f"topics of session '{session}-2'")
    finally:
        other.send(signal.SIGTERM)
        assert other.end() == 143
        other.close()
