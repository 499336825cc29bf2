"""Frames that change their parent: circles that no instant has, and look-ups across the change."""

import numpy as np
import pytest

from horus_sim.tf import (
    CycleError,
    DisconnectedError,
    ExtrapolationError,
    TFTree,
    Transform,
    to_ns,
)

NS = 1_000_000_000


def x(metres):
    return Transform((float(metres), 0, 0))


def tree_of(*links, buffer_duration=10.0):
    """Moving links, each parent, child and stamp [s]; the n-th is n m long along x."""
    tree = TFTree(buffer_duration)
    for metres, (parent, child, stamp) in enumerate(links, start=1):
        tree.add_transform(parent, child, x(metres), to_ns(stamp))
    return tree


def x_of(tree, source, target, time_ns=None):
    return tree.lookup_transform(source, target, time_ns).translation[0]


# Circles of parents held beyond their samples -----------------------------------------------------


def chase():
    """At 1141.242 s f4 hangs from f3, which hangs from f1; f1 hangs from f4 only much later."""
    return tree_of(
        ("f3", "f4", 1141.225),
        ("f1", "f3", 1141.242),
        ("f0", "f4", 1142.259),
        ("f0", "f1", 1142.271),
        ("f4", "f1", 1143.571),
        ("f0", "f1", 1145.171),
        buffer_duration=2.0,
    )


def swing():
    """B left A at 2 s and A hangs from B since 3 s, so samples between close a circle."""
    return tree_of(("A", "B", 1), ("C", "B", 2), ("B", "A", 3))


def test_a_look_up_needs_no_data_above_the_common_ancestor():
    tree = chase()
    T, time_ns = tree.lookup_stamped("f4", "f3")
    assert (T, time_ns) == (x(1), to_ns(1141.242))
    assert x_of(tree, "f3", "f4") == -1
    assert x_of(tree, "f4", "f1", to_ns(1141.242)) == 3
    assert tree.chain("f4", "f1", to_ns(1141.242)) == ["f4", "f3", "f1"]
    times_ns = np.array([to_ns(1141.242), to_ns(1141.25)])
    translations, _, valid = tree.lookup_transforms("f4", "f1", times_ns, mask=True)
    assert valid.tolist() == [True, False]
    assert translations[0, 0] == 3


def test_a_look_up_through_the_gap_of_a_circle_names_the_link_without_data():
    tree = chase()
    for look in (tree.lookup_transform, tree.chain):
        with pytest.raises(ExtrapolationError) as raised:
            look("f4", "f0", to_ns(1141.242))
        error = raised.value
        assert (error.parent, error.child, error.direction) == ("f4", "f1", "past")


def test_a_circle_that_only_a_tolerance_closes_opens_where_data_ends():
    tree = swing()
    for time_ns in (to_ns(1), to_ns(1.5)):
        assert tree.lookup_transform("B", "A", time_ns, tolerance_ns=5 * NS) == x(1)
        assert tree.lookup_transform("A", "B", time_ns, tolerance_ns=5 * NS) == x(-1)
    assert tree.lookup_transform("A", "B", to_ns(2), tolerance_ns=NS) == x(3)


# Circles that are none ----------------------------------------------------------------------------


def test_no_instant_has_a_circle():
    tree = swing()
    assert x_of(tree, "B", "A", to_ns(1)) == 1
    assert x_of(tree, "B", "C", to_ns(2)) == 2
    assert x_of(tree, "A", "B") == 3
    assert x_of(tree, "B", "A") == -3
    assert tree.chain("A", "C") == ["A", "B", "C"]
    # As in tf2: the newest chain is joined, but A has no sample at 2 s.
    with pytest.raises(ExtrapolationError, match=r"'B' -> 'A' at 2\.000 s is 1\.000 s before"):
        tree.lookup_transform("A", "C")


LATE_CIRCLES = {
    "the first second parent": (
        lambda: tree_of(("room", "a", 1), ("room", "a", 9), ("a", "b", 5)),
        "b",
        "a",
        4,
    ),
    "the later link reaches back": (swing, "B", "A", 1.9),
    "the earlier link reaches on": (swing, "A", "B", 3.5),
    "a static link holds always": (lambda: tree_of(("A", "B", 1), ("C", "B", 2)), "B", "A", None),
    # P hung from X from 3 s to 10 s. X, last seen on P at 1 s, would stay there until 5 s.
    "the child stays until its new parent": (
        lambda: tree_of(("P", "X", 1), ("R", "P", 1), ("R", "P", 10), ("X", "P", 3)),
        "Q",
        "X",
        5,
    ),
    # Nor may the same link of before go on until 5 s.
    "the same link goes on": (
        lambda: tree_of(("P", "X", 1), ("R", "P", 1), ("R", "P", 10), ("X", "P", 3)),
        "P",
        "X",
        5,
    ),
    # b has forgotten that it hung from room, so that its only parent is a.
    "the same link reaches back into forgotten times": (
        lambda: tree_of(("room", "b", 0), ("b", "a", 22), ("room", "a", 25), ("a", "b", 30)),
        "a",
        "b",
        23,
    ),
}


@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
@pytest.mark.parametrize("case", LATE_CIRCLES.values(), ids=LATE_CIRCLES.keys())
def test_a_circle_with_data_all_around_is_refused(case, batch):
    make, parent, child, stamp = case
    tree = make()
    before = tree.revision
    if stamp is None:
        add, values = tree.add_static_transform, (x(1),)
    elif batch:
        add, values = tree.add_transforms, ([to_ns(stamp)], [(1, 0, 0)], [(0, 0, 0, 1)])
    else:
        add, values = tree.add_transform, (x(1), to_ns(stamp))
    with pytest.raises(CycleError, match=f"'{child}' cannot hang from") as raised:
        add(parent, child, *values)
    assert raised.value.path[0] == raised.value.parent
    assert raised.value.path[-1] == child
    assert tree.revision == before


def test_two_newest_parents_cannot_be_each_other():
    # tf2 takes both links, and then the latest a in b is of 2 s and the latest b in a is of 1 s.
    tree = tree_of(("a", "b", 1))
    with pytest.raises(CycleError, match="'a' cannot hang from 'b'"):
        tree.add_transform("b", "a", x(1), to_ns(2))


# Parents of the latest time -----------------------------------------------------------------------


def handover():
    """The newest cup hangs from robot since 3 s; map -> robot is known at 2 s only."""
    return tree_of(("table", "cup", 1), ("map", "robot", 2), ("robot", "cup", 3))


@pytest.mark.parametrize(("source", "target"), [("cup", "map"), ("map", "cup")])
def test_frames_that_are_joined_now_are_not_called_two_trees(source, target):
    tree = handover()
    assert tree.latest_common_time(source, target) == to_ns(2)
    assert not tree.can_transform(source, target)
    with pytest.raises(ExtrapolationError) as raised:
        tree.lookup_transform(source, target)
    error = raised.value
    assert (error.parent, error.child, error.direction) == ("robot", "cup", "past")
    assert (error.requested_ns, error.oldest_ns, error.newest_ns) == (2 * NS, 3 * NS, 3 * NS)
    # At a time that is asked for, they are two trees.
    with pytest.raises(DisconnectedError):
        tree.lookup_transform(source, target, to_ns(2))
    tree.add_transform("map", "robot", x(5), to_ns(3))
    assert abs(x_of(tree, source, target)) == 8


def test_of_two_links_without_an_answer_the_one_below_the_common_ancestor_is_named():
    tree = handover()
    tree.add_transform("hall", "map", x(0), to_ns(1))
    tree.add_transform("house", "map", x(0), to_ns(9))
    with pytest.raises(ExtrapolationError) as raised:
        tree.lookup_transform("map", "cup")
    assert raised.value.child == "cup"


# A frame and itself -------------------------------------------------------------------------------


def test_between_a_frame_and_itself_nothing_moves():
    tree = handover()
    for frame in ("cup", "robot", "map"):
        assert tree.latest_common_time(frame, frame) is None
        assert tree.lookup_stamped(frame, frame) == (Transform.identity(), None)
        assert tree.lookup_transform(frame, frame, to_ns(999)) == Transform.identity()
