"""Whose commands a robot obeys when several want to drive it."""

from __future__ import annotations

import uuid

import numpy as np
import pytest

from horus_sim.hub import connect
from horus_sim.hub.messages import CmdVel, JointCommand
from horus_sim.running import RunningWorld
from horus_sim.running.commands.commanders import HAND, HAND_S, SILENCE_NS, Commanders
from horus_sim.sim3d import RobotConfig, Scene, World
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import PlaneShape


class Clock:
    """A clock that stands until it is set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def commanders(clock: Clock) -> Commanders:
    return Commanders(clock)


def test_nobody_drives_at_first(commanders: Commanders):
    assert commanders.driver("burger", 0) == ""


def test_the_newest_commander_drives_and_the_older_one_gets_the_robot_back(commanders: Commanders):
    assert commanders.may_drive("burger", "planner", 0)
    assert commanders.may_drive("burger", "joystick", 10)
    assert not commanders.may_drive("burger", "planner", 20)
    assert commanders.driver("burger", 20) == "joystick"
    # It is the beginning that counts, not the last message.
    assert commanders.may_drive("burger", "joystick", 30)
    silent = 30 + SILENCE_NS
    for stamp_ns in range(20, silent + 1, SILENCE_NS // 2):
        assert not commanders.may_drive("burger", "planner", stamp_ns)
    assert commanders.may_drive("burger", "planner", silent + 1)
    assert commanders.driver("burger", silent + 1) == "planner"
    assert commanders.driver("burger", silent + 2 + SILENCE_NS) == ""


def test_who_comes_back_after_a_silence_is_the_newest(commanders: Commanders):
    assert commanders.may_drive("burger", "planner", 0)
    assert commanders.may_drive("burger", "joystick", 1)
    later = SILENCE_NS + 1
    assert commanders.may_drive("burger", "joystick", later)
    assert commanders.may_drive("burger", "planner", later + 1)
    assert not commanders.may_drive("burger", "joystick", later + 2)


def test_a_hand_owns_the_robot_until_half_a_second_after_it_let_go(
    commanders: Commanders, clock: Clock
):
    commanders.take_by_hand("burger")
    assert commanders.driver("burger", 0) == HAND
    assert not commanders.may_drive("burger", "planner", 0)
    clock.now += HAND_S - 0.001
    commanders.take_by_hand("burger")
    clock.now += HAND_S - 0.001
    assert not commanders.may_drive("burger", "planner", 1)
    clock.now += 0.002
    assert commanders.may_drive("burger", "planner", 2)
    assert commanders.driver("burger", 2) == "planner"


def test_robots_are_owned_one_by_one(commanders: Commanders):
    commanders.take_by_hand("left")
    assert commanders.may_drive("right", "planner", 0)
    commanders.clear()
    assert commanders.driver("left", 0) == commanders.driver("right", 0) == ""


def test_in_a_running_world_the_newest_node_drives_until_a_hand_takes_over():
    world = World.load(
        Scene(
            objects=(ObjectConfig(name="ground", shape=PlaneShape()),),
            robots=(RobotConfig(name="burger", model="turtlebot3_burger"),),
        )
    )
    session = f"test-{uuid.uuid4().hex[:12]}"
    with (
        connect(session=session) as hub,
        connect(session=session, name="first") as one,
        connect(session=session, name="second") as two,
        RunningWorld(world, hub) as running,
    ):
        running.start()
        first, second = (node.publisher("burger/cmd_vel", CmdVel) for node in (one, two))
        first.send(CmdVel(0.1, 0.0))
        running.step()
        assert running.drivers() == {"burger": "first"}
        for _ in range(100):
            first.send(CmdVel(0.1, 0.0))
            second.send(CmdVel(-0.1, 0.0))
            running.step()
        assert running.drivers() == {"burger": "second"}
        assert world.robots["burger"].velocity[0][0] < -0.05
        running.commands.drive_by_hand("burger", CmdVel(0.2, 0.0))
        second.send(CmdVel(-0.1, 0.0))
        running.step(60)
        assert running.drivers() == {"burger": HAND}
        assert world.robots["burger"].velocity[0][0] > 0.05


def test_joints_may_be_commanded_by_several_nodes():
    world = World.load(Scene(robots=(RobotConfig(name="arm", model="arm6"),)))
    session = f"test-{uuid.uuid4().hex[:12]}"
    with (
        connect(session=session) as hub,
        connect(session=session, name="first") as one,
        connect(session=session, name="second") as two,
        RunningWorld(world, hub) as running,
    ):
        running.start()
        joints = world.robots["arm"].joint_names[:2]
        for node, joint in zip((one, two), joints, strict=True):
            sender = node.publisher("arm/joint_command", JointCommand)
            sender.send(JointCommand((joint,), np.array([0.2])))
        running.step(round(2.0 / world.timestep))
        assert world.robots["arm"].joint_positions()[:2] == pytest.approx([0.2, 0.2], abs=0.01)
