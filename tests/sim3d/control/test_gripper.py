"""Grippers open, close and hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from horus_sim.errors import CommandError
from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.control import GripperConfig, RobotControlConfig
from horus_sim.sim3d.scene.objects import ObjectConfig

ARMS = [("arm6", 0.05), ("panda7", 0.08)]


@pytest.mark.parametrize(("robot", "widest"), ARMS)
def test_opens_and_closes(bench: Callable, robot: str, widest: float):
    rig = bench(robot)
    gripper = rig.control.gripper
    assert gripper.max_width == pytest.approx(widest)
    assert rig.control.command(gripper="open").kind == "gripper"
    rig.run(2.0)
    assert gripper.width == pytest.approx(widest, abs=1e-4)
    rig.control.command(gripper=0.03)
    rig.run(2.0)
    assert gripper.width == pytest.approx(0.03, abs=1e-4)
    rig.control.command(gripper="close")
    rig.run(2.0)
    assert gripper.width == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(("robot", "widest"), ARMS)
def test_the_second_finger_follows(bench: Callable, robot: str, widest: float):
    rig = bench(robot)
    rig.control.command(gripper=0.5 * widest)
    rig.run(2.0)
    fingers = [joint for joint in rig.description.joints if "finger_joint" in joint.name]
    assert len(fingers) == 2
    for finger in fingers:
        assert rig.position(finger.name) == pytest.approx(0.25 * widest, abs=1e-4)


def test_too_wide_is_clamped(bench: Callable):
    rig = bench("panda7")
    (note,) = rig.control.command(gripper=0.2).clamped
    assert (note.culprit, note.quantity, note.asked) == ("gripper", "width", 0.2)
    assert note.given == pytest.approx(0.08)


def test_unknown_word(bench: Callable):
    rig = bench("panda7")
    with pytest.raises(CommandError, match="gripper 'shut' is unknown; use 'open', 'close'"):
        rig.control.command(gripper="shut")


def test_a_robot_without(bench: Callable):
    rig = bench("turtlebot3_burger")
    with pytest.raises(CommandError, match="has no gripper that was found"):
        rig.control.command(gripper="open")


def test_fingers_that_open_downward(bench: Callable):
    config = GripperConfig(joints=("panda_finger_joint1",), opens_upward=False, closed_width=0.01)
    rig = bench("panda7", config=RobotControlConfig(gripper=config))
    rig.control.command(gripper="open")
    rig.run(2.0)
    assert rig.position("panda_finger_joint1") == pytest.approx(0.0, abs=1e-4)
    assert rig.control.gripper.width == pytest.approx(0.09, abs=1e-3)


@pytest.mark.parametrize(("robot", "hand"), [("arm6", "grasp_frame"), ("panda7", "panda_hand_tcp")])
def test_grips_a_box_with_its_full_effort_and_carries_it(robot: str, hand: str):
    world = World.from_robot(load_robot(robot))
    arm = world.robots[robot]
    arm.command(gripper="open")
    world.step(480)
    size = {"kind": "box", "size": (0.03, 0.03, 0.03)}
    box = ObjectConfig.model_validate({"name": "box", "shape": size, "dynamic": True, "mass": 0.2})
    world.spawn(box, pose=arm.link_pose(hand))
    arm.command(gripper="close")
    # Hold the box until the fingers touch it.
    for _ in range(180):
        world.move("box", arm.link_pose(hand))
        world.step()
    world.step(360)
    pressing = [contact.normal_force for contact in world.contacts if contact.involves("box")]
    efforts = dict(zip(arm.joint_names, arm.joint_efforts(), strict=True))
    finger = next(joint for joint in arm.joint_names if "finger" in joint)
    limit = arm.effort_limits[arm.joint_names.index(finger)]
    assert abs(efforts[finger]) == pytest.approx(limit, rel=0.05)
    # One drive moves both fingers: each presses with half of its effort.
    assert sum(pressing) == pytest.approx(limit, rel=0.1)
    first = arm.joint_names[0]
    T_hand_box = arm.link_pose(hand).inverse() @ world.objects["box"].pose
    arm.command({first: 0.5})
    world.step(480)
    moved = arm.link_pose(hand).inverse() @ world.objects["box"].pose
    assert np.linalg.norm(np.subtract(moved.translation, T_hand_box.translation)) < 0.003
