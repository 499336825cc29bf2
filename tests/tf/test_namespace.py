import numpy as np
import pytest

from horus_sim.tf import InvalidTransformError, TFBuffer, TFTree, Transform, UnknownFrameError


@pytest.fixture
def tree():
    tree = TFTree()
    for x, name in enumerate(("robot1", "robot2"), start=1):
        robot = tree.namespace(name)
        robot.add_static_transform("base", "camera", Transform((0, 0, 0.5)))
        for stamp_ns in (0, 100):
            robot.add_transform("/map", "base", Transform((x, stamp_ns, 0)), stamp_ns)
    return tree


def test_names_get_the_prefix_and_a_slash_is_global(tree):
    assert set(tree.get_all_frames()) == {
        "map",
        "robot1/base",
        "robot1/camera",
        "robot2/base",
        "robot2/camera",
    }
    robot1 = tree.namespace("robot1")
    assert robot1.get_all_frames() == ["base", "camera"]
    assert "camera" in robot1
    assert "/map" in robot1
    assert not robot1.has_frame("map")
    assert repr(robot1) == "<TFNamespace 'robot1': 2 frames>"


def test_every_call_is_that_of_the_tree(tree):
    robot2 = tree.namespace("/robot2/")
    whole = tree.lookup_transform("robot2/camera", "map", 50)
    assert robot2.lookup_transform("camera", "/map", 50) == whole
    assert robot2.frame_pose("camera", "/map", 50) == whole
    assert robot2.frame_pose("/robot1/base", "base").translation.tolist() == [-1, 0, 0]
    assert robot2.can_transform("camera", "/map", 50)
    assert not robot2.can_transform("camera", "/map", 500)
    assert robot2.can_transform("camera", "/map", 500, tolerance_ns=400)
    assert robot2.lookup_stamped("camera", "/map") == (
        robot2.lookup_transform("camera", "/map"),
        100,
    )
    assert robot2.latest_common_time("camera", "/map") == 100
    assert robot2.chain("camera", "/map") == ["robot2/camera", "robot2/base", "map"]
    assert robot2.frame("base").samples == 2
    translations, rotations = robot2.lookup_transforms("camera", "/map", [50])
    assert np.array_equal(translations[0], whole.translation)
    assert np.array_equal(rotations[0], whole.rotation)
    translations, _ = robot2.lookup_many(["camera", "/robot1/camera"], "/map")
    assert translations.tolist() == [[2, 100, 0.5], [1, 100, 0.5]]
    points = robot2.transform_points([[1.0, 0.0, 0.0]], "camera", "/map", 100)
    assert points.tolist() == [[3, 100, 0.5]]
    robot2.remove_frame("base", subtree=True)
    assert robot2.get_all_frames() == []
    assert tree.has_frame("robot1/base")


def test_batches_and_nesting(tree):
    arm = tree.namespace("robot1").namespace("arm")
    arm.add_transforms("/robot1/base", "tip", [0, 10], [[1, 0, 0], [2, 0, 0]], [[0, 0, 0, 1]] * 2)
    assert tree.lookup_transform("robot1/arm/tip", "robot1/base", 5).translation[0] == 1.5


def test_a_buffer_on_a_namespace_waits(tree):
    buffer = TFBuffer(tree.namespace("robot1"))
    assert buffer.wait_for_transform("camera", "/map", timeout=1.0).translation[0] == 1.0
    assert buffer.transform_point((0, 0, 0), "camera", "base").tolist() == [0, 0, 0.5]


@pytest.mark.parametrize("prefix", ["", "/", None, 3])
def test_a_prefix_must_be_a_name(tree, prefix):
    with pytest.raises(InvalidTransformError, match="a namespace must be a name such as 'robot1'"):
        tree.namespace(prefix)


def test_errors_name_the_global_frame(tree):
    robot1 = tree.namespace("robot1")
    with pytest.raises(UnknownFrameError, match="'robot1/camra' is not in the tree; did you mean"):
        robot1.lookup_transform("camra", "base")
    with pytest.raises(InvalidTransformError, match="a frame name is empty in namespace 'robot1'"):
        robot1.lookup_transform("", "base")
    with pytest.raises(InvalidTransformError, match="a frame name must be text, got 3"):
        robot1.has_frame(3)  # pyright: ignore[reportArgumentType]
