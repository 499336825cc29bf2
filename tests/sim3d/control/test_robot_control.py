"""Commands reach the controller that understands them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from horus_sim.errors import CommandError
from horus_sim.hub.messages import CmdVel, JointCommand, String, Twist
from horus_sim.robots import load_robot
from horus_sim.robots.description import Link, RobotDescription
from horus_sim.sim3d import World, WorldSnapshot
from horus_sim.sim3d.control import JointTrajectory, RobotControlConfig
from horus_sim.sim3d.control.differential_drive import DifferentialDrive
from horus_sim.tf import Transform

KINDS = {
    "turtlebot3_burger": "differential_drive",
    "racecar": "ackermann",
    "quadrotor": "quadrotor",
    "panda7": "joints",
    "quadruped": "joints",
}


@pytest.mark.parametrize(("robot", "kind"), KINDS.items())
def test_kind(bench: Callable, robot: str, kind: str):
    assert bench(robot, height=1.0).control.kind == kind


@pytest.mark.parametrize(
    "command",
    [
        {"linear": 0.1, "angular": 0.5},
        {"command": CmdVel(linear=0.1, angular=0.5)},
        {"command": Twist(linear=(0.1, 0.0, 0.0), angular=(0.0, 0.0, 0.5))},
    ],
)
def test_all_forms_of_a_twist(bench: Callable, command: dict):
    control = bench("turtlebot3_burger").control
    assert control.command(**command).is_exact
    assert control.drive.wanted == (0.1, 0.5)


def test_numbers_of_numpy_will_do(bench: Callable):
    control = bench("turtlebot3_burger").control
    control.command(linear=np.float32(0.125), angular=np.int64(1))
    assert control.drive.wanted == (0.125, 1.0)
    control.command(linear=np.array([0.1, 0.0, 0.0]))
    assert control.drive.wanted == (0.1, 0.0)


def test_what_a_ground_robot_cannot_do_is_reported(bench: Callable):
    control = bench("turtlebot3_burger").control
    result = control.command(Twist(linear=(0.1, 0.2, 0.0), angular=(0.3, 0.0, 0.5)))
    assert [(note.culprit, note.asked, note.given) for note in result.clamped] == [
        ("linear y", 0.2, 0.0),
        ("angular x", 0.3, 0.0),
    ]
    assert control.drive.wanted == (0.1, 0.5)


@pytest.mark.parametrize("mode", ["position", "velocity", "effort"])
def test_joint_commands_and_dicts_are_alike(bench: Callable, mode: str):
    rigs = [bench("panda7"), bench("panda7")]
    names, values = ("panda_joint1", "panda_joint7"), (0.3, 0.2)
    message = JointCommand(names, np.array(values), mode)
    assert rigs[0].control.command(message).kind == f"joint_{mode}"
    rigs[1].control.command(dict(zip(names, values, strict=True)), mode=mode)
    for rig in rigs:
        rig.run(0.5)
    assert rigs[0].data.qpos.tobytes() == rigs[1].data.qpos.tobytes()


def test_trajectory(bench: Callable):
    control = bench("panda7").control
    path = JointTrajectory.through([{"panda_joint1": 0.0}, {"panda_joint1": 0.5}], [0.0, 2.0])
    assert control.command(path).kind == "joint_trajectory"


@pytest.mark.parametrize(
    ("robot", "command", "text"),
    [
        ("turtlebot3_burger", {}, "robot 'r' got nothing to do; give it a Twist"),
        ("turtlebot3_burger", {"linear": 0.1, "gripper": "open"}, "several at once"),
        ("turtlebot3_burger", {"linear": math.nan}, "not finite"),
        ("turtlebot3_burger", {"speed": 1.0}, "does not steer like a car; use linear="),
        ("panda7", {"linear": 0.1}, "has no drive for linear and angular; command its joints"),
        ("panda7", {"command": String("go")}, "does not understand String; give it"),
        ("panda7", {"command": {"panda_joint1": 0.0}, "mode": "speed"}, "mode 'speed' is unknown"),
        ("panda7", {"command": {"panda_joint9": 0.0}}, "did you mean 'panda_joint"),
        ("turtlebot3_burger", {"command": {"wheel_left_joint": 1.0}}, "belongs to the robot's dr"),
        ("panda7", {"command": {"panda_finger_joint2": 0.0}}, "'r' has no driven joint"),
        ("quadrotor", {"linear": (1.0, 2.0)}, "one or three numbers; got 2"),
        ("turtlebot3_burger", {"linear": "fast"}, "one or three numbers; got 'fast'"),
        ("turtlebot3_burger", {"angular": "left"}, "not a number"),
        ("racecar", {"speed": "fast"}, "not a number"),
        ("panda7", {"command": {"panda_joint1": "up"}}, "joints take numbers; got"),
    ],
)
def test_what_cannot_be_done_is_explained(bench: Callable, robot: str, command: dict, text: str):
    control = bench(robot, height=1.0).control
    with pytest.raises(CommandError, match=text):
        control.command(**command)


def test_without_its_drive_wheels_are_joints(bench: Callable):
    rig = bench("turtlebot3_burger", config=RobotControlConfig(drive=None))
    rig.control.command({"wheel_left_joint": 3.0, "wheel_right_joint": 3.0}, mode="velocity")
    rig.run(2.0)
    assert rig.data.qvel[0] == pytest.approx(3.0 * 0.033, rel=0.02)


def test_a_fixed_robot_has_no_drive(bench: Callable):
    assert bench("turtlebot3_burger", base="fixed", height=1.0).control.kind == "joints"


def test_configuration_says_what_was_found(bench: Callable):
    config = bench("turtlebot3_burger").control.config
    assert config.drive.wheel_radius == 0.033
    assert config.gripper is None


def test_a_robot_without_joints_explains_itself(bench: Callable):
    control = bench(RobotDescription("stone", (Link("base"),), (), "base")).control
    assert control.kind == "joints"
    control.update(1 / 240)
    with pytest.raises(CommandError, match="no driven joint 'arm'; it has no driven joint"):
        control.command({"arm": 1.0})


def test_stop(bench: Callable):
    rig = bench("turtlebot3_burger")
    rig.control.command(linear=0.2)
    rig.run(0.3)
    rig.control.stop()
    rig.run(0.5)
    assert abs(rig.data.qvel[0]) < 1e-3


def make_world(robot: str) -> World:
    return World.from_robot(load_robot(robot), ground=True)


def test_clamped_commands_count_as_warnings_of_the_world():
    world = make_world("turtlebot3_burger")
    robot = world.robots["turtlebot3_burger"]
    assert robot.command(linear=0.1).is_exact
    assert not world.warnings
    assert not robot.command(linear=9.0).is_exact
    assert world.warnings == {"clamped commands": 1}


@pytest.mark.parametrize(
    ("robot", "command"),
    [
        ("turtlebot3_burger", {"linear": 0.1, "angular": 0.4}),
        ("racecar", {"speed": 1.0, "steering": 0.2}),
        ("quadrotor", {"linear": (0.2, 0.0, 0.5)}),
        ("panda7", {"command": {"panda_joint1": 1.0, "panda_joint4": -1.5}}),
        (
            "arm6",
            {
                "command": JointTrajectory.through(
                    [{"elbow_joint": 1.57}, {"elbow_joint": 1.0}], [0.0, 1.0]
                )
            },
        ),
    ],
)
def test_saved_states_replay_bit_by_bit_in_another_world(robot: str, command: dict):
    world = make_world(robot)
    world.robots[robot].command(**command)
    world.step(50)
    saved = WorldSnapshot.from_bytes(world.snapshot().to_bytes())
    world.step(200)
    end = world.snapshot().to_bytes()
    world.apply_snapshot(saved)
    world.step(200)
    assert world.snapshot().to_bytes() == end
    other = make_world(robot)
    other.apply_snapshot(saved)
    other.step(200)
    assert other.snapshot().to_bytes() == end


def test_spawning_something_does_not_disturb_a_drive():
    worlds = [make_world("turtlebot3_burger") for _ in range(2)]
    for index, world in enumerate(worlds):
        robot = world.robots["turtlebot3_burger"]
        robot.command(linear=0.1, angular=0.3)
        world.step(60)
        if index:
            world.spawn("turtlebot3_waffle", name="other", pose=Transform((5.0, 0.0, 0.0)))
        world.step(60)
    drives = [world.robots["turtlebot3_burger"].control.drive for world in worlds]
    first, second = (drive.odometry for drive in drives if isinstance(drive, DifferentialDrive))
    assert first.x == pytest.approx(second.x, abs=1e-9)
    assert first.x > 0.02


def test_setting_joints_by_hand_is_held():
    world = make_world("panda7")
    robot = world.robots["panda7"]
    robot.set_joint_positions({"panda_joint1": 1.0})
    world.step(240)
    assert robot.joint_positions()[0] == pytest.approx(1.0, abs=1e-6)
