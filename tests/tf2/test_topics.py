"""tf2's broadcasters and listener on topics, by a connection or by a node."""

import pytest
import yaml

from horus_sim.errors import HubError, NodeError
from horus_sim.hub import Node, Scheduler, TFListener, connect
from horus_sim.tf2 import (
    Buffer,
    InvalidArgumentException,
    StaticTransformBroadcaster,
    Subscriber,
    Transform,
    TransformBroadcaster,
    TransformListener,
    TransformStamped,
)

SECOND_NS = 1_000_000_000


@pytest.fixture
def hub():
    with connect(session="tf2-test", name="robot") as hub:
        yield hub


def test_one_or_many_transforms_arrive(hub):
    buffer = Buffer()
    listener = TransformListener(buffer, hub)
    moving = TransformBroadcaster(hub)
    moving.sendTransform(TransformStamped("odom", "base", SECOND_NS, Transform((1, 0, 0))))
    moving.sendTransform(
        [TransformStamped("base", wheel, SECOND_NS, Transform()) for wheel in ("left", "right")]
    )
    fixed = StaticTransformBroadcaster(hub)
    fixed.sendTransform(TransformStamped("base", "camera", 77, Transform((0, 0, 1))))
    fixed.sendTransform([TransformStamped("base", "lidar", 0, Transform((0, 0, 2)))])

    found = buffer.lookup_transform("odom", "camera", 0)
    assert list(found.transform.translation) == [1, 0, 1]
    assert set(buffer.get_frame_strings()) == {"odom", "base", "left", "right", "camera", "lidar"}
    frames = yaml.safe_load(buffer.all_frames_as_yaml())
    assert {frame["broadcaster"] for frame in frames.values()} == {"robot"}

    late = TFListener(hub)
    assert set(late.tree.get_all_frames()) == {"base", "camera", "lidar"}

    listener.unregister()
    moving.sendTransform(TransformStamped("odom", "base", 2 * SECOND_NS, Transform((2, 0, 0))))
    assert buffer.lookup_transform("odom", "base", 0).stamp_ns == SECOND_NS
    fixed.close()
    moving.close()
    assert not TFListener(hub).tree.get_all_frames()


def test_a_new_run_empties_the_moving_part(hub):
    buffer = Buffer()
    TransformListener(buffer, hub)
    TransformBroadcaster(hub).sendTransform(TransformStamped("odom", "base", 5, Transform()))
    fixed = StaticTransformBroadcaster(hub)
    fixed.sendTransform(TransformStamped("base", "camera", 0, Transform()))
    hub.begin_epoch()
    assert not buffer.can_transform("odom", "base", 0)
    assert buffer.can_transform("base", "camera", 0)


def test_a_node_makes_its_ends_when_it_starts(hub):
    buffer = Buffer()

    def init(node):
        TransformListener(buffer, node)
        node.broadcaster = TransformBroadcaster(node)

    def tick(node):
        stamp_ns = scheduler.now_ns + 1
        node.broadcaster.sendTransform(TransformStamped("odom", "base", stamp_ns, Transform()))

    scheduler = Scheduler(hub, "deterministic")
    scheduler.add(Node("odometry", init=init, tick=tick, rate=10))
    scheduler.run(1.0)
    assert buffer.tree.frame("base").samples == 10
    # With the node, all that it opened ended: a second run does not leave two of each.
    assert [info for info in hub.topics() if info.publishers or info.subscriptions] == []


def test_what_was_closed_before_the_node_may_end_with_it(hub):
    opened = []

    def init(node):
        opened.extend((TransformListener(Buffer(), node), StaticTransformBroadcaster(node)))
        opened[0].unregister()
        opened[1].close()

    scheduler = Scheduler(hub, "deterministic")
    scheduler.add(Node("a", init=init))
    scheduler.run(0.1)
    assert len(opened) == 2


def test_mistakes(hub):
    with pytest.raises(NodeError, match="node 'a' is not running"):
        TransformListener(Buffer(), Node("a"))
    with pytest.raises(HubError, match=r"expected a connection from connect\(\), or a Node, got 3"):
        Subscriber(3, TransformStamped, "tf")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentException, match="must be a TransformStamped, got 3"):
        TransformBroadcaster(hub).sendTransform(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentException, match="expected a TransformStamped, got 3"):
        StaticTransformBroadcaster(hub).sendTransform([3])  # type: ignore[list-item]
