"""Bounds of joints: starts, followers, and the gains of what others follow."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from horus_sim.robots.description import (
    Inertial,
    Joint,
    JointLimit,
    JointType,
    Link,
    Mimic,
    RobotDescription,
)
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World
from horus_sim.sim3d.compile.robot.drives import reflected_inertia
from horus_sim.sim3d.compile.robot.robot import build_robot_spec
from horus_sim.tf import Transform

FINGER = Inertial(
    0.2,
    Transform.from_euler((0.03, 0.01, 0.02), (0.3, 0.2, 0.1)),
    (2e-4, 3e-4, 4e-4, 1e-5, 2e-5, 3e-5),
)


def hand(**leader: float) -> RobotDescription:
    """A light leader, a finger of two links that follow it, and a slider that follows a link."""
    limit = JointLimit(lower=0.0, upper=0.8)
    joints = (
        Joint(
            "leader",
            JointType.REVOLUTE,
            "palm",
            "cam",
            Transform((0.0, 0.1, 0.0)),
            (0.0, 0.0, 1.0),
            limit=limit,
            initial_position=leader.get("initial_position", 0.0),
        ),
        Joint(
            "near",
            JointType.REVOLUTE,
            "palm",
            "finger",
            Transform.from_euler((0.05, 0.0, 0.02), (0.4, 0.0, 0.2)),
            (0.0, 1.0, 0.0),
            limit=limit,
            mimic=Mimic("leader", -1.0),
        ),
        Joint(
            "far",
            JointType.REVOLUTE,
            "finger",
            "tip",
            Transform((0.06, 0.0, 0.0)),
            (0.0, 1.0, 0.0),
            limit=JointLimit(lower=-2.0, upper=2.0),
            mimic=Mimic("near", 0.5),
        ),
        Joint(
            "slide",
            JointType.PRISMATIC,
            "palm",
            "rack",
            axis=(1.0, 0.0, 0.0),
            mimic=Mimic("leader", 0.02),
        ),
    )
    cam = Inertial(1e-5, Transform.identity(), (1e-9, 1e-9, 1e-9, 0.0, 0.0, 0.0))
    links = (
        Link("palm", FINGER),
        Link("cam", cam),
        Link("finger", FINGER),
        Link("tip", FINGER),
        Link("rack", FINGER),
    )
    return RobotDescription("hand", links, joints, "palm")


def test_a_drive_feels_all_that_follows_it():
    robot = hand()
    rates = {"leader": 1.0, "near": -1.0, "far": -0.5, "slide": 0.02}
    inertials = {link.name: link.inertial for link in robot.links}
    model = build_robot_spec(robot).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    share = np.zeros(model.nv)
    for name, rate in rates.items():
        share[model.joint(name).dofadr[0]] = rate
    expected = float(share @ (mass - np.diag(model.dof_armature)) @ share)
    assert reflected_inertia(robot, inertials, rates) == pytest.approx(expected, rel=1e-9)
    drive = World.from_robot(robot).robots["hand"].coordinates[0].drive
    assert drive is not None
    assert drive.inertia == pytest.approx(expected + drive.armature, rel=1e-9)


def test_followers_go_where_they_are_led_whatever_their_bounds():
    world = World.from_robot(hand())
    robot = world.robots["hand"]
    robot.command({"leader": 0.6})
    world.step(480)
    np.testing.assert_allclose(robot.joint_positions(), (0.6, -0.6, -0.3, 0.012), atol=0.01)
    ignored = world.report.of(NoteKind.IGNORED)
    (note,) = [note for note in ignored if note.culprit == "joint 'near'"]
    assert "its bounds [0, 0.8] forbid where 'leader' leads it; they are ignored" in note.text
    assert not [note for note in ignored if note.culprit == "joint 'far'"]


def bounded(lower: float, upper: float, start: float = 0.0) -> RobotDescription:
    joint = Joint(
        "elbow",
        JointType.REVOLUTE,
        "base",
        "arm",
        axis=(0.0, 0.0, 1.0),
        limit=JointLimit(lower, upper),
        initial_position=start,
    )
    return RobotDescription("arm", (Link("base", FINGER), Link("arm", FINGER)), (joint,), "base")


def test_a_joint_starts_within_its_bounds():
    world = World.from_robot(bounded(0.5, 2.0))
    assert world.robots["arm"].joint_positions() == pytest.approx([0.5])
    text = "joint 'elbow': 0 is outside its bounds [0.5, 2]; it starts at 0.5"
    assert text in str(world.report)
    assert not world.report.of(NoteKind.WARNING)
    world.step(240)
    world.reset()
    assert world.robots["arm"].joint_positions() == pytest.approx([0.5])


def test_a_stated_start_outside_the_bounds_is_a_warning():
    world = World.from_robot(bounded(-2.0, -1.0, start=3.0))
    assert world.robots["arm"].joint_positions() == pytest.approx([-1.0])
    (note,) = world.report.of(NoteKind.WARNING)
    assert "3 is outside its bounds [-2, -1]; it starts at -1" in note.text
