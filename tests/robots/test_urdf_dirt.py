"""Slips of URDF files that stop nobody: left out or mended, and said."""

from __future__ import annotations

from pathlib import Path

import pytest

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.robots import load_robot
from horus_sim.robots.description import Mesh
from horus_sim.robots.report import NoteKind
from horus_sim.robots.robot import Robot

ENVIRONMENT = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH")
MASS = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
BALL = '<geometry><sphere radius="1"/></geometry>'
TRIANGLE = (
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
)
SHAPE = f"<collision>{BALL}</collision>"


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)


def put(folder: Path, inside: str, name: str = "r.urdf") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<robot name="r">{inside}</robot>')
    return path


def mesh(*uris: str) -> str:
    shapes = "".join(
        f'<collision><geometry><mesh filename="{uri}"/></geometry></collision>' for uri in uris
    )
    return f'<link name="a">{MASS}{shapes}</link>'


def box(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("solid b\n" + TRIANGLE * 4 + "endsolid b\n")
    return path


def mesh_path(robot: Robot) -> Path:
    geometry = robot.links["a"].collisions[0].geometry
    assert isinstance(geometry, Mesh)
    return geometry.path


def clone(folder: Path, package: str) -> Path:
    """A repository as a clone leaves it: its folder is not called as the package."""
    folder.mkdir(parents=True)
    (folder / "package.xml").write_text(
        f"<package format='3'><!-- <name>wrong</name> -->\n<name> {package} </name></package>"
    )
    return folder


@pytest.mark.parametrize("texture", ["<texture/>", '<texture filename=""/>'])
def test_a_texture_without_a_file(tmp_path, texture):
    inside = (
        f'<material name="m">{texture}</material>'
        f'<link name="a">{MASS}{SHAPE}<visual>{BALL}<material name="m"/></visual></link>'
    )
    robot = load_robot(put(tmp_path, inside))
    (note,) = robot.report.of(NoteKind.WARNING)
    assert note.culprit == "material 'm'"
    assert "drawn without texture: <texture> needs the attribute 'filename'" in note.text
    assert robot.links["a"].visuals[0].material.texture is None
    with pytest.raises(DescriptionError, match=r"refused by strict=True: .*drawn without texture"):
        load_robot(tmp_path / "r.urdf", strict=True)


def test_meshes_without_a_file(tmp_path):
    inside = mesh("").replace("</link>", f"{SHAPE}<visual><geometry><mesh/></geometry></visual>")
    robot = load_robot(put(tmp_path, f"{inside}</link>"))
    texts = [str(note) for note in robot.report.of(NoteKind.WARNING)]
    assert len(texts) == 2
    assert all("left out: <mesh> names no file" in text for text in texts)
    assert len(robot.links["a"].collisions) == 1


def test_a_package_is_found_by_the_name_in_its_file(tmp_path):
    """As in a clone, below another clone's folder, and below a package root."""
    home = clone(tmp_path / "src/upkie-main", "upkie_description")
    file = box(home / "meshes/leg.stl")
    path = put(home, mesh("package://upkie_description/meshes/leg.stl"), "urdf/r.urdf")
    other = clone(tmp_path / "src/hand-v2", "hand")
    palm = box(other / "meshes/palm.stl")
    put(home, mesh("package://hand/meshes/palm.stl"), "urdf/hand.urdf")
    lone = put(tmp_path / "alone", mesh("package://hand/meshes/palm.stl"))
    for robot, expected in (
        (load_robot(path), file),
        (load_robot(home / "urdf/hand.urdf"), palm),
        (load_robot(lone, package_roots=[tmp_path / "src"]), palm),
        (load_robot(lone, package_roots=[tmp_path]), palm),
    ):
        assert mesh_path(robot) == expected.resolve()
        assert not robot.report.of(NoteKind.WARNING)
        assert "package" not in str(robot.report)
    with pytest.raises(MissingResourceError, match="no package 'hand' below the package roots"):
        load_robot(lone)


@pytest.mark.parametrize(
    "uri", ["package://gone/meshes/leg.stl", "package://gone/v2/meshes/leg.stl"]
)
def test_files_are_taken_from_above_where_the_package_is_missing(tmp_path, uri):
    file = box(tmp_path / "arm/meshes/leg.stl")
    robot = load_robot(put(tmp_path / "arm", mesh(uri, uri), "urdf/r.urdf"))
    assert mesh_path(robot) == file.resolve()
    (note,) = [note for note in robot.report if note.culprit == "package 'gone'"]
    assert note.kind is NoteKind.SUBSTITUTION
    assert note.text == (
        f"was not found; its files are taken from below '{tmp_path.resolve()}/arm' instead"
    )


def test_files_above_do_not_stand_outside(tmp_path):
    box(tmp_path / "meshes/leg.stl")
    path = put(tmp_path / "arm/robot", mesh("package://gone/meshes/leg.stl"))
    with pytest.raises(MissingResourceError, match="no package 'gone'"):
        load_robot(path)
    path = put(tmp_path / "arm/robot", mesh("package://gone/../../meshes/leg.stl"))
    with pytest.raises(MissingResourceError):
        load_robot(path)


def test_a_missing_package_is_one_warning(tmp_path):
    uris = [f"package://gone/meshes/{k}.stl" for k in range(5)]
    path = put(tmp_path, mesh(*uris))
    with pytest.raises(MissingResourceError, match="pass allow_missing=True"):
        load_robot(path)
    lost, falls = load_robot(path, allow_missing=True).report.of(NoteKind.WARNING)
    assert lost.culprit == "package 'gone'"
    assert "was not found below the package roots; 5 files of it are left out; give" in lost.text
    assert "no shape that touches: it falls through the ground" in falls.text
    with pytest.raises(DescriptionError, match=r"refused by strict=True: .*5 files of it"):
        load_robot(path, allow_missing=True, strict=True)


def test_letters_may_differ_in_case(tmp_path):
    file = box(tmp_path / "meshes/Leg.STL")
    robot = load_robot(put(tmp_path, mesh("Meshes/leg.stl")))
    assert mesh_path(robot) == file.resolve()
    (note,) = [note for note in robot.report if "letters differ in case" in note.text]
    assert note.kind is NoteKind.SUBSTITUTION
    assert f"is called '{file.resolve()}' there" in note.text


def test_letters_may_differ_in_case_inside_a_package(tmp_path):
    """The package is there, so that it is not what the remark is about."""
    home = tmp_path / "hand-main"
    file = box(home / "meshes/Palm.STL")
    (home / "package.xml").write_text("<package><name>hand</name></package>")
    robot = load_robot(put(home, mesh("package://hand/meshes/palm.stl"), "urdf/hand.urdf"))
    assert mesh_path(robot) == file.resolve()
    (note,) = [note for note in robot.report if "letters differ in case" in note.text]
    assert f"is called '{file.resolve()}' there" in note.text
    assert "package" not in str(robot.report)


def test_leftovers_of_xacro_are_left_out(tmp_path):
    inside = f'<xacro:include filename="$(find gone)/a.xacro"/><link name="a">{MASS}{SHAPE}</link>'
    path = put(tmp_path, inside + '<xacro:wheel prefix="left"/>')
    robot = load_robot(path)
    assert list(robot.links) == ["a"]
    (note,) = robot.report.of(NoteKind.WARNING)
    assert note.culprit == "<xacro:include>"
    assert "is left out, as all of xacro in the file: " in note.text
    with pytest.raises(DescriptionError, match="refused by strict=True: warning: <xacro:include>"):
        load_robot(path, strict=True)


@pytest.mark.parametrize(
    "inside",
    ['<xacro:wheel/><link name="${name}"/>', "<xacro:wheel/>", '<xacro:wheel/><link name="$(x)"/>'],
)
def test_macros_that_are_needed_are_no_leftovers(tmp_path, inside):
    with pytest.raises(DescriptionError, match="the expansion of xacro failed"):
        load_robot(put(tmp_path, inside))
    with pytest.raises(DescriptionError, match="the expansion of xacro failed"):
        load_robot(put(tmp_path, '<xacro:wheel/><link name="a"/>', "r.urdf.xacro"))


def test_stray_quotes_are_taken_out_of_numbers(tmp_path):
    inside = MASS.replace('mass value="1"', "mass value='2.5\"'")
    robot = load_robot(put(tmp_path, f'<link name="a">{inside}{SHAPE}</link>'))
    inertial = robot.links["a"].inertial
    assert inertial is not None
    assert inertial.mass == 2.5
    (note,) = robot.report.of(NoteKind.REPAIR)
    assert (note.culprit, note.text) == (
        "<mass> value", 'a stray quote was taken out of 2.5"',
    )  # fmt: skip
    with pytest.raises(DescriptionError, match="refused by strict=True: repair: <mass> value"):
        load_robot(tmp_path / "r.urdf", strict=True)


def chain(root: str, weight: str = "", kind: str = "revolute", count: int = 1) -> str:
    """Links on the root, each by a joint of its own."""
    inside = f'<link name="{root}">{weight}</link>'
    for k in range(count):
        inside += (
            f'<link name="l{k}">{MASS}</link><joint name="j{k}" type="{kind}">'
            f'<parent link="{root}"/><child link="l{k}"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        )
    return inside


@pytest.mark.parametrize(
    ("inside", "base", "text"),
    [
        (chain("panda_link0", MASS), "fixed", "it is an arm with the root link 'panda_link0'"),
        (chain("link_0", MASS), "fixed", "it is an arm with the root link 'link_0'"),
        (chain("base"), "fixed", "it is an arm whose root link 'base' has no mass"),
        (chain("base", MASS), "floating", "the root link is 'base'"),
        (chain("base", kind="continuous"), "floating", "the root link is 'base'"),
        (chain("base", count=2), "floating", "the root link is 'base'"),
        (chain("panda_link0", count=2), "floating", "the root link is 'panda_link0'"),
    ],
)
def test_arms_are_held(tmp_path, inside, base, text):
    path = put(tmp_path, inside)
    robot = load_robot(path)
    assert robot.base == base
    (note,) = [note for note in robot.report if note.culprit == "base"]
    assert note.text.startswith(f"is {base}, since {text}")
    assert ("base='floating' frees it" in note.text) is (base == "fixed")
    assert load_robot(path, base="floating").base == "floating"


def test_a_root_that_something_heavy_is_fixed_to_is_no_arm(tmp_path):
    inside = chain("base_footprint") + (
        f'<link name="body">{MASS}</link><joint name="f" type="fixed">'
        '<parent link="base_footprint"/><child link="body"/></joint>'
    )
    assert load_robot(put(tmp_path, inside)).base == "floating"


def serial_arm(root: str, weight: str, second: str, joints: int) -> str:
    """A root, a heavy link that is fixed to it, and joints in a row; the first has no bounds."""
    inside = (
        f'<link name="{root}">{weight}</link><link name="{second}">{MASS}</link>'
        f'<joint name="f" type="fixed"><parent link="{root}"/><child link="{second}"/></joint>'
    )
    parent = second
    for k in range(joints):
        kind = "revolute" if k else "continuous"
        inside += (
            f'<link name="l{k}">{MASS}</link><joint name="j{k}" type="{kind}">'
            f'<parent link="{parent}"/><child link="l{k}"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        )
        parent = f"l{k}"
    return inside


@pytest.mark.parametrize(
    ("inside", "base", "text"),
    [
        (
            serial_arm("base", MASS, "jaco_link_base", 6),
            "fixed",
            "it is an arm with the link 'jaco_link_base' at its root",
        ),
        (serial_arm("base", "", "foot", 6), "fixed", "it is an arm whose root link 'base' has no"),
        (serial_arm("base", "", "foot", 4), "floating", "the root link is 'base'"),
        (serial_arm("base", MASS, "foot", 6), "floating", "the root link is 'base'"),
        (serial_arm("base_footprint", "", "foot", 6), "floating", "the root link is 'base_foot"),
    ],
)
def test_arms_whose_heavy_foot_is_fixed_to_the_root_are_held(tmp_path, inside, base, text):
    robot = load_robot(put(tmp_path, inside))
    (note,) = [note for note in robot.report if note.culprit == "base"]
    assert note.text.startswith(f"is {base}, since {text}")
    assert robot.base == base


@pytest.mark.parametrize("name", ["leg.STL", "leg.dae", "leg.glb"])
def test_a_mesh_is_no_robot(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x80")
    with pytest.raises(
        DescriptionError, match=f"{name}: is a mesh and no robot; name it in a link"
    ):
        load_robot(tmp_path / name)
