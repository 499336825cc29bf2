"""Topics between real processes over zenoh."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import numpy as np
import pytest

from horus_sim.errors import ConnectionFailedError, HubError, ServiceError
from horus_sim.hub import (
    QoS,
    StaticTFBroadcaster,
    TFBroadcaster,
    TFListener,
    connect,
)
from horus_sim.hub.messages import Clock, CmdVel, Image, PointCloud
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.zenoh import meeting as zenoh_meeting
from horus_sim.hub.zenoh.attachment import halves, packed
from horus_sim.hub.zenoh.keys import data_key, gid_of
from horus_sim.tf import TFMessage, Transform

if importlib.util.find_spec("zenoh") is None:
    if os.environ.get("CI") == "true":
        pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
    pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'", allow_module_level=True)

# Longer than anything here takes; reached only when a message is lost.
LONG = 30.0
HEAD = """
import sys, time
from horus_sim.hub import QoS, StaticTFBroadcaster, TFBroadcaster, connect
from horus_sim.hub.messages import Clock, CmdVel, String
from horus_sim.tf import Transform
hub = connect("zenoh://", session=sys.argv[1])
"""


@pytest.fixture
def session():
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def hub(session):
    with connect("zenoh://", session=session) as hub:
        yield hub


@pytest.fixture
def process(session):
    """Starts programs in the session and ends them after the test."""
    running = []

    def start(code):
        command = [sys.executable, "-c", HEAD + code, session]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        running.append(child)
        return child

    yield start
    for child in running:
        child.kill()
        child.communicate()


def until(condition):
    """Waits for a condition that another process brings about."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


def key_of(topic, kind):
    binding = binding_of(kind)
    return data_key(0, topic, binding.name, binding.type_hash)


def put(hub, publisher, message, epoch):
    """Sends as a publisher does that belongs to a run."""
    sender, rest = halves(gid_of(publisher._token))
    attachment = packed(1, time.time_ns(), sender, rest ^ epoch)
    data = binding_of(type(message)).encode(message)
    hub.zenoh_session.put(key_of(publisher.topic, type(message)), data, attachment=attachment)


def test_every_transform_arrives_and_late_listeners_have_the_static_ones(hub, process):
    process("""
static = StaticTFBroadcaster(hub)
for i in range(50):
    static.send_transform("base", f"f{i}", Transform((i, 0, 0)))
moving = TFBroadcaster(hub)
go = hub.subscribe("go", Clock)
assert go.wait(30) is not None
for i in range(1000):
    moving.send_transform("odom", "base", Transform((i, 0, 0)), i * 2_000_000)
    time.sleep(0.002)
time.sleep(30)
""")
    until(lambda: any(info.name == "go" for info in hub.topics()))
    listener = TFListener(hub)
    until(lambda: len(listener.tree.get_all_frames()) == 51)
    assert listener.tree.lookup_transform("f49", "base").translation[0] == 49
    hub.publisher("go", Clock, QoS(latched=True)).send(Clock(0))
    until(
        lambda: (
            listener.tree.has_frame("odom")
            and listener.tree.frame("base").newest_ns == 1_998_000_000
        )
    )
    assert listener.tree.frame("base").samples == 1000
    assert listener.refused == 0


def test_a_killed_publisher_and_its_successor(hub, process):
    code = """
publisher = hub.publisher("count", Clock, QoS(latched=True))
for i in range(10**9):
    publisher.send(Clock(int(OFFSET) + i))
    time.sleep(0.01)
"""
    subscription = hub.subscribe("count", Clock, QoS(depth=1))
    first = process(code.replace("OFFSET", "0"))
    assert subscription.wait(LONG) is not None
    first.send_signal(signal.SIGKILL)
    first.wait()
    process(code.replace("OFFSET", "1_000_000"))
    until(lambda: (message := subscription.latest()) is not None and message.stamp_ns >= 1_000_000)


def test_who_waits_for_a_server_that_is_killed_is_told(hub, process):
    kind = "std_srvs/srv/Trigger"
    server = process(f"""
def answer(request):
    print("asked", flush=True)
    time.sleep(60)


hub.serve("slow", "{kind}", answer)
time.sleep(60)
""")
    client = hub.client("slow", kind)
    assert client.wait_for_service(LONG)
    answer = client.call_async()
    assert server.stdout.readline() == "asked\n"
    server.kill()
    text = "service 'slow' left without an answer; what it was asked for may be done"
    with pytest.raises(ServiceError, match=text):
        answer.result(LONG)


def test_a_killed_router_is_replaced_and_newcomers_find_the_session(session, process, monkeypatch):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HORUS_ROUTER_PORT", str(probe.getsockname()[1]))
    # The first process holds the router.
    first = process("print('open', flush=True); time.sleep(60)")
    assert first.stdout.readline() == "open\n"
    with connect("zenoh://", session=session) as hub:
        publisher = hub.publisher("count", Clock, QoS(latched=True))
        publisher.send(Clock(1))
        first.send_signal(signal.SIGKILL)
        first.wait()
        until(lambda: hub._keeper._router is not None)  # pyright: ignore
        newcomer = process("""
subscription = hub.subscribe("count", Clock, QoS(latched=True))
message = subscription.wait(30)
print(message, flush=True)
""")
        assert newcomer.stdout.readline() == "Clock(stamp_ns=0.000000001 s)\n"


def test_two_sessions_on_one_machine_never_meet(hub):
    with connect("zenoh://", session=f"{hub.session}-other") as other:
        stranger = other.subscribe("a", Clock, QoS(latched=True))
        friend = hub.subscribe("a", Clock, QoS(latched=True))
        hub.publisher("a", Clock, QoS(latched=True)).send(Clock(1))
        assert friend.wait(LONG) == Clock(1)
        assert stranger.wait(0.3) is None
        assert [info.publishers for info in other.topics()] == [0]


def test_another_type_is_refused_and_the_receiver_goes_on(hub, process, caplog):
    subscription = hub.subscribe("a", CmdVel, QoS(latched=True))
    process("""
latched = QoS(latched=True)
wrong = hub.publisher("a", String, latched)
right = hub.publisher("a", CmdVel, latched)
wrong.send(String("hello"))
right.send(CmdVel(1.0))
time.sleep(30)
""")
    until(lambda: subscription.rejected >= 1)
    assert subscription.wait(LONG) == CmdVel(1.0)
    text = "sends the type 'std_msgs/msg/String', but 'geometry_msgs/msg/Twist' is expected"
    assert str(subscription.last_error).endswith(text)
    assert text in caplog.text


def test_what_is_no_message_of_ros_is_refused(hub):
    subscription = hub.subscribe("a", CmdVel)
    for attachment, reason in (
        (None, "comes with 0 bytes beside it instead of the 33 of ROS 2"),
        (b"hello", "comes with 5 bytes beside it"),
        (bytes(33), "comes with 33 bytes, of which 0 name the sender and not 16, beside it"),
        (
            packed(1, 0, b"12345678", 0),
            "not a message of the type geometry_msgs/msg/Twist: the header",
        ),
    ):
        before = subscription.rejected
        hub.zenoh_session.put(key_of("a", CmdVel), b"hello", attachment=attachment)
        until(lambda before=before: subscription.rejected == before + 1)
        assert reason in str(subscription.last_error)


def test_another_definition_of_the_type_is_told(hub):
    subscription = hub.subscribe("a", CmdVel)
    with connect("zenoh://", session=hub.session, name="old") as other:
        other.announce("MP", "a", "geometry_msgs/msg/Twist", "RIHS01_0123456789", QoS())  # type: ignore[attr-defined]
        until(lambda: subscription.rejected)
    expected = "'old' sends another definition of 'geometry_msgs/msg/Twist' (RIHS01_01234567"
    assert str(subscription.last_error).startswith(expected)


def test_a_run_of_the_far_future_is_refused_and_the_next_one_begins(hub, caplog):
    subscription = hub.subscribe("a", CmdVel)
    sender = hub.publisher("a", CmdVel)
    run = hub.begin_epoch()
    for epoch in (2**64 - 1, 2**63, time.time_ns() + 10**15):
        put(hub, sender, CmdVel(1.0), epoch)
    until(lambda: subscription.rejected == 3)
    assert "claims to begin 11.6 days from now" in str(subscription.last_error)
    for name in ("18446744073709551615", "soon"):
        with connect("zenoh://", session=hub.session) as other:
            liveliness = other.zenoh_session.liveliness()  # type: ignore[attr-defined]
            liveliness.declare_token(f"@horus/0/epoch/{name}")
            until(lambda name=name: f"'{name}', is refused" in caplog.text)
    assert hub.epoch == run
    assert run < hub.begin_epoch() < time.time_ns() + 10**12
    with hub.publisher("a", CmdVel) as publisher:
        publisher.send(CmdVel(0.5))
        assert subscription.wait(LONG) == CmdVel(0.5)


def test_announcements_of_another_shape_are_not_topics(hub):
    token = hub.zenoh_session.liveliness().declare_token("@ros2_lv/0/live/pub/x")
    with hub.publisher("a", CmdVel):
        assert [info.name for info in hub.topics()] == ["a"]
    token.undeclare()


def test_a_topic_that_was_seen_stays_while_links_are_made(session):
    with connect("zenoh://", session=session) as one, connect("zenoh://", session=session) as two:
        publisher = one.publisher("a", CmdVel)
        until(two.topics)
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            assert [info.publishers for info in two.topics()] == [1]
        publisher.close()
        until(lambda: not two.topics())


def test_a_new_run_never_receives_commands_of_the_old_one(hub):
    old = hub.begin_epoch()
    commands = hub.subscribe("cmd_vel", CmdVel)
    new = hub.begin_epoch()
    sender = hub.publisher("cmd_vel", CmdVel)
    # As a controller sends that has not heard of the new run yet.
    put(hub, sender, CmdVel(1.0), old)
    until(lambda: commands.rejected > 0)
    assert commands.take() is None
    assert "earlier run" in str(commands.last_error)
    put(hub, sender, CmdVel(2.0), new)
    assert commands.wait(LONG) == CmdVel(2.0)
    # As a program of ROS sends, which knows of no runs.
    put(hub, sender, CmdVel(3.0), 0)
    assert commands.wait(LONG) == CmdVel(3.0)


def test_who_was_heard_in_a_run_is_refused_in_the_next_until_it_knows_of_it(hub):
    run = hub.begin_epoch()
    commands = hub.subscribe("cmd_vel", CmdVel)
    sender = hub.publisher("cmd_vel", CmdVel)
    for speed in (1.0, 2.0):
        put(hub, sender, CmdVel(speed), run)
        until(commands.has_message)
        assert commands.take() == CmdVel(speed)
    later = hub.begin_epoch()
    put(hub, sender, CmdVel(3.0), run)
    until(lambda: commands.rejected == 1)
    put(hub, sender, CmdVel(4.0), later)
    until(commands.has_message)
    assert commands.take() == CmdVel(4.0)
    assert "earlier run" in str(commands.last_error)


def test_a_run_goes_on_for_newcomers_after_a_later_one_came_and_went(hub, session):
    hub.begin_epoch()
    commands = hub.subscribe("cmd_vel", Clock)
    with connect("zenoh://", session=session) as later:
        until(lambda: later.epoch == hub.epoch)
        epoch = later.begin_epoch()
        until(lambda: hub.epoch == epoch)
    with connect("zenoh://", session=session) as newcomer:
        until(lambda: newcomer.epoch == epoch)
        publisher = newcomer.publisher("cmd_vel", Clock)
        publisher.send(Clock(7))
        assert commands.wait(LONG) == Clock(7)


def test_a_controller_hears_of_a_new_run_without_reading_any_topic(hub, process):
    first = hub.begin_epoch()
    commands = hub.subscribe("cmd_vel", CmdVel)
    process("""
publisher = hub.publisher("cmd_vel", CmdVel)
runs = [0]
while True:
    if hub.epoch > runs[-1]:
        runs.append(hub.epoch)
    publisher.send(CmdVel(float(len(runs))))
    time.sleep(0.002)
""")
    until(lambda: commands.wait(1) == CmdVel(2.0))
    assert hub.begin_epoch() > first
    until(lambda: commands.wait(1) == CmdVel(3.0))


def test_what_an_earlier_run_latched_is_not_said_again(hub):
    hub.begin_epoch()
    publisher = hub.publisher("cmd_vel", CmdVel, QoS(latched=True))
    publisher.send(CmdVel(9.0))
    hub.begin_epoch()
    with connect("zenoh://", session=hub.session) as other:
        commands = other.subscribe("cmd_vel", CmdVel, QoS(latched=True, depth=1000))

        def heard() -> bool:
            # What is sent before the two have found each other is not counted.
            publisher.send(CmdVel(1.0))
            return commands.received >= 100

        until(heard)
        assert {command.linear for command in iter(commands.take, None)} == {1.0}


def test_a_repeated_latched_message_is_as_old_as_it_is(hub):
    publisher = hub.publisher("cmd_vel", CmdVel, QoS(latched=True))
    publisher.send(CmdVel(9.0))
    with connect("zenoh://", session=hub.session) as other:
        commands = other.subscribe("cmd_vel", CmdVel, QoS(latched=True, max_age=0.5, depth=1000))
        until(lambda: commands.received)
        time.sleep(0.6)
        assert commands.take() is None
        for _ in range(100):
            publisher.send(CmdVel(1.0))
        until(lambda: commands.received >= 101)
        assert {command.linear for command in iter(commands.take, None)} == {1.0}


def test_latched_messages_take_the_memory_of_a_few(hub):
    def resident_mb():
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    publisher = hub.publisher("map", PointCloud, QoS(latched=True))
    cloud = PointCloud(0, "map", np.zeros((90_000, 3), np.float32))  # 1 MB
    for _ in range(50):
        publisher.send(cloud)
    before = resident_mb()
    for _ in range(200):
        publisher.send(cloud)
    assert resident_mb() - before < 50


def test_threads_share_a_broadcaster(hub, session):
    with connect("zenoh://", session=session) as other:
        got = other.subscribe("tf", TFMessage, QoS(depth=10_000))
        broadcaster = TFBroadcaster(hub)
        until(lambda: broadcaster.send_transform("a", "b", Transform(), 0) or got.received)
        time.sleep(0.5)
        got.clear()
        before = got.received

        def send(thread):
            for i in range(500):
                broadcaster.send_transform("odom", f"base{thread}", Transform((i, 0, 0)), i)

        threads = [threading.Thread(target=send, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        until(lambda: got.received - before == 2000)
        assert got.missed == 0


def test_topics_are_counted_once_and_all(hub):
    ends = [hub.publisher("a", CmdVel), hub.publisher("a", CmdVel)]
    ends[0].close()
    ends.append(hub.publisher("a", CmdVel))
    hub.subscribe("a", Clock)
    (info,) = hub.topics()
    assert info.publishers == 2
    assert (info.kinds, info.wanted, info.subscriptions) == (
        ("geometry_msgs/msg/Twist",),
        ("rosgraph_msgs/msg/Clock",),
        1,
    )


def test_a_late_subscriber_gets_no_commands_from_before(hub):
    publisher = hub.publisher("cmd_vel", CmdVel)
    for i in range(5):
        publisher.send(CmdVel(float(i)))
    time.sleep(0.3)
    late = hub.subscribe("cmd_vel", CmdVel)
    time.sleep(0.5)  # several heartbeats, which let the subscriber ask for what it missed
    assert late.take() is None
    publisher.send(CmdVel(9.0))
    assert late.wait(LONG) == CmdVel(9.0)


def test_many_static_frames(hub):
    static = StaticTFBroadcaster(hub)
    for i in range(300):
        static.send_transform("base", f"f{i}", Transform((i, 0, 0)))
    listener = TFListener(hub)
    until(lambda: len(listener.tree.get_all_frames()) == 301)


def test_who_comes_while_latched_messages_are_sent_has_the_last(hub):
    publisher = hub.publisher("value", Clock, QoS(depth=1, latched=True))
    newest: list[list[int]] = []
    stop = threading.Event()

    def send():
        while not stop.is_set():
            publisher.send(Clock(publisher.sent + 1))
            time.sleep(0.0005)  # what nobody can take in would only pile up

    sending = threading.Thread(target=send)
    sending.start()
    others = [connect("zenoh://", session=hub.session) for _ in range(3)]
    for connection in (hub, *others):
        for _ in range(3):
            seen = [0]
            newest.append(seen)

            def note(message, seen=seen):
                assert message.stamp_ns > seen[-1], "an older one came after a newer one"
                seen[:] = [message.stamp_ns]

            connection.subscribe("value", Clock, QoS(latched=True), note)
            time.sleep(0.05)
    stop.set()
    sending.join()
    until(lambda: all(seen == [publisher.sent] for seen in newest))
    for connection in others:
        connection.close()


def test_who_missed_latched_messages_has_the_last(hub, session, monkeypatch):
    with connect("zenoh://", session=session) as far:
        publisher = far.publisher("map", Clock, QoS(depth=1, latched=True))
        publisher.send(Clock(1))
        subscription = hub.subscribe("map", Clock, QoS(latched=True))
        assert subscription.wait(LONG) == Clock(1)
        receiver = hub._receivers[subscription]
        lost = threading.Event()
        monkeypatch.setattr(receiver, "_newest", {})
        with monkeypatch.context() as patch:
            patch.setattr(subscription, "deliver", lambda *_: lost.set())
            publisher.send(Clock(2))
            assert lost.wait(LONG)
        receiver._newest.clear()
        receiver._history.ask_again()
        assert subscription.wait(LONG) == Clock(2)


def test_a_late_subscriber_gets_as_many_as_the_depth(hub, session):
    with connect("zenoh://", session=session) as far:
        publisher = far.publisher("log", Clock, QoS(depth=3, latched=True))
        for i in range(1, 6):
            publisher.send(Clock(i))
        # A program that has just been met is sent everything. What comes behind the messages tells
        # that they have passed, so that the subscriber is late.
        behind = hub.subscribe("behind", Clock, QoS(latched=True))
        far.publisher("behind", Clock, QoS(latched=True)).send(Clock(0))
        assert behind.wait(LONG) is not None
        subscription = hub.subscribe("log", Clock, QoS(latched=True))
        assert [subscription.wait(LONG) for _ in range(3)] == [Clock(3), Clock(4), Clock(5)]


def test_too_old_commands_are_never_delivered(hub):
    commands = hub.subscribe("cmd_vel", CmdVel, QoS(max_age=0.2, latched=True))
    publisher = hub.publisher("cmd_vel", CmdVel, QoS(latched=True))
    publisher.send(CmdVel(1.0))
    until(lambda: commands.received == 1)
    time.sleep(0.25)
    assert commands.take() is None
    assert commands.expired == 1


def test_broadcasters_in_one_process_too(hub):
    listener = TFListener(hub)
    StaticTFBroadcaster(hub).send_transform("base", "camera", Transform())
    moving = TFBroadcaster(hub)
    until(lambda: listener.tree.has_frame("camera"))
    moving.send_transform("odom", "base", Transform((1, 0, 0)), 5)
    until(lambda: listener.tree.can_transform("camera", "odom"))


@pytest.mark.parametrize("url", ["zenoh://nowhere", "zenoh://:1", "zenoh://a b:1", "zenoh:///x"])
def test_addresses(url):
    with pytest.raises(HubError, match="is not an address; use 'zenoh://' or 'zenoh://host:port'"):
        connect(url)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_another_machine_joins_a_session_that_is_open_to_the_network(session, process):
    # The publisher is neither the process that opens the session nor the one that joins from afar.
    process("""
StaticTFBroadcaster(hub).send_transform("base", "camera", Transform((1, 2, 3)))
commands = hub.subscribe("cmd_vel", CmdVel)
echoed = hub.publisher("echo", CmdVel)
while True:
    command = commands.wait(1)
    if command is not None:
        echoed.send(command)
""")
    port = free_port()
    with (
        connect("zenoh://", session=session, net=f"127.0.0.1:{port}"),
        connect(f"zenoh://127.0.0.1:{port}", session=session) as remote,
        connect(f"zenoh://127.0.0.1:{port}", session=f"{session}-other") as stranger,
    ):
        listener = TFListener(remote)
        until(lambda: listener.buffer.can_transform("camera", "base"))
        echo = remote.subscribe("echo", CmdVel)
        commands = remote.publisher("cmd_vel", CmdVel)
        until(lambda: commands.send(CmdVel(1, 2)) or echo.wait(0.1) == CmdVel(1, 2))
        late = remote.subscribe("cmd_vel", CmdVel)
        time.sleep(0.5)  # several heartbeats
        assert late.take() is None
        assert "cmd_vel" in [info.name for info in remote.topics()]
        assert stranger.topics() == []


def test_an_address_that_is_taken_is_told(session):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConnectionFailedError, match=rf"net='127.0.0.1:{port}'"):
            connect("zenoh://", session=session, net=f"127.0.0.1:{port}")


@pytest.mark.parametrize(("url", "net"), [("inproc://", "0.0.0.0:7447"), ("zenoh://", "7447")])
def test_net_that_does_not_fit(url, net):
    with pytest.raises(HubError, match="give it with 'zenoh://', as host:port of this machine"):
        connect(url, net=net)


SEND_IMAGES = """
import numpy as np
from horus_sim.hub.messages import Image
images, go = hub.publisher("image", Image), hub.subscribe("go", Clock)
assert go.wait(30) is not None
for i in range(20):
    images.send(Image(i, "camera", np.full((600, 600, 3), i)))
    time.sleep(0.01)
time.sleep(30)
"""
RECEIVE_IMAGES = """
from horus_sim.hub.messages import Image
images, go = hub.subscribe("image", Image, QoS(depth=30)), hub.publisher("go", Clock)
while (first := images.wait(0.1)) is None:
    go.send(Clock(0))
images = [first, *(images.wait(10) for _ in range(19))]
assert all((image.data == image.stamp_ns).all() for image in images)
print([image.stamp_ns for image in images], flush=True)
"""


@pytest.mark.parametrize("shared_memory", ["usual", "64k"])
def test_large_images_arrive_with_much_and_with_little_shared_memory(session, shared_memory):
    def command(code):
        return [sys.executable, "-c", HEAD + code, session]

    prefix = [] if shared_memory == "usual" else _in_small_shared_memory(shared_memory)
    with subprocess.Popen([*prefix, *command(SEND_IMAGES)]) as sender:
        try:
            result = subprocess.run(
                [*prefix, *command(RECEIVE_IMAGES)],
                check=True,
                capture_output=True,
                text=True,
                timeout=LONG,
            )
        finally:
            sender.kill()
    assert result.stdout.strip() == str(list(range(20)))


def _in_small_shared_memory(size):
    """The words before a command that give it a /dev/shm of its own."""
    mount = f"mount -t tmpfs -o size={size} tmpfs /dev/shm"
    prefix = ["unshare", "--mount", "--map-root-user", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    tried = shutil.which("unshare") and subprocess.run(
        [*prefix, "true"], capture_output=True, check=False
    )
    if not tried or tried.returncode != 0:
        pytest.skip("this machine does not let programs mount a /dev/shm of their own")
    return prefix


# A program that a shell started in the background ignores Ctrl-C, and so would the child.
CTRL_C = "import signal; signal.signal(2, signal.default_int_handler); signal.raise_signal(2)"


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", CTRL_C])
def test_a_program_that_does_not_close_its_connection_ends(session, end):
    code = f"""
import threading
def work():
    time.sleep(0.5)
    publisher.send(Clock(1))
    print("sent", flush=True)
publisher, clocks = hub.publisher("clock", Clock), hub.subscribe("clock", Clock)
threading.Thread(target=work).start()
{end}
"""
    result = subprocess.run(
        [sys.executable, "-c", HEAD + code, session],
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert result.stdout == "sent\n"
    assert result.returncode == (-2 if end == CTRL_C else 0)


def test_a_program_ends_that_ctrl_c_stopped_while_it_opened_and_closed_connections(session):
    code = """
from horus_sim.hub.zenoh import transport as zenoh_transport
def interrupt(*_):
    vars(clocks).pop("close", None)
    raise KeyboardInterrupt
clocks = hub.subscribe("clock", Clock)
clocks.close = zenoh_transport.Losses = interrupt
for act in (hub.close, lambda: connect("zenoh://", session=sys.argv[1])):
    try:
        act()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""
    result = subprocess.run(
        [sys.executable, "-c", HEAD + code, session],
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert (result.stdout, result.stderr, result.returncode) == ("interrupted\n" * 2, "", 0)


def test_a_receiver_that_stands_still_holds_up_nobody(session, process, monkeypatch, caplog):
    # Who blocks for a receiver that stands still never gets on, instead of after five seconds.
    for_ever = "transport/link/tx/queue/congestion_control/block/wait_before_close"
    monkeypatch.setitem(zenoh_meeting.SETTINGS, for_ever, 3_600_000_000)
    pixels = np.zeros((600, 600, 3), np.uint8)
    received = []
    with (
        connect("zenoh://", session=session) as sender,
        connect("zenoh://", session=session) as hub,
    ):
        images = sender.publisher("image", Image)
        hub.subscribe("image", Image, callback=lambda image: received.append(image.stamp_ns))
        child = process("""
from horus_sim.hub.messages import Image
images = hub.subscribe("image", Image)
print(images.wait(60) is not None, flush=True)
while True:
    images.wait(60)
""")

        def send_until(condition):
            while not condition() and images.sent < 10_000:
                images.send(Image(images.sent, "camera", pixels))
                time.sleep(0.01)

        ready = threading.Event()
        threading.Thread(target=lambda: (child.stdout.readline(), ready.set())).start()
        send_until(ready.is_set)
        child.send_signal(signal.SIGSTOP)
        end = images.sent + 60
        stream = threading.Thread(target=send_until, args=[lambda: images.sent >= end], daemon=True)
        stream.start()
        stream.join(60)
        was_held_up = stream.is_alive()
        child.send_signal(signal.SIGCONT)
        assert not was_held_up
        until(lambda: received[-1] > end - 30)
        send_until(lambda: images.missed > 0)
        assert images.missed > 0
    told = [line.getMessage() for line in caplog.records]
    assert any("'-c-" in line and "is too slow for them" in line for line in told), told
