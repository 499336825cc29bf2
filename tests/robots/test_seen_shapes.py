"""Links that touch as they look, where their files have no collision shapes."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

from horus_sim.cli.app import main
from horus_sim.errors import DescriptionError
from horus_sim.robots import load_robot
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World

INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
BODY = f'<inertial><mass value="5"/>{INERTIA}</inertial>'
BALL = '<geometry><sphere radius="0.1"/></geometry>'


def seen(folder: Path, geometry: str = '<box size="0.6 0.4 0.2"/>') -> Path:
    """A robot of one link, 0.3 m above its origin, that has no collision shape."""
    path = folder / "seen.urdf"
    path.write_text(
        f'<robot name="seen"><link name="base">{BODY}<visual><origin xyz="0 0 0.3"/>'
        f"<geometry>{geometry}</geometry></visual></link></robot>"
    )
    return path


def test_a_robot_that_is_only_seen_says_how_it_may_touch(tmp_path):
    path = seen(tmp_path)
    (note,) = [note for note in load_robot(path).report if "falls through" in note.text]
    assert note.kind is NoteKind.SUBSTITUTION
    assert note.text == (
        "it floats and has no shape that touches: it falls through the ground; "
        "collide_visuals=True (--collide-visuals) lets its links touch as they look"
    )


def test_it_stands_on_what_is_seen(tmp_path):
    robot = load_robot(seen(tmp_path), collide_visuals=True)
    assert "robot 'seen': 1 link without a collision shape touches as it looks" in str(robot.report)
    assert "falls through" not in str(robot.report)
    world = World.from_robot(robot, ground=True)
    world.step(240)
    # The box reaches 0.2 m above the frame of the link.
    assert world.robots["seen"].pose.translation[2] == pytest.approx(-0.2, abs=1e-3)


def test_links_with_a_collision_shape_keep_it(tmp_path):
    path = tmp_path / "two.urdf"
    path.write_text(
        f'<robot name="two"><link name="a">{BODY}<visual>{BALL}</visual><collision><geometry>'
        f'<box size="1 1 1"/></geometry></collision></link><link name="b">{BODY}<visual>{BALL}'
        f'</visual></link><link name="c">{BODY}<visual>{BALL}</visual><visual>{BALL}</visual>'
        '</link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="k" type="continuous"><parent link="a"/><child link="c"/></joint></robot>'
    )
    robot = load_robot(path, collide_visuals=True)
    assert {name: len(link.collisions) for name, link in robot.links.items()} == {
        "a": 1, "b": 1, "c": 2,
    }  # fmt: skip
    assert robot.links["a"].collisions == load_robot(path).links["a"].collisions
    assert "2 links without a collision shape touch as they look" in str(robot.report)


@pytest.mark.parametrize(("decompose", "height"), [(True, 0.05), (False, 0.25)])
def test_meshes_touch_as_hulls_or_in_pieces(tmp_path, monkeypatch, decompose, height):
    """As its hull a tube that is seen is solid, and a ball stays on top of it."""
    pytest.importorskip("coacd", reason="pip install 'horus-sim[decompose]'")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    trimesh.creation.annulus(r_min=0.1, r_max=0.15, height=0.2).export(tmp_path / "tube.stl")
    seen(tmp_path, '<mesh filename="tube.stl"/>')
    (tmp_path / "scene.yaml").write_text(
        "robots: [{name: tube, model: seen.urdf, base: fixed, collide_visuals: true,\n"
        f"          decompose: {decompose}, pose: {{xyz: [0, 0, -0.2]}}}}]\n"
        "objects:\n"
        "  - {name: ground, shape: {kind: plane}}\n"
        "  - {name: ball, shape: {kind: sphere, radius: 0.05}, dynamic: true, mass: 0.1,\n"
        "     pose: {xyz: [0, 0, 0.3]}}\n"
    )
    world = World.load(tmp_path / "scene.yaml")
    world.step(480)
    assert world.objects["ball"].pose.translation[2] == pytest.approx(height, abs=0.005)


@pytest.mark.parametrize("option", ["decompose", "collide_visuals"])
def test_geoms_of_mjcf_say_themselves(tmp_path, option):
    path = tmp_path / "r.xml"
    path.write_text("<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>")
    with pytest.raises(DescriptionError, match=rf"r\.xml: {option}=True is for URDF; .*contype"):
        load_robot(path, decompose=option == "decompose", collide_visuals=option != "decompose")


def test_the_option_of_the_command(capsys, tmp_path):
    with pytest.raises(SystemExit) as end:
        main(["robot", "check", str(seen(tmp_path)), "--collide-visuals"])
    assert end.value.code == 0
    assert "1 link without a collision shape touches as it looks" in capsys.readouterr().out
