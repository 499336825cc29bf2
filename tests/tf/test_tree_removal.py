"""Removing frames, and the reset of the clock."""

import pytest

from horus_sim.tf import (
    CycleError,
    DisconnectedError,
    ExtrapolationError,
    TFTree,
    Transform,
    UnknownFrameError,
)

I = Transform.identity()  # noqa: E741 - as in the literature
NS = 1_000_000_000


def x(metres: float) -> Transform:
    return Transform((metres, 0, 0))


def arm() -> TFTree:
    """base -> shoulder -> elbow -> (hand, camera), of which only the camera is static."""
    tree = TFTree()
    tree.add_transform("base", "shoulder", x(1), 0)
    tree.add_transform("shoulder", "elbow", x(1), 0)
    tree.add_transform("elbow", "hand", x(1), 0)
    tree.add_static_transform("elbow", "camera", x(1))
    return tree


def test_a_removed_frame_is_unknown_and_its_children_are_orphans():
    tree = arm()
    assert tree.lookup_transform("hand", "base").translation[0] == 3
    tree.remove_frame("elbow")
    assert tree.get_all_frames() == ["base", "shoulder", "hand", "camera"]
    for look_up in (
        lambda: tree.lookup_transform("elbow", "base"),
        lambda: tree.lookup_transform("base", "elbow", 0),
        lambda: tree.latest_common_time("elbow", "base"),
        lambda: tree.remove_frame("elbow"),
        lambda: tree.children("elbow"),
    ):
        with pytest.raises(UnknownFrameError, match="'elbow' is not in the tree"):
            look_up()
    with pytest.raises(DisconnectedError) as raised:
        tree.lookup_transform("hand", "base", 0)
    assert (raised.value.source_root, raised.value.target_root) == ("hand", "base")
    assert tree.frame("hand").is_orphan
    assert tree.frame("hand").parent == "elbow"
    with pytest.raises(DisconnectedError):
        tree.lookup_transform("hand", "camera")


def test_orphans_join_again_when_their_parent_comes_back():
    tree = arm()
    tree.lookup_transform("hand", "base")
    tree.remove_frame("elbow")
    tree.add_transform("shoulder", "elbow", x(5), 0)
    assert tree.lookup_transform("hand", "base").translation[0] == 7
    assert tree.lookup_transform("camera", "hand").translation[0] == 0
    assert tree.validate().ok


def test_a_parent_comes_back_as_a_root_with_a_new_sample_of_its_child():
    tree = arm()
    tree.remove_frame("elbow")
    tree.add_transform("elbow", "hand", x(2), 1)
    assert tree.lookup_transform("hand", "elbow") == x(2)
    assert tree.lookup_transform("hand", "camera", 1).translation[0] == 1
    assert tree.frame("elbow").parent is None


def test_a_frame_that_comes_back_has_forgotten_its_samples():
    tree = arm()
    for stamp_ns in range(1, 40):
        tree.add_transform("elbow", "hand", x(stamp_ns), stamp_ns)
    tree.remove_frame("hand")
    tree.add_transform("elbow", "hand", x(7), 20)
    assert tree.frame("hand").samples == 1
    assert tree.lookup_transform("hand", "elbow", 20) == x(7)
    with pytest.raises(ExtrapolationError) as raised:
        tree.lookup_transform("hand", "elbow", 21)
    assert (raised.value.oldest_ns, raised.value.newest_ns) == (20, 20)


def test_removing_a_root_leaves_its_children():
    tree = arm()
    tree.remove_frame("base")
    assert tree.lookup_transform("hand", "shoulder", 0).translation[0] == 2
    assert tree.validate().orphans == ("shoulder",)


def test_removing_a_subtree_takes_all_below():
    tree = arm()
    tree.add_static_transform("hand", "finger", x(1))
    tree.remove_frame("elbow", subtree=True)
    assert tree.get_all_frames() == ["base", "shoulder"]
    assert tree.validate().ok
    tree.remove_frame("base", subtree=True)
    assert tree.get_all_frames() == []


def test_a_subtree_is_that_of_the_newest_parents():
    tree = arm()
    tree.add_transform("base", "hand", x(9), 1)
    tree.remove_frame("elbow", subtree=True)
    assert tree.get_all_frames() == ["base", "shoulder", "hand"]
    assert tree.lookup_transform("hand", "base", 1) == x(9)


def test_an_orphan_counts_in_a_cycle_until_it_is_removed():
    tree = arm()
    tree.remove_frame("elbow")
    with pytest.raises(CycleError, match=r"remove_frame\('hand'\)"):
        tree.add_transform("hand", "elbow", I, 0)
    tree.remove_frame("hand")
    tree.add_transform("hand", "elbow", x(1), 0)
    assert tree.lookup_transform("camera", "hand").translation[0] == 2


def test_the_remedy_of_a_cycle_works():
    tree = arm()
    with pytest.raises(CycleError, match=r"remove_frame\('shoulder'\)"):
        tree.add_transform("hand", "base", I, 0)
    tree.remove_frame("shoulder")
    tree.add_transform("hand", "base", I, 0)


# Reset --------------------------------------------------------------------------------------------


def test_clear_drops_what_moves_and_keeps_what_is_static():
    tree = TFTree()
    tree.add_static_transform("base", "lidar", x(1))
    tree.add_transform("map", "base", x(2), 100 * NS)
    tree.add_transform("lidar", "mirror", x(3), 100 * NS)
    tree.lookup_transform("mirror", "map")
    tree.clear()
    assert tree.get_all_frames() == ["base", "lidar"]
    assert tree.lookup_transform("lidar", "base") == x(1)
    for gone in ("map", "mirror"):
        with pytest.raises(UnknownFrameError):
            tree.lookup_transform(gone, "base")
    assert tree.frame("base").parent is None
    # The clock was set back.
    tree.add_transform("map", "base", x(5), 0)
    assert tree.lookup_transform("lidar", "map", 0).translation[0] == 6
    assert tree.latest_common_time("lidar", "map") == 0


def test_clear_does_not_bring_removed_frames_back():
    tree = TFTree()
    tree.add_static_transform("base", "lidar", I)
    tree.add_static_transform("base", "camera", I)
    tree.remove_frame("base")
    tree.clear()
    assert tree.get_all_frames() == ["lidar", "camera"]
    assert tree.validate().orphans == ("lidar", "camera")


def test_clear_counts_epochs_and_calls_back():
    tree = TFTree()
    calls = []
    first = tree.on_reset(lambda: calls.append(("first", tree.epoch)))
    tree.on_reset(lambda: calls.append(("second", tree.epoch)))
    assert tree.epoch == 0
    tree.clear()
    assert (tree.epoch, calls) == (1, [("first", 1), ("second", 1)])
    first()
    first()  # a second time changes nothing
    tree.clear()
    assert calls[2:] == [("second", 2)]
    assert tree.snapshot().epoch == 2


def test_a_callback_may_end_its_own_registration():
    tree = TFTree()
    calls = []

    def once():
        calls.append("once")
        unregister()

    unregister = tree.on_reset(once)
    tree.on_reset(lambda: calls.append("always"))
    tree.clear()
    tree.clear()
    assert calls == ["once", "always", "always"]
