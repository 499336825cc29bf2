"""Files that an MJCF names: found below the allowed folders, and never read outside them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image

from horus_sim.errors import DescriptionError, MissingResourceError, SceneError
from horus_sim.robots import load_robot
from horus_sim.robots.mjcf.file import load_mjcf
from horus_sim.sim3d import World, load_scene

BODY = "<worldbody><body name='a'><freejoint/><geom {}/></body></worldbody>"
MESH = BODY.format("type='mesh' mesh='m'")
BALL = BODY.format("size='.1'")


@pytest.fixture
def secret(tmp_path):
    folder = tmp_path / "secret"
    folder.mkdir()
    trimesh.creation.box((1, 1, 1)).export(folder / "m.stl")
    Image.new("RGB", (4, 4)).save(folder / "t.png")
    (folder / "inner.xml").write_text(f"<mujoco>{BALL}</mujoco>")
    return folder


@pytest.mark.parametrize(
    "inside",
    [
        "<include file='{0}/inner.xml'/>",
        "<include file='../secret/inner.xml'/>",
        "<include file='link.xml'/>",
        "<asset><mesh name='m' file='{0}/m.stl'/></asset>" + MESH,
        "<asset><mesh name='m' file='file://{0}/m.stl'/></asset>" + MESH,
        "<asset><mesh name='m' file='../secret/m.stl'/></asset>" + MESH,
        "<compiler meshdir='{0}'/><asset><mesh name='m' file='m.stl'/></asset>" + MESH,
        "<compiler assetdir='../secret'/><asset><mesh name='m' file='m.stl'/></asset>" + MESH,
        "<compiler meshdir='..\\secret'/><asset><mesh name='m' file='m.stl'/></asset>" + MESH,
        "<asset><texture name='t' type='2d' file='{0}/t.png'/></asset>" + BALL,
        "<compiler texturedir='{0}'/><asset><texture name='t' type='2d' file='t.png'/></asset>"
        + BALL,
        "<asset><texture name='t' type='cube' fileup='{0}/t.png'/></asset>" + BALL,
        "<asset><hfield name='h' file='{0}/t.png' size='1 1 1 1'/></asset>" + BALL,
        "<asset><skin name='s' file='{0}/m.stl'/></asset>" + BALL,
        "<asset><model name='x' file='{0}/inner.xml'/></asset>" + BALL,
        "<worldbody><flexcomp name='f' type='mesh' file='{0}/m.stl'/></worldbody>",
    ],
)
def test_nothing_outside_is_read(tmp_path, secret, inside):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "link.xml").symlink_to(secret / "inner.xml")
    path = folder / "robot.xml"
    path.write_text(f"<mujoco>\n{inside.format(secret)}</mujoco>")
    with pytest.raises(MissingResourceError, match=r"line 2: .*refused: outside the package roots"):
        load_robot(path)
    (folder / "scene.yaml").write_text("robots: [{name: r, model: robot.xml}]")
    with pytest.raises(DescriptionError, match="refused"):
        World.load(folder / "scene.yaml")


def test_a_root_that_the_caller_gives_is_allowed(tmp_path, secret):
    folder = tmp_path / "mine"
    folder.mkdir()
    path = folder / "robot.xml"
    path.write_text(f"<mujoco><asset><mesh file='{secret}/m.stl'/></asset>{MESH}</mujoco>")
    robot = load_robot(path, package_roots=[secret])
    assert World.from_robot(robot).model.nmesh == 1
    (folder / "scene.yaml").write_text("robots: [{name: r, model: robot.xml}]")
    assert World.load(folder / "scene.yaml", package_roots=[secret]).model.nmesh == 1


def test_all_that_is_named_is_the_same_as_with_mujoco(tmp_path):
    """MuJoCo itself, which reads the same files from the disk, is the oracle."""
    (tmp_path / "assets" / "deep").mkdir(parents=True)
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / "assets" / "m.stl")
    trimesh.creation.icosphere(radius=0.2).export(tmp_path / "assets" / "deep" / "ball.obj")
    rng = np.random.default_rng(0)
    picture = Image.fromarray(rng.integers(0, 255, (4, 4, 3), dtype=np.uint8))
    picture.save(tmp_path / "assets" / "t.png")
    picture.convert("L").save(tmp_path / "assets" / "hills.png")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "assets.xml").write_text(
        "<mujocoinclude><mesh file='m.stl' scale='2 2 2'/><mesh name='b' file='deep/ball.obj'/>"
        "<texture name='t' type='2d' file='t.png'/><material name='s' texture='t'/>"
        "</mujocoinclude>"
    )
    path = tmp_path / "robot.xml"
    path.write_text(
        "<mujoco model='x &amp; y'><compiler meshdir='assets' texturedir='assets'/>"
        "<asset><include file='parts/assets.xml'/>"
        "<hfield file='hills.png' size='1 1 1 .1'/></asset>"
        "<worldbody><body name='a'><geom type='mesh' mesh='m' material='s'/>"
        "<body><joint axis='0 1 0'/><geom type='mesh' mesh='b'/></body></body></worldbody></mujoco>"
    )
    expected = mujoco.MjModel.from_xml_path(str(path))  # pyright: ignore[reportAttributeAccessIssue]
    found = load_mjcf(path).spec().compile()
    for name in ("mesh_vert", "tex_data", "hfield_data", "body_mass", "body_inertia", "geom_pos"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert [found.mesh(i).name for i in range(found.nmesh)] == ["m", "b"]
    assert load_robot(path).name == "x & y"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"r.xml": "<include file='r.xml'/>"}, "is included twice, which MJCF does not allow"),
        (
            {"r.xml": "<include file='a.xml'/>", "a.xml": "<include file='r.xml'/>"},
            "a.xml, line 1: .* is included twice",
        ),
        ({"r.xml": "<include file='no.xml'/>"}, "r.xml, line 1: <include>: 'no.xml' was not found"),
        ({"r.xml": "<include/>"}, "names no file"),
        (
            {"r.xml": "\n\n<worldbody><nonsense/></worldbody>"},
            "r.xml, line 3: <nonsense>: MuJoCo cannot load it: Schema violation: unrecognized elem",
        ),
        (
            {
                "r.xml": "\n<worldbody><body name='a'>\n\n<include file='a.xml'/></body>"
                "</worldbody>",
                "a.xml": "<geom size='.1'/>\n<joint name='j' axis='0 0 0'/>",
            },
            "a.xml, line 2: <joint> 'j': MuJoCo cannot load it: axis too small in joint$",
        ),
        (
            {
                "r.xml": "<size memory='1M'/>\n<keyframe><key/></keyframe>\n"
                "<worldbody><body><joint/>\n<inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/>"
                "</body></worldbody>",
            },
            "r.xml, line 3: <body>: MuJoCo cannot load it: inertia must satisfy A",
        ),
        (
            {
                "r.xml": "<asset>\n<model name='m' file='b.xml'/></asset>\n<worldbody>"
                "<attach model='m' prefix='p_'/></worldbody>",
                "b.xml": "<worldbody>\n<body name='w'><geom name='g' size='.1'/>\n"
                "<body name='b'><joint/></body></body></worldbody>",
            },
            "b.xml, line 3: <body> 'b': MuJoCo cannot load it: mass and inertia of moving bodies",
        ),
    ],
)
def test_what_cannot_be_read(tmp_path, files, message):
    for name, text in files.items():
        (tmp_path / name).write_text(f"<mujoco>{text}</mujoco>")
    with pytest.raises(DescriptionError, match=message):
        load_robot(tmp_path / "r.xml")


def test_a_robot_without_a_suffix_is_confined_too(tmp_path, secret):
    (secret / "noext").write_text("<robot name='s'><link name='x'/></robot>")
    folder = tmp_path / "mine"
    folder.mkdir()
    for model in (f"{secret}/noext", "../secret/noext"):
        (folder / "s.yaml").write_text(f"robots: [{{name: r, model: {model}}}]")
        with pytest.raises(SceneError, match="refused: outside the package roots"):
            load_scene(folder / "s.yaml")


def test_a_robot_without_a_suffix_beside_the_scene(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "plain").write_text("<robot name='s'><link name='x'/></robot>")
    # A file of that name where the program runs is not what the scene means.
    (tmp_path / "arm6").write_text("nonsense")
    scene = tmp_path / "deep" / "s.yaml"
    scene.write_text("robots: [{name: r, model: plain}, {name: q, model: arm6}]")
    assert set(World.load(scene).robots) == {"r", "q"}
    scene.write_text("robots: [{name: r, model: arm7}]")
    with pytest.raises(SceneError, match="robot 'r': no robot is called 'arm7'; did you"):
        load_scene(scene)
