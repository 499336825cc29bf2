"""What MuJoCo's compiler refuses is told with the user's file, line and element."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from horus_sim.errors import Sim3dError
from horus_sim.robots import load_robot
from horus_sim.sim3d import World

LIGHT = '<inertial><mass value="1e-16"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
URDF = (
    '<robot name="r">\n<link name="a"/>\n'
    f'<link name="b">{LIGHT}</link>\n'
    '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
)
CAUSE = "mass and inertia of moving bodies must be larger than mjMINVAL$"


def test_a_link_of_urdf(tmp_path: Path):
    path = tmp_path / "r.urdf"
    path.write_text(URDF)
    robot = load_robot(path)
    place = re.escape(f"{path}, line 3: <link> 'b': ")
    with pytest.raises(Sim3dError, match=f"^{place}world 'robot' cannot be comp.*: 'r/b': {CAUSE}"):
        World.from_robot(robot)
    path.unlink()
    with pytest.raises(Sim3dError, match=f"^{re.escape(str(path))}: world 'robot' cannot be"):
        World.from_robot(robot)


def test_a_link_of_a_nested_model(tmp_path: Path):
    path = tmp_path / "m.sdf"
    path.write_text(
        "<sdf version='1.9'><model name='m'><model name='inner'>\n"
        "<link name='b'><inertial><mass>1e-16</mass></inertial></link></model></model></sdf>"
    )
    place = re.escape(f"{path}, line 2: <link> 'b': ")
    with pytest.raises(Sim3dError, match=f"^{place}world 'm' cannot be compiled: .*{CAUSE}"):
        World.load(path)


def test_a_body_of_mjcf_in_a_scene(tmp_path: Path):
    (tmp_path / "r.xml").write_text(
        "<mujoco><worldbody><body name='a'><freejoint/>\n<geom size='.1'/></body></worldbody>\n"
        "<contact>\n<exclude name='e' body1='a' body2='b'/></contact></mujoco>"
    )
    scene = tmp_path / "s.yaml"
    scene.write_text("robots: [{name: r, model: r.xml}]")
    with pytest.raises(Sim3dError, match=r"r\.xml, line 4: <exclude> 'e': MuJoCo cannot load it"):
        World.load(scene)
