"""Read-only copies of a tree at one moment."""

import math

import numpy as np
import pytest

from horus_sim.tf import (
    DisconnectedError,
    ExtrapolationError,
    ReadOnlyError,
    TFTree,
    Transform,
)

from .strategies import bits_of

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


def test_a_snapshot_answers_the_same_and_stays():
    tree = robot()
    tree.add_transform("odom", "base", x(9), NS)
    tree.add_transform("map", "arm", x(5), NS)  # another parent from here on
    tree.remove_frame("odom")  # leaves an orphan
    snapshot = tree.snapshot()
    assert snapshot.is_read_only
    assert not tree.is_read_only
    assert repr(snapshot) == "<TFTree snapshot: 5 frames, 10 s of history>"
    assert snapshot.frames() == tree.frames()

    def answers(of):
        frames = ("map", "base", "lidar", "arm", "camera")
        result = []
        for source in frames:
            for target in frames:
                for time_ns in (None, 0, NS // 2, NS):
                    try:
                        result.append(bits_of(of.lookup_transform(source, target, time_ns)))
                    except (DisconnectedError, ExtrapolationError) as error:
                        result.append(str(error))
        return result

    before = answers(tree)
    assert answers(snapshot) == before
    tree.add_transform("base", "arm", x(7), 2 * NS)
    tree.remove_frame("lidar")
    tree.clear()
    assert answers(snapshot) == before
    assert answers(snapshot.snapshot()) == before


@pytest.mark.parametrize("history", [0.25, 0.2, 1e-9])
def test_a_snapshot_may_hold_less_history(history):
    tree = TFTree()
    stamps = np.arange(101) * 10_000_000
    tree.add_transforms("a", "b", stamps, np.zeros((101, 3)), np.tile((0, 0, 0, 1), (101, 1)))
    tree.add_static_transform("b", "c", I)
    kept = stamps[stamps >= NS - round(history * NS)]
    info = tree.snapshot(history).frame("b")
    assert (info.samples, info.oldest_ns, info.newest_ns) == (len(kept), kept[0], NS)
    assert tree.snapshot(history).can_transform("c", "a")


def test_a_snapshot_cannot_change():
    snapshot = robot().snapshot()
    text = "this is a snapshot and cannot change; write to the tree it was taken from"
    for change in (
        lambda: snapshot.add_transform("odom", "base", I, 5),
        lambda: snapshot.add_static_transform("map", "odom", I),
        lambda: snapshot.add_transforms("odom", "base", [5], [[0, 0, 0]], [[0, 0, 0, 1]]),
        lambda: snapshot.remove_frame("base"),
        snapshot.clear,
    ):
        with pytest.raises(ReadOnlyError, match=text):
            change()
    assert snapshot.epoch == 0
    assert len(snapshot) == 6
