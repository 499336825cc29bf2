"""Policies that walk in worlds: what they observe there, and that robots go where they are told."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import CommandError, PolicyError
from horus_sim.hub import connect
from horus_sim.hub.messages import CmdVel, Twist
from horus_sim.rl.gaits import PolicyGait, PolicyGaits, offer_policies
from horus_sim.rl.training import load_policy
from horus_sim.robots import load_robot
from horus_sim.running import RunningWorld
from horus_sim.sim3d import World
from horus_sim.sim3d.control import gait as offered
from horus_sim.sim3d.control.gait import LegMotion


@pytest.fixture
def walking(monkeypatch):
    """A world with a quadruped that walks by the shipped policy."""
    monkeypatch.setattr(offered, "_offered", [])
    offer_policies()
    world = World.load("empty_world")
    world.spawn(load_robot("quadruped"))
    return world, world.robots["quadruped"]


def drive(world, robot, seconds, **command):
    """How far it goes in its own frame [m], after a second in which it gets going."""
    start = robot.pose
    for step in range(round(seconds * 240)):
        if step % 24 == 0:
            robot.command(**command)
        if step == 240:
            start = robot.pose
        world.step()
    return (start.inverse() @ robot.pose).translation


@pytest.mark.parametrize("name", ["Quadruped", "QuadrupedRough"])
def test_a_gait_decides_as_the_policy_does_in_the_batch(name):
    policy = load_policy(name)
    gait = PolicyGait(policy)
    walking: Any = type(rl.build_task(name))
    envs: Any = rl.make_vector(walking(walking.Config()), 4)
    seen, _ = envs.reset(seed=0)
    task, last = envs.task, np.zeros((4, 12))
    for step in range(20):
        actions = policy.act(seen)
        for env in range(4):
            motion = LegMotion(
                angular_b=task.qvel[env, 3:6].copy(),
                up_b=task.up_b[env].copy(),
                command=task.command[env].copy(),
                positions=task.qpos[env, task._places].copy(),
                velocities=task.qvel[env, task._dofs].copy(),
                time=step * task.dt,
                heights=task.scan[env] - task.legged.height if len(gait.scan) else np.empty(0),
            )
            _, action = gait.decide(motion, last[env])
            np.testing.assert_allclose(action, actions[env], atol=1e-4)
        last = actions.astype(np.float64)
        seen, *_ = envs.step(actions)


def test_it_walks_ahead_and_turns_as_it_is_told(walking):
    world, robot = walking
    assert robot.control.kind == "legs"
    ahead, aside, _ = drive(world, robot, 4.0, linear=0.5)
    assert ahead == pytest.approx(1.5, abs=0.45)
    assert abs(aside) < 0.5
    ahead, aside, _ = drive(world, robot, 3.0, command=CmdVel(0.0, 0.8))
    assert np.hypot(ahead, aside) < 0.4
    assert robot.pose.translation[2] > 0.2


def test_it_obeys_cmd_vel_on_topics(walking):
    world, robot = walking
    with (
        connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub,
        RunningWorld(world, hub) as running,
    ):
        velocity = hub.publisher("quadruped/cmd_vel", CmdVel)
        for _ in range(40):
            velocity.send(CmdVel(0.5, 0.0))
            running.step(24)
        assert robot.pose.translation[0] > 1.0
        sideways = hub.publisher("quadruped/cmd_twist", Twist)
        before = robot.pose
        for _ in range(30):
            sideways.send(Twist((0.0, 0.3, 0.0), (0.0, 0.0, 0.0)))
            running.step(24)
        assert (before.inverse() @ robot.pose).translation[1] > 0.4


def test_it_can_be_driven_by_hand(walking):
    world, _ = walking
    given = world.exchange().hand_command("quadruped", 0.3, 0.1, 0.0)
    assert given == CmdVel(0.3, 0.1)


def test_without_commands_it_stands_still_again(walking):
    world, robot = walking
    drive(world, robot, 2.0, linear=0.4)
    for _ in range(480):
        world.step()
    before = robot.pose.translation
    for _ in range(240):
        world.step()
    assert np.linalg.norm(np.subtract(robot.pose.translation, before)) < 0.03


def test_joints_that_are_commanded_are_taken_from_the_gait(walking):
    world, robot = walking
    drive(world, robot, 1.5, linear=0.3)
    kp = robot.control.servos.kp.copy()
    robot.command({"FL_hip_joint": 0.1})
    assert not robot.control.drive.is_on
    assert (robot.control.servos.kp > kp).all()  # those of a world are stiffer


def test_a_snapshot_walks_on_as_it_would_have(walking):
    world, robot = walking
    drive(world, robot, 1.2, linear=0.4)
    kept = world.snapshot()
    ends = []
    for _ in range(2):
        world.apply_snapshot(kept)
        drive(world, world.robots["quadruped"], 1.1, linear=0.4)
        ends.append(world.robots["quadruped"].joint_positions().tobytes())
    assert ends[0] == ends[1]


def test_robots_without_a_gait_have_no_drive(walking):
    assert PolicyGaits().name_for(load_robot("arm6").description) is None
    with pytest.raises(PolicyError, match="the policy is for 'Racing', and robots in worlds walk"):
        PolicyGaits().load("Racing")


def test_nothing_walks_where_nothing_offers_gaits(monkeypatch):
    monkeypatch.setattr(offered, "_offered", [])
    world = World.load("empty_world")
    world.spawn(load_robot("quadruped"))
    with pytest.raises(CommandError, match="has no drive for linear and angular"):
        world.robots["quadruped"].command(linear=0.5)
