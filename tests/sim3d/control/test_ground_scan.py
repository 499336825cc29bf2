"""Heights about a robot, against where things were put."""

from __future__ import annotations

import numpy as np

from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.control.ground_scan import GroundScan
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.tf import Transform


def test_the_ground_is_seen_through_the_robot_and_turns_with_its_heading():
    world = World.load("empty_world")
    step = {"kind": "box", "size": [0.4, 0.4, 0.1]}
    # Ahead of a robot that looks along y.
    world.spawn(
        ObjectConfig.model_validate(
            {"name": "step", "shape": step, "pose": {"xyz": [0.0, 0.6, 0.05]}, "dynamic": False}
        )
    )
    quarter = Transform((0.0, 0.0, 0.4), (0.0, 0.0, np.sin(np.pi / 4), np.cos(np.pi / 4)))
    world.spawn(load_robot("quadruped"), pose=quarter)
    robot = world.robots["quadruped"]
    points = np.array([(0.0, 0.0), (0.18, 0.13), (-0.6, 0.0), (0.5, 0.1), (0.6, -0.1), (0.6, 0.3)])
    servos = robot.control.servos
    body = servos.model.body(servos.robot.root_body).id
    heights = GroundScan(servos.model, servos.data, body, points, 5.0).heights()
    z = robot.pose.translation[2]
    np.testing.assert_allclose(heights + z, (0, 0, 0, 0.1, 0.1, 0), atol=1e-3)
