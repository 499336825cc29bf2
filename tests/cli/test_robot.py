"""`horus-sim robot`: list, search, check, info, view and convert."""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image
from tests.sim3d.rendering.test_render import needs_gl

from horus_sim.cli.app import main
from horus_sim.robots.robot import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.rendering import gl

STL = b"\0" * 80 + b"\x05\0\0\0"
GOOD = """<robot name="r"><link name="base">{}
<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="{}"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>
<limit lower="-1" upper="2" effort="3" velocity="4"/></joint></robot>"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["robot", *map(str, arguments)])
    printed = capsys.readouterr()
    code = caught.value.code
    return (code if isinstance(code, int) else 0), printed.out, printed.err


@pytest.fixture
def good(tmp_path) -> Path:
    path = tmp_path / "good.urdf"
    path.write_text(GOOD.format("", 1))
    return path


def test_check(capsys, good):
    code, out, _ = run(capsys, "check", good)
    assert code == 0
    assert "substitution: base: is floating" in out
    assert "r: 2 links, 1 moving joints, 0 meshes, base floating; remarks: 3 substitution" in out


def test_check_strict(capsys, tmp_path):
    path = tmp_path / "odd.urdf"
    path.write_text(GOOD.format("", 5))
    code, out, _ = run(capsys, "check", path)
    assert code == 0
    assert "repair: link 'arm'" in out
    assert run(capsys, "check", path, "--strict")[0] == 1


@pytest.mark.parametrize("kind", ["collision", "visual"])
def test_check_reads_the_meshes(capsys, tmp_path, kind):
    (tmp_path / "cut.stl").write_bytes(STL)
    path = tmp_path / "a.urdf"
    shape = f'<{kind}><geometry><mesh filename="cut.stl"/></geometry></{kind}>'
    path.write_text(GOOD.format(shape, 1))
    code, out, _ = run(capsys, "check", path)
    assert code == 0
    assert f"warning: link 'base', {kind}: left out" in out
    assert f"link 'base', {kind}: the mesh file '{tmp_path / 'cut.stl'}' cannot be used" in out
    assert "it is cut off" in out
    assert run(capsys, "check", path, "--strict")[0] == 1


@pytest.mark.parametrize(
    ("name", "text", "said", "is_wrong"),
    [
        (
            "equal.sdf",
            (
                "<sdf version='1.7'><model name='m'><link name='a'><sensor name='imu' type='imu'/>"
                "</link><link name='b'><sensor name='imu' type='imu'/></link><joint name='j' "
                "type='fixed'><parent>a</parent><child>b</child></joint></model></sdf>"
            ),
            "substitution: sensor 'imu' of link 'b': the model has 2 of that name",
            False,
        ),
        (
            "plane.sdf",
            (
                "<sdf version='1.7'><model name='m'><link name='a'><collision name='c'><geometry>"
                "<plane/></geometry></collision></link></model></sdf>"
            ),
            "warning: link 'a', collision: left out, nothing touches it: a plane cannot move",
            True,
        ),
        (
            "sensors.urdf",
            (
                "<robot name='r'><link name='world'/><gazebo reference='world'><sensor name='s' "
                "type='flux'/></gazebo></robot>"
            ),
            "ignored: sensor 'r/s': the simulator has no sensor of SDF's type 'flux'",
            False,
        ),
        (
            "rays.urdf",
            (
                "<robot name='r'><link name='a'/><gazebo reference='a'><sensor name='s' type='ray'>"
                "<ray><scan><horizontal><samples>-3</samples></horizontal></scan></ray></sensor>"
                "</gazebo></robot>"
            ),
            "warning: sensor 'r/s': left out: <samples> is -3",
            True,
        ),
    ],
)
def test_check_says_what_only_a_world_finds(capsys, tmp_path, name, text, said, is_wrong):
    path = tmp_path / name
    path.write_text(text)
    code, out, _ = run(capsys, "check", path)
    assert code == 0
    assert out.count(said) == 1
    assert run(capsys, "check", path, "--strict")[0] == is_wrong


@pytest.mark.parametrize(
    ("links", "is_chain", "text"),
    [
        (2001, False, "robot 'r' has 2001 links, more than the limit of 2000; join those"),
        (
            502,
            True,
            "link 'l501' hangs from the root 'l0' by 501 joints, more than the limit of 500",
        ),
    ],
)
def test_check_refuses_what_no_world_takes(capsys, tmp_path, links, is_chain, text):
    parts = [f'<link name="l{number}"/>' for number in range(links)]
    parts += [
        f'<joint name="j{number}" type="fixed"><parent link="l{number - 1 if is_chain else 0}"/>'
        f'<child link="l{number}"/></joint>'
        for number in range(1, links)
    ]
    path = tmp_path / "large.urdf"
    path.write_text(f'<robot name="r">{"".join(parts)}</robot>')
    code, _, shown = run(capsys, "check", path)
    assert code == 1
    assert text in shown


def test_errors_are_one_line(capsys, shared_data):
    code, out, err = run(capsys, "check", shared_data("robots/bad/01_missing_link.urdf"))
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "joint 'shoulder'" in err


def test_package_root_and_allow_missing(capsys, shared_data):
    bad = shared_data("robots/bad/07_missing_mesh.urdf")
    assert run(capsys, "check", bad)[0] == 1
    code, out, _ = run(capsys, "check", bad, "--allow-missing")
    assert code == 0
    assert "2 warning" in out
    folder = shared_data("robots/urdf/jackal")
    file = folder / "jackal_description/urdf/jackal.urdf"
    code, out, _ = run(capsys, "check", file, "--package-root", folder)
    assert code == 0
    assert "jackal: 13 links, 4 moving joints, 3 meshes" in out


def test_info(capsys, good):
    code, out, _ = run(capsys, "info", good)
    assert code == 0
    assert out.startswith("r: 3 kg, base floating\n")
    assert "base  2          0        0" in out
    assert "j      revolute  base    arm    -1     2      3       4" in out
    assert "turtlebot3_burger" in run(capsys, "info", "turtlebot3_burger")[1]


def test_convert_to_urdf(capsys, good, tmp_path):
    target = tmp_path / "out.urdf"
    code, out, _ = run(capsys, "convert", good, "--to", "urdf", "-o", target)
    assert (code, out) == (0, f"wrote {target}\n")
    assert load_robot(target).joints == load_robot(good).joints


def test_convert_to_sdf(capsys, good, tmp_path):
    target = tmp_path / "out.sdf"
    code, out, _ = run(capsys, "convert", good, "--to", "sdf", "-o", target)
    assert (code, out) == (0, f"wrote {target}\n")
    world = World.load(target)
    assert world.robots["r"].is_free
    assert world.robots["r"].description.joints == load_robot(good).description.joints
    run(capsys, "convert", "panda7", "--to", "sdf", "-o", target)
    assert not World.load(target).robots["panda7"].is_free


def test_convert_to_mjcf(capsys, good, tmp_path):
    target = tmp_path / "out.xml"
    assert run(capsys, "convert", good, "--to", "mjcf", "-o", target)[0] == 0
    model = mujoco.MjModel.from_xml_path(str(target))  # pyright: ignore[reportAttributeAccessIssue]
    assert model.njnt == 2
    robot = load_robot(target)
    assert robot.base == "floating"
    assert robot.joint_names == ("j",)
    again = tmp_path / "again.xml"
    assert run(capsys, "convert", target, "--to", "mjcf", "-o", again)[0] == 0
    assert (
        "cannot be written"
        in run(capsys, "convert", good, "--to", "mjcf", "-o", tmp_path / "absent/x.xml")[2]
    )


def test_wrong_options(capsys, good, tmp_path):
    code, _, err = run(capsys, "convert", good, "--to", "dae", "-o", tmp_path / "x")
    assert code == 2
    assert "choose mjcf, sdf or urdf" in err
    code, _, err = run(capsys, "check", good, "--arg", "x")
    assert code == 2
    assert "is not NAME=VALUE" in err


def test_xacro_arguments(capsys, tmp_path):
    pytest.importorskip("xacro")
    path = tmp_path / "a.xacro"
    path.write_text(
        '<robot name="r" xmlns:xacro="http://x"><xacro:arg name="n" default="a"/>'
        '<link name="$(arg n)"/></robot>'
    )
    assert "special" in run(capsys, "info", path, "--arg", "n=special")[1]


def test_a_converted_hand_has_every_digit_and_its_drives(capsys, tmp_path):
    """Six digits, as MuJoCo writes them, make the inertia of this link impossible."""
    path, out = tmp_path / "thin.urdf", tmp_path / "thin.xml"
    path.write_text(
        GOOD.format("", 1)
        .replace(
            'ixx="1" iyy="1" izz="1"/></inertial></link>\n<joint',
            'ixx="0.00012345649" iyy="0.00034567949" izz="0.00046913598"/></inertial></link>\n'
            '<link name="tip"><inertial><mass value="1"/>'
            '<inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
            '<joint name="k" type="revolute"><parent link="arm"/><child link="tip"/>'
            '<origin xyz="0.123456789012 0 0" rpy="0.1 0.2 0.3"/>'
            '<mimic joint="j" multiplier="0.5"/>'
            '<limit lower="-1" upper="2" effort="3" velocity="4"/></joint>\n<joint',
        )
        .replace('effort="3"', 'effort="3000"')
    )
    assert run(capsys, "convert", path, "--to", "mjcf", "-o", out)[0] == 0
    first, second = load_robot(path), load_robot(out)
    worlds = [World.from_robot(robot) for robot in (first, second)]
    robots = [next(iter(world.robots.values())) for world in worlds]
    assert [world.model.nu for world in worlds] == [1, 1]
    for robot in robots:
        robot.set_joint_positions({"j": 0.3})
    for link in robots[0].link_names:
        expected, found = (robot.link_pose(link).to_matrix() for robot in robots)
        np.testing.assert_allclose(found, expected, atol=1e-15)
    for world, robot in zip(worlds, robots, strict=True):
        robot.command({"j": 0.6})
        world.step(240)
        found = dict(zip(robot.joint_names, robot.joint_positions(), strict=True))
        assert found == pytest.approx({"j": 0.6, "k": 0.3}, abs=1e-3)


def test_mjcf_is_converted_with_its_files(capsys, tmp_path):
    mesh = trimesh.creation.box((0.1, 0.2, 0.3))
    mesh.export(tmp_path / "box.stl")
    path, out = tmp_path / "in.xml", tmp_path / "out" / "out.xml"
    out.parent.mkdir()
    path.write_text(
        "<mujoco><asset><mesh file='box.stl'/></asset><worldbody><body name='a'>"
        "<geom type='mesh' mesh='box' mass='2'/></body></worldbody></mujoco>"
    )
    assert run(capsys, "convert", path, "--to", "mjcf", "-o", out)[0] == 0
    model = World.from_robot(load_robot(out)).model
    assert model.nmesh == 1
    assert float(model.body_mass[1]) == 2.0


def test_list_and_search(capsys, tmp_path, monkeypatch):
    lab = tmp_path / "lab"
    (lab / "zz_maker").mkdir(parents=True)
    (lab / "zz_maker" / "zzarm.urdf").write_text(GOOD.format("", 1))
    (lab / "arm6.urdf").write_text(GOOD.format("", 1))
    monkeypatch.setenv("HORUS_ROBOTS", str(lab))
    code, out, _ = run(capsys, "list")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == ["name", "format", "source"]
    assert ["arm6", "urdf", "horus-sim"] in rows
    assert ["lab/arm6", "urdf", "lab"] in rows
    code, out, _ = run(capsys, "search", "ZZ-mak")
    assert [line.split() for line in out.splitlines()][1:] == [["zzarm", "urdf", "lab"]]
    code, out, err = run(capsys, "search", "zz_nothing")
    assert (code, out) == (1, "")
    assert "no robot has 'zz_nothing' in its name; `robot list` shows all" in err
    assert "r: 3 kg" in run(capsys, "info", "lab/arm6")[1]
    assert "did you mean 'zzarm'" in run(capsys, "info", "zzarn")[2]
    monkeypatch.setenv("HORUS_ROBOTS", str(tmp_path / "gone"))
    code, out, err = run(capsys, "search", "arm6")
    assert (code, out != "") == (0, True)
    assert f"warning: HORUS_ROBOTS names '{tmp_path / 'gone'}', which is no folder" in err


def test_check_of_sdf(capsys, tmp_path, shared_data):
    file = shared_data("robots/sdf/gz_diff_drive/diff_drive.sdf")
    code, out, _ = run(capsys, "check", file)
    assert code == 0
    assert "plugin 'gz::sim::systems::Physics' (line 25): is not needed" in out
    assert "diff_drive.sdf: 1 worlds, 3 models, 9 links, 6 moving joints, 2 sensors, 0 mesh" in out
    (tmp_path / "model.config").write_text("<model/>")
    model = tmp_path / "model.sdf"
    model.write_text(
        "<sdf version='1.9'><model name='m'><link name='l'><visual name='v'><geometry><mesh><uri>"
        "model://absent/a.stl</uri></mesh></geometry></visual></link></model></sdf>"
    )
    code, out, _ = run(capsys, "check", model)
    assert code == 0
    assert "'model://absent/a.stl' was not found: no model 'absent' below the package roots" in out
    assert "model.sdf: 0 worlds, 1 models, 1 links" in out
    assert run(capsys, "check", model, "--strict")[0] == 1
    model.write_text("<sdf version='1.9'><model name='m'><link/></model></sdf>")
    code, out, err = run(capsys, "check", model)
    assert (code, out) == (1, "")
    assert "line 1: model 'm': <link> needs the attribute 'name'" in err


@pytest.mark.parametrize("kind", ["urdf", "sdf"])
def test_view(capsys, good, tmp_path, monkeypatch, kind):
    pytest.importorskip("nicegui")
    from horus_sim.ui.shell import server
    from horus_sim.ui.world.model.session import WorldSessions

    shown: list[set[str]] = []

    def open_world(self: WorldSessions, world: World) -> None:
        shown.append({*world.robots, *world.objects})

    monkeypatch.setattr(WorldSessions, "open", open_world)
    monkeypatch.setattr(server.Server, "__init__", lambda self, site, config: None)
    monkeypatch.setattr(server.Server, "invitation", "http://here", raising=False)
    monkeypatch.setattr(server.Server, "run", lambda self: None)
    if kind == "sdf":
        good = tmp_path / "m.sdf"
        good.write_text("<sdf version='1.9'><model name='r'><link name='l'/></model></sdf>")
    code, out, _ = run(capsys, "view", good, "--no-open", "--port", "0")
    assert code == 0
    assert f"{good}: http://here (Ctrl-C ends)" in out
    assert "r" in shown[0]


@needs_gl
@pytest.mark.parametrize("kind", ["urdf", "sdf"])
def test_a_picture(capsys, good, tmp_path, kind):
    if kind == "sdf":
        run(capsys, "convert", good, "--to", "sdf", "-o", tmp_path / "good.sdf")
        good = tmp_path / "good.sdf"
    code, out, _ = run(capsys, "check", good, "--picture", tmp_path / "r.png")
    assert code == 0
    assert f"wrote {tmp_path / 'r.png'}\n" in out
    with Image.open(tmp_path / "r.png") as picture:
        assert picture.size == (1280, 1012)


def test_a_picture_that_cannot_be(capsys, good, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a long path would break the line
    code, _, err = run(capsys, "check", good, "--picture", "r.jpg")
    assert code == 2
    assert "does not end in .png" in err
    code, out, err = run(capsys, "check", good, "--picture", tmp_path / "absent" / "r.png")
    assert (code, out) == (1, "")
    assert "cannot be written" in err
    monkeypatch.setenv("MUJOCO_GL", "off")
    code, out, err = run(capsys, "check", good, "--picture", tmp_path / "r.png")
    assert (code, out) == (1, "")
    assert "MUJOCO_GL=off turns OpenGL off; unset it or set it to egl" in err
    monkeypatch.delenv("MUJOCO_GL")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(gl, "_loads", lambda library: False)
    code, out, err = run(capsys, "check", good, "--picture", tmp_path / "r.png")
    assert (code, out) == (1, "")
    assert gl.REMEDY in err
    assert not (tmp_path / "r.png").exists()


def test_grasp(capsys):
    code, out, _ = run(capsys, "grasp", "panda7", "--duration", "1", "--impratio", "100")
    assert code == 0
    assert "panda7: a cube of 40 mm and 0.1 kg is held for 1 s\ncreep: 0.00" in out
    assert "\npenetration: 0." in out
    assert "\ngrip: 70 N times friction 1 holds 70 N; the cube weighs 0.981 N\n" in out
    assert "slips" not in out
    code, out, _ = run(capsys, "grasp", "panda7", "--duration", "1", "--mass", "20")
    assert code == 1
    assert "panda7: a cube of 40 mm and 20 kg is lost at once\n" in out
    assert "slips: force: friction 1 times 70 N hold 70 N of 196 N; friction 2.8 or a force" in out
    code, out, err = run(capsys, "grasp", "turtlebot3_burger")
    assert (code, out) == (1, "")
    assert "error: robot 'turtlebot3_burger' has no gripper that was found: two fingers" in err
