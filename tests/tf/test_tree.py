"""Frames and the links between them: chains, names, removal, reset, snapshots."""

import copy
import enum
import gc
import math
import pickle
import weakref

import numpy as np
import pytest

from horus_sim.tf import (
    CycleError,
    DisconnectedError,
    FrameInfo,
    InvalidTransformError,
    TFTree,
    Transform,
    UnknownFrameError,
)

from .strategies import bits_of, matrix_of

I = Transform.identity()  # noqa: E741 - as in the literature
NS = 1_000_000_000


def x(metres: float) -> Transform:
    return Transform((metres, 0, 0))


def robot() -> TFTree:
    """map -> odom -> base -> (lidar, arm -> camera), with rotations so that order matters."""
    tree = TFTree()
    tree.add_static_transform("map", "odom", Transform.from_euler((1, 2, 0), (0, 0, math.pi / 2)))
    tree.add_transform("odom", "base", Transform.from_euler((3, 0, 0), (0.1, 0.2, 0.3)), 0)
    tree.add_static_transform("base", "lidar", Transform.from_euler((0, 0, 1), (math.pi, 0, 0)))
    tree.add_transform("base", "arm", Transform.from_euler((0, 1, 0), (0.5, 0, 0)), 0)
    tree.add_static_transform("arm", "camera", Transform.from_euler((0, 0, 2), (0, -1, 0)))
    return tree


# Chains -------------------------------------------------------------------------------------------


def test_a_link_maps_the_child_into_the_parent():
    tree = TFTree()
    T_base_camera = Transform.from_euler((1, 2, 3), (0.1, 0.2, 0.3))
    tree.add_static_transform("base", "camera", T_base_camera)
    p_camera = (0.5, 0.5, 0.5)
    p_base = tree.lookup_transform("camera", "base").transform_point(p_camera)
    np.testing.assert_allclose(p_base, T_base_camera.transform_point(p_camera), atol=1e-15)
    np.testing.assert_allclose(
        tree.lookup_transform("base", "camera").transform_point(p_base), p_camera, atol=1e-15
    )


def test_a_single_link_keeps_its_bits():
    tree = TFTree()
    T = Transform((0.1, 0.2, 0.3), (0.3, 0.1, 0.7, 0.2))
    tree.add_static_transform("a", "b", T)
    tree.add_transform("b", "c", T, 5)
    assert bits_of(tree.lookup_transform("b", "a")) == bits_of(T)
    assert bits_of(tree.lookup_transform("c", "b", 5)) == bits_of(T)


@pytest.mark.parametrize(
    ("source", "target", "links_up", "links_down"),
    [
        ("camera", "map", ["odom", "base", "arm", "camera"], []),
        ("map", "camera", [], ["odom", "base", "arm", "camera"]),
        ("camera", "lidar", ["arm", "camera"], ["lidar"]),
        ("lidar", "arm", ["lidar"], ["arm"]),
        ("base", "base", [], []),
    ],
)
def test_links_are_composed_over_the_common_ancestor(source, target, links_up, links_down):
    tree = robot()
    parents = {info.name: info.parent or "" for info in tree.frames()}

    def product(links):
        matrix = np.eye(4)
        for child in links:
            matrix = matrix @ matrix_of(tree.lookup_transform(child, parents[child]))
        return matrix

    expected = np.linalg.inv(product(links_down)) @ product(links_up)
    actual = tree.lookup_transform(source, target)
    np.testing.assert_allclose(matrix_of(actual), expected, atol=1e-14)


def test_frame_pose_is_the_pose_of_a_frame_in_another():
    tree = robot()
    assert tree.frame_pose("camera", "map") == tree.lookup_transform("camera", "map")
    assert tree.frame_pose("odom", relative_to="map", time=7).translation.tolist() == [1, 2, 0]


def test_links_above_the_common_ancestor_do_not_matter():
    tree = robot()
    tree.add_transform("base", "arm", I, NS)
    tree.add_transform("base", "wheel", I, NS)
    # odom -> base has no data at one second.
    assert tree.can_transform("arm", "wheel", NS)
    assert not tree.can_transform("arm", "odom", NS)


def test_chain_lists_the_frames_on_the_way():
    tree = robot()
    assert tree.chain("camera", "lidar") == ["camera", "arm", "base", "lidar"]
    assert tree.chain("lidar", "map") == ["lidar", "base", "odom", "map"]
    assert tree.chain("map", "lidar") == ["map", "odom", "base", "lidar"]
    assert tree.chain("arm", "arm") == ["arm"]
    with pytest.raises(UnknownFrameError):
        tree.chain("arm", "leg")
    tree.add_static_transform("moon", "crater", I)
    with pytest.raises(DisconnectedError):
        tree.chain("arm", "crater")


def test_a_chain_may_be_long():
    tree = TFTree()
    step = Transform.from_euler((0.1, 0, 0), (0, 0, 2 * math.pi / 1000))
    for i in range(2000):
        tree.add_static_transform(f"f{i}", f"f{i + 1}", step)
    two_turns = tree.lookup_transform("f2000", "f0")
    assert abs(np.linalg.norm(two_turns.rotation) - 1) < 5e-16
    np.testing.assert_allclose(matrix_of(two_turns), np.eye(4), atol=1e-10)
    assert len(tree.chain("f0", "f2000")) == 2001


def test_a_frame_in_itself_is_the_identity_at_any_time():
    tree = robot()
    for time_ns in (None, 0, -5, 10**15):
        assert tree.lookup_transform("base", "base", time_ns) == I


# Statics ------------------------------------------------------------------------------------------


def test_statics_hold_at_all_times_and_have_no_latest():
    tree = TFTree()
    tree.add_static_transform("a", "b", x(1))
    for time_ns in (None, -(2**63), 0, 2**63 - 1):
        assert tree.lookup_transform("b", "a", time_ns) == x(1)
    assert tree.latest_common_time("b", "a") is None
    assert tree.latest_common_time("a", "a") is None
    assert tree.lookup_stamped("b", "a") == (x(1), None)


def test_a_static_can_be_set_again_and_moved_to_another_parent():
    tree = TFTree()
    tree.add_static_transform("a", "b", x(1))
    tree.add_static_transform("a", "b", x(2))
    assert tree.lookup_transform("b", "a") == x(2)
    tree.add_static_transform("a", "c", x(10))
    tree.add_static_transform("c", "b", x(3))
    assert tree.lookup_transform("b", "a").translation.tolist() == [13, 0, 0]
    assert tree.frame("b").parent == "c"


def test_a_static_frame_does_not_move_nor_the_other_way_round():
    tree = TFTree()
    tree.add_static_transform("a", "still", I)
    tree.add_transform("a", "mover", I, 0)
    with pytest.raises(InvalidTransformError, match="'still' is static, so it cannot move"):
        tree.add_transform("a", "still", I, 0)
    with pytest.raises(InvalidTransformError, match="'mover' is moving"):
        tree.add_static_transform("a", "mover", I)
    tree.remove_frame("still")
    tree.add_transform("a", "still", x(1), 0)
    assert tree.lookup_transform("still", "a", 0) == x(1)


# Cycles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moving", [False, True])
def test_a_frame_cannot_become_its_own_ancestor(moving):
    tree = TFTree()

    def add(parent, child):
        if moving:
            tree.add_transform(parent, child, I, 0)
        else:
            tree.add_static_transform(parent, child, I)

    add("a", "b")
    add("b", "c")
    before = tree.revision
    for child, parent, path in (("a", "c", ("c", "b", "a")), ("a", "b", ("b", "a"))):
        with pytest.raises(CycleError) as raised:
            add(parent, child)
        error = raised.value
        assert (error.parent, error.child, error.path) == (parent, child, path)
    assert tree.revision == before
    assert tree.chain("c", "a") == ["c", "b", "a"]


@pytest.mark.parametrize("look_up_first", [False, True])
def test_a_frame_cannot_be_its_own_parent(look_up_first):
    tree = TFTree()
    tree.add_transform("b", "a", I, 0)
    if look_up_first:
        tree.lookup_transform("a", "a")
        tree.lookup_transform("/a", "a")
    for name in ("a", "/a"):
        with pytest.raises(InvalidTransformError, match="'a' cannot be its own parent"):
            tree.add_transform(name, "a", I, 0)
    with pytest.raises(InvalidTransformError, match="'a' cannot be its own parent"):
        tree.add_static_transform("a", "a", I)


# Names --------------------------------------------------------------------------------------------


def test_one_leading_slash_is_dropped():
    tree = TFTree()
    tree.add_static_transform("/map", "/odom", x(1))
    assert tree.get_all_frames() == ["map", "odom"]
    assert tree.lookup_transform("odom", "/map") == tree.lookup_transform("/odom", "map") == x(1)
    assert tree.has_frame("/odom")
    assert "/odom" in tree
    assert tree.frame("/odom").name == "odom"


@pytest.mark.parametrize("name", ["n" * 64, "é" * 32, "機" * 21 + "n", "🤖" * 16, "/" + "n" * 64])
def test_a_name_has_up_to_64_bytes(name):
    tree = TFTree()
    tree.add_transform(name, "child", x(1), 0)
    tree.add_transform("child", "tip", x(1), 0)
    assert tree.get_all_frames()[0] == name.removeprefix("/")
    assert tree.lookup_transform("tip", name).translation.tolist() == [2, 0, 0]


@pytest.mark.parametrize("name", ["n" * 65, "é" * 33, "n" + "機" * 22, "🤖" * 16 + "n"])
def test_a_longer_name_is_refused_and_leaves_nothing_behind(name):
    tree = TFTree()
    with pytest.raises(InvalidTransformError, match=r"has 6\d bytes in UTF-8; the longest is 64"):
        tree.add_transform("map", name, I, 0)
    with pytest.raises(InvalidTransformError, match="shorten it"):
        tree.add_static_transform(name, "map", I)
    assert tree.get_all_frames() == []


def test_subclasses_of_str_are_names():
    class Frame(enum.StrEnum):
        MAP = "map"
        BASE = "base"

    class Unhashable(str):
        __slots__ = ()

        def __eq__(self, other):
            return str(self) == other

        __hash__ = None  # pyright: ignore[reportAssignmentType]

    tree = TFTree()
    tree.add_static_transform(Frame.MAP, Frame.BASE, x(1))
    for _ in range(2):
        assert tree.lookup_transform(Frame.BASE, np.str_("map")) == x(1)
        assert tree.lookup_transform(Unhashable("base"), "map") == x(1)
    assert [type(name) for name in tree.get_all_frames()] == [str, str]


def test_many_names_are_told_apart():
    tree = TFTree()
    for i in range(3000):
        tree.add_static_transform("root", f"f{i}", x(i))
    for i in (*range(3000), *range(0, 3000, 7)):
        assert tree.lookup_transform(f"f{i}", "root").translation[0] == i
    assert len(tree) == 3001


def test_a_look_up_survives_others_made_by_its_own_arguments():
    tree = TFTree()
    names = [f"f{i}" for i in range(40)]
    for i, name in enumerate(names):
        tree.add_transform("root", name, x(i), 0)

    class Zero:
        """An integer that uses the tree while it is being read."""

        def __index__(self):
            for source in names:
                for target in names:
                    tree.lookup_transform(source, target)
            return 0

    for i, name in enumerate(names):
        assert tree.lookup_transform(name, "root", Zero()).translation[0] == i
        assert tree.chain(name, "root", Zero()) == [name, "root"]
        assert tree.lookup_transform(name, "root", 0, tolerance_ns=Zero()).translation[0] == i
        assert tree.lookup_stamped(name, "root", tolerance_ns=Zero())[0].translation[0] == i


# What the tree knows ------------------------------------------------------------------------------


def test_frames_in_the_order_in_which_they_were_named():
    tree = robot()
    assert tree.get_all_frames() == ["map", "odom", "base", "lidar", "arm", "camera"]
    assert [info.name for info in tree.frames()] == tree.get_all_frames()
    assert tree.children("base") == ["lidar", "arm"]
    assert tree.children("camera") == []
    assert len(tree) == 6
    assert "base" in tree
    assert "" not in tree
    assert tree.has_frame("leg") is False


def test_what_is_known_of_a_frame():
    tree = robot()
    tree.add_transform("odom", "base", I, 2 * NS)
    assert tree.frame("map") == FrameInfo("map", None, False, False, 0, None, None)
    assert tree.frame("odom") == FrameInfo("odom", "map", False, True, 0, None, None)
    assert tree.frame("base") == FrameInfo("base", "odom", False, False, 2, 0, 2 * NS)
    assert tree.frame("base").rate_hz == 0.5
    assert (
        tree.frame("map").rate_hz is tree.frame("odom").rate_hz is tree.frame("arm").rate_hz is None
    )
    with pytest.raises(UnknownFrameError, match="'leg' is not in the tree"):
        tree.frame("leg")


def test_an_empty_tree_is_still_a_tree():
    tree = TFTree()
    assert bool(tree)
    assert len(tree) == 0
    assert tree.get_all_frames() == tree.frames() == []
    assert repr(tree) == "<TFTree: 0 frames, 10 s of history>"


def test_revision_grows_with_every_change_and_only_then():
    tree = TFTree()
    changes = [
        lambda: tree.add_static_transform("a", "b", I),
        lambda: tree.add_static_transform("a", "b", I),
        lambda: tree.add_transform("b", "c", I, 0),
        lambda: tree.add_transform("b", "c", I, 0),
        lambda: tree.add_transforms("b", "c", [1], [[0, 0, 0]], [[0, 0, 0, 1]]),
        lambda: tree.remove_frame("c"),
        tree.clear,
    ]
    for change in changes:
        before = tree.revision
        change()
        after = tree.revision
        assert after > before
        tree.lookup_transform("b", "a")
        tree.can_transform("b", "x")
        tree.frames()
        tree.snapshot()
        assert tree.revision == after


def test_memory_is_bounded_by_the_history():
    tree = TFTree(1.0)

    def a_minute(start_s):
        stamps = np.arange(6000) * 10_000_000 + start_s * NS
        tree.add_transforms("a", "b", stamps, np.zeros((6000, 3)), np.tile((0, 0, 0, 1), (6000, 1)))

    a_minute(0)
    after_one = tree.memory_bytes
    for minute in range(1, 10):
        a_minute(60 * minute)
    assert tree.frame("b").samples == 101
    assert tree.memory_bytes == after_one


def test_a_tree_is_freed_when_no_one_holds_it():
    tree = robot()
    tree.lookup_transform("camera", "map")
    alive = weakref.ref(tree)
    del tree
    gc.collect()
    assert alive() is None


def test_a_tree_cannot_be_copied_but_by_a_snapshot():
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="TFTree"):
            duplicate(robot())
