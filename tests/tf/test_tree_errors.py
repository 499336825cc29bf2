"""The texts of what a tree refuses or cannot answer; see test_extrapolation for times outside."""

import re

import numpy as np
import pytest

from horus_sim.tf import (
    CycleError,
    DisconnectedError,
    InvalidTransformError,
    TFTree,
    Transform,
    UnknownFrameError,
)

I = Transform.identity()  # noqa: E741 - as in the literature
NS = 1_000_000_000


@pytest.fixture
def tree():
    tree = TFTree()
    tree.add_transform("odom", "base_link", I, 0)
    tree.add_static_transform("base_link", "lidar", I)
    return tree


def refuses(text):
    return pytest.raises(InvalidTransformError, match=f"^{re.escape(text)}")


# Unknown frames -----------------------------------------------------------------------------------


def test_an_unknown_frame_with_a_suggestion(tree):
    with pytest.raises(UnknownFrameError) as raised:
        tree.lookup_transform("base_lnk", "odom")
    error = raised.value
    assert str(error) == (
        "'base_lnk' is not in the tree; did you mean 'base_link'? 3 frames known."
    )
    assert error.frame == "base_lnk"
    assert error.known == ("odom", "base_link", "lidar")


def test_an_unknown_frame_is_named_as_the_tree_would_store_it(tree):
    with pytest.raises(
        UnknownFrameError, match=r"^'lidr' is not in the tree; did you mean 'lidar'"
    ):
        tree.lookup_transform("odom", "/lidr")


def test_the_source_is_missed_before_the_target(tree):
    with pytest.raises(UnknownFrameError, match=r"^'nowhere' is not"):
        tree.lookup_transform("nowhere", "elsewhere")


@pytest.mark.parametrize("times", [1, 3])
def test_every_look_up_names_the_unknown_frame_each_time(tree, times):
    look_ups = (
        lambda: tree.lookup_transform("x", "odom"),
        lambda: tree.lookup_transform("odom", "x", 0),
        lambda: tree.frame_pose("x", "odom"),
        lambda: tree.lookup_stamped("x", "odom"),
        lambda: tree.lookup_transforms("x", "odom", [0]),
        lambda: tree.lookup_many(["odom", "x"], "odom"),
        lambda: tree.lookup_many(["odom"], "x"),
        lambda: tree.transform_points(np.zeros((1, 3)), "x", "odom"),
        lambda: tree.transform_points(np.zeros((1, 3)), "odom", "x", [0]),
        lambda: tree.latest_common_time("x", "odom"),
        lambda: tree.chain("odom", "x"),
        lambda: tree.frame("x"),
        lambda: tree.children("x"),
        lambda: tree.remove_frame("x"),
    )
    for look_up in look_ups * times:
        with pytest.raises(UnknownFrameError, match=r"^'x' is not in the tree"):
            look_up()
    assert not tree.can_transform("x", "odom")
    assert not tree.can_transform("odom", "x", 0)


def test_an_empty_tree_knows_nothing():
    with pytest.raises(UnknownFrameError) as raised:
        TFTree().lookup_transform("map", "odom")
    assert str(raised.value) == "'map' is not in the tree, which is empty; add transforms first."
    assert raised.value.known == ()


# Two trees ----------------------------------------------------------------------------------------


def test_two_trees_are_named_by_both_roots(tree):
    tree.add_static_transform("world", "table", I)
    tree.add_static_transform("table", "cup", I)
    for time_ns in (None, 0):
        with pytest.raises(DisconnectedError) as raised:
            tree.lookup_transform("lidar", "cup", time_ns)
        error = raised.value
        assert str(error) == (
            "'lidar' and 'cup' are in two trees: 'lidar' ends at root 'odom', 'cup' at root "
            "'world'; add a transform between the trees, such as 'world' -> 'odom'."
        )
        assert (error.source, error.target) == ("lidar", "cup")
        assert (error.source_root, error.target_root) == ("odom", "world")
    assert not tree.can_transform("lidar", "cup")
    tree.add_static_transform("world", "odom", I)  # the remedy
    assert tree.can_transform("lidar", "cup")


@pytest.mark.parametrize(
    "look_up",
    [
        lambda tree: tree.lookup_stamped("a", "c"),
        lambda tree: tree.lookup_transforms("a", "c", [0]),
        lambda tree: tree.lookup_many(["a"], "c"),
        lambda tree: tree.transform_points(np.zeros((1, 3)), "a", "c"),
        lambda tree: tree.transform_points(np.zeros((1, 3)), "a", "c", [0]),
        lambda tree: tree.latest_common_time("a", "c"),
        lambda tree: tree.chain("a", "c"),
    ],
)
def test_every_look_up_tells_of_two_trees(look_up):
    tree = TFTree()
    tree.add_static_transform("b", "a", I)
    tree.add_static_transform("d", "c", I)
    with pytest.raises(DisconnectedError, match="'a' ends at root 'b', 'c' at root 'd'"):
        look_up(tree)


# Insertion ----------------------------------------------------------------------------------------


def test_a_cycle(tree):
    with pytest.raises(CycleError) as raised:
        tree.add_static_transform("lidar", "odom", I)
    error = raised.value
    assert str(error) == (
        "'odom' cannot hang from 'lidar', which hangs from 'odom' ('lidar' -> 'base_link' -> "
        "'odom'); swap parent and child, or call remove_frame('base_link') to break the chain "
        "first."
    )
    assert (error.parent, error.child) == ("lidar", "odom")
    assert error.path == ("lidar", "base_link", "odom")


def test_static_and_moving(tree):
    with refuses(
        "'lidar' is static, so it cannot move; call remove_frame('lidar') first to make it a "
        "moving frame"
    ):
        tree.add_transform("base_link", "lidar", I, 0)
    with refuses("'lidar' is static, so it cannot move"):
        tree.add_transforms("base_link", "lidar", [0], [[0, 0, 0]], [[0, 0, 0, 1]])
    with refuses(
        "'base_link' is moving (it has stamped samples); call remove_frame('base_link') first to "
        "make it static"
    ):
        tree.add_static_transform("odom", "base_link", I)


def test_a_sample_that_is_too_old():
    tree = TFTree(buffer_duration=2.5)
    tree.add_transform("odom", "base", I, 10 * NS)
    with refuses(
        "the sample of 'base' at 7.250 s is older than the history keeps (newest 10.000 s, "
        "buffer_duration 2.500 s); call clear() if the clock was set back, or use a longer "
        "buffer_duration"
    ):
        tree.add_transform("odom", "base", I, 7_250_000_000)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "a frame name is empty; give every frame a name such as 'base_link'"),
        ("/", "a frame name is empty; give every frame a name such as 'base_link'"),
        (None, "a frame name must be text, got None"),
        (b"base", "a frame name must be text, got b'base'"),
        ("n" * 65, f"frame name '{'n' * 65}' has 65 bytes in UTF-8; the longest is 64, shorten it"),
        ("a\0b", "frame name 'a\\x00b' contains a NUL character; remove it"),
        ("a\ud800b", "frame name 'a\\ud800b' is not valid Unicode"),
    ],
)
def test_names(tree, name, text):
    for parent, child in ((name, "other"), ("other", name)):
        with refuses(text):
            tree.add_transform(parent, child, I, 0)
        with refuses(text):
            tree.add_static_transform(parent, child, I)
        with refuses(text):
            tree.add_transforms(parent, child, [0], [[0, 0, 0]], [[0, 0, 0, 1]])
    assert len(tree) == 3


@pytest.mark.parametrize("name", [None, 3, b"base"])
def test_names_to_look_up_are_text(tree, name):
    text = f"a frame name must be text, got {name!r}"
    for look_up in (tree.has_frame, tree.frame, tree.remove_frame, tree.__contains__):
        with refuses(text):
            look_up(name)
    with refuses(text):
        tree.lookup_transform(name, "odom")
    with refuses(text):
        tree.can_transform("odom", name)


def test_names_that_cannot_exist_are_merely_not_there(tree):
    for name in ("", "/", "n" * 65, "a\0b", "a\ud800b"):
        assert not tree.has_frame(name)
        assert not tree.can_transform(name, "odom")
    with pytest.raises(UnknownFrameError, match=r"^'n{65}' is not in the tree"):
        tree.lookup_transform("n" * 65, "odom")


@pytest.mark.parametrize("transform", [None, np.eye(4), ((0, 0, 0), (0, 0, 0, 1))])
def test_transforms(tree, transform):
    with pytest.raises(InvalidTransformError, match=r"^expected a Transform, got"):
        tree.add_transform("odom", "base_link", transform, 1)
    with pytest.raises(InvalidTransformError, match=r"^expected a Transform, got"):
        tree.add_static_transform("base_link", "camera", transform)
    assert len(tree) == 3


# Times and options --------------------------------------------------------------------------------

NO_TIMES = {
    "seconds": (1.5, "must be integer nanoseconds, got 1.5; to_ns(seconds)"),
    "text": ("now", "must be integer nanoseconds, got 'now'; to_ns(seconds)"),
    "bool": (True, "must be integer nanoseconds, got True; to_ns(seconds)"),
    "NumPy bool": (np.True_, "must be integer nanoseconds, got np.True_; to_ns(seconds)"),
    "too large": (
        2**63,
        "9223372036854775808 does not fit 64 bits; stamps are integer nanoseconds",
    ),
    "too small": (-(2**63) - 1, "-9223372036854775809 does not fit 64 bits; stamps are integer"),
    "unsigned": (np.uint64(2**63), "9223372036854775808 does not fit 64 bits; stamps are integer"),
}


@pytest.mark.parametrize(("time", "text"), NO_TIMES.values(), ids=NO_TIMES.keys())
def test_what_is_no_time(tree, time, text):
    with refuses(f"stamp_ns {text}"):
        tree.add_transform("odom", "base_link", I, time)
    for look_up in (
        lambda: tree.lookup_transform("lidar", "odom", time),
        lambda: tree.can_transform("lidar", "odom", time),
        lambda: tree.lookup_many(["lidar"], "odom", time),
        lambda: tree.chain("lidar", "odom", time),
    ):
        with refuses(f"time {text}"):
            look_up()
    for time_ns in (0, None):
        with refuses(f"tolerance_ns {text}"):
            tree.lookup_transform("lidar", "odom", time_ns, tolerance_ns=time)


def test_a_stamp_is_not_none(tree):
    with refuses("stamp_ns must be integer nanoseconds, got None"):
        tree.add_transform("odom", "base_link", I, None)


@pytest.mark.parametrize("time", [0, None])
def test_a_tolerance_is_not_negative(tree, time):
    for look_up in (
        lambda: tree.lookup_transform("lidar", "odom", time, tolerance_ns=-1),
        lambda: tree.can_transform("lidar", "odom", time, tolerance_ns=-1),
        lambda: tree.lookup_many(["lidar"], "odom", time, tolerance_ns=-1),
        lambda: tree.transform_points(np.zeros((1, 3)), "lidar", "odom", time, tolerance_ns=-1),
        lambda: tree.lookup_transforms("lidar", "odom", [0], tolerance_ns=-1),
        lambda: tree.lookup_stamped("lidar", "odom", tolerance_ns=-1),
    ):
        with refuses("tolerance_ns must not be negative, got -1"):
            look_up()


@pytest.mark.parametrize(
    ("times", "text"),
    [
        ([0.5], "times must be integer nanoseconds, got float64; to_ns(seconds)"),
        (np.array([0.0]), "times must be integer nanoseconds, got float64; to_ns(seconds)"),
        ([True], "times must be integer nanoseconds, got bool"),
        (["now"], "times must be integer nanoseconds, got <U3"),
        (np.array(["2020-01-01"], "M8[ns]"), "times must be integer nanoseconds, got datetime64"),
        ([2**64], "times must be integer nanoseconds, got object"),
        ([0, 2**63], "times"),
        (5, "times must be a sequence of integer nanoseconds of shape (N,), got 5"),
        ([[0]], "times must be a sequence of integer nanoseconds of shape (N,), got [[0]]"),
        (None, "times must be a sequence of integer nanoseconds of shape (N,), got None"),
    ],
)
def test_what_are_no_times(tree, times, text):
    with refuses(text):
        tree.lookup_transforms("lidar", "odom", times)


def test_times_of_points(tree):
    points = np.zeros((3, 3))
    with refuses("time must be one stamp, or one for each point: got 2 stamps for 3 points"):
        tree.transform_points(points, "lidar", "odom", [0, 0])
    with refuses("time must be integer nanoseconds, got float64"):
        tree.transform_points(points, "lidar", "odom", np.zeros(3))
    with refuses("time must be a sequence of integer nanoseconds of shape (N,), got"):
        tree.transform_points(points, "lidar", "odom", np.zeros((3, 1), int))
    with refuses("time must be integer nanoseconds, got 1.5"):
        tree.transform_points(points, "lidar", "odom", 1.5)
    for time in (None, 0, [0, 0, 0]):
        with refuses("points must have shape (N, 3), got (3, 2)"):
            tree.transform_points(points[:, :2], "lidar", "odom", time)


def test_sources(tree):
    with refuses("sources must be a sequence of frame names, got the text 'lidar'"):
        tree.lookup_many("lidar", "odom")
    with refuses("sources must be a sequence of frame names, got 5"):
        tree.lookup_many(5, "odom")


@pytest.mark.parametrize("duration", ["10", None, True, np.array([1.0])])
def test_durations_are_numbers(tree, duration):
    with refuses(f"buffer_duration must be seconds as a number, got {duration!r}"):
        TFTree(duration)
    if duration is not None:
        with refuses(f"history must be seconds as a number, got {duration!r}"):
            tree.snapshot(duration)


@pytest.mark.parametrize("duration", [0, -1.0, float("nan"), float("inf"), 1e10])
def test_durations_are_positive_and_not_endless(tree, duration):
    for what, call in (("buffer_duration", TFTree), ("history", tree.snapshot)):
        with pytest.raises(
            InvalidTransformError, match=rf"^{what} must be .*9e\+09 seconds, got {duration!r}$"
        ):
            call(duration)
