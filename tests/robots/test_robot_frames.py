"""`Robot.tf_tree`: the frames of a robot without physics, against those of a running world."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from horus_sim.assets import asset_names
from horus_sim.errors import CommandError, UnknownNameError
from horus_sim.robots import Robot, load_robot
from horus_sim.robots.description import Inertial, Joint, JointType, Link, Mimic, RobotDescription
from horus_sim.robots.report import Report
from horus_sim.sim3d import World
from horus_sim.tf import TFTree, Transform

BODY = Inertial(1.0, Transform(), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))


def odd_robot() -> Robot:
    """A chain of one joint of each kind, each with a tilted frame before and behind it."""
    kinds = list(JointType)
    joints = tuple(
        Joint(
            f"j{i}",
            kind,
            f"l{i}",
            f"l{i + 1}",
            Transform.from_euler((0.1, 0.2, 0.3 * i), (0.3, -0.2, 0.1 * i)),
            (0.6, 0.0, 0.8),
            axis2=(0.0, 1.0, 0.0) if kind is JointType.UNIVERSAL else None,
            thread_pitch=0.2 if kind is JointType.SCREW else 0.0,
            T_joint_child=Transform.from_euler((0.0, 0.1, 0.05), (0.1, 0.2, 0.3)),
        )
        for i, kind in enumerate(kinds)
    )
    links = tuple(Link(f"l{i}", BODY) for i in range(len(kinds) + 1))
    frames = {"camera": ("l3", Transform((0.0, 0.0, 1.0)))}
    description = RobotDescription("odd", links, joints, "l0", extra_frames=frames)
    return Robot("odd", description, "fixed", Report())


def assert_same(tree: TFTree, world: World, root: str) -> None:
    frames = set(tree.get_all_frames())
    # A root link called 'world' is the world itself.
    assert frames == set(world.tf.get_all_frames()) - ({"world"} - {root})
    for frame in frames:
        expected = world.tf.frame_pose(frame, root)
        assert tree.frame_pose(frame, root).is_close(expected, 1e-9, 1e-9), frame


def test_every_kind_of_joint_moves_as_in_the_world():
    robot = odd_robot()
    world = World.from_robot(robot)
    handle = world.robots["odd"]
    random = np.random.default_rng(5)
    for _ in range(5):
        positions: dict[str, float | Transform] = {
            name: float(random.uniform(-1, 1)) for name in handle.joint_names
        }
        for joint in robot.description.joints:
            if joint.kind is JointType.BALL:
                positions[joint.name] = Transform.from_euler((0, 0, 0), random.uniform(-1, 1, 3))
            elif joint.kind is JointType.FLOATING:
                for axis in "xyz":
                    positions.pop(f"{joint.name}/{axis}")
                positions[joint.name] = Transform.from_euler(
                    random.uniform(-1, 1, 3), random.uniform(-1, 1, 3)
                )
        handle.set_joint_positions(positions)
        # The screw's slide follows its turn only while the world steps: put it there.
        turn = next(joint for joint in robot.description.joints if joint.kind is JointType.SCREW)
        angle = positions[turn.name]
        assert isinstance(angle, float)
        slide = world.model.joint(f"odd/{turn.name}#thread").qposadr[0]
        world.data.qpos[slide] = 0.2 * angle / (2 * math.pi)
        world.changed()
        assert_same(robot.tf_tree(positions), world, "l0")


@pytest.mark.parametrize("name", asset_names("robots", (".urdf", ".xml")))
def test_shipped_robots_at_zero_are_those_of_the_world(name: str):
    robot = load_robot(name)
    world = World.from_robot(robot)
    handle = world.robots[robot.name]
    handle.set_joint_positions(dict.fromkeys(handle.joint_names, 0.0), allow_out_of_bounds=True)
    assert_same(robot.tf_tree(), world, robot.description.root)


def test_fixed_joints_are_static_and_the_others_stamped():
    tree = load_robot("turtlebot3_burger").tf_tree(
        {"wheel_left_joint": math.pi / 2}, stamp_ns=7, frame_prefix="bob/"
    )
    assert tree.frame("bob/base_scan").is_static
    wheel = tree.frame("bob/wheel_left_link")
    assert not wheel.is_static
    assert wheel.parent == "bob/base_link"
    turned = tree.lookup_transform("bob/wheel_left_link", "bob/base_link", 7)
    still = tree.lookup_transform("bob/wheel_right_link", "bob/base_link", 7)
    # Both wheels have the same frame but for the side, and turn about their z axis.
    expected = Transform(turned.translation, still.rotation) @ Transform.from_euler(
        (0, 0, 0), (0, 0, math.pi / 2)
    )
    assert turned.is_close(expected, 1e-9, 1e-9)


def test_followers_follow_unless_they_are_given():
    joints = tuple(
        Joint(name, JointType.PRISMATIC, "base", name.upper(), mimic=mimic)
        for name, mimic in (
            ("c", Mimic("b", -1.0, 0.5)),
            ("b", Mimic("a", 2.0, 0.0)),
            ("a", None),
        )
    )
    links = tuple(Link(name) for name in ("base", "A", "B", "C"))
    robot = Robot("r", RobotDescription("r", links, joints, "base"), "fixed", Report())

    def x(tree: TFTree) -> list[float]:
        return [tree.frame_pose(name, "base").translation[0] for name in "ABC"]

    assert x(robot.tf_tree()) == pytest.approx([0.0, 0.0, 0.5])
    assert x(robot.tf_tree({"a": 0.1})) == pytest.approx([0.1, 0.2, 0.3])
    assert x(robot.tf_tree({"a": 0.1, "b": 1.0})) == pytest.approx([0.1, 1.0, -0.5])


def test_wrong_positions_are_explained(tmp_path: Path):
    robot = odd_robot()
    with pytest.raises(UnknownNameError, match=r"robot 'odd' has no joint 'j11'; did you mean 'j1"):
        robot.tf_tree({"j11": 1.0})
    with pytest.raises(CommandError, match="position of joint 'j1' is nan; give a finite number"):
        robot.tf_tree({"j1": math.nan})
    with pytest.raises(CommandError, match="position of joint 'j1' is 'x'; give a finite number"):
        robot.tf_tree({"j1": "x"})  # type: ignore[dict-item]
    with pytest.raises(CommandError, match=r"position of joint 'j1' is a number \[rad\] or \[m\]"):
        robot.tf_tree({"j1": Transform()})
    ball = f"j{list(JointType).index(JointType.BALL)}"
    with pytest.raises(CommandError, match=f"position of joint '{ball}' is a Transform"):
        robot.tf_tree({ball: 1.0})
