"""What is added without a pose stands on the ground, and what starts inside another is told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import CommandError, SceneError
from horus_sim.robots import load_robot
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.scene.scene import RobotConfig
from horus_sim.sim3d.world.robot import WorldRobot
from horus_sim.tf import Transform

FLOOR: dict[str, Any] = {"name": "floor", "shape": {"kind": "plane"}}


def world_of(*objects: dict[str, Any]) -> World:
    return World.load(Scene.model_validate({"objects": objects}))


def thing(name: str, shape: dict[str, Any], **options: Any) -> ObjectConfig:
    return ObjectConfig.model_validate(
        {"name": name, "shape": shape, "dynamic": True, "mass": 1.0, **options}
    )


def assert_upright(world: World, name: str) -> None:
    world.step(1200)
    robot = world.robots[name]
    roll, pitch, _ = robot.pose.to_euler()
    assert abs(roll) < 0.1
    assert abs(pitch) < 0.1
    assert robot.pose.translation[2] > 0.2


def test_a_robot_from_a_file_stands_on_the_ground():
    world = World.from_robot(load_robot("quadruped"), ground=True)
    deepest = min((contact.depth for contact in world.contacts), default=0.0)
    assert abs(deepest) < 1e-6
    assert_upright(world, "quadruped")


@pytest.mark.parametrize("scene", ["empty_world", "tabletop", "warehouse", "rough_terrain"])
def test_a_spawned_robot_stands_at_a_free_place(scene: str):
    world = World.load(scene)
    world.spawn("quadruped", name="dog")
    assert not world.report.of(NoteKind.WARNING)
    assert_upright(world, "dog")


def test_robots_that_are_spawned_one_after_another_do_not_overlap():
    world = world_of(FLOOR)
    for i in range(4):
        world.spawn("quadruped", name=f"dog{i}")
    assert not world.report.of(NoteKind.WARNING)
    places = [robot.pose.translation[:2] for robot in world.robots.values()]
    assert min(math.dist(a, b) for i, a in enumerate(places) for b in places[:i]) > 0.3


def test_a_pose_that_is_given_counts():
    world = World.from_robot(load_robot("quadruped"), pose=Transform((1.0, 2.0, 0.8)), ground=True)
    np.testing.assert_allclose(world.robots["quadruped"].pose.translation, (1.0, 2.0, 0.8))
    config = RobotConfig.model_validate(
        {"model": "quadruped", "name": "dog", "pose": {"xyz": [3, 0, 0.5]}}
    )
    np.testing.assert_allclose(world.spawn(config).pose.translation, (3.0, 0.0, 0.5))


def test_without_ground_a_robot_stays_at_the_origin():
    world = World.from_robot(load_robot("quadruped"))
    np.testing.assert_array_equal(world.robots["quadruped"].pose.translation, 0.0)


@pytest.mark.parametrize(
    ("shape", "height"),
    [
        ({"kind": "sphere", "radius": 0.1}, 0.1),
        ({"kind": "box", "size": [0.1, 0.2, 0.6]}, 0.3),
        ({"kind": "cylinder", "radius": 0.1, "length": 0.4}, 0.2),
        ({"kind": "capsule", "radius": 0.1, "length": 0.4}, 0.3),
        ({"kind": "ellipsoid", "radii": [0.1, 0.2, 0.3]}, 0.3),
        ({"kind": "cone", "radius": 0.1, "length": 0.4}, 0.2),
    ],
)
def test_an_object_is_put_down_by_its_lowest_point(shape: dict[str, Any], height: float):
    world = world_of(FLOOR)
    assert world.spawn(thing("it", shape)).pose.translation[2] == pytest.approx(height, abs=1e-6)


def test_terrain_and_sloping_planes_carry():
    slope = {**FLOOR, "pose": {"xyz": [0, 0, 1.0], "rpy_deg": [0, 10, 0]}}
    world = world_of(slope)
    ball = world.spawn(thing("ball", {"kind": "sphere", "radius": 0.1}))
    # The highest point of the plane below the box around the ball.
    expected = 1.0 + 0.1 * math.tan(math.radians(10)) + 0.1
    assert ball.pose.translation[2] == pytest.approx(expected, abs=1e-9)
    hills = {
        "name": "hills",
        "shape": {"kind": "heightmap", "size": [4, 4, 1.0], "noise": {"seed": 3}},
        "pose": {"xyz": [0, 0, 2.0]},
    }
    world = world_of(hills)
    ball = world.spawn(thing("ball", {"kind": "sphere", "radius": 0.1}))
    assert ball.pose.translation[2] > 2.0
    assert not world.report.of(NoteKind.WARNING)


def test_things_that_start_inside_each_other_are_told():
    box = {"name": "box", "shape": {"kind": "box", "size": [0.4, 0.4, 0.4]}, "dynamic": True}
    world = world_of(FLOOR, {**box, "pose": {"xyz": [0, 0, 0.15]}})
    (note,) = world.report.of(NoteKind.WARNING)
    assert "'box': it starts 50 mm inside 'floor'" in str(note)
    assert "give one of them another pose" in str(note)
    # One step later the box has been pushed out; only what is new is looked at.
    world.spawn(thing("ball", {"kind": "sphere", "radius": 0.1}), pose=Transform((2, 0, 0.05)))
    assert [note.culprit for note in world.report.of(NoteKind.WARNING)] == ["'box'", "'ball'"]


def test_a_robot_inside_something_is_told_by_its_name():
    world = world_of(FLOOR)
    world.spawn("quadruped", pose=Transform((0, 0, 0)))
    (note,) = world.report.of(NoteKind.WARNING)
    assert "'floor'" in str(note)
    assert "'quadruped'" in str(note)


@pytest.mark.parametrize("scene", ["empty_world", "tabletop", "warehouse", "apartment"])
def test_shipped_scenes_start_without_overlaps(scene: str):
    assert not World.load(scene).report.of(NoteKind.WARNING)


def test_the_arm_of_the_tabletop_faces_the_objects():
    world = World.load("tabletop")
    arm = world.robots["arm"]
    ahead = arm.link_pose("grasp_frame").translation[0] - arm.pose.translation[0]
    assert ahead > 0.2
    assert all(
        world.objects[name].pose.translation[0] > arm.pose.translation[0]
        for name in ("red_cube", "can", "ball")
    )


def test_what_cannot_be_added_is_told():
    world = world_of(FLOOR)
    with pytest.raises(SceneError, match="int cannot be put into a world; give a RobotConfig"):
        world.spawn(3)  # type: ignore[arg-type]
    for name in ("", " ", "world"):
        with pytest.raises(SceneError, match="cannot name a robot or an object"):
            world.spawn("quadruped", name=name)
    with pytest.raises(SceneError, match="cannot name a robot or an object"):
        world.spawn(thing("ball", {"kind": "sphere", "radius": 0.1}), name="")
    assert not world.robots


@pytest.mark.parametrize("count", [-1, 1.5, "2", None, True])
def test_a_count_of_steps_is_a_whole_number(count: Any):
    with pytest.raises(CommandError, match="give a whole number from 0 on"):
        world_of(FLOOR).step(count)


def test_joints_are_set_within_their_bounds():
    robot = World.from_robot(load_robot("arm6"), base="fixed").robots["arm6"]
    assert isinstance(robot, WorldRobot)
    bounded = int(np.flatnonzero(np.isfinite(robot.upper))[0])
    name, upper = robot.joint_names[bounded], float(robot.upper[bounded])
    robot.set_joint_positions({name: upper})
    with pytest.raises(CommandError, match=r"its bounds are .* pass allow_out_of_bounds=True"):
        robot.set_joint_positions({name: upper + 0.1})
    robot.set_joint_positions({name: upper + 0.1}, allow_out_of_bounds=True)
    assert robot.joint_positions()[bounded] == upper + 0.1
    with pytest.raises(CommandError, match=r"are given by name, as .* not as NoneType"):
        robot.set_joint_positions(None)  # type: ignore[arg-type]
    for wrong in ("far", None, math.nan):
        with pytest.raises(CommandError, match="give a finite number"):
            robot.set_joint_positions({name: wrong})  # type: ignore[dict-item]


def test_a_scene_starts_joints_within_their_bounds():
    robot = {"model": "arm6", "name": "arm", "base": "fixed"}
    joint = next(
        joint for joint in load_robot("arm6").joints.values() if joint.limit.upper is not None
    )
    scene = Scene.model_validate({"robots": [{**robot, "joints": {joint.name: 99.0}}]})
    with pytest.raises(SceneError, match=f"'{joint.name}' cannot start at 99; its bounds are"):
        World.load(scene)
