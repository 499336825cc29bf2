# pyright: reportArgumentType=false
import signal
import subprocess
import sys
import threading
import time
from logging import NOTSET, getLogger

import pytest

from horus_sim.errors import NodeError
from horus_sim.hub import Node, QoS, Scheduler, connect, run
from horus_sim.hub.messages import Clock, CmdVel
from horus_sim.hub.ros.binding import binding_of


@pytest.fixture
def hub():
    with connect(session="scheduler-test") as hub:
        yield hub


def counter(name, log, rate, **options):
    return Node(name, tick=lambda node: log.append((name, node.ticks)), rate=rate, **options)


def test_rates_and_priorities_are_honoured(hub):
    log = []
    scheduler = Scheduler(hub, "deterministic")
    scheduler.add(counter("slow", log, 10), priority=0)
    scheduler.add(counter("fast", log, 30), priority=5)
    scheduler.add(counter("first", log, 10), priority=-1)
    scheduler.run(duration=0.2)
    assert log == [
        ("first", 1),
        ("slow", 1),
        ("fast", 1),
        ("fast", 2),
        ("fast", 3),
        ("first", 2),
        ("slow", 2),
        ("fast", 4),
        ("fast", 5),
        ("fast", 6),
    ]


@pytest.mark.parametrize("rate", [3, 7, 30, 240, 999.5])
def test_no_tick_is_lost_to_rounding(hub, rate):
    log = []
    run(counter("a", log, rate), duration=100, hub=hub, mode="deterministic")
    assert len(log) in (int(100 * rate), int(100 * rate) + 1)


def message_log():
    """All messages of a small program, as bytes with their times."""
    frames = []
    with connect(session="deterministic-test") as hub:

        def record(topic):
            def write(message):
                now_ns = hub.now_ns()
                frames.append((topic, now_ns, binding_of(type(message)).encode(message)))

            return write

        def drive(node):
            state = node.latest("state")
            node.send("cmd_vel", CmdVel(0.1 * (state["x"] if state else 0.0), 0.3))

        def move(node):
            command = node.get("cmd_vel")
            node.send("state", {"x": node.ticks * 1e-3 + (command.linear if command else 0.0)})

        for topic, kind in (("cmd_vel", CmdVel), ("state", dict), ("clock", Clock)):
            hub.subscribe(topic, kind, callback=record(topic))
        run(
            Node("driver", subs="state", pubs={"cmd_vel": CmdVel}, tick=drive, rate=20),
            Node("robot", subs={"cmd_vel": CmdVel}, pubs="state", tick=move, rate=130),
            duration=3.0,
            hub=hub,
            mode="deterministic",
        )
    return frames


def test_the_same_program_gives_the_same_log_bit_for_bit():
    first = message_log()
    assert len(first) > 800
    assert {topic for topic, _, _ in first} == {"cmd_vel", "state", "clock"}
    assert message_log() == first


def test_simulated_time_follows_the_clock(hub):
    log = []
    scheduler = Scheduler(hub, "simulated")
    scheduler.add(counter("a", log, 10))
    ready = threading.Event()
    scheduler.add(Node("ready", rate=1000, init=lambda _: ready.set()))
    thread = threading.Thread(target=scheduler.run, kwargs={"duration": 1.0})
    publisher = hub.publisher("clock", Clock)
    thread.start()
    assert ready.wait(30)
    while not any(info.name == "clock" and info.subscriptions for info in hub.topics()):
        pass
    for stamp_ns in range(5_000_000_000, 6_100_000_000, 50_000_000):
        publisher.send(Clock(stamp_ns))
    thread.join(30)
    assert not thread.is_alive()
    assert [ticks for name, ticks in log if name == "a"] == list(range(1, 11))


def test_a_failing_tick_stops_all_and_names_the_node(hub):
    stopped = []

    def fail(node):
        if node.ticks == 3:
            raise ValueError("broken wheel")

    nodes = [
        Node("wheel", tick=fail, rate=10, shutdown=lambda n: stopped.append(n.name)),
        Node("other", rate=10, shutdown=lambda n: stopped.append(n.name)),
    ]
    text = r"node 'wheel' failed in tick at 0\.200 s: ValueError\('broken wheel'\)"
    with pytest.raises(NodeError, match=text) as info:
        run(*nodes, duration=1, hub=hub, mode="deterministic")
    assert isinstance(info.value.__cause__, ValueError)
    assert stopped == ["other", "wheel"]


def test_a_failing_node_can_be_isolated(hub, caplog):
    def fail(_):
        raise ValueError("broken wheel")

    log = []
    nodes = [Node("wheel", tick=fail, rate=10), counter("other", log, 10)]
    run(*nodes, duration=1, hub=hub, mode="deterministic", on_error="isolate")
    assert len(log) == 10
    assert caplog.text.count("node 'wheel' failed in tick at 0.000 s") == 1


def test_a_node_that_fails_to_start_is_isolated(hub, caplog):
    def fail(_):
        raise ValueError("no wheel")

    log = []
    nodes = [counter("wheel", log, 10, init=fail), counter("other", log, 10)]
    run(*nodes, duration=0.2, hub=hub, mode="deterministic", on_error="isolate")
    assert {name for name, _ in log} == {"other"}
    assert "node 'wheel' failed in init" in caplog.text


def test_the_hub_has_its_clock_back_after_a_run(hub):
    run(Node("a"), duration=1, hub=hub, mode="deterministic")
    assert hub.now_ns() > 10**18


@pytest.fixture
def heeds_ctrl_c():
    """A program that a shell started in the background ignores Ctrl-C, and so would its tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_is_clean():
    stopped = []
    node = Node(
        "a",
        tick=lambda _: signal.raise_signal(signal.SIGINT),
        rate=100,
        shutdown=lambda n: stopped.append(n.name),
    )
    run(node)
    assert stopped == ["a"]


def test_real_time_ends_and_can_be_stopped(hub):
    log = []
    run(counter("a", log, 200), duration=0.1, hub=hub)
    assert 1 <= len(log) <= 20
    scheduler = Scheduler(hub)
    scheduler.add(Node("b", tick=lambda _: scheduler.stop(), rate=50))
    scheduler.run()


@pytest.mark.parametrize("priorities", [(0, 1), (1, 0)])
def test_a_node_that_takes_too_long_does_not_keep_others_from_ticking(hub, priorities):
    slow = Node("camera", rate=50, tick=lambda _: time.sleep(0.05))
    fast = Node("safety", rate=100)
    scheduler = Scheduler(hub)
    for node, priority in zip((slow, fast), priorities, strict=True):
        scheduler.add(node, priority)
    scheduler.run(0.6)
    assert fast.ticks >= slow.ticks / 2
    assert scheduler.overruns > 0


def test_a_node_whose_init_fails_leaves_no_subscription(hub):
    def fail(_):
        raise ValueError("no camera")

    scheduler = Scheduler(hub, on_error="isolate", mode="deterministic")
    scheduler.add(Node("a", subs={"x": Clock}, init=fail))
    scheduler.run(0.1)
    assert [info.name for info in hub.topics() if info.subscriptions] == []


def test_a_deterministic_run_gives_the_clock_back(hub):
    clock = lambda: 7  # noqa: E731
    hub.use_clock(clock)
    run(Node("a"), duration=0.1, hub=hub, mode="deterministic")
    assert hub.now_ns() == 7


def test_a_node_in_a_program_of_its_own_topics(hub):
    node = Node("a", subs={"x": Clock}, pubs="y", qos=QoS(depth=1))
    with pytest.raises(NodeError, match=r"node 'a' is not running; give it to run\(\)"):
        node.get("x")
    node.start(hub)
    with pytest.raises(NodeError, match="node 'a' does not subscribe to 'z'; add it to subs"):
        node.has_msg("z")
    with pytest.raises(
        NodeError, match=r"node 'a' does not publish 'x'; add it to pubs \(now: 'y'"
    ):
        node.send("x", Clock(1))
    with pytest.raises(NodeError, match="no log level 'loud'"):
        node.log("hi", "loud")
    node.stop()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Node(""), "a node must have a name, got ''"),
        (lambda: Node("a", rate=0), "the rate of node 'a' must be from above 0"),
        (lambda: Node("a", rate="fast"), "the rate of node 'a' must be from above 0"),  # type: ignore[arg-type]
        (lambda: Node("a", rate=float("inf")), "from above 0 to 1e.06 Hz, got inf"),
        (lambda: Scheduler().add("x"), r"add\(\) takes a Node and a whole number, got 'x'"),  # type: ignore[arg-type]
        (lambda: Scheduler().add(Node("a"), 0, "yes"), "logging must be True, False or None, got"),
        (lambda: run(Node("a"), duration=float("nan")), "duration must be seconds or None"),
        (lambda: Scheduler(mode="fast"), "no mode 'fast'; use one of real, simulated"),
        (lambda: Scheduler(on_error="cry"), "no on_error 'cry'; use one of stop, isolate"),
    ],
)
def test_mistakes(make, text):
    with pytest.raises(NodeError, match=text):
        make()


def test_two_nodes_of_one_name(hub):
    scheduler = Scheduler(hub)
    scheduler.add(Node("a"))
    with pytest.raises(NodeError, match="there is a node 'a' already; give each its own name"):
        scheduler.add(Node("a"))


def test_logging_goes_under_the_nodes_name(hub, caplog):
    caplog.set_level("INFO")
    node = Node("a", tick=lambda n: n.log(f"tick {n.ticks}"), rate=10)
    run(node, duration=0.1, hub=hub, mode="deterministic")
    assert [(r.name, r.message) for r in caplog.records if "node" in r.name] == [
        ("horus_sim.node.a", "tick 1")
    ]


def echo(node):
    if (state := node.get("state")) is not None:
        node.log(f"at {state['x']}")
    node.send("state", {"x": node.ticks})


@pytest.mark.parametrize(
    ("logging", "lines"),
    [
        (
            True,
            [
                "started at 10 Hz",
                "sent 'state': {'x': 1}",
                "took 'state': {'x': 1}",
                "at 1",
                "sent 'state': {'x': 2}",
                "stopped after 2 ticks",
            ],
        ),
        (False, []),
        (None, ["at 1"]),
    ],
)
def test_each_node_has_its_own_logging(hub, caplog, logging, lines):
    caplog.set_level("INFO")
    scheduler = Scheduler(hub, "deterministic")
    scheduler.add(Node("a", subs="state", pubs="state", tick=echo, rate=10), 0, logging)
    scheduler.add(Node("b", tick=lambda n: n.log("b"), rate=10), 1, False)
    scheduler.run(duration=0.2)
    records = [record for record in caplog.records if record.name.startswith("horus_sim.node")]
    assert [record.message for record in records] == lines
    assert {record.name for record in records} <= {"horus_sim.node.a"}
    for name in "ab":
        assert getLogger(f"horus_sim.node.{name}").level == NOTSET


def test_lines_go_to_stderr_where_the_program_did_not_set_up_logging():
    program = """
from horus_sim.hub import Node, Scheduler
scheduler = Scheduler(mode="deterministic")
scheduler.add(Node("100%", tick=lambda n: n.log("hello"), rate=1), 0, True)
scheduler.add(Node("b", tick=lambda n: n.log("hidden"), rate=1), 1)
scheduler.run(1.0)
scheduler.run(0.0)
"""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "[100%] started at 1 Hz",
        "[100%] hello",
        "[100%] stopped after 1 ticks",
        "[100%] started at 1 Hz",
        "[100%] stopped after 1 ticks",
    ]
