import pytest

from horus_sim.hub import StaticTFBroadcaster, TFBroadcaster, TFListener, connect
from horus_sim.tf import TFBuffer, TFMessage, Transform, TransformStamped, UnknownFrameError

SECOND_NS = 1_000_000_000


@pytest.fixture
def hub():
    with connect(session="tf-test") as hub:
        yield hub


def test_broadcaster_and_listener_agree(hub):
    listener = TFListener(hub)
    broadcaster = TFBroadcaster(hub)
    broadcaster.send_transform("odom", "base", Transform((0, 0, 0)), 0)
    broadcaster.send_transforms(
        [
            TransformStamped("odom", "base", SECOND_NS, Transform((2, 0, 0))),
            TransformStamped("base", "arm", 0, Transform()),
        ]
    )
    broadcaster.send_static_transform("base", "camera", translation=[0, 0, 1])
    T = listener.buffer.lookup_transform("camera", "odom", SECOND_NS // 2)
    assert T.translation.tolist() == [1, 0, 1]
    assert listener.tree.has_frame("arm")


def test_a_late_listener_has_all_static_frames(hub):
    broadcaster = StaticTFBroadcaster(hub)
    for i in range(300):
        broadcaster.send_transform("base", f"f{i}", Transform((i, 0, 0)))
    broadcaster.send_transform("base", "f7", Transform((-7, 0, 0)))
    buffer = TFBuffer()
    TFListener(hub, buffer)
    assert len(buffer.tree.get_all_frames()) == 301
    assert buffer.lookup_transform("f7", "base").translation[0] == -7


def test_a_new_run_clears_moving_frames_and_keeps_static_ones(hub):
    StaticTFBroadcaster(hub).send_transform("base", "camera", Transform())
    listener, broadcaster = TFListener(hub), TFBroadcaster(hub)
    broadcaster.send_transform("odom", "base", Transform((1, 0, 0)), 100 * SECOND_NS)
    hub.begin_epoch()
    with pytest.raises(UnknownFrameError):
        listener.tree.lookup_transform("base", "odom")
    late = TFListener(hub)
    assert late.tree.has_frame("camera")
    broadcaster.send_transform("odom", "base", Transform((2, 0, 0)), 0)
    assert listener.tree.lookup_transform("base", "odom").translation[0] == 2


def test_a_clock_that_jumps_back_clears_the_tree(hub, caplog):
    listener, broadcaster = TFListener(hub), TFBroadcaster(hub)
    broadcaster.send_transform("odom", "base", Transform((1, 0, 0)), 100 * SECOND_NS)
    broadcaster.send_transform("odom", "base", Transform((2, 0, 0)), 95 * SECOND_NS)
    assert listener.tree.frame("base").samples == 2
    broadcaster.send_transform("odom", "base", Transform((3, 0, 0)), 1 * SECOND_NS)
    assert "jumped back" in caplog.text
    assert listener.tree.lookup_transform("base", "odom").translation[0] == 3


def test_what_the_tree_refuses_is_logged_and_counted(hub, caplog):
    listener, broadcaster = TFListener(hub), TFBroadcaster(hub)
    broadcaster.send_transform("a", "b", Transform(), 0)
    broadcaster.send_transform("b", "a", Transform(), 0)
    broadcaster.send_static_transform("a", "b")
    assert listener.refused == 2
    assert "cannot hang from" in caplog.text
    broadcaster.send_transform("a", "c", Transform(), 0)
    assert listener.tree.has_frame("c")


def test_the_publisher_of_every_frame_is_noted(hub):
    with connect(session="tf-test", name="mapper") as second:
        TFBroadcaster(second).send_static_transform("map", "dock")
        listener = TFListener(hub)
        TFBroadcaster(hub).send_transform("odom", "base", Transform(), 0)
        TFBroadcaster(second).send_transforms([TransformStamped("odom", "base", 1, Transform())])
    assert listener.publishers == {"dock": {"mapper"}, "base": {"mapper", hub.name}}


def test_closing(hub):
    listener, broadcaster = TFListener(hub), TFBroadcaster(hub)
    listener.close()
    broadcaster.send_transform("a", "b", Transform(), 0)
    assert listener.tree.get_all_frames() == []
    broadcaster.close()


def test_what_is_closed_takes_no_part_in_a_new_run(hub):
    static = StaticTFBroadcaster(hub)
    static.send_transform("a", "b", Transform())
    listener, moving = TFListener(hub), TFBroadcaster(hub)
    moving.send_transform("b", "c", Transform(), 0)
    static.close()
    listener.close()
    hub.begin_epoch()
    assert listener.tree.has_frame("c")


def test_what_moves_is_a_tf_message_on_the_topic_tf():
    with connect(session="tf-topic") as hub:
        moving = hub.subscribe("tf", TFMessage)
        TFListener(hub)
        broadcaster = TFBroadcaster(hub)
        one = TransformStamped("odom", "base", 1, Transform((1, 0, 0)))
        broadcaster.send_transform(one.parent_frame, one.child_frame, one.transform, one.stamp_ns)
        broadcaster.send_transforms([one, one])
        assert moving.take() == TFMessage([one])
        assert moving.take() == TFMessage([one, one])
        assert {info.name for info in hub.topics()} == {"tf", "tf_static"}
