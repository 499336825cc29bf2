"""Worlds with something wrong in one place: it is left out and said, the rest moves."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots import load_robot
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World

BALL = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
PLANE = "<geometry><plane><normal>0 1 0</normal><size>0.4 0.2</size></plane></geometry>"
WRONG = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz></inertia>"


def sdf(folder: Path, inside: str) -> Path:
    path = folder / "w.sdf"
    path.write_text(f"<sdf version='1.9'><world name='w'>{inside}</world></sdf>")
    return path


@pytest.mark.parametrize("mass", ["1", "-1"])
def test_what_cannot_move_needs_no_inertia(tmp_path, mass):
    link = f"<link name='l'><inertial><mass>{mass}</mass>{WRONG}</inertial></link>"
    path = sdf(tmp_path, f"<model name='m'><static>1</static>{link}</model>")
    world = World.load(path)
    world.step()
    (note,) = [note for note in world.report if "what cannot move needs no" in note.text]
    assert note.kind is NoteKind.WARNING
    assert note.culprit == "link 'm::l'"
    with pytest.raises(DescriptionError, match=r"refused by strict=True: .*'m::l'.* is not used"):
        World.load(path, strict=True)


def test_a_plane_that_moves_is_drawn_as_a_box(tmp_path):
    shapes = f"<visual name='v'>{PLANE}</visual><collision name='c'>{BALL}</collision>"
    path = sdf(tmp_path, f"<model name='m'><link name='l'>{shapes}</link></model>")
    world = World.load(path, strict=True)
    (geom,) = np.flatnonzero(world.model.geom_type == mujoco.mjtGeom.mjGEOM_BOX)
    np.testing.assert_allclose(world.model.geom_size[geom], (0.2, 0.1, 0.0005))
    R = world.forward().geom_xmat[geom].reshape(3, 3)
    np.testing.assert_allclose(R[:, 2], (0, 1, 0), atol=1e-12)
    assert "the plane moves with the link, so it is drawn as a box 0.001 m thick" in str(
        world.report
    )


def test_ground_that_would_move_does_not_touch(tmp_path):
    shapes = f"<collision name='p'>{PLANE}</collision><collision name='c'>{BALL}</collision>"
    path = sdf(tmp_path, f"<model name='m'><link name='l'>{shapes}</link></model>")
    world = World.load(path)
    assert world.model.ngeom == 1
    assert "left out, nothing touches it: a plane cannot move, and its link does" in str(
        world.report
    )
    with pytest.raises(DescriptionError, match=r"w\.sdf: refused by strict=True: .*a plane cannot"):
        World.load(path, strict=True)


def test_a_plane_of_what_stands_is_a_plane(tmp_path):
    link = f"<link name='l'><collision name='p'>{PLANE}</collision></link>"
    world = World.load(sdf(tmp_path, f"<model name='m'><static>1</static>{link}</model>"))
    assert world.model.geom_type.tolist() == [int(mujoco.mjtGeom.mjGEOM_PLANE)]


def test_sensors_of_one_name_are_called_after_their_links(tmp_path):
    imu = "<sensor name='imu' type='imu'/>"
    path = sdf(
        tmp_path,
        f"<model name='m'><link name='a'>{imu}<sensor name='gps' type='navsat'/></link>"
        f"<link name='b'>{imu}</link><joint name='j' type='fixed'><parent>a</parent>"
        "<child>b</child></joint></model>",
    )
    world = World.load(path, strict=True)
    assert set(world.sensors) == {"m/a/imu", "m/b/imu", "m/gps"}
    assert "sensor 'imu' of link 'b': the model has 2 of that name; this one is called 'b/imu'" in (
        str(world.report)
    )


def test_sensors_of_one_name_on_one_link_are_told_by_the_names_they_get(tmp_path):
    imus = "<sensor name='imu' type='imu'/>" * 2
    path = sdf(tmp_path, f"<model name='m'><link name='a'>{imus}</link></model>")
    world = World.load(path)
    told = [note.text for note in world.report if note.culprit == "sensor 'imu' of link 'a'"]
    assert len(world.sensors) == len(set(told)) == 2
    for name in world.sensors:
        assert any(text.endswith(f"is called '{name.removeprefix('m/')}'") for text in told)


def test_a_sensor_that_cannot_be_is_left_out(tmp_path):
    sensors = "<sensor name='ft' type='force_torque'/><sensor name='imu' type='imu'/>"
    path = sdf(tmp_path, f"<model name='m'><link name='l'>{sensors}</link></model>")
    world = World.load(path)
    assert set(world.sensors) == {"m/imu"}
    (note,) = world.report.of(NoteKind.WARNING)
    assert note.culprit == "sensor 'm/ft'"
    assert note.text.startswith("left out: ")
    with pytest.raises(DescriptionError, match=r"refused by strict=True: .*'m/ft': left out"):
        World.load(path, strict=True)


@pytest.mark.parametrize("self_collide", [False, True])
def test_parts_of_a_model_touch_as_it_says(tmp_path, self_collide):
    """Two balls that no joint connects, one above the other; others always touch."""
    links = "".join(
        f"<link name='{name}'><pose>0 0 {z} 0 0 0</pose><collision name='c'>{BALL}</collision>"
        "</link>"
        for name, z in (("low", 1.0), ("high", 1.15))
    )
    flag = f"<self_collide>{int(self_collide)}</self_collide>"
    model = "<model name='{}'><pose>{} 0 0 0 0 0</pose>{}</model>"
    inside = model.format("m", 0, flag + links) + model.format("other", 0.05, flag + links)
    world = World.load(sdf(tmp_path, inside))
    world.step()
    pairs = [sorted((contact.body_a, contact.body_b)) for contact in world.contacts]
    models = {tuple(body.split("/")[0].split("#")[0] for body in pair) for pair in pairs}
    assert ("m", "other") in models
    assert (("m", "m") in models) is self_collide


def test_a_light_on_a_link_moves_with_it(tmp_path):
    light = (
        "<light name='lamp' type='spot'><pose>0 0 0.5 0 0 0</pose><direction>1 0 0</direction>"
        "</light>"
    )
    model = "<model name='{}'><pose>{} 0 3 0 0 0</pose><link name='l'>{}</link></model>"
    path = sdf(tmp_path, model.format("m", 1, light) + model.format("n", 2, light))
    world = World.load(path)
    assert [world.model.light(k).name for k in range(world.model.nlight)] == [
        "m/l/lamp", "n/l/lamp"
    ]  # fmt: skip
    data = world.forward()
    np.testing.assert_allclose(data.light_xpos, [(1, 0, 3.5), (2, 0, 3.5)], atol=1e-9)
    np.testing.assert_allclose(data.light_xdir, [(1, 0, 0)] * 2, atol=1e-9)
    world.step(50)
    assert world.forward().light_xpos[0, 2] < 3.49


def test_a_file_may_be_called_world(tmp_path):
    path = tmp_path / "world.sdf"
    path.write_text("<sdf version='1.9'><world name='w'/></sdf>")
    assert World.load(path).scene.name == "scene"


# --- robots ---

ARM = """<robot name="{name}"><link name="{root}"><inertial><mass value="1"/>{inertia}</inertial>
</link><link name="tip"><inertial><mass value="1"/>{inertia}</inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="{root}"/><child link="tip"/><axis xyz="0 1 0"/>
<limit effort="9" velocity="9"/></joint></robot>"""
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'


def arm(folder: Path, name: str = "arm", root: str = "base") -> Path:
    path = folder / "r.urdf"
    path.write_text(ARM.format(name=name, root=root, inertia=INERTIA))
    return path


@pytest.mark.parametrize(("name", "root"), [("arm", "ground"), ("ground", "base")])
def test_the_ground_has_a_name_of_its_own(tmp_path, name, root):
    world = World.from_robot(load_robot(arm(tmp_path, name, root)), ground=True)
    assert list(world.objects) == ["ground_"]
    assert {"ground_", root, "tip"} <= set(world.tf.get_all_frames())
    text = "ground: is called 'ground_', since the robot has something called 'ground'"
    assert text in str(world.report)
    assert "is called" not in str(World.from_robot(load_robot(arm(tmp_path)), ground=True).report)


def test_a_held_robot_that_starts_in_the_ground_stays(tmp_path):
    robot = load_robot(arm(tmp_path), base="fixed")
    world = World.from_robot(robot, ground=True, strict=True)
    assert "link 'arm/tip': it starts inside 'ground' and is held; the two do not touch" in str(
        world.report
    )
    world.step(20)
    assert not world.contacts
    free = World.from_robot(load_robot(arm(tmp_path), base="floating"), ground=True)
    free.step(200)
    assert any("ground" in (contact.body_a, contact.body_b) for contact in free.contacts)


# --- MJCF ---

POLE = """<mujoco><option {}/><worldbody><body name="pole"><joint name="j" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 1" size=".02"/></body></worldbody></mujoco>"""


def pole(folder: Path, options: str, name: str = "pole.xml") -> Path:
    path = folder / name
    path.write_text(POLE.format(options))
    return path


def test_the_options_of_a_file_are_those_of_its_world(tmp_path):
    options = (
        'timestep="0.0005" gravity="0 0 -1.6" integrator="RK4" solver="PGS" cone="pyramidal" '
        'noslip_iterations="3" tolerance="1e-9" impratio="2" density="1.2" viscosity="1e-5" '
        'wind="1 0 0"'
    )
    path = pole(tmp_path, options)
    (tmp_path / "s.yaml").write_text("robots: [{name: p, model: pole.xml}]")
    peer = mujoco.MjModel.from_xml_path(str(path)).opt
    for world in (World.from_robot(load_robot(path)), World.load(tmp_path / "s.yaml")):
        own = world.model.opt
        for name in ("timestep", "integrator", "solver", "cone", "tolerance"):
            assert getattr(own, name) == getattr(peer, name), name
        for name in ("impratio", "density", "viscosity", "noslip_iterations"):
            assert getattr(own, name) == getattr(peer, name), name
        np.testing.assert_array_equal(own.gravity, peer.gravity)
        np.testing.assert_array_equal(own.wind, peer.wind)
    assert "timestep='0.0005'" in str(load_robot(path).report)


def test_a_scene_decides_and_of_several_robots_the_smallest_step(tmp_path):
    pole(tmp_path, 'timestep="0.002" gravity="0 0 -1"', "a.xml")
    pole(tmp_path, 'timestep="0.001" gravity="0 0 -2"', "b.xml")
    robots = "robots: [{name: a, model: a.xml}, {name: b, model: b.xml}]\n"
    (tmp_path / "s.yaml").write_text(robots)
    world = World.load(tmp_path / "s.yaml")
    assert (world.timestep, world.model.opt.gravity[2]) == (0.001, -1.0)
    (tmp_path / "s.yaml").write_text(f"{robots}physics: {{timestep: 0.01}}")
    world = World.load(tmp_path / "s.yaml")
    assert (world.timestep, world.model.opt.gravity[2]) == (0.01, -1.0)
