"""MJCF files whose meshes or textures are not there."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.robots import load_robot
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World

ASSETS = (
    "<asset>\n<mesh name='shell' file='gone/shell.obj'/><mesh file='foot.stl'/>\n"
    "<texture name='paint' type='2d' file='paint.png'/>"
    "<material name='painted' texture='paint'/></asset>"
)
INERTIAL = "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"
SEEN = "<geom type='mesh' mesh='shell' contype='0' conaffinity='0' material='painted'/>"
FOOT = "<geom name='foot' type='mesh' mesh='foot'/>"
BALL = "<geom name='ball' size='.1' material='painted'/>"


def written(tmp_path, inside, after="", assets=ASSETS):
    path = tmp_path / "robot.xml"
    path.write_text(
        f"<mujoco model='robot'>{assets}<worldbody><body name='b'><freejoint/>{inside}"
        f"</body></worldbody>{after}</mujoco>"
    )
    return path


def warnings(robot):
    return {note.culprit: note.text for note in robot.report.of(NoteKind.WARNING)}


def test_what_is_only_seen_is_left_out(tmp_path):
    robot = load_robot(written(tmp_path, INERTIAL + SEEN + BALL))
    assert warnings(robot) == {
        "<texture>": "1 file was not found, 'paint.png': what has them is drawn without",
        "<mesh>": "2 files were not found, 'gone/shell.obj', 'foot.stl'; shapes without it are "
        "left out: 1",
    }
    world = World.from_robot(robot, ground=True)
    names = [world.model.geom(i).name for i in range(world.model.ngeom)]
    assert [name for name in names if "ground" not in name] == ["robot/ball"]
    assert world.model.nmesh == 0
    with pytest.raises(DescriptionError, match=r"refused by strict=True: .*2 files were not found"):
        load_robot(written(tmp_path, INERTIAL + SEEN + BALL), strict=True)


def test_what_touches_is_left_out_where_that_is_allowed(tmp_path):
    path = written(tmp_path, INERTIAL + FOOT + BALL)
    message = (
        r"robot.xml, line 2: <mesh> 'foot': 'foot.stl' was not found; tried: .*; to load the robot "
        r"without its collision shapes, pass allow_missing=True \(--allow-missing\)$"
    )
    with pytest.raises(MissingResourceError, match=message):
        load_robot(path)
    robot = load_robot(path, allow_missing=True)
    assert warnings(robot)["<mesh>"].endswith("are left out: 1, of which 1 touch")
    world = World.from_robot(robot, ground=True)
    world.step(240)
    assert world.robots["robot"].pose.translation[2] == pytest.approx(0.1, abs=0.01)


def test_a_pair_makes_a_shape_touch(tmp_path):
    silent = FOOT.replace("/>", " contype='0' conaffinity='0'/>")
    after = "<contact><pair geom1='foot' geom2='ball'/></contact>"
    path = written(tmp_path, INERTIAL + silent + BALL, after)
    with pytest.raises(MissingResourceError, match=r"'foot\.stl' was not found"):
        load_robot(path)
    robot = load_robot(path, allow_missing=True)
    assert World.from_robot(robot).model.npair == 0


def test_a_body_that_gets_its_mass_from_what_is_lost(tmp_path):
    robot = load_robot(written(tmp_path, SEEN + BALL))
    told = "that lack their mass: 1, which have 0.001 kg if nothing is left"
    assert warnings(robot)["<mesh>"].endswith(told)
    ball = World.from_robot(robot).model.body("robot/b").mass
    assert ball == pytest.approx(4 / 3 * np.pi * 0.1**3 * 1000)
    for nothing in ("mass='0'", "density='0'"):
        weightless = SEEN.replace("/>", f" {nothing}/>")
        robot = load_robot(written(tmp_path, weightless + BALL))
        assert "inertial" not in warnings(robot)["<mesh>"]
    robot = load_robot(written(tmp_path, SEEN))
    assert World.from_robot(robot).model.body("robot/b").mass == pytest.approx(0.001)


def test_a_file_that_is_attached_may_lack_meshes_too(tmp_path):
    inner = tmp_path / "inner.xml"
    inner.write_text(
        f"<mujoco>{ASSETS}<worldbody><body name='i'>{INERTIAL}{SEEN}{BALL}</body></worldbody>"
        "</mujoco>"
    )
    path = tmp_path / "outer.xml"
    path.write_text(
        "<mujoco><asset><model name='m' file='inner.xml'/></asset><worldbody><body name='b'>"
        "<freejoint/><geom size='.1'/><attach model='m' body='i' prefix='x_'/></body></worldbody>"
        "</mujoco>"
    )
    robot = load_robot(path)
    assert "gone/shell.obj" in warnings(robot)["<mesh>"]
    assert World.from_robot(robot).model.nmesh == 0


def test_a_broken_mesh_is_told_by_its_path(tmp_path):
    (tmp_path / "foot.stl").write_bytes(b"no mesh" * 20)
    with pytest.raises(DescriptionError, match=f"cannot load it: .*'{tmp_path}/foot.stl'"):
        load_robot(written(tmp_path, INERTIAL + FOOT + BALL))


def test_pointers_of_git_lfs_are_told(tmp_path):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    (tmp_path / "foot.stl").write_text(pointer)
    path = written(tmp_path, INERTIAL + FOOT + BALL)
    with pytest.raises(
        MissingResourceError, match=r"<mesh> 'foot': .*foot\.stl': it is a pointer of"
    ):
        load_robot(path)
    told = warnings(load_robot(path, allow_missing=True))["<mesh>"]
    assert "(pointers of Git LFS: 1; run 'git lfs pull' in the clone)" in told
