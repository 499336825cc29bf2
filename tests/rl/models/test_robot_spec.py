"""What of a robot touches, by what shapes, and how its joints are driven."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from horus_sim.errors import UnknownTaskError
from horus_sim.rl.models.robot_spec import drive_by_position, robot_spec
from horus_sim.robots.engine import mujoco

# Two links that overlap, and a foot below them.
URDF = """
<robot name="stool">
  <link name="seat">{inertial}<collision><geometry>{shape}</geometry></collision></link>
  <link name="lever">{inertial}
    <collision><geometry><box size=".1 .1 .1"/></geometry></collision></link>
  <link name="foot">{inertial}
    <collision><geometry><sphere radius=".05"/></geometry></collision></link>
  <joint name="tilt" type="revolute"><parent link="seat"/><child link="knob"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
  <link name="knob">{inertial}</link>
  <joint name="swing" type="revolute"><parent link="knob"/><child link="lever"/>
    <origin xyz=".12 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
  <joint name="stand" type="fixed"><parent link="seat"/><child link="foot"/>
    <origin xyz="0 0 -.2"/></joint>
</robot>
"""
INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)


@pytest.fixture
def stool(tmp_path: Path) -> Path:
    """A robot whose seat is a mesh of a box of 0.2 m, with 866 corners."""
    trimesh.creation.box((0.2, 0.2, 0.2)).subdivide_loop(0).export(tmp_path / "seat.stl")
    path = tmp_path / "stool.urdf"
    path.write_text(URDF.format(inertial=INERTIAL, shape='<mesh filename="seat.stl"/>'))
    return path


def touching(stool: Path, **options) -> set[frozenset[str]]:
    """Pairs of links, or a link and the floor, that touch where the seat is 0.24 m high."""
    spec, _ = robot_spec(stool, "floating", **options)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(9, 9, 1))
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[2] = 0.24
    mujoco.mj_forward(model, data)
    return {
        frozenset(model.geom(each).name.split("#")[0] for each in (contact.geom1, contact.geom2))
        for contact in data.contact
    }


def test_all_touches_unless_told(stool):
    assert touching(stool) == {frozenset({"seat", "lever"}), frozenset({"floor", "foot"})}


def test_without_self_collision_only_what_is_added_touches(stool):
    assert touching(stool, self_collision=False) == {frozenset({"floor", "foot"})}


def test_links_that_touch_can_be_chosen(stool):
    assert touching(stool, contacts=["lever", "foot"]) == {frozenset({"floor", "foot"})}
    assert touching(stool, contacts=["seat", "lever"]) == {frozenset({"seat", "lever"})}
    assert touching(stool, contacts=[]) == set()
    with pytest.raises(UnknownTaskError, match="robot 'stool' has no link 'foo'; did you mean"):
        robot_spec(stool, "floating", contacts=["foo"])


def test_a_solid_stands_for_a_mesh(stool):
    spec, _ = robot_spec(stool, "floating", meshes="box")
    seat = spec.compile().geom("seat#collision0")
    assert seat.type[0] == int(mujoco.mjtGeom.mjGEOM_BOX)
    np.testing.assert_allclose(seat.size, [0.1, 0.1, 0.1], atol=0.01)
    assert touching(stool, meshes="box") == touching(stool)
    seen, _ = robot_spec(stool, "floating", lean=False, meshes="sphere")
    assert seen.compile().geom("seat#collision0").type[0] == int(mujoco.mjtGeom.mjGEOM_SPHERE)


def test_a_drive_holds_a_position_with_given_gains(stool):
    spec, built = robot_spec(stool, "fixed", contacts=[])
    for joint in ("tilt", "swing"):
        drive_by_position(spec, built, joint, stiffness=50.0, damping=4.0)
    model = spec.compile()
    model.opt.gravity[:] = 0.0
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.3, -0.2
    mujoco.mj_forward(model, data)
    # 50 N m/rad times 0.3 and -0.2 rad, cut off at the effort of 5 N m.
    np.testing.assert_allclose(data.actuator_force, [5.0, -5.0], atol=1e-9)
    mujoco.mj_step(model, data, 2000)
    np.testing.assert_allclose(data.qpos, [0.3, -0.2], atol=1e-3)
    with pytest.raises(UnknownTaskError, match="has no joint with a drive 'stand'"):
        drive_by_position(spec, built, "stand")
