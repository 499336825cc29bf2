"""Robots in MuJoCo's own format inside a world."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from horus_sim.errors import CommandError
from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.tf import Transform

CART = """
<mujoco model="cart">
  <worldbody>
    <body name="rail">
      <geom type="box" size="1 0.05 0.02"/>
      <body name="cart" pos="0 0 0.1">
        <joint name="slide" type="slide" axis="1 0 0" range="-0.9 0.9" limited="true"/>
        <geom type="box" size="0.1 0.05 0.05" mass="1"/>
        <body pos="0 0 0.1">
          <joint type="hinge" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02" mass="0.1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="slide"/></actuator>
</mujoco>
"""


def test_an_mjcf_robot_runs_moves_and_has_frames(tmp_path: Path):
    path = tmp_path / "cart.xml"
    path.write_text(CART)
    world = World.from_robot(load_robot(path))
    robot = next(iter(world.robots.values()))
    assert robot.joint_names[0] == "slide"
    assert len(robot.joint_names) == 2
    robot.set_joint_positions({"slide": 0.3})
    np.testing.assert_allclose(
        world.tf.lookup_transform("cart", "world").translation, (0.3, 0.0, 0.1), atol=1e-12
    )
    world.move(robot.name, Transform((0.0, 2.0, 0.0)))
    np.testing.assert_allclose(
        world.tf.lookup_transform("cart", "world").translation, (0.3, 2.0, 0.1), atol=1e-12
    )
    world.step(50)
    world.remove(robot.name)
    assert world.model.nv == 0


HOPPER = """
<mujoco model="hop">
  <option timestep="0.002" gravity="0 0 -3"/>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="torso" pos="0 0 1" euler="0 0 90">
      <freejoint name="root"/>
      <geom type="capsule" fromto="0 0 0 0 0 .4" size=".05"/>
      <body name="leg">
        <joint name="hip" axis="0 1 0" range="-60 60"/>
        <geom name="shin" type="capsule" fromto="0 0 0 0 0 -.4" size=".04"/>
      </body>
    </body>
  </worldbody>
  <contact><pair geom1="floor" geom2="shin"/></contact>
  <actuator>{}</actuator>
  <sensor><actuatorfrc actuator="m"/><jointpos joint="hip"/></sensor>
  <keyframe><key ctrl="1"/></keyframe>
</mujoco>
"""


@pytest.mark.parametrize(
    "actuator",
    [
        "<motor name='m' joint='hip' gear='10' ctrlrange='-1 1'/>",
        "<position name='m' joint='hip' kp='7' dampratio='1' inheritrange='1'/>",
        "<velocity name='m' joint='hip' kv='3'/>",
        "<intvelocity name='m' joint='hip' kp='3' actrange='-1 1'/>",
        "<position name='m' joint='hip' kp='7'/><velocity joint='hip' kv='1'/>",
    ],
)
def test_joints_with_an_actuator_take_commands(tmp_path: Path, actuator: str):
    path = tmp_path / "hopper.xml"
    path.write_text(HOPPER.format(actuator))
    robot = load_robot(path)
    world = World.from_robot(robot, physics=PhysicsConfig(gravity=(0.0, 0.0, 0.0)))
    handle = next(iter(world.robots.values()))
    assert world.model.nu == 1
    assert handle.lower[0] == pytest.approx(-np.pi / 3)
    np.testing.assert_allclose(handle.pose.translation, (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(handle.pose.to_euler(), (0, 0, np.pi / 2), atol=1e-12)
    assert not handle.command({"hip": 0.3}).clamped
    world.step(240)
    assert handle.joint_positions()[0] == pytest.approx(0.3, abs=1e-3)
    text = str(robot.report)
    assert "timestep='0.002', gravity='0 0 -3': taken for the world, unless its scene" in text
    assert world.timestep == 0.002
    assert world.model.opt.gravity[2] == 0.0
    assert "<geom>: 1 of the world left out" in text
    assert "<keyframe>: 1 used only where a robot on legs stands in one" in text


def test_bounds_of_effort_are_those_of_the_file(tmp_path: Path):
    path = tmp_path / "hopper.xml"
    path.write_text(HOPPER.format("<motor name='m' joint='hip' gear='10' ctrlrange='-1 1'/>"))
    world = World.from_robot(load_robot(path))
    handle = next(iter(world.robots.values()))
    assert handle.effort_limits[0] == 10.0
    handle.command({"hip": 1.0e3}, mode="effort")
    world.step()
    assert handle.joint_efforts()[0] == pytest.approx(10.0)


def test_the_pose_of_the_scene_replaces_that_of_the_file(tmp_path: Path):
    (tmp_path / "hopper.xml").write_text(HOPPER.format("<motor name='m' joint='hip'/>"))
    scene = tmp_path / "s.yaml"
    scene.write_text(
        "robots:\n- {name: a, model: hopper.xml}\n"
        "- {name: b, model: hopper.xml, pose: {xyz: [3, 0, 2]}}\n"
    )
    world = World.load(scene)
    np.testing.assert_allclose(world.robots["a"].pose.translation, (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(world.robots["b"].pose.translation, (3, 0, 2), atol=1e-12)
    np.testing.assert_allclose(world.robots["b"].pose.to_euler(), (0, 0, 0), atol=1e-12)
    world.robots["a"].command({"hip": 0.2})
    world.step(10)
    state = world.snapshot()
    world.step(10)
    world.apply_snapshot(state)
    world.spawn(load_robot(tmp_path / "hopper.xml"), name="c", pose=Transform((6, 0, 1)))
    np.testing.assert_allclose(world.robots["c"].pose.translation, (6, 0, 1), atol=1e-12)


def test_other_actuators_are_kept_and_noted(tmp_path: Path):
    path = tmp_path / "t.xml"
    path.write_text(
        "<mujoco><worldbody><body name='a' pos='0 0 1'><joint name='j' axis='0 1 0'/>"
        "<geom size='.1' pos='0 0 -.2'/><body name='c'><joint name='k' axis='0 1 0'/>"
        "<geom size='.1' pos='0 0 -.4'/></body></body></worldbody>"
        "<tendon><fixed name='f'><joint joint='j' coef='1'/></fixed></tendon>"
        "<actuator><position name='k' tendon='f' kp='10'/><motor name='x' joint='k'/></actuator>"
        "</mujoco>"
    )
    robot = load_robot(path)
    assert "1 act on tendons, sites or bodies" in str(robot.report)
    world = World.from_robot(robot)
    handle = next(iter(world.robots.values()))
    assert world.model.nu == 2
    with pytest.raises(CommandError, match="has no driven joint 'j'"):
        handle.command({"j": 0.1})
    handle.command({"k": 0.1})
    world.move(handle.name, Transform((0, 5, 0)))
    np.testing.assert_allclose(handle.link_pose("a").translation, (0, 5, 1), atol=1e-12)


def test_two_robots_share_a_world_with_meshes_of_the_same_name(tmp_path: Path):
    for name, size in (("one", 0.1), ("two", 0.3)):
        (tmp_path / name).mkdir()
        trimesh.creation.box((size, size, size)).export(tmp_path / name / "m.stl")
        (tmp_path / name / "r.xml").write_text(
            "<mujoco><asset><mesh file='m.stl'/></asset><worldbody><body name='a'><freejoint/>"
            "<geom type='mesh' mesh='m' density='1000'/></body></worldbody></mujoco>"
        )
    world = World.from_robot(load_robot(tmp_path / "one" / "r.xml", name="one"))
    world.spawn(load_robot(tmp_path / "two" / "r.xml"), name="two", pose=Transform((3, 0, 0)))
    masses = [float(world.model.body(f"{name}/a").mass[0]) for name in ("one", "two")]
    np.testing.assert_allclose(masses, (1.0, 27.0), rtol=1e-6)


PAIRED = """<mujoco model="paired"><worldbody>
<geom name="floor" type="plane" size="0 0 1"/>
<body name="foot" pos="0 0 1"><freejoint/>
<geom name="sole" type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0"/>
<geom name="heel" type="box" size="0.1 0.1 0.3" contype="0" conaffinity="0"/>
<body name="toe" pos="0.15 0 0"><joint axis="0 1 0"/>
<geom name="tip" type="sphere" size="0.1" contype="0" conaffinity="0"/></body></body></worldbody>
{pairs}</mujoco>"""
PAIRS = """<contact><pair geom1="{}" geom2="{}" condim="1" friction="0.2 0.2"/>
<pair geom1="floor" geom2="tip"/></contact>"""


@pytest.mark.parametrize("names", [("sole", "floor"), ("floor", "sole")])
def test_pairs_with_the_ground_of_the_file_hold_for_that_of_the_scene(tmp_path: Path, names):
    """As in robots for MJX: the sole and the tip touch the ground, and nothing touches the rest."""
    path = tmp_path / "paired.xml"
    path.write_text(PAIRED.format(pairs=PAIRS.format(*names)))
    robot = load_robot(path)
    assert "falls through" not in str(robot.report)
    world = World.from_robot(robot, ground=True)
    world.step(480)
    assert world.robots["paired"].pose.translation[2] == pytest.approx(0.1, abs=1e-3)
    assert {contact.body_b for contact in world.contacts} == {"paired/foot", "paired/toe"}
    sole = world.model.geom("paired/sole")
    assert (sole.condim[0], sole.friction[0]) == (1, 0.2)
    assert world.model.geom("paired/heel").contype[0] == 0


def test_a_robot_without_shapes_that_touch_says_that_it_falls(tmp_path: Path):
    path = tmp_path / "paired.xml"
    path.write_text(PAIRED.format(pairs=""))
    assert (
        "robot 'paired': it floats and has no shape that touches, since all have contype and "
        "conaffinity 0: it falls through the ground"
    ) in str(load_robot(path).report)
