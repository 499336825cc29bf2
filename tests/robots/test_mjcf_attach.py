"""MJCF files that attach bodies of others: as MuJoCo does, and never outside the folders."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import trimesh

from horus_sim.errors import DescriptionError
from horus_sim.robots import load_robot
from horus_sim.sim3d import World

HAND = """<mujoco model="hand"><compiler angle="radian" meshdir="parts"/>
<option timestep="0.5"/><asset><mesh name="palm" file="palm.stl"/></asset>
<default><geom rgba="1 0 0 1"/></default>
<worldbody><geom type="plane" size="1 1 1"/>
<body name="palm" pos="0.1 0 0"><geom type="mesh" mesh="palm"/>
<body name="finger" pos="0 0 .2"><joint name="bend" axis="0 1 0" range="-1 1"/>
<geom size=".02"/></body></body></worldbody></mujoco>"""
ARM = """<mujoco model="arm"><asset><model name="hand" file="hand/hand.xml"/></asset>
<worldbody><body name="base"><geom size=".1"/>
<body name="arm" pos="0 0 1" euler="0 0 90"><joint name="lift" axis="0 1 0"/>
<geom size=".05"/>{}</body></body></worldbody></mujoco>"""
ATTACH = '<attach model="hand" body="palm" prefix="{}_"/>'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hand" / "parts").mkdir(parents=True)
    trimesh.creation.box((0.1, 0.2, 0.05)).export(tmp_path / "hand/parts/palm.stl")
    (tmp_path / "hand/hand.xml").write_text(HAND)
    return tmp_path


def test_attached_bodies_stand_where_mujoco_puts_them(folder):
    path = folder / "arm.xml"
    path.write_text(ARM.format(ATTACH.format("left") + ATTACH.format("right")))
    robot = load_robot(path)
    assert robot.joint_names == ("lift", "left_bend", "right_bend")
    world = World.from_robot(robot)
    peer = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    (handle,) = world.robots.values()
    for name in ("arm", "left_palm", "left_finger", "right_palm", "right_finger"):
        found = world.data.xpos[handle.body_id(name)]
        np.testing.assert_allclose(found, data.body(name).xpos, atol=1e-9)
        body = world.model.body(handle.body_id(name))
        np.testing.assert_allclose(body.mass, peer.body(name).mass, rtol=1e-9)


def test_a_body_that_is_not_there(folder):
    (folder / "arm.xml").write_text(ARM.format('<attach model="hand" body="thumb" prefix="x"/>'))
    with pytest.raises(
        DescriptionError, match=r"hand.xml: <attach> names body 'thumb', .* has 'world', 'palm'"
    ):
        load_robot(folder / "arm.xml")


def test_a_model_that_is_not_there(folder):
    (folder / "arm.xml").write_text(ARM.format('<attach model="foot" body="palm" prefix="x"/>'))
    with pytest.raises(
        DescriptionError, match="line 4: <attach> names model 'foot', which is not there: 'hand'"
    ):
        load_robot(folder / "arm.xml")


def test_files_that_attach_each_other_end(folder):
    (folder / "hand/hand.xml").write_text(
        HAND.replace("<asset>", "<asset><model name='arm' file='../arm.xml'/>")
    )
    (folder / "arm.xml").write_text(ARM.format(ATTACH.format("x")))
    with pytest.raises(DescriptionError, match=r"arm\.xml' is attached to itself, or more than"):
        load_robot(folder / "arm.xml", package_roots=[folder])


def test_several_robots_of_one_file_move_side_by_side(tmp_path):
    robots = "".join(
        f'<body name="{name}" pos="{x} 0 1">{root}<geom size=".1"/>'
        f'<body name="{name}1" pos="0 0 .3"><joint name="j{name}" axis="0 1 0"/>'
        '<geom size=".05"/></body></body>'
        for name, x, root in (("a", 0, "<freejoint/>"), ("b", 1, "<freejoint/>"), ("c", 2, ""))
    )
    (tmp_path / "two.xml").write_text(f"<mujoco><worldbody>{robots}</worldbody></mujoco>")
    robot = load_robot(tmp_path / "two.xml")
    world = World.from_robot(robot)
    world.step(48)
    (handle,) = world.robots.values()
    heights = {name: world.forward().xpos[handle.body_id(name)][2] for name in "abc"}
    fallen = 0.5 * 9.81 * (48 / 240) ** 2
    assert heights == pytest.approx({"a": 1 - fallen, "b": 1 - fallen, "c": 1.0}, abs=0.01)
