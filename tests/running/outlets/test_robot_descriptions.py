"""What robots are made of, on topics: for late listeners, in every run, and gone with the robot."""

from __future__ import annotations

import uuid
import xml.etree.ElementTree as ET

import pytest

from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import String
from horus_sim.robots.robot import find_robot_file, load_robot
from horus_sim.running import RunningWorld
from horus_sim.running.recording import McapFile, McapRecorder
from horus_sim.sim2d import Simulator
from horus_sim.sim3d import World

LATCHED = QoS(latched=True)


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


def heard(hub, robot: str) -> str | None:
    """What a late listener gets."""
    with hub.subscribe(f"{robot}/robot_description", String, LATCHED) as end:
        message = end.take()
        return None if message is None else message.data


def test_it_is_the_robot_of_the_file(hub, tmp_path):
    with RunningWorld(World.load("warehouse"), hub) as running:
        running.start()
        text = heard(hub, "burger")
        assert text is not None
    wanted = ET.parse(find_robot_file("turtlebot3_burger")).getroot()  # noqa: S314 - ours
    found = ET.fromstring(text)  # noqa: S314 - ours
    for tag in ("link", "joint"):
        assert [each.get("name") for each in found.findall(tag)] == [
            each.get("name") for each in wanted.findall(tag)
        ]
    (tmp_path / "again.urdf").write_text(text)
    again = load_robot(tmp_path / "again.urdf")
    assert again.joints == load_robot("turtlebot3_burger").joints


def test_it_is_sent_in_every_run_and_not_with_every_step(hub):
    with RunningWorld(World.load("warehouse"), hub) as running:
        running.start()
        end = hub.subscribe("burger/robot_description", String)
        running.step(100)
        assert end.received == 0
        running.reset()
        running.step(100)
        assert end.received == 1
        assert heard(hub, "burger")


def test_it_comes_and_goes_with_the_robot(hub):
    with RunningWorld(World.load("empty_world"), hub) as running:
        running.spawn("racecar")
        running.step(10)
        assert heard(hub, "racecar")
        running.remove("racecar")
        running.step(10)
        assert heard(hub, "racecar") is None


def test_a_recording_has_it(tmp_path):
    with RunningWorld(World.load("warehouse")) as running:
        running.add_outlet(McapRecorder(tmp_path / "run.mcap"))
        running.step(10)
    (message,) = McapFile(tmp_path / "run.mcap").read(("burger/robot_description",))
    assert ET.fromstring(message.value.data).get("name") == "turtlebot3_burger"  # noqa: S314


def test_a_2d_robot_has_none(hub):
    with RunningWorld(Simulator.load("line_follower"), hub) as running:
        running.step(10)
        assert heard(hub, "robot") is None
