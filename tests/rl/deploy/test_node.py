"""A node observes by topics what its task observes, acts, and stops where it is blind."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import DeployError
from horus_sim.hub import QoS, StaticTFBroadcaster, connect
from horus_sim.hub.messages import (
    CmdVel,
    JointState,
    JointTrajectory,
    LaserScan,
    Odometry,
    PoseStamped,
    String,
)
from horus_sim.rl.deploy.config import DeployConfig
from horus_sim.rl.deploy.node import PolicyNode, State
from horus_sim.rl.envs.contracting import task_contract
from horus_sim.tf import TFMessage, Transform
from horus_sim.time import NS_PER_S

_numbers = itertools.count()
TICK_NS = NS_PER_S // 20


class Ahead:
    """Full speed ahead, turning left by half."""

    def act(self, observations):
        self.seen = observations
        return np.tile(np.array([1.0, 0.5], np.float32), (len(observations), 1))


class Robot:
    """What a robot of ROS 2 sends, and what is sent to it."""

    def __init__(self, hub, prefix="") -> None:
        self.scans = hub.publisher(f"{prefix}scan", LaserScan)
        self.odometry = hub.publisher(f"{prefix}odom", Odometry)
        self.goals = hub.publisher("goal_pose" if not prefix else f"{prefix}goal_pose", PoseStamped)
        self.commands = hub.subscribe(f"{prefix}cmd_vel", CmdVel)
        self.stamp_ns = 0

    def speak(self, x=0.0) -> None:
        self.stamp_ns += TICK_NS
        step = 2 * np.pi / 360
        ranges = np.full(360, 1.5, np.float32)
        scan = LaserScan(self.stamp_ns, "base_scan", -np.pi, step, 0.1, 3.5, ranges)
        self.scans.send(scan)
        pose = Transform((x, 0.0, 0.0))
        self.odometry.send(Odometry(self.stamp_ns, "odom", "base_footprint", pose))

    def go_to(self, x: float) -> None:
        self.goals.send(PoseStamped(0, "odom", Transform((x, 0.0, 0.0))))


@pytest.fixture
def hub():
    with connect("inproc://", f"node-test-{next(_numbers)}", remap={}) as made:
        yield made


@pytest.fixture
def lines():
    return []


def navigation_node(hub, lines, **rules):
    config = DeployConfig(**rules)
    return PolicyNode(hub, task_contract("Navigation"), Ahead(), config, lines.append)


def test_it_waits_acts_and_arrives(hub, lines):
    robot, node = Robot(hub), navigation_node(hub, lines)
    assert node.tick(0) is State.WAITING
    robot.speak()
    assert node.tick(robot.stamp_ns) is State.WAITING
    assert node.waits_for_goal
    assert robot.commands.take() is None
    robot.go_to(2.0)
    robot.speak()
    assert node.tick(robot.stamp_ns) is State.ACTING
    sent = robot.commands.take()
    assert sent.linear == pytest.approx(0.22)
    assert sent.angular == pytest.approx(1.0)
    lidar, goal = node.observation[:24], node.observation[24:27]
    np.testing.assert_allclose(lidar, 0.3 / 1.8, atol=1e-6)
    np.testing.assert_allclose(goal, [1.0, 0.0, 1.0])
    # What it did is observed next time.
    robot.speak(x=1.0)
    node.tick(robot.stamp_ns)
    np.testing.assert_allclose(node.observation[-2:], [1.0, 0.5])
    robot.speak(x=1.9)
    robot.commands.clear()
    assert node.tick(robot.stamp_ns) is State.ARRIVED
    assert robot.commands.take() == CmdVel(0.0, 0.0)
    # A new goal begins a new episode.
    robot.go_to(4.0)
    robot.speak(x=1.9)
    assert node.tick(robot.stamp_ns) is State.ACTING
    np.testing.assert_allclose(node.observation[-2:], 0.0)
    assert lines == [
        "waiting for 'scan', 'odom', 'goal_pose'",
        "waiting for 'goal_pose'",
        "acting at 20 Hz",
        "arrived: 0.100 m from the goal",
        "a new goal",
        "acting at 20 Hz",
    ]


def test_a_sensor_that_is_silent_stops_the_robot_until_it_speaks(hub, lines):
    robot, node = Robot(hub), navigation_node(hub, lines, stale=0.32)
    robot.go_to(3.0)
    robot.speak()
    assert node.tick(robot.stamp_ns) is State.ACTING
    # The scanner is stuck: the same message again and again is no news.
    stuck = LaserScan(
        robot.stamp_ns, "base_scan", -np.pi, 0.0175, 0.1, 3.5, np.ones(360, np.float32)
    )
    states = []
    for _ in range(8):
        robot.stamp_ns += TICK_NS
        robot.scans.send(stuck)
        robot.odometry.send(Odometry(robot.stamp_ns, "odom", "base_footprint", Transform()))
        robot.commands.clear()
        states.append(node.tick(robot.stamp_ns))
    assert states == [State.ACTING] * 6 + [State.STOPPED] * 2
    assert robot.commands.latest() == CmdVel(0.0, 0.0)
    assert lines[-1] == ("stopped: 'scan' (LaserScan) has said nothing new for 0.4 s")
    robot.speak()
    assert node.tick(robot.stamp_ns) is State.ACTING
    node.close()
    assert robot.commands.latest() == CmdVel(0.0, 0.0)


def test_a_run_that_begins_anew_is_waited_for(hub, lines):
    robot, node = Robot(hub), navigation_node(hub, lines)
    node.set_goal(PoseStamped(0, "odom", Transform((3.0, 0.0, 0.0))))
    robot.speak()
    assert node.tick(robot.stamp_ns) is State.ACTING
    node.restart()
    assert node.tick(0) is State.WAITING
    robot.stamp_ns = 0
    robot.speak()
    # The goal that it was given holds in every run.
    assert node.tick(robot.stamp_ns) is State.ACTING


def test_a_robot_with_a_name(hub, lines):
    robot, node = Robot(hub, "burger/"), navigation_node(hub, lines, robot="burger")
    robot.go_to(2.0)
    robot.speak()
    assert node.tick(robot.stamp_ns) is State.ACTING
    assert robot.commands.take().linear == pytest.approx(0.22)


def test_what_is_absent_is_told_with_type_and_remedy(hub, lines):
    node = navigation_node(hub, lines)
    node.tick(0)
    with pytest.raises(DeployError, match=r"session 'node-test-\d+' has no topics \(is --session"):
        node.raise_if_stopped()
    assert "nobody sends topic 'scan' (sensor_msgs/msg/LaserScan): start the laser" in (
        node.explain_absent()
    )
    with (
        hub.publisher("burger/scan", LaserScan),
        hub.publisher("odom", CmdVel),
    ):
        text = node.explain_absent()
    assert "of this type there is burger/scan (--robot burger?)" in text
    assert (
        "topic 'odom' carries geometry_msgs/msg/Twist, and the policy reads "
        "nav_msgs/msg/Odometry: rename it with HORUS_REMAP"
    ) in text


def test_a_robot_that_does_not_fit_is_told_before_its_goal_is(hub, lines):
    robot, node = Robot(hub), navigation_node(hub, lines)
    robot.stamp_ns = TICK_NS
    few = LaserScan(TICK_NS, "base_scan", -1.0, 0.02, 0.1, 3.5, np.ones(100, np.float32))
    robot.scans.send(few)
    robot.odometry.send(Odometry(TICK_NS, "odom", "base_footprint", Transform()))
    assert node.tick(TICK_NS) is State.STOPPED
    assert "stopped: topic 'scan' has 100 rays from -57.3 to 56.1 degrees" in lines[-1]


class Still:
    def act(self, observations):
        action = np.zeros((len(observations), 6), np.float32)
        action[:, 0] = 1.0
        return action


def test_joints_are_found_by_name_and_move_on_with_every_action(hub, lines):
    contract = task_contract("ArmReach")
    drive: Any = contract.drives[0]
    joints = drive.joints
    node = PolicyNode(hub, contract, Still(), tell=lines.append)
    frames = StaticTFBroadcaster(hub)
    frames.send_transform("base_link", "grasp_frame", Transform((0.3, 0.0, 0.4)))
    heard = hub.subscribe("joint_trajectory", JointTrajectory)
    node.set_goal(PoseStamped(0, "base_link", Transform((0.5, 0.2, 0.3))))
    start = np.linspace(-1.0, 1.0, 6)
    with hub.publisher("joint_states", JointState) as states, hub.publisher("tf", TFMessage) as tf:
        # Others come first: joints are found by name.
        names = ("gripper", *joints[::-1])
        states.send(JointState(1, names, np.append(9.0, start[::-1]), np.zeros(7)))
        tf.send(TFMessage(()))
        assert node.tick(1) is State.ACTING, lines
    np.testing.assert_allclose(node.observation[:5], start[1:], atol=1e-6)
    message = heard.take()
    wanted = start + np.array([1.5 / 20, 0, 0, 0, 0, 0])
    assert message.names == joints
    np.testing.assert_allclose(message.positions, [wanted])
    np.testing.assert_allclose(message.velocities, [[1.5, 0, 0, 0, 0, 0]], atol=1e-9)
    assert message.times_ns.tolist() == [TICK_NS]
    frames.close()


def test_a_policy_that_only_a_simulation_knows_is_refused(hub):
    with pytest.raises(
        DeployError, match="observes positions, speeds, of which its contract tells no"
    ):
        PolicyNode(hub, task_contract("HalfCheetah"), Still())
    contract = task_contract("Navigation").model_copy(update={"drives": ()})
    with pytest.raises(DeployError, match="gives forward, turning, which no drive"):
        PolicyNode(hub, contract, Ahead())


def test_another_robot_than_that_of_the_contract_is_told(hub, lines):
    latched = QoS(depth=1, latched=True)
    with hub.publisher("robot_description", String, latched) as description:
        description.send(String("<robot name='turtlebot3_burger'/>"))
        node = navigation_node(hub, lines)
        node.tick(0)
        description.send(String('<?xml version="1.0"?><robot version="1" name="jackal"><link/>'))
        node.tick(1)
        node.tick(2)
    told = [line for line in lines if "learned on" in line]
    assert told == ["warning: the policy learned on 'turtlebot3_burger', and this is 'jackal'"]
