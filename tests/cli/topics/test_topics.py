"""`horus-sim topic info|type|hz|bw|delay` and `node list|info`, in a session of this process."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator

import pytest

from horus_sim.cli import app
from horus_sim.cli.topics.figures import Sample, bandwidth_line, bytes_text, delay_line, rate_line
from horus_sim.hub import Hub, QoS, connect
from horus_sim.hub.messages import Clock, CmdVel, Imu, String, Twist
from horus_sim.hub.ros.service_type import service_hash
from horus_sim.hub.ros.type_hash import type_hash

TWIST = "geometry_msgs/msg/Twist"
TRIGGER = "std_srvs/srv/Trigger"
# Longer than anything here takes.
LONG = "30"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def hub() -> Iterator[Hub]:
    with connect(session=f"cli-{uuid.uuid4().hex[:8]}", name="robot") as hub:
        yield hub


@pytest.fixture
def run(hub: Hub, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in the session of the robot: exit code, stdout and stderr."""

    def run(*arguments: str, wait: str = "0") -> tuple[int, str, str]:
        where = ["--url", "inproc://", "--session", hub.session, "--wait", wait]
        with pytest.raises(SystemExit) as stop:
            app.main([*arguments, *where])
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def sending() -> Iterator[Callable[[Callable[[], object]], None]]:
    """Calls functions again and again in threads of their own, until the end of the test."""
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def start(send: Callable[[], object]) -> None:
        def repeat() -> None:
            while not stop.wait(0.002):
                send()

        threads.append(threading.Thread(target=repeat))
        threads[-1].start()

    yield start
    stop.set()
    for thread in threads:
        thread.join()


def test_info_shows_each_end(hub: Hub, run: Run):
    hub.subscribe("base/cmd_vel", CmdVel, QoS(depth=1, reliable=False))
    hub.publisher("base/cmd_vel", Twist, QoS(depth=3, latched=True))
    hashed = type_hash(TWIST)
    expected = f"""\
/base/cmd_vel: {TWIST}
role          node    type                     reliability  durability       depth  hash
publisher     /robot  geometry_msgs/msg/Twist  reliable     transient local  3      {hashed}
subscription  /robot  geometry_msgs/msg/Twist  best effort  volatile         1      {hashed}
"""
    assert run("topic", "info", "base/cmd_vel") == (0, expected, "")
    assert run("topic", "info", "/base/cmd_vel") == (0, expected, "")


def test_info_as_json(hub: Hub, run: Run):
    hub.subscribe("cmd_vel", CmdVel, QoS(depth=1))
    assert json.loads(run("topic", "info", "/cmd_vel", "--json")[1]) == [
        {
            "name": "cmd_vel",
            "role": "subscription",
            "node": "/robot",
            "ros_type": TWIST,
            "type_hash": type_hash(TWIST),
            "qos": {"depth": 1, "reliable": True, "latched": False},
        }
    ]


def test_info_warns_of_several_types(hub: Hub, run: Run):
    hub.subscribe("a", CmdVel)
    hub.publisher("a", String)
    assert run("topic", "info", "a")[2] == (
        f"warning: they have several types, {TWIST}, std_msgs/msg/String; those of another type "
        "hear nothing\n"
    )


def test_type(hub: Hub, run: Run):
    hub.subscribe("a", CmdVel)
    assert run("topic", "type", "/a") == (0, f"{TWIST}\n", "")
    hub.publisher("a", String)
    assert run("topic", "type", "a") == (0, f"{TWIST}\nstd_msgs/msg/String\n", "")


@pytest.mark.parametrize("verb", ["info", "type"])
def test_a_topic_at_which_nobody_is(verb: str, hub: Hub, run: Run):
    where = f"error: nobody is at topic 'cmd_vle' in session '{hub.session}' after 0 s"
    assert run("topic", verb, "/cmd_vle") == (
        1,
        "",
        f"{where}, which has no topics; start the program, or choose its --session\n",
    )
    hub.subscribe("cmd_vel", CmdVel)
    hint = f"{where}; did you mean 'cmd_vel'?\n"
    assert run("topic", verb, "cmd_vle") == (1, "", hint)


def test_nodes(hub: Hub, run: Run):
    with connect(session=hub.session, name="desk"):
        assert run("node", "list") == (0, "/desk\n/robot\n", "")
        assert json.loads(run("node", "list", "--json")[1]) == ["/desk", "/robot"]


def test_no_nodes(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        app.main(["node", "list", "--url", "inproc://", "--session", "nobody", "--wait", "0"])
    text = "no nodes in session 'nobody'; another one is chosen with --session\n"
    assert capsys.readouterr().out == text


def test_info_of_a_node(hub: Hub, run: Run):
    hub.serve("stop", TRIGGER, lambda _: None)
    hub.publisher("cmd_vel", Twist)
    hashed, service = type_hash(TWIST), service_hash(TRIGGER)
    expected = f"""\
/robot
role       name      type                     reliability  durability  depth  hash
publisher  /cmd_vel  geometry_msgs/msg/Twist  reliable     volatile    10     {hashed}
server     /stop     std_srvs/srv/Trigger     reliable     volatile    10     {service}
"""
    assert run("node", "info", "/robot") == (0, expected, "")
    assert run("node", "info", "robot") == (0, expected, "")


def test_info_of_nodes_with_one_name(hub: Hub, run: Run):
    with connect(session=hub.session, name="robot"):
        assert run("node", "info", "/robot") == (
            0,
            "/robot\nit has no topics and no services\n",
            "warning: 2 nodes have this name; give each a name of its own\n",
        )


def test_info_of_no_node(hub: Hub, run: Run):
    assert run("node", "info", "/robto") == (
        1,
        "",
        (
            f"error: there is no node '/robto' in session '{hub.session}' after 0 s; "
            "did you mean '/robot'?\n"
        ),
    )


def test_bandwidth(hub: Hub, run: Run, sending: Callable[..., None]):
    publisher = hub.publisher("text", String)
    sending(lambda: publisher.send(String("x" * 987)))
    code, out, err = run("topic", "bw", "/text", "--window", "5", wait=LONG)
    assert (code, err) == (0, "")
    # Four bytes of header, four of length, the text and its NUL.
    assert out.endswith("/s over 5 messages: mean 996 B (min 996 B, max 996 B)\n")


def test_delay(hub: Hub, run: Run, sending: Callable[..., None]):
    publisher = hub.publisher("imu", Imu)
    sending(lambda: publisher.send(Imu(time.time_ns() - 10**12, "imu")))
    code, out, err = run("topic", "delay", "/imu", "--window", "5", wait=LONG)
    assert (code, err) == (0, "")
    assert " ms over 5 messages (min " in out
    # Of a thousand seconds before, and a moment.
    assert float(out.split()[0]) >= 1e6


def test_delay_in_simulated_time(hub: Hub, run: Run, sending: Callable[..., None]):
    clock, publisher = hub.publisher("clock", Clock), hub.publisher("imu", Imu)

    def send() -> None:
        clock.send(Clock(2_500_000_000))
        publisher.send(Imu(2_000_000_000, "imu"))

    sending(send)
    line = "500.000 ms over 4 messages (min 500.000, max 500.000), jitter 0.000 ms\n"
    answer = run("topic", "delay", "/imu", "--sim-time", "--window", "4", wait=LONG)
    assert answer == (0, line, "")
    _, _, err = run("topic", "delay", "/imu", "--window", "4", wait=LONG)
    assert err == (
        "warning: the stamps of '/imu' are not wall time; if they are those of a simulation, add "
        "--sim-time\n"
    )


def test_delay_of_messages_without_a_stamp(hub: Hub, run: Run):
    hub.publisher("cmd_vel", CmdVel)
    assert run("topic", "delay", "cmd_vel", "--window", "4") == (
        1,
        "",
        (
            f"error: messages of the type {TWIST} have no header with a stamp, so that their age "
            "cannot be told; `topic hz` tells how often they come\n"
        ),
    )


def test_a_silent_topic(hub: Hub, run: Run):
    hub.publisher("imu", Imu)
    for verb in ("hz", "bw", "delay"):
        answer = run("topic", verb, "imu", "--duration", "0.05")
        assert answer == (1, "", "error: 0.000 Hz: no message on 'imu' arrived\n")


def test_figures():
    second_ns = 10**9
    samples = [Sample(0, 4_000), Sample(second_ns, 1_000), Sample(2 * second_ns, 3_000)]
    assert bandwidth_line(samples) == (
        "2.00 kB/s over 3 messages: mean 2.67 kB (min 1.00 kB, max 4.00 kB)"
    )
    ages = [Sample(0, 1_000_000), Sample(1, 3_000_000)]
    assert delay_line(ages) == "2.000 ms over 2 messages (min 1.000, max 3.000), jitter 1.000 ms"
    assert rate_line(samples[:1]) is bandwidth_line(samples[:1]) is delay_line([]) is None
    assert [bytes_text(size) for size in (0, 999, 1e3, 2.5e6, 1e9)] == [
        "0 B", "999 B", "1.00 kB", "2.50 MB", "1.00 GB"
    ]  # fmt: skip
