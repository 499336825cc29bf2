# Arguments that do not fit are given on purpose.
# pyright: reportArgumentType=false
import threading
import time

import numpy as np
import pytest

from horus_sim.errors import HubError, MessageError
from horus_sim.hub import QoS, connect, sender
from horus_sim.hub.messages import Clock, CmdVel, DepthImage, Image, String, Twist

LONG = 30.0


@pytest.fixture
def hub():
    with connect(session="inproc-test") as hub:
        yield hub


def test_messages_arrive_in_order_as_they_are(hub):
    subscription = hub.subscribe("cmd_vel", CmdVel)
    publisher = hub.publisher("/cmd_vel", CmdVel)
    sent = [CmdVel(i) for i in range(3)]
    for message in sent:
        publisher.send(message)
    assert [subscription.take() for _ in range(4)] == [*sent, None]
    assert publisher.sent == subscription.received == 3


def test_two_connections_of_a_session_meet_and_two_sessions_do_not(hub, monkeypatch):
    monkeypatch.setenv("HORUS_SESSION_ID", hub.session)
    with connect() as same, connect(session="another") as other:
        here, there = same.subscribe("a", Clock), other.subscribe("a", Clock)
        hub.publisher("a", Clock).send(Clock(1))
        assert here.take() == Clock(1)
        assert there.take() is None
        assert other.topics()[0].publishers == 0


def test_a_full_queue_drops_the_oldest(hub):
    subscription = hub.subscribe("a", Clock, QoS(depth=2))
    publisher = hub.publisher("a", Clock)
    for i in range(5):
        publisher.send(Clock(i))
    assert subscription.dropped == 3
    assert [subscription.take(), subscription.take()] == [Clock(3), Clock(4)]


def test_latest_passes_over_the_older(hub):
    subscription = hub.subscribe("a", Clock)
    publisher = hub.publisher("a", Clock)
    assert subscription.latest() is None
    for i in range(5):
        publisher.send(Clock(i))
    assert subscription.has_message()
    assert subscription.latest() == Clock(4)
    assert not subscription.has_message()


def test_waiting(hub):
    subscription = hub.subscribe("a", Clock)
    publisher = hub.publisher("a", Clock)
    assert subscription.wait(timeout=0.01) is None
    threading.Timer(0.05, publisher.send, (Clock(1),)).start()
    assert subscription.wait(timeout=LONG) == Clock(1)


def test_late_subscribers_get_as_many_as_the_depth(hub):
    latched = QoS(depth=2, latched=True)
    publisher = hub.publisher("a", String, latched)
    for text in ("old", "new", "newest"):
        publisher.send(String(text))
    late = hub.subscribe("a", String, latched)
    assert [late.take(), late.take(), late.take()] == [String("new"), String("newest"), None]
    assert hub.subscribe("a", String).take() is None
    publisher.close()
    assert hub.subscribe("a", String, latched).take() is None


def test_what_is_too_old_is_never_delivered(hub):
    now_ns = [0]
    hub.use_clock(lambda: now_ns[0])
    publisher = hub.publisher("cmd_vel", CmdVel)
    subscription = hub.subscribe("cmd_vel", CmdVel, QoS(max_age=0.5))
    publisher.send(CmdVel(1.0))
    now_ns[0] = 500_000_000
    assert subscription.has_message()
    publisher.send(CmdVel(2.0))
    now_ns[0] = 500_000_001
    assert subscription.take() == CmdVel(2.0)
    publisher.send(CmdVel(3.0))
    now_ns[0] = 2_000_000_000
    assert not subscription.has_message()
    assert subscription.take() is None
    assert subscription.expired == 2


def test_what_is_too_old_when_it_arrives_is_told_once(hub, caplog):
    with connect(session=hub.session, name="robot") as other:
        other.use_clock(lambda: 5_000_000_000)
        hub.use_clock(lambda: 15_000_000_000)
        taken = hub.subscribe("cmd_vel", CmdVel, QoS(max_age=0.5))
        called = hub.subscribe("cmd_vel", CmdVel, QoS(max_age=0.5), lambda _: None)
        publisher = other.publisher("cmd_vel", CmdVel)
        for _ in range(3):
            publisher.send(CmdVel(1.0))
    assert taken.expired == called.expired == 3
    told = (
        "topic 'cmd_vel': a message of 'robot' is discarded, since it is 10.0 s old and max_age is "
        "0.5 s; if it was sent just now, the clocks of the two machines differ"
    )
    assert [record.getMessage() for record in caplog.records] == [told, told]


def test_a_new_run_forgets_the_old_ones_messages(hub):
    publisher = hub.publisher("cmd_vel", CmdVel, QoS(latched=True))
    subscription = hub.subscribe("cmd_vel", CmdVel)
    seen = []
    hub.on_epoch(seen.append)
    publisher.send(CmdVel(1.0))
    assert hub.begin_epoch() == 1
    assert hub.epoch == 1
    assert seen == [1]
    assert subscription.take() is None
    assert hub.subscribe("cmd_vel", CmdVel, QoS(latched=True)).take() is None
    publisher.send(CmdVel(2.0))
    assert subscription.take() == CmdVel(2.0)


def test_callbacks_and_their_failures(hub, caplog):
    seen = []

    def callback(message):
        seen.append(message)
        raise ValueError("oh no")

    subscription = hub.subscribe("a", Clock, callback=callback)
    hub.publisher("a", Clock).send(Clock(1))
    assert seen == [Clock(1)]
    assert subscription.take() is None
    assert "topic 'a': the callback failed" in caplog.text
    assert "oh no" in caplog.text


def test_the_wrong_type(hub, caplog):
    publisher = hub.publisher("a", Clock)
    with pytest.raises(MessageError, match=r"topic 'a' carries Clock, but was given CmdVel\("):
        publisher.send(CmdVel(1.0))
    subscription = hub.subscribe("a", CmdVel)
    publisher.send(Clock(1))
    publisher.send(Clock(2))
    assert subscription.take() is None
    assert subscription.rejected == 2
    text = "sends the type 'rosgraph_msgs/msg/Clock', but 'geometry_msgs/msg/Twist' is expected"
    assert str(subscription.last_error).endswith(text)
    assert caplog.text.count(text) == 1


def test_another_class_of_the_same_type_is_turned_into_it(hub):
    wide = hub.subscribe("a", Twist)
    hub.publisher("a", CmdVel).send(CmdVel(0.5, -0.25))
    assert wide.take() == Twist((0.5, 0.0, 0.0), (0.0, 0.0, -0.25))
    depth = hub.subscribe("b", DepthImage)
    hub.publisher("b", Image).send(Image(0, "camera", np.zeros((2, 2, 3), np.uint8)))
    assert depth.take() is None
    assert "a DepthImage must be in 32FC1 or 16UC1, got 'rgb8'" in str(depth.last_error)


def test_topics_are_listed(hub):
    hub.publisher("b", Clock)
    hub.publisher("a/x", Clock)
    subscription = hub.subscribe("a/x", Clock)
    infos = hub.topics()
    assert [info.name for info in infos] == ["a/x", "b"]
    assert infos[0].kinds == ("rosgraph_msgs/msg/Clock",)
    assert (infos[0].publishers, infos[0].subscriptions) == (1, 1)
    subscription.close()
    assert hub.topics()[0].subscriptions == 0


def test_closing(hub):
    publisher = hub.publisher("a", Clock)
    subscription = hub.subscribe("a", Clock)
    subscription.close()
    publisher.send(Clock(1))
    assert subscription.take() is None
    publisher.close()
    with pytest.raises(HubError, match="the publisher of 'a' is closed; make a new one"):
        publisher.send(Clock(2))
    hub.close()
    with pytest.raises(HubError, match=r"this connection is closed; call connect\(\) again"):
        hub.publisher("a", Clock)


@pytest.mark.parametrize("name", ["", "/", "a//b", "a b", "a/*", "/a/", None])
def test_names_of_topics(hub, name):
    with pytest.raises(HubError, match="is not a topic name; use letters, digits"):
        hub.publisher(name, Clock)


def test_mistakes_in_connecting(monkeypatch):
    with pytest.raises(HubError, match="no transport for 'tcp://x'; use 'inproc://'"):
        connect("tcp://x")
    with pytest.raises(HubError, match="'a b' is not a session name"):
        connect(session="a b")
    monkeypatch.setenv("HORUS_SESSION_ID", "")
    with pytest.raises(HubError, match="variable HORUS_SESSION_ID"):
        connect()
    with pytest.raises(HubError, match=r"QoS\.depth must be a whole number of at least 1, got 0"):
        QoS(depth=0)
    with pytest.raises(HubError, match=r"QoS\.max_age must be positive seconds or None, got 0"):
        QoS(max_age=0)
    with pytest.raises(MessageError, match="is not a message type"), connect(session="x") as hub:
        hub.subscribe("a", int)


def test_many_senders_lose_nothing(hub):
    subscription = hub.subscribe("a", Clock, QoS(depth=10_000))

    def send(k):
        publisher = hub.publisher("a", Clock)
        for i in range(1000):
            publisher.send(Clock(k * 1000 + i))

    threads = [threading.Thread(target=send, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    received = []
    while (message := subscription.take()) is not None:
        received.append(message.stamp_ns)
    assert sorted(received) == list(range(4000))
    for k in range(4):
        mine = [stamp for stamp in received if stamp // 1000 == k]
        assert mine == sorted(mine)


def test_waiting_ends_when_the_subscription_is_closed(hub):
    subscription = hub.subscribe("a", Clock)
    waiting = threading.Thread(target=subscription.wait)
    waiting.start()
    while not subscription._waiting:
        time.sleep(0.001)
    hub.close()
    waiting.join(30)
    assert not waiting.is_alive()


def test_a_callback_of_a_new_run_that_fails_is_logged(hub, caplog):
    def fail(_):
        raise ValueError("oops")

    heard = []
    hub.on_epoch(fail)
    hub.on_epoch(heard.append)
    assert heard == [hub.begin_epoch()]
    assert "a callback of on_epoch failed" in caplog.text


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda hub: hub.subscribe("a", Clock, 5), r"qos must be a QoS, such as QoS\(depth=1\)"),
        (lambda hub: hub.subscribe("a", Clock, callback=5), "callback must be a function, got 5"),
        (lambda hub: hub.use_clock(5), "clock must be a function, got 5"),
        (lambda hub: hub.on_epoch(5), "callback must be a function, got 5"),
        (lambda hub: hub.subscribe("a", Clock).wait(float("nan")), "timeout must be seconds or"),
        (lambda hub: QoS(max_age="x"), "QoS.max_age must be positive seconds or None, got 'x'"),
        (lambda hub: QoS(max_age=float("inf")), "QoS.max_age must be positive seconds or None"),
        (lambda hub: sender(), "sender.. tells who sent a message only in a topic's callback"),
        (lambda hub: connect(name=5), "the name of a connection must be text, got 5"),
    ],
)
def test_arguments_that_do_not_fit(hub, make, text):
    with pytest.raises(HubError, match=text):
        make(hub)


def test_who_keeps_the_function_that_sends_reaches_later_subscriptions(hub):
    publisher = hub.publisher("clock", Clock)
    send = publisher.send
    send(Clock(1))
    with hub.subscribe("clock", Clock) as first, hub.subscribe("clock", Clock) as second:
        send(Clock(2))
        assert first.take() == second.take() == Clock(2)
    publisher.close()
    with pytest.raises(HubError, match="is closed"):
        send(Clock(3))
