"""Synchronizers against the definition of a set, on any order of messages."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import MessageError
from horus_sim.hub import connect
from horus_sim.hub.messages import Clock, String
from horus_sim.tf2 import (
    ApproximateTimeSynchronizer,
    SimpleFilter,
    Subscriber,
    TimeSynchronizer,
)

SECOND_NS = 1_000_000_000


def collected(synchronizer):
    sets = []
    synchronizer.registerCallback(lambda *messages: sets.append([m.stamp_ns for m in messages]))
    return sets


def test_pairs_of_equal_stamps():
    inputs = [SimpleFilter(), SimpleFilter()]
    sets = collected(TimeSynchronizer(inputs, 1))
    for second in range(10):
        inputs[0].signalMessage(Clock(second * SECOND_NS))
        assert len(sets) == second
        inputs[1].signalMessage(Clock(second * SECOND_NS))
        assert sets[-1] == [second * SECOND_NS] * 2


def test_a_callback_gets_its_arguments_after_the_messages():
    inputs = [SimpleFilter(), SimpleFilter()]
    heard = []
    synchronizer = TimeSynchronizer(inputs, 5)
    assert synchronizer.registerCallback(lambda *given: heard.append(given), "a", 1) == 0
    messages = Clock(1), Clock(1)
    for source, message in zip(inputs, messages, strict=True):
        source.signalMessage(message)
    assert heard == [(*messages, "a", 1)]


def test_the_oldest_stamps_leave_a_full_queue():
    inputs = [SimpleFilter(), SimpleFilter()]
    sets = collected(TimeSynchronizer(inputs, 3))
    for stamp_ns in (5, 1, 2, 3, 4):
        inputs[0].signalMessage(Clock(stamp_ns))
    for stamp_ns in range(1, 6):
        inputs[1].signalMessage(Clock(stamp_ns))
    assert sets == [[3, 3], [4, 4], [5, 5]]


orders = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60)), max_size=40, unique=True)


@given(orders)
def test_every_set_of_equal_stamps_is_found_in_any_order(order):
    inputs = [SimpleFilter() for _ in range(3)]
    sets = collected(TimeSynchronizer(inputs, 1000))
    for index, stamp_ns in order:
        inputs[index].signalMessage(Clock(stamp_ns))
    stamps = [{stamp for index, stamp in order if index == i} for i in range(3)]
    assert sorted(sets) == [[stamp] * 3 for stamp in sorted(set.intersection(*stamps))]


def first_fitting_set(queues, index, stamp_ns, slop_ns):
    """Every combination in the order of preference, as the documentation puts it."""
    choices = [
        [stamp_ns] if i == index else sorted(queue, key=lambda s: abs(s - stamp_ns))
        for i, queue in enumerate(queues)
    ]
    for stamps in itertools.product(*choices):
        if max(stamps) - min(stamps) < slop_ns:
            return list(stamps)
    return None


@given(orders, st.integers(1, 30))
def test_approximate_sets_are_those_of_a_search_through_all(order, slop_ns):
    inputs = [SimpleFilter() for _ in range(3)]
    sets = collected(ApproximateTimeSynchronizer(inputs, 1000, slop_ns / SECOND_NS))
    queues = [[], [], []]
    wanted = []
    for index, stamp_ns in order:
        inputs[index].signalMessage(Clock(stamp_ns))
        if stamp_ns not in queues[index]:
            queues[index].append(stamp_ns)
        found = first_fitting_set(queues, index, stamp_ns, slop_ns)
        if found is not None:
            wanted.append(found)
            for queue, stamp in zip(queues, found, strict=True):
                queue.remove(stamp)
    assert sets == wanted


def test_the_nearest_message_is_taken():
    inputs = [SimpleFilter(), SimpleFilter()]
    sets = collected(ApproximateTimeSynchronizer(inputs, 10, 0.1))
    for stamp_ms in (0, 40, 80, 120):
        inputs[0].signalMessage(Clock(stamp_ms * 1_000_000))
    inputs[1].signalMessage(Clock(70_000_000))
    inputs[1].signalMessage(Clock(180_000_000))
    assert sets == [[80_000_000, 70_000_000], [120_000_000, 180_000_000]]


def test_a_difference_of_the_slop_is_too_much():
    inputs = [SimpleFilter(), SimpleFilter()]
    sets = collected(ApproximateTimeSynchronizer(inputs, 10, 0.1))
    inputs[0].signalMessage(Clock(0))
    inputs[1].signalMessage(Clock(100_000_000))
    assert sets == []
    inputs[1].signalMessage(Clock(99_999_999))
    assert sets == [[0, 99_999_999]]


def test_a_callback_may_send_on_the_same_topics():
    with connect(session="synchronizer-test") as hub:
        ends = [hub.publisher(topic, Clock) for topic in ("a", "b")]
        synchronizer = TimeSynchronizer([Subscriber(hub, Clock, topic) for topic in ("a", "b")], 5)
        sets = collected(synchronizer)

        def again(message, _):
            if message.stamp_ns < 3:
                for end in ends:
                    end.send(Clock(message.stamp_ns + 1))

        synchronizer.registerCallback(again)
        for end in ends:
            end.send(Clock(1))
    assert sets == [[1, 1], [2, 2], [3, 3]]


def test_a_new_run_empties_the_queues_and_time_begins_again():
    with connect(session="synchronizer-test") as hub:
        ends = [hub.publisher(topic, Clock) for topic in ("a", "b")]
        subscribers = [Subscriber(hub, Clock, topic) for topic in ("a", "/b")]
        assert [subscriber.getTopic() for subscriber in subscribers] == ["a", "b"]
        sets = collected(ApproximateTimeSynchronizer(subscribers, 2, 0.1))
        for second in (100, 200):
            ends[0].send(Clock(second * SECOND_NS))
        hub.begin_epoch()
        for second in (0, 1, 2):
            for end in ends:
                end.send(Clock(second * SECOND_NS))
        assert sets == [[second * SECOND_NS] * 2 for second in (0, 1, 2)]
        subscribers[0].close()
        for end in ends:
            end.send(Clock(9 * SECOND_NS))
        assert len(sets) == 3


def test_mistakes():
    with pytest.raises(MessageError, match="a synchronizer needs at least one input"):
        TimeSynchronizer([], 1)
    with pytest.raises(MessageError, match="queue_size must be a whole number of at least 1"):
        TimeSynchronizer([SimpleFilter()], 0)
    with pytest.raises(MessageError, match="slop must be more than 0 seconds, got 0; equal stamps"):
        ApproximateTimeSynchronizer([SimpleFilter()], 1, 0)
    with pytest.raises(MessageError, match="registerCallback takes a function to call, got 3"):
        SimpleFilter().registerCallback(3)  # type: ignore[arg-type]
    source = SimpleFilter()
    TimeSynchronizer([source], 1)
    with pytest.raises(
        MessageError, match="a String cannot pass this filter, which needs messages"
    ):
        source.signalMessage(String("x"))
