"""Robots on legs stand when they are put into a world."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import SceneError
from horus_sim.robots import load_robot
from horus_sim.robots.report import NoteKind
from horus_sim.robots.stance import cache
from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.compile import standing
from horus_sim.sim3d.world.robot import WorldRobot
from horus_sim.tf import Transform

from ...robots.stance.legged import CORNERS, FOOT, SEGMENT, loaded, quadruped_text

FOUND = "its joints start in a balanced pose that was found for it, in which it stands"


@pytest.fixture(autouse=True)
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def tilt_deg(robot: WorldRobot) -> float:
    up = robot.pose.to_matrix()[2, 2]
    return math.degrees(math.acos(min(1.0, float(up))))


def start(world: World) -> dict[str, float]:
    (robot,) = world.robots.values()
    return dict(zip(robot.joint_names, map(float, robot.joint_positions()), strict=True))


def assert_stands(world: World, seconds: float = 5.0) -> None:
    (robot,) = world.robots.values()
    height = robot.pose.translation[2]
    world.step(round(seconds / world.timestep))
    assert tilt_deg(robot) < 2.0
    assert robot.pose.translation[2] > 0.9 * height
    linear, _ = robot.link_velocity(robot.link_names[0])
    assert float(np.linalg.norm(linear)) < 1e-3


def test_the_pose_is_the_isosceles_triangle_of_two_equal_segments(tmp_path: Path):
    world = World.from_robot(loaded(tmp_path, quadruped_text()), ground=True)
    joints = start(world)
    # The ground is four fifths of a leg below the hips.
    height = 0.8 * 2 * SEGMENT
    knee = -2 * math.acos((height - FOOT) / (2 * SEGMENT))
    (robot,) = world.robots.values()
    assert robot.pose.translation[2] == pytest.approx(height, abs=1e-4)
    for i in range(4):
        assert joints[f"roll{i}"] == pytest.approx(0.0, abs=1e-3)
        assert joints[f"knee{i}"] == pytest.approx(knee, abs=1e-3)
        assert joints[f"pitch{i}"] == pytest.approx(-knee / 2, abs=0.02)
    assert any(FOUND in note.text for note in world.report.of(NoteKind.SUBSTITUTION))
    assert_stands(world)


@pytest.mark.parametrize("load", [(0.06, 0.0), (0.0, 0.03), (-0.05, 0.02)])
def test_the_centre_of_mass_is_above_the_middle_of_the_feet(
    tmp_path: Path, load: tuple[float, float]
):
    world = World.from_robot(loaded(tmp_path, quadruped_text(load=load)), ground=True)
    data, robot = world.forward(), world.robots["dog"]
    feet = [robot.link_pose(f"calf{i}").transform_point((0.0, 0.0, -SEGMENT)) for i in range(4)]
    assert np.ptp(feet, axis=0)[2] < 1e-4
    centre = data.subtree_com[robot.body_id("base")]
    np.testing.assert_allclose(centre[:2], np.mean(feet, axis=0)[:2], atol=2e-3)
    assert_stands(world)


def test_knees_bend_as_their_bounds_allow(tmp_path: Path):
    world = World.from_robot(loaded(tmp_path, quadruped_text(knee=(0.9, 2.5))), ground=True)
    assert start(world)["knee0"] > 0.9
    assert_stands(world)


def test_left_and_right_are_alike(tmp_path: Path):
    joints = start(World.from_robot(loaded(tmp_path, quadruped_text()), ground=True))
    for left, right in ((0, 1), (2, 3)):
        assert joints[f"pitch{left}"] == pytest.approx(joints[f"pitch{right}"], abs=1e-6)
        assert joints[f"knee{left}"] == pytest.approx(joints[f"knee{right}"], abs=1e-6)
        assert joints[f"roll{left}"] == pytest.approx(-joints[f"roll{right}"], abs=1e-6)


def test_six_legs_stand(tmp_path: Path):
    corners = (*CORNERS, (0.0, 0.2), (0.0, -0.2))
    assert_stands(World.from_robot(loaded(tmp_path, quadruped_text(corners=corners)), ground=True))


def test_joints_that_are_given_win(tmp_path: Path):
    given = {"knee0": -1.1, "pitch0": 0.5}
    robot = loaded(tmp_path, quadruped_text())
    joints = start(World.from_robot(robot, joints=given, ground=True))
    assert {name: joints[name] for name in given} == given
    assert joints["knee1"] != -1.1
    with pytest.raises(
        SceneError, match=r"'knee0' cannot start at 1; its bounds are -2\.5 and -0\.9"
    ):
        World.from_robot(robot, joints={"knee0": 1.0})


def test_a_start_in_the_file_wins(tmp_path: Path):
    told = """<ros2_control name="c" type="system"><joint name="knee0">
      <state_interface name="position"><param name="initial_value">-1.2</param></state_interface>
    </joint></ros2_control>"""
    joints = start(World.from_robot(loaded(tmp_path, quadruped_text(extra=told)), ground=True))
    assert joints["knee0"] == -1.2
    assert joints["knee1"] == -0.9  # the nearest to zero


def test_a_pose_of_the_srdf_wins(tmp_path: Path):
    joints = {
        f"{kind}{i}": value for kind, value in (("pitch", 0.5), ("knee", -1.0)) for i in range(4)
    }
    lines = "".join(f'<joint name="{name}" value="{value}"/>' for name, value in joints.items())
    srdf = f'<robot name="dog"><group_state name="home" group="all">{lines}</group_state></robot>'
    (tmp_path / "robot.srdf").write_text(srdf)
    world = World.from_robot(loaded(tmp_path, quadruped_text()), ground=True)
    assert {name: start(world)[name] for name in joints} == joints
    assert any("start in the group state 'home'" in note.text for note in world.report)
    assert_stands(world)


def test_two_feet_that_are_points_are_told(tmp_path: Path):
    robot = loaded(tmp_path, quadruped_text(corners=((0.0, 0.15), (0.0, -0.15))))
    world = World.from_robot(robot, ground=True)
    (note,) = world.report.of(NoteKind.WARNING)
    assert "no pose was found in which its 2 legs hold it in balance" in note.text
    assert "unless a controller of yours balances it" in note.text


def test_weak_legs_are_told(tmp_path: Path):
    world = World.from_robot(loaded(tmp_path, quadruped_text(effort=1.0)), ground=True)
    (note,) = world.report.of(NoteKind.WARNING)
    assert "needs an effort of" in note.text
    assert "and its limit is 1: it sinks down" in note.text


def test_without_drives_that_hold_it_starts_as_described(tmp_path: Path):
    world = World.from_robot(loaded(tmp_path, quadruped_text()), ground=True, hold=False)
    assert start(world)["knee0"] == -0.9


@pytest.mark.parametrize("name", ["turtlebot3_burger", "arm6"])
def test_robots_without_legs_start_as_they_did(name: str):
    world = World.from_robot(load_robot(name), ground=True)
    (robot,) = world.spec.robots
    assert robot.stance is None or not (robot.stance.positions or robot.stance.carried)


def test_a_stance_is_found_once_and_kept_with_all_its_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    robot = loaded(tmp_path, quadruped_text())
    first = start(World.from_robot(robot, ground=True))
    monkeypatch.setattr(standing, "find_stance", lambda *_, **__: pytest.fail("found anew"))
    assert start(World.from_robot(robot, ground=True)) == first
    # Another robot is another stance, and a broken entry none.
    (entry,) = (tmp_path / "cache/horus-sim/stances").iterdir()
    entry.write_text('{"positions": {"knee0": "far"}}')
    assert cache.load_stance(entry.stem) is None


def test_in_a_scene_it_stands_where_no_height_is_given(tmp_path: Path):
    loaded(tmp_path, quadruped_text())
    robot: dict[str, Any] = {"model": str(tmp_path / "robot.urdf"), "name": "dog"}
    floor = {"name": "floor", "shape": {"kind": "plane"}}
    scene = Scene.model_validate({"robots": [robot], "objects": [floor]})
    scene._source = tmp_path / "scene.yaml"
    assert_stands(World.load(scene))


def test_a_spawned_robot_stands(tmp_path: Path):
    world = World.load("empty_world")
    dog = world.spawn(loaded(tmp_path, quadruped_text()), name="dog")
    assert isinstance(dog, WorldRobot)
    world.step(600)
    assert tilt_deg(dog) < 2.0
    # What is added later leaves the stance as it is.
    before = dog.joint_positions()
    world.spawn("turtlebot3_burger")
    np.testing.assert_array_equal(dog.joint_positions(), before)


@pytest.mark.parametrize(
    "path",
    [
        "hyq/example-robot-data/robots/hyq_description/robots/hyq_no_sensors.urdf",
        "solo12/example-robot-data/robots/solo_description/robots/solo12.urdf",
        "minitaur/data/quadruped/minitaur.urdf",
        "sigmaban/robot.urdf",
    ],
)
def test_real_robots_on_legs_stand(shared: Path, path: str):
    assert_stands(World.from_robot(load_robot(shared / "robots/urdf" / path), ground=True))


@pytest.mark.parametrize("height", [0.35, 0.6])
@pytest.mark.parametrize("is_scene", [False, True])
def test_legs_that_stand_as_described_start_on_the_ground(
    tmp_path: Path, height: float, *, is_scene: bool
):
    legs = "".join(
        f"""<body pos="{x} {y} 0"><joint name="hip{i}" axis="0 1 0" range="-60 60"/>
        <geom type="capsule" fromto="0 0 0 0 0 {-SEGMENT}" size="0.01" mass="0.5"
        contype="0" conaffinity="0"/><body pos="0 0 {-SEGMENT}">
        <joint name="knee{i}" axis="0 1 0" range="-60 60"/>
        <geom type="sphere" pos="0 0 {-SEGMENT}" size="{FOOT}" mass="0.1"/></body></body>"""
        for i, (x, y) in enumerate(CORNERS)
    )
    motors = "".join(
        f'<motor joint="{kind}{i}" ctrlrange="-40 40"/>' for kind in ("hip", "knee") for i in "0123"
    )
    file = tmp_path / "dog.xml"
    file.write_text(
        f"""<mujoco model="dog"><worldbody><body name="base" pos="0 0 {height}"><freejoint/>
        <geom type="box" size="0.2 0.1 0.05" mass="10"/>{legs}</body></worldbody>
        <actuator>{motors}</actuator></mujoco>"""
    )
    if is_scene:
        robot: dict[str, Any] = {"model": str(file), "name": "dog"}
        floor = {"name": "floor", "shape": {"kind": "plane"}}
        scene = Scene.model_validate({"robots": [robot], "objects": [floor]})
        scene._source = tmp_path / "scene.yaml"
        world = World.load(scene)
    else:
        world = World.from_robot(load_robot(file), ground=True)
    (dog,) = world.robots.values()
    assert not any(start(world).values())
    assert dog.pose.translation[2] == pytest.approx(2 * SEGMENT + FOOT, abs=1e-4)
    assert not world.report.of(NoteKind.WARNING)
    posed = World.from_robot(load_robot(file), ground=True, pose=Transform((0.0, 0.0, height)))
    assert posed.robots["dog"].pose.translation[2] == pytest.approx(height)
