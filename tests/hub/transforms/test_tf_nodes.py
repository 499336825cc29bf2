"""Broadcasters and listeners as nodes of a scheduler."""

import pytest

from horus_sim.errors import InvalidTransformError
from horus_sim.hub import (
    Node,
    Scheduler,
    StaticTFBroadcasterNode,
    TFBroadcasterNode,
    TFListener,
    TFListenerNode,
    connect,
)
from horus_sim.tf import StaticTransformStamped, TFTree, Transform, TransformStamped

SECOND_NS = 1_000_000_000


@pytest.fixture
def hub():
    with connect(session="tf-nodes-test", name="robot") as hub:
        yield hub


@pytest.mark.parametrize("listener_first", [True, False])
def test_what_was_sent_before_the_run_arrives(hub, listener_first):
    tree = TFTree()
    fixed, moving = StaticTFBroadcasterNode(), TFBroadcasterNode()
    fixed.send_transform("base_link", "camera", Transform((0.5, 0, 0.2)))
    moving.send_transform("odom", "base_link", Transform((1, 0, 0)), 1)
    moving.send_transforms([TransformStamped("odom", "base_link", 3, Transform((3, 0, 0)))])
    nodes = [TFListenerNode(tree), fixed, moving]
    scheduler = Scheduler(hub, "deterministic")
    for priority, node in enumerate(nodes if listener_first else reversed(nodes)):
        scheduler.add(node, priority, False)
    scheduler.run(1.0)
    assert tree.lookup_transform("camera", "odom", 2).translation.tolist() == [2.5, 0, 0.2]


def test_nodes_send_while_they_run_and_stop_with_the_scheduler(hub):
    listener, moving, fixed = TFListenerNode(), TFBroadcasterNode(), StaticTFBroadcasterNode()
    late = []

    def drive(node):
        stamp_ns = scheduler.now_ns + SECOND_NS
        moving.send_transform("odom", "base_link", Transform((node.ticks, 0, 0)), stamp_ns)
        if node.ticks == 1:
            fixed.send_transform("base_link", "lidar", Transform())
        late[:] = TFListener(hub).tree.get_all_frames()

    scheduler = Scheduler(hub, "deterministic")
    for node in (listener, moving, fixed):
        scheduler.add(node)
    scheduler.add(Node("robot", tick=drive, rate=10), 1)
    scheduler.run(1.0)
    assert listener.tree.frame("base_link").samples == 10
    assert listener.buffer.can_transform("lidar", "odom")
    assert late == ["base_link", "lidar"]
    assert [info for info in hub.topics() if info.publishers] == []
    assert TFListener(hub).tree.get_all_frames() == []

    moving.send_transform("odom", "base_link", Transform(), 9 * SECOND_NS)
    assert listener.tree.frame("base_link").newest_ns == 1_900_000_000
    scheduler.run(0.1)
    assert listener.tree.frame("base_link").newest_ns == 9 * SECOND_NS


def test_mistakes_are_told_where_they_are_made():
    with pytest.raises(InvalidTransformError, match="a frame name must be text and not empty"):
        TFBroadcasterNode().send_transform("", "b", Transform(), 0)
    with pytest.raises(InvalidTransformError, match="transform must be a Transform, got 3"):
        StaticTFBroadcasterNode().send_transform("a", "b", 3)  # type: ignore[arg-type]
    with pytest.raises(InvalidTransformError, match="a buffer sits on a TFTree"):
        TFListenerNode("tree")  # type: ignore[arg-type]


def test_logging_tells_what_is_sent_and_heard(hub, caplog):
    listener, moving, fixed = TFListenerNode(), TFBroadcasterNode(), StaticTFBroadcasterNode()
    moving_frame = TransformStamped("odom", "base", SECOND_NS, Transform((1, 0, 0)))
    fixed_frame = StaticTransformStamped("base", "camera", Transform())
    moving.send_transforms([moving_frame])
    fixed.send_transform("base", "camera", Transform())
    scheduler = Scheduler(hub, "deterministic")
    for priority, node in enumerate((moving, fixed, listener)):
        scheduler.add(node, priority, True)
    scheduler.run(0.1)
    lines = [f"{record.name}: {record.message}" for record in caplog.records]
    assert [line for line in lines if "sent" in line or "heard" in line] == [
        f"horus_sim.node.StaticTFBroadcaster: sent {fixed_frame}",
        f"horus_sim.node.TFBroadcaster: sent {moving_frame}",
        "horus_sim.node.TFListener: heard of frame 'camera' from robot",
        "horus_sim.node.TFListener: heard of frame 'base' from robot",
    ]
