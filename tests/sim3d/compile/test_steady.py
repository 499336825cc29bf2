"""Robots with springs that are too stiff for explicit steps get an integrator that follows them."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest

from horus_sim.errors import PhysicsError
from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.physics import PhysicsConfig

MASS, REACH, INERTIA = 0.1, 0.1, 1e-4
ARM = """<robot name="leaf"><link name="world"/><link name="blade"><inertial>
<origin xyz="{reach} 0 0"/><mass value="{mass}"/>
<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="leaf" type="continuous"><parent link="world"/><child link="blade"/><axis xyz="0 1 0"/>
<limit effort="0" velocity="9"/></joint>
<gazebo reference="leaf"><springStiffness>{stiffness}</springStiffness></gazebo></robot>"""


def leaf(folder: Path, stiffness: float) -> Path:
    path = folder / "leaf.urdf"
    path.write_text(ARM.format(reach=REACH, mass=MASS, inertia=INERTIA, stiffness=stiffness))
    return path


def test_a_stiff_spring_holds_its_load(tmp_path: Path):
    """About 870 rad/s, 3.6 rad a step: it sags by the weight over the stiffness."""
    stiffness = 830.0
    world = World.from_robot(load_robot(leaf(tmp_path, stiffness)))
    world.step(480)
    sag = MASS * 9.81 * REACH / stiffness
    assert world.robots["leaf"].joint_positions()[0] == pytest.approx(sag, rel=0.01)
    text = (
        "physics.integrator: is 'discrete', since the spring of joint 'leaf/leaf' is stiff for "
        "steps of 0.00417 s, unless the scene names another one"
    )
    assert text in str(world.report)


def test_without_it_the_spring_diverges(tmp_path: Path):
    physics = PhysicsConfig(integrator="implicitfast")
    world = World.from_robot(load_robot(leaf(tmp_path, 830.0)), physics=physics)
    assert "physics.integrator" not in str(world.report)
    with pytest.raises(PhysicsError, match="diverged"):
        world.step(480)


def test_short_steps_and_soft_springs_need_no_other_one(tmp_path: Path):
    stiff = load_robot(leaf(tmp_path, 830.0))
    short = World.from_robot(stiff, physics=PhysicsConfig(timestep=0.0005))
    soft = World.from_robot(load_robot(leaf(tmp_path, 5.0)))
    for world in (short, soft):
        assert world.model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        world.step(48)


def test_in_scenes_and_when_spawned(tmp_path: Path):
    path = leaf(tmp_path, 830.0)
    (tmp_path / "s.yaml").write_text("robots: [{name: r, model: leaf.urdf}]")
    spawned = World.load("empty_world")
    spawned.spawn(load_robot(path))
    for world in (World.load(tmp_path / "s.yaml"), spawned):
        assert world.model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    (tmp_path / "s.yaml").write_text(
        "robots: [{name: r, model: leaf.urdf}]\nphysics: {integrator: euler}"
    )
    world = World.load(tmp_path / "s.yaml")
    assert world.model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER
