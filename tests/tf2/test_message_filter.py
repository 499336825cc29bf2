"""Messages wait for their transforms, and the reasons why some never come out."""

import threading

import pytest

from horus_sim.errors import MessageError
from horus_sim.hub import connect
from horus_sim.hub.messages import Clock, Range
from horus_sim.tf2 import (
    Buffer,
    FilterFailureReason,
    MessageFilter,
    PointStamped,
    SimpleFilter,
    Subscriber,
    Transform,
    TransformBroadcaster,
    TransformListener,
    TransformStamped,
)

SECOND_NS = 1_000_000_000


def at(seconds, parent="odom", child="base"):
    return TransformStamped(parent, child, round(seconds * SECOND_NS), Transform())


def point(seconds, frame="base"):
    return PointStamped(round(seconds * SECOND_NS), frame)


class Setup:
    def __init__(self, target: str | list[str] = "odom", queue_size=3, tolerance=0.0):
        self.source = SimpleFilter()
        self.buffer = Buffer()
        self.filter = MessageFilter(self.source, self.buffer, target, queue_size, tolerance)
        self.passed, self.failed = [], []
        self.filter.registerCallback(lambda message: self.passed.append(message.stamp_ns / 1e9))
        self.filter.registerFailureCallback(
            lambda message, reason: self.failed.append((message.stamp_ns / 1e9, reason))
        )

    def send(self, *seconds):
        for second in seconds:
            self.source.signalMessage(point(second))


def test_a_message_passes_when_its_transform_is_known():
    setup = Setup()
    setup.buffer.set_transform(at(1))
    setup.buffer.set_transform(at(2))
    setup.send(1.5)
    assert setup.passed == [1.5]


def test_a_message_waits_until_its_transform_comes():
    setup = Setup()
    setup.send(1.5, 2.5)
    setup.buffer.set_transform(at(1))
    assert setup.passed == []
    setup.buffer.set_transform(at(2))
    assert setup.passed == [1.5]
    setup.buffer.set_transform(at(3))
    assert setup.passed == [1.5, 2.5]
    setup.buffer.set_transform(at(4))
    assert (setup.passed, setup.failed, setup.filter.passed) == ([1.5, 2.5], [], 2)


def test_all_target_frames_must_be_known():
    setup = Setup(target=["odom", "map"])
    setup.send(1)
    setup.buffer.set_transform(at(1))
    assert setup.passed == []
    setup.buffer.set_transform(at(1, "map", "odom"))
    assert setup.passed == [1]
    setup.filter.setTargetFrames("nowhere")
    setup.send(1)
    assert setup.passed == [1]


def test_the_transform_must_be_known_for_the_tolerance_too():
    setup = Setup(tolerance=0.5)
    setup.buffer.set_transform(at(1))
    setup.send(1)
    setup.buffer.set_transform(at(1.4))
    assert setup.passed == []
    setup.buffer.set_transform(at(1.5))
    assert setup.passed == [1]


def test_the_oldest_message_leaves_a_full_queue():
    setup = Setup(queue_size=2)
    setup.send(1, 2, 3)
    assert setup.failed == [(1, FilterFailureReason.QUEUE_FULL)]
    assert setup.filter.dropped == {FilterFailureReason.QUEUE_FULL: 1}
    setup.buffer.set_transform(at(1))
    setup.buffer.set_transform(at(3))
    assert setup.passed == [2, 3]


def test_a_queue_of_size_zero_has_no_limit():
    setup = Setup(queue_size=0)
    stamps = [i / 1000 for i in range(1, 1001)]
    setup.send(*stamps)
    setup.buffer.set_transform(at(0.001))
    setup.buffer.set_transform(at(1))
    assert (setup.passed, setup.failed) == (stamps, [])


def test_messages_older_than_the_history_are_dropped():
    setup = Setup()
    setup.buffer.set_transform(at(100))
    setup.send(89.9)
    assert setup.failed == [(89.9, FilterFailureReason.OUT_THE_BACK)]
    setup.send(95)
    assert len(setup.failed) == 1
    setup.buffer.set_transform(at(105.1))
    assert setup.failed[1:] == [(95, FilterFailureReason.OUT_THE_BACK)]
    assert setup.passed == []


def test_a_message_without_a_frame_is_dropped():
    setup = Setup()
    setup.source.signalMessage(point(1, frame=""))
    assert setup.failed == [(1, FilterFailureReason.EMPTY_FRAME_ID)]


def test_a_stamp_that_no_tree_can_hold_harms_nobody(caplog):
    setup = Setup(queue_size=1)
    setup.buffer.set_transform(at(1))
    setup.source.signalMessage(PointStamped(2**70, "base"))
    setup.send(2)
    setup.buffer.set_transform(at(2))
    assert setup.passed == [2]
    assert [reason for _, reason in setup.failed] == [FilterFailureReason.QUEUE_FULL]
    assert caplog.text == ""


def test_clearing_the_buffer_forgets_what_waits():
    setup = Setup()
    setup.send(1)
    setup.buffer.clear()
    setup.buffer.set_transform(at(1))
    assert (setup.passed, setup.failed) == ([], [])


def test_a_failing_callback_harms_neither_the_sender_of_transforms_nor_other_messages(caplog):
    setup = Setup()

    def fail(_):
        raise ValueError("broken")

    setup.send(1, 2)
    setup.filter.registerCallback(fail)
    setup.buffer.set_transform(at(0.5))
    setup.buffer.set_transform(at(2))
    assert setup.passed == [1, 2]
    assert caplog.text.count("MessageFilter to ('odom',): a callback failed") == 2


def test_messages_and_transforms_over_topics():
    with connect(session="message-filter-test") as hub:
        buffer = Buffer()
        TransformListener(buffer, hub)
        moving = TransformBroadcaster(hub)
        sonar = hub.publisher("sonar", Range)
        filtered = MessageFilter(Subscriber(hub, Range, "sonar"), buffer, "odom", 10)
        heard = []
        filtered.registerCallback(
            lambda m: heard.append(buffer.lookup_transform("odom", m.frame_id, m.stamp_ns).stamp_ns)
        )
        sonar.send(Range(5, "base", 0.1, 0.1, 2.0, 1.0))
        assert heard == []
        for stamp_ns in (4, 6):
            moving.sendTransform(TransformStamped("odom", "base", stamp_ns, Transform()))
        assert heard == [5]

        sonar.send(Range(9, "base", 0.1, 0.1, 2.0, 1.0))
        hub.begin_epoch()
        for stamp_ns in (4, 20):
            moving.sendTransform(TransformStamped("odom", "base", stamp_ns, Transform()))
        assert heard == [5]


def test_every_message_comes_out_once_whichever_thread_brings_what():
    setup = Setup(queue_size=0)
    setup.buffer.set_transform(at(0.001))
    stamps = [i / 100 for i in range(1, 501)]
    threads = [
        threading.Thread(target=setup.send, args=stamps),
        threading.Thread(target=lambda: [setup.buffer.set_transform(at(s)) for s in stamps]),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(setup.passed) == stamps
    assert setup.failed == []


def test_mistakes():
    with pytest.raises(MessageError, match=r"target_frames must be names of frames, got \[\]"):
        Setup(target=[])
    with pytest.raises(MessageError, match="queue_size must be a whole number of at least 0"):
        Setup(queue_size=-1)
    with pytest.raises(
        MessageError, match="a Clock cannot pass this filter, which needs messages with frame_id"
    ):
        Setup().source.signalMessage(Clock(1))
