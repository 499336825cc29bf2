"""Trajectories on topics, as ROS programs send them to an arm."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import CommandError
from horus_sim.hub import connect
from horus_sim.hub.messages import JointCommand, JointTrajectory
from horus_sim.running import RunningWorld
from horus_sim.running.recording import CommandLog, McapRecorder, replay_commands
from horus_sim.sim3d import World, recorded_world

SECOND_NS = 1_000_000_000


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


@pytest.fixture
def world():
    return World.load("tabletop")


def arm_of(world):
    name = next(name for name, robot in world.robots.items() if len(robot.joint_names) >= 6)
    return name, world.robots[name]


def trajectory(*fields: Any) -> JointTrajectory:
    return JointTrajectory(*fields)  # lists become arrays


def moved(start, joint, by):
    return np.array([value + (by if i == joint else 0.0) for i, value in enumerate(start)])


def test_an_arm_follows_a_trajectory_with_velocities(hub, world):
    name, arm = arm_of(world)
    joints = arm.joint_names[:6]
    with RunningWorld(world, hub) as running:
        running.step(24)
        start = np.array([arm.joint_positions()[arm.joint_names.index(j)] for j in joints])
        middle, end = moved(start, 0, 0.2), moved(start, 0, 0.4)
        speeds = np.zeros((2, 6))
        speeds[0, 0] = 0.2
        message = trajectory(0, joints, [SECOND_NS, 2 * SECOND_NS], np.stack((middle, end)), speeds)
        hub.publisher(f"{name}/joint_trajectory", JointTrajectory).send(message)
        per_second = round(1 / world.timestep)
        running.step(per_second)
        assert running.refused == 0
        index = arm.joint_names.index(joints[0])
        assert arm.joint_positions()[index] == pytest.approx(middle[0], abs=0.02)
        # Through the way-point, and not to a stand at it.
        assert arm.joint_velocities()[index] == pytest.approx(0.2, abs=0.05)
        running.step(2 * per_second)
        np.testing.assert_allclose(
            [arm.joint_positions()[arm.joint_names.index(j)] for j in joints], end, atol=0.01
        )


def test_a_single_point_is_reached_from_where_the_joints_are(hub, world):
    name, arm = arm_of(world)
    joint = arm.joint_names[0]
    with RunningWorld(world, hub) as running:
        running.step(1)
        goal = arm.joint_positions()[0] + 0.3
        running.command(name, trajectory(0, (joint,), [SECOND_NS], [[goal]]))
        running.step(round(1.5 / world.timestep))
        assert arm.joint_positions()[0] == pytest.approx(goal, abs=0.01)


def test_a_stamp_in_the_future_is_waited_for_and_an_empty_one_stops(hub, world):
    name, arm = arm_of(world)
    joint = arm.joint_names[0]
    with RunningWorld(world, hub) as running:
        running.step(1)
        start = arm.joint_positions()[0]
        running.command(name, trajectory(SECOND_NS, (joint,), [SECOND_NS], [[start + 0.5]]))
        running.step(round(0.9 / world.timestep))
        assert arm.joint_positions()[0] == pytest.approx(start, abs=1e-3)
        running.step(round(0.6 / world.timestep))
        halfway = arm.joint_positions()[0]
        assert start + 0.1 < halfway < start + 0.4
        running.command(name, trajectory(0, (), [], np.zeros((0, 0))))
        running.step(round(1.0 / world.timestep))
        assert arm.joint_positions()[0] == pytest.approx(halfway, abs=0.05)


def test_arm_and_gripper_have_a_trajectory_each(hub, world):
    name, arm = arm_of(world)
    first, last = arm.joint_names[0], arm.joint_names[-2]
    with RunningWorld(world, hub) as running:
        running.step(1)
        goals = arm.joint_positions()[0] + 0.3, arm.joint_positions()[-2] - 0.01
        running.command(name, trajectory(0, (first,), [SECOND_NS], [[goals[0]]]))
        running.step(10)
        running.command(name, trajectory(0, (last,), [SECOND_NS], [[goals[1]]]))
        running.step(round(2.0 / world.timestep))
        assert arm.joint_positions()[0] == pytest.approx(goals[0], abs=0.01)


def test_a_trajectory_goes_on_after_a_snapshot(world):
    name, arm = arm_of(world)
    with RunningWorld(world) as running:
        running.step(1)
        goal = arm.joint_positions()[0] + 0.3
        speeds = [[0.1]]
        running.command(name, trajectory(0, arm.joint_names[:1], [SECOND_NS], [[goal]], speeds))
        running.step(50)
        state = world.snapshot()
        running.step(100)
        there = arm.joint_positions().tobytes()
        world.apply_snapshot(state)
        running.step(100)
        assert arm.joint_positions().tobytes() == there


def test_nonsense_is_refused_and_changes_nothing(hub, world):
    name, arm = arm_of(world)
    joint = arm.joint_names[0]
    with RunningWorld(world, hub) as running:
        running.step(1)
        start = arm.joint_positions()[0]
        with pytest.raises(CommandError, match=r"begins with joint .* give the first way-point"):
            running.command(name, trajectory(0, (joint,), [0, 1], [[start + 1], [start]]))
        with pytest.raises(CommandError, match="times of a trajectory must start at 0"):
            running.command(name, trajectory(0, (joint,), [5, 5], [[start], [start]]))
        with pytest.raises(CommandError, match="did you mean"):
            running.command(name, trajectory(0, (joint + "x",), [5], [[start]]))
        hub.publisher(f"{name}/joint_trajectory", JointTrajectory).send(
            trajectory(0, (joint,), [1, 2], [[np.nan], [start]])
        )
        running.step(1)
        assert running.refused == 1
        assert "not finite" in str(running.commands.last_error)
        assert not arm.control.joints.is_moving


def test_a_trajectory_is_recorded_and_done_again(tmp_path, world):
    name, arm = arm_of(world)
    path = tmp_path / "run.mcap"
    with RunningWorld(world) as running:
        running.add_outlet(McapRecorder(path))
        running.step(10)
        goal = arm.joint_positions()[0] + 0.3
        running.command(name, trajectory(0, arm.joint_names[:1], [SECOND_NS], [[goal]], [[0.1]]))
        running.step(100)
    log = CommandLog.load(path)
    assert replay_commands(recorded_world(log), log).commands == 1


def test_a_2d_robot_says_what_it_takes(hub):
    from horus_sim.sim2d import Simulator

    sim = Simulator.load("line_follower", seed=0)
    with (
        RunningWorld(sim, hub) as running,
        pytest.raises(CommandError, match="its wheels take the speeds of a JointCommand"),
    ):
        running.command(next(iter(sim.robots)), trajectory(0, ("a",), [5], [[1.0]]))


def test_a_joint_command_ends_the_trajectory_of_its_joints_only(world):
    name, arm = arm_of(world)
    with RunningWorld(world) as running:
        running.step(1)
        goal = arm.joint_positions()[0] + 0.3
        running.command(name, trajectory(0, arm.joint_names[:1], [SECOND_NS], [[goal]]))
        running.step(10)
        second = arm.joint_positions()[1]
        running.command(name, JointCommand(arm.joint_names[1:2], np.array([second + 0.1])))
        running.step(round(2.0 / world.timestep))
        assert arm.joint_positions()[0] == pytest.approx(goal, abs=0.01)
        assert arm.joint_positions()[1] == pytest.approx(second + 0.1, abs=0.01)
