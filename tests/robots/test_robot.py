"""`load_robot`: names and files, bases, strictness and the report."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.assets import asset_names
from horus_sim.errors import DescriptionError, UnknownNameError
from horus_sim.robots.report import NoteKind
from horus_sim.robots.robot import Robot, load_robot

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="{}"/></inertial>'
ROBOT = """<robot name="r">
<link name="base">{inertial}</link><link name="arm">{good}</link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
{world}</robot>"""
WORLD = (
    '{}<joint name="w" type="fixed"><parent link="world"/><child link="base"/>'
    '<origin xyz="1 2 3"/></joint>'
)


def put(folder, world="", izz=1.0):
    path = folder / "r.urdf"
    text = ROBOT.format(world=world, inertial=INERTIAL.format(izz), good=INERTIAL.format(1.0))
    path.write_text(text)
    return path


def test_every_shipped_robot_loads_without_warnings():
    names = asset_names("robots", (".urdf", ".xml"))
    for name in names:
        robot = load_robot(name)
        assert not robot.report.of(NoteKind.WARNING)
        assert robot.joints


def test_links_and_joints_by_name(tmp_path):
    robot = load_robot(put(tmp_path, WORLD.format('<link name="world"/>')), name="bob")
    assert isinstance(robot, Robot)
    assert robot.name == "bob"
    assert robot.description.name == "r"
    assert list(robot.links) == ["base", "arm", "world"]
    assert list(robot.joints) == ["j", "w"]
    assert robot.joint_names == ("j",)
    assert robot.mjcf_path is None


@pytest.mark.parametrize(
    ("world", "auto"),
    [
        ("", "floating"),
        (WORLD.format(""), "fixed"),
        (WORLD.format('<link name="world"/>'), "fixed"),
    ],
)
def test_base(tmp_path, world, auto):
    path = put(tmp_path, world)
    robot = load_robot(path)
    assert robot.base == auto
    assert f"base: is {auto}, since the root link is '" in str(robot.report)
    assert load_robot(path, base="fixed").base == "fixed"
    floating = load_robot(path, base="floating")
    assert floating.base == "floating"
    assert floating.description.root == "base"
    assert "world" not in floating.links
    expected = (1, 2, 3) if world else (0, 0, 0)
    np.testing.assert_allclose(floating.description.T_world_root.translation, expected)


def test_base_that_cannot_be(tmp_path):
    shape = "<visual><geometry><sphere radius='1'/></geometry></visual>"
    path = put(tmp_path, WORLD.format(f'<link name="world">{shape}</link>'))
    with pytest.raises(DescriptionError, match="cannot float: its link 'world' has 1 children or"):
        load_robot(path, base="floating")
    with pytest.raises(DescriptionError, match="it must be 'auto', 'fixed' or 'floating'"):
        load_robot(path, base="free")  # pyright: ignore[reportArgumentType]


def test_strict_refuses_repairs_and_warnings(tmp_path):
    path = put(tmp_path, izz=5.0)
    robot = load_robot(path)
    (repair,) = robot.report.of(NoteKind.REPAIR)
    assert repair.culprit == "link 'base'"
    # The description keeps what the file says; the builder takes the repaired values.
    assert robot.links["base"].inertial is not None
    assert robot.links["base"].inertial.inertia[2] == 5.0
    with pytest.raises(
        DescriptionError, match=r"r\.urdf: refused by strict=True: repair: link 'ba"
    ):
        load_robot(path, strict=True)
    assert load_robot(put(tmp_path), strict=True).name == "r"


def test_repairs_depend_on_the_base(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    assert load_robot(path, base="floating").report.of(NoteKind.REPAIR)
    assert not load_robot(path, base="fixed").report.of(NoteKind.REPAIR)


def test_package_roots_and_missing_meshes(tmp_path):
    path = tmp_path / "in" / "r.urdf"
    path.parent.mkdir()
    path.write_text(
        '<robot name="r"><link name="a"><collision><geometry>'
        '<mesh filename="package://p/a.stl"/></geometry></collision></link></robot>'
    )
    with pytest.raises(DescriptionError, match=r"no package 'p'.*package_roots.*allow_missing"):
        load_robot(path)
    assert not load_robot(path, allow_missing=True).links["a"].collisions
    (tmp_path / "p").mkdir()
    (tmp_path / "p/a.stl").write_bytes(b"")
    assert load_robot(path, package_roots=[tmp_path]).links["a"].collisions
    assert load_robot(str(path), package_roots=[str(tmp_path)]).links["a"].collisions


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("turtlebot3_burgr", UnknownNameError, "did you mean 'turtlebot3_burger'.*give its path"),
        ("absent.urdf", DescriptionError, r"absent\.urdf: the file cannot be read"),
        ("absent/robot", DescriptionError, "No such file"),
        ("a\0b", DescriptionError, "is not a path"),
    ],
)
def test_names_that_lead_nowhere(given, error, message):
    with pytest.raises(error, match=message):
        load_robot(given)


def test_sdf_is_told_apart(tmp_path):
    (tmp_path / "a.urdf").write_text("<sdf version='1.9'/>")
    with pytest.raises(DescriptionError, match=r"this is SDF.*horus-sim sim3d run .*a\.urdf"):
        load_robot(tmp_path / "a.urdf")


def test_mjcf(tmp_path):
    path = tmp_path / "toy.xml"
    path.write_text(
        "<mujoco model='toy'><worldbody><body name='base'><freejoint/><geom size='.1'/>"
        "<body name='arm'><joint name='j'/><geom size='.1'/></body></body></worldbody></mujoco>"
    )
    robot = load_robot(path)
    assert (robot.name, robot.base, robot.mjcf_path) == ("toy", "floating", path)
    assert list(robot.links) == ["base", "arm"]
    assert robot.joint_names == ("j",)
    with pytest.raises(DescriptionError, match="is floating in its MJCF file"):
        load_robot(path, base="fixed")
