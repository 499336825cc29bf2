"""Models of tasks take their numbers from the files of the robots; they are those of training."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.rl.models import arm_model, navigation_model, racing_model
from horus_sim.rl.models.robot_facts import RobotFacts
from horus_sim.rl.tasks.navigation import NavigationConfig
from horus_sim.robots import load_robot
from horus_sim.robots.description import Box, Cylinder, JointType


def test_the_turtlebot_is_that_of_its_policies():
    model = navigation_model
    assert model.WHEELS == ("wheel_left_joint", "wheel_right_joint")
    wheels = (model.WHEEL_RADIUS, model.WHEEL_SEPARATION, model.WHEEL_SPEED)
    assert wheels == (0.033, 0.160, 6.885)
    assert model.LIDAR_X == -0.032
    assert NavigationConfig().lidar.range == model.lidar_range() == 3.5


def test_the_race_car_is_that_of_its_policy():
    model = racing_model
    assert model.STEERING == ("left_steering_joint", "right_steering_joint")
    assert (
        tuple(
            f"{side}_{end}_wheel_joint" for end in ("front", "rear") for side in ("left", "right")
        )
        == model.DRIVEN
    )
    assert (model.WHEELBASE, model.WHEEL_RADIUS) == (0.3302, 0.05)
    assert (model.LASER_X, model.LASER_Z) == (0.27, 0.16)
    places = [[0.3302, 0.1325], [0.3302, -0.1325], [0.0, 0.1325], [0.0, -0.1325]]
    assert model._WHEELS.tolist() == places
    inner = racing_model.ackermann(np.ones(1), np.full(1, model.LARGEST_STEERING))[0].max()
    assert inner < RobotFacts("racecar").joints[model.STEERING[0]].limit.upper


def test_the_arm_is_that_of_its_policies():
    model = arm_model
    assert len(model.JOINTS) == 6
    assert model.JOINTS[0] == "shoulder_pan_joint"
    assert model.FINGERS == ("left_finger_joint", "right_finger_joint")
    assert (model.OPEN, model.SHOULDER_HEIGHT, model.GRASP_LENGTH) == (0.025, 0.1625, 0.14)
    lengths = (model._UPPER, model._FORE, model._ASIDE, model._OUT, model._DOWN)
    assert lengths == (0.425, 0.3922, 0.1333, 0.0997, 0.0996 + 0.14)


def corners(name: str) -> np.ndarray:
    """Corners of a robot's boxes and upright cylinders seen from above, x and y [m]."""
    robot, facts = load_robot(name), RobotFacts(name)
    found = []
    for link in robot.links.values():
        for shape in link.collisions:
            if isinstance(shape.geometry, Box):
                half = np.array(shape.geometry.size[:2]) / 2
            elif isinstance(shape.geometry, Cylinder) and "wheel" in link.name:
                half = np.array([shape.geometry.radius, shape.geometry.length / 2])
            else:
                continue
            middle = np.add(facts.place(link.name), shape.T_link_collision.translation)[:2]
            found += [middle + half * sign for sign in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
    return np.array(found)


def test_hulls_hold_the_shapes_of_the_robots():
    away = corners("turtlebot3_burger") - (navigation_model.HULL_CENTRE, 0.0)
    farthest = np.hypot(*away.T).max()
    assert navigation_model.HULL_RADIUS - 0.001 < farthest <= navigation_model.HULL_RADIUS
    hull, shapes = racing_model.HULL, corners("racecar")
    assert (shapes >= hull.min(axis=0) - 1e-9).all()
    assert (shapes <= hull.max(axis=0) + 1e-9).all()
    np.testing.assert_allclose(shapes[:, 0].min(), hull[:, 0].min())
    np.testing.assert_allclose(shapes[:, 0].max(), hull[:, 0].max())


def test_a_joint_without_a_wheel_has_no_radius():
    facts = RobotFacts("racecar")
    with pytest.raises(ValueError, match="turns no wheel; give one whose link is a cylinder"):
        facts.wheel_radius(facts.names(JointType.REVOLUTE)[0])
