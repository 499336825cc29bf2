"""Robots in MuJoCo's own format inside a world."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from horus_sim.sim3d import World, load_robot
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
