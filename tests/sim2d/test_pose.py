"""Poses in the plane against matrices and complex numbers."""

from __future__ import annotations

import cmath
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.sim2d import BatchSimulator, Pose2D, Simulator, load_scenario

LENGTHS = st.floats(-100, 100)
POSES = st.builds(Pose2D, LENGTHS, LENGTHS, st.floats(-6.2, 6.2))


def matrix(pose):
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.array([[c, -s, pose[0]], [s, c, pose[1]], [0, 0, 1]])


@given(POSES, POSES)
def test_composition_is_that_of_matrices(a, b):
    np.testing.assert_allclose(matrix(a.compose(b)), matrix(a) @ matrix(b), atol=1e-12)
    assert a.compose(tuple(b)) == a.compose(b)


@given(POSES)
def test_the_inverse_undoes_a_pose(pose):
    np.testing.assert_allclose(matrix(pose.inverse()), np.linalg.inv(matrix(pose)), atol=1e-11)
    assert pose.compose(pose.inverse()) == pytest.approx((0, 0, 0), abs=1e-12)


@given(POSES, LENGTHS, LENGTHS)
def test_points_are_turned_as_complex_numbers_are(pose, x, y):
    expected = complex(pose.x, pose.y) + cmath.exp(1j * pose.theta) * complex(x, y)
    assert complex(*pose.transform_point((x, y))) == pytest.approx(expected, abs=1e-10)


def test_a_pose_is_a_tuple_and_goes_to_and_from_lists_and_dictionaries():
    pose = Pose2D(1.0, 2.0, 3.0)
    x, y, theta = pose
    assert (x, y, theta) == pose == (1.0, 2.0, 3.0)
    assert Pose2D(*json.loads(json.dumps(pose))) == pose
    assert Pose2D(**pose._asdict()) == pose
    assert Pose2D() == (0, 0, 0)


def test_bodies_robots_and_starts_have_poses():
    scenario = load_scenario("trailer")
    sim = Simulator(scenario)
    (spec,) = scenario.robots
    robot = sim.robots[spec.id]
    for config in spec.config.bodies:
        assert robot.bodies[config.name].pose == spec.spawn_pose.compose(config.pose)
    assert isinstance(robot.pose, Pose2D)
    # The sensor of a body that moves is where its mount says.
    sim.run(1.0)
    tree = sim.publish_frames()
    slot = next(iter(sim.layout.sensors.values()))
    T_world_sensor = tree.lookup_transform(f"{spec.id}/{slot.config.name}", "world")
    expected = robot.bodies[slot.config.body].pose.compose(slot.config.mount_pose)
    assert T_world_sensor.translation[:2] == pytest.approx(expected[:2], abs=1e-12)
    batch = BatchSimulator(scenario, 1, 1)
    batch.set_pose(0, "trailer", robot.pose)
    index = batch.layout.bodies[f"{spec.id}/trailer"]
    assert Pose2D(*batch.poses[0, index]) == robot.pose
