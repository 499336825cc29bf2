"""The transform tree of HORUS programs: frames added by hand, and those of a robot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from horus_sim.errors import InvalidTransformError, UnknownFrameError
from horus_sim.library.tf import TFTree, Transform
from horus_sim.robots import load_robot


@pytest.fixture
def tree() -> Iterator[TFTree]:
    found = TFTree(session="library-test")
    yield found
    found.close()


def test_transform_chain(tree):
    tree.add_frame("base", "world", Transform((1.0, 0.0, 0.0)))
    tree.add_frame("sensor", "base", Transform((0.0, 0.0, 0.5)))
    np.testing.assert_allclose(tree.get_transform("world", "sensor").translation, (1.0, 0.0, 0.5))
    np.testing.assert_allclose(tree.get_transform("sensor", "world").translation, (-1.0, 0.0, -0.5))
    assert tree.get_transform("base", "base") == Transform()


def test_a_chain_with_rotations_is_composed_in_order(tree):
    T_world_base = Transform.from_euler((1.0, 2.0, 0.0), (0.0, 0.0, np.pi / 2))
    T_base_sensor = Transform.from_euler((0.5, 0.0, 0.0), (0.3, 0.0, 0.0))
    tree.add_frame("base", "world", T_world_base)
    tree.add_frame("sensor", "base", T_base_sensor)
    found = tree.get_transform("world", "sensor").to_matrix()
    np.testing.assert_allclose(found, (T_world_base @ T_base_sensor).to_matrix(), atol=1e-15)


def test_frames_move(tree):
    tree.add_frame("base", "world")
    tree.update_frame("base", Transform((0.0, 3.0, 0.0)))
    np.testing.assert_allclose(tree.get_transform("world", "base").translation, (0.0, 3.0, 0.0))
    with pytest.raises(UnknownFrameError, match="'bse' is not in the tree; did you mean 'base'"):
        tree.update_frame("bse", Transform())
    with pytest.raises(InvalidTransformError, match="'world' is a root; only frames with a parent"):
        tree.update_frame("world", Transform())


def test_a_parent_must_be_known(tree):
    with pytest.raises(UnknownFrameError, match="'base' is not in the tree"):
        tree.add_frame("sensor", "base")


def test_the_frames_of_a_robot():
    tree = TFTree.from_urdf("turtlebot3_burger", session="library-test-urdf")
    robot = load_robot("turtlebot3_burger")
    assert {"world", *robot.links} <= set(tree.get_all_frames())
    expected = robot.tf_tree()
    for link in robot.links:
        T_root_link = tree.get_transform(robot.description.root, link)
        wanted = expected.frame_pose(link, robot.description.root)
        np.testing.assert_allclose(T_root_link.to_matrix(), wanted.to_matrix(), atol=1e-15)
    assert tree.get_transform("world", robot.description.root) == Transform()
    tree.close()
