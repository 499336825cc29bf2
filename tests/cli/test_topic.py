"""`horus-sim topic` against a real process on zenoh, and its parts on made-up data."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator

import pytest

from horus_sim.cli import app
from horus_sim.cli.terminal import print_table
from horus_sim.errors import MessageError
from horus_sim.files.printable import printable
from horus_sim.hub import connect
from horus_sim.hub.json_form import from_text
from horus_sim.hub.message_types import find_type
from horus_sim.hub.messages import CmdVel, JointState, Odometry, Twist
from horus_sim.hub.topic_rate import rate_of, silence_s
from horus_sim.tf import TFMessage, Transform, TransformStamped

if importlib.util.find_spec("zenoh") is None:
    if os.environ.get("CI") == "true":
        pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
    pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'", allow_module_level=True)

# Longer than anything here takes; reached only when something is broken.
LONG = 30.0
# The first line, so that Ctrl-C works where the tests run in the background.
CLI = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from horus_sim.cli.app import main; main()"
)
ROBOT = """
import sys, time
from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import CmdVel, String, Twist
hub = connect("zenoh://", session=sys.argv[1])
speed = hub.publisher("robot1/cmd_vel", CmdVel)
name = hub.publisher("name", String, QoS(latched=True))
name.send(String("two\\nlines"))
both = hub.publisher("both", String), hub.publisher("both", Twist)
hub.subscribe("goal", Twist, callback=lambda message: print(message, flush=True))
hub.subscribe("note", dict, callback=lambda message: print(message, flush=True))
print("ready", flush=True)
while True:
    speed.send(CmdVel(0.5, -0.25))
    time.sleep(0.01)
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def robot() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A session in which a process publishes and subscribes."""
    session = f"test-{uuid.uuid4().hex[:12]}"
    command = [sys.executable, "-c", ROBOT, session]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield session, process
        process.kill()


@pytest.fixture
def run(robot: tuple[str, object], capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in the session of the robot: exit code, stdout and stderr."""

    def run(*arguments: str, wait: float = LONG) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            app.main(["topic", *arguments, "--session", robot[0], "--wait", str(wait)])
        assert isinstance(stop.value.code, int)
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


def eventually(run: Run, condition: Callable[[tuple[int, str, str]], bool], *arguments: str):
    """The first answer that is as wanted: how long processes need to meet is not known."""
    end = time.monotonic() + LONG
    while True:
        answer = run(*arguments, wait=0.5)
        if condition(answer):
            return answer
        assert time.monotonic() < end, answer


def test_list(run: Run):
    table = """\
topic           types                                                    publishers  subscriptions
both            geometry_msgs/msg/Twist, std_msgs/msg/String             2           0
goal            geometry_msgs/msg/Twist, geometry_msgs/msg/TwistStamped  0           1
name            std_msgs/msg/String                                      1           0
note            std_msgs/msg/String                                      0           1
robot1/cmd_vel  geometry_msgs/msg/Twist                                  1           0
"""
    eventually(run, lambda answer: answer == (0, table, ""), "list")


def test_list_as_json(run: Run):
    record = {
        "name": "robot1/cmd_vel",
        "types": ["geometry_msgs/msg/Twist"],
        "publishers": 1,
        "subscriptions": 0,
    }
    eventually(run, lambda answer: record in json.loads(answer[1]), "list", "--json")


def test_list_of_an_empty_session(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        app.main(["topic", "list", "--url", "inproc://", "--session", "nobody", "--wait", "0"])
    text = "no topics in session 'nobody'; another one is chosen with --session\n"
    assert capsys.readouterr().out == text


def test_echo(run: Run):
    assert run("echo", "/robot1/cmd_vel", "--count", "3", "--timeout", str(LONG)) == (
        0,
        "Twist(linear=(0.5, 0, 0), angular=(0, 0, -0.25))\n" * 3,
        "",
    )


@pytest.mark.parametrize("option", [["--latched"], []])
def test_echo_of_a_latched_topic_prints_what_is_kept(run: Run, option: list[str]):
    answer = run("echo", "name", *option, "--count", "1", "--timeout", str(LONG))
    assert answer == (0, "String(data=two\\nlines)\n", "")


def test_echo_as_json_prints_all(run: Run):
    code, out, err = run("echo", "/robot1/cmd_vel", "--json", "--count", "1")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"linear": [0.5, 0, 0], "angular": [0, 0, -0.25]}


def test_echo_without_a_message(run: Run):
    code, out, err = run("echo", "name", "--count", "2", "--timeout", "1")
    assert (code, out) == (1, "String(data=two\\nlines)\n")
    assert err == "error: no message on 'name' within 1 s, 1 printed\n"


def test_echo_of_a_topic_with_several_types(run: Run):
    code, _, err = run("echo", "both")
    assert code == 1
    text = (
        "topic 'both' carries several types, geometry_msgs/msg/Twist, std_msgs/msg/String; choose"
    )
    assert text in err


def test_echo_of_another_type_says_what_was_refused(run: Run):
    code, _, err = run("echo", "robot1/cmd_vel", "--type", "String", "--timeout", "2")
    assert code == 1
    expected = "sends the type 'geometry_msgs/msg/Twist', but 'std_msgs/msg/String' is expected"
    assert err.count(expected) == 2


@pytest.mark.parametrize(
    ("topic", "hint"),
    [
        ("robot1/cmd_vle", "after 0.5 s; did you mean 'robot1/cmd_vel'?"),
        ("goal", "after 0.5 s; known: both, name, robot1/cmd_vel"),
    ],
)
def test_echo_without_a_publisher(topic: str, hint: str, run: Run, robot: tuple[str, object]):
    code, out, err = eventually(run, lambda answer: hint in answer[2], "echo", topic)
    assert (code, out) == (1, "")
    assert err == f"error: topic '{topic}' has no publisher in session '{robot[0]}' {hint}\n"


def test_echo_where_nothing_is_published(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stop:
        app.main(["topic", "echo", "a", "--url", "inproc://", "--session", "nobody", "--wait", "0"])
    assert stop.value.code == 1
    assert "where nothing is published; start the program, or choose" in capsys.readouterr().err


def test_hz_over_a_window(run: Run):
    code, out, _ = run("hz", "robot1/cmd_vel", "--window", "5")
    assert code == 0
    assert " Hz over 5 messages: interval " in out
    rate_hz, mean_ms = float(out.split()[0]), float(out.split("interval ")[1].split()[0])
    assert rate_hz == pytest.approx(1000.0 / mean_ms, rel=1e-3)


def test_hz_of_a_silent_topic(run: Run):
    code, out, err = run("hz", "name", "--duration", "0.1")
    assert (code, out) == (1, "")
    assert err == "error: 0.000 Hz: no message on 'name' arrived\n"


def test_pub(run: Run, robot: tuple[str, subprocess.Popen[str]]):
    answer = run("pub", "goal", "Twist", '{"linear": [1, 2, 3]}', "--count", "2", "--rate", "100")
    assert answer == (0, "sent 2 messages on 'goal'\n", "")
    assert run("pub", "note", "dict", '{"a": [1, null]}')[1] == "sent 1 message on 'note'\n"
    assert robot[1].stdout is not None
    line = "Twist(linear=(1, 2, 3), angular=(0, 0, 0))\n"
    lines = [robot[1].stdout.readline() for _ in range(3)]
    assert lines == [line, line, "{'a': [1, None]}\n"]


def test_pub_without_a_subscription_warns(run: Run):
    code, out, err = run("pub", "robot1/cmd_vel", "CmdVel", wait=0.1)
    assert (code, out) == (0, "sent 1 message on 'robot1/cmd_vel'\n")
    assert err == (
        "warning: nobody subscribed to 'robot1/cmd_vel' within 0.1 s; sending all the same\n"
    )


@pytest.mark.parametrize(
    ("arguments", "beginning"),
    [
        (("echo", "robot1/cmd_vel"), "Twist(linear=(0.5"),
        (("hz", "name"), "0.000 Hz: no message on 'name' for "),
        (("pub", "spin", "Twist", "--rate", "50"), ""),
    ],
)
def test_ctrl_c_ends_with_code_0(
    arguments: tuple[str, ...], beginning: str, robot: tuple[str, object]
):
    command = [sys.executable, "-c", CLI, "topic", *arguments, "--session", robot[0]]
    command += ["--wait", str(LONG)]
    with (
        connect("zenoh://", session=robot[0]) as hub,
        hub.subscribe("spin", Twist) as spin,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stdout is not None
        if arguments[0] == "pub":
            assert spin.wait(LONG) == Twist()
        else:
            assert process.stdout.readline().startswith(beginning)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONG)
    assert (process.returncode, err) == (0, "")
    assert "Aborted" not in out


def test_pub_sends_as_often_as_asked():
    session = f"count-{uuid.uuid4().hex[:8]}"
    with connect(session=session) as hub:
        received = hub.subscribe("a", CmdVel)
        command = ["topic", "pub", "a", "CmdVel", '{"linear": 2}', "--url", "inproc://"]
        with pytest.raises(SystemExit):
            app.main([*command, "--count", "3", "--rate", "500", "--session", session])
        assert [received.take() for _ in range(4)] == [*[CmdVel(2.0)] * 3, None]


def test_rate():
    rate = rate_of([0, 10_000_000, 30_000_000, 60_000_000])
    assert rate is not None
    assert str(rate) == (
        "50.000 Hz over 4 messages: interval 20.000 ms (min 10.000, max 30.000), jitter 8.165 ms"
    )
    assert rate_of([5]) is None
    assert rate_of([5, 5]) is None


def test_silence():
    second_ns = 10**9
    assert silence_s([], 0, 2 * second_ns) == 2.0
    assert silence_s([3 * second_ns], 0, 5 * second_ns) == 2.0
    assert silence_s([3 * second_ns], 0, 3 * second_ns + 1) is None
    # At a message every two seconds, two seconds without one are usual, and seven are not.
    slow = [0, 2 * second_ns, 4 * second_ns]
    assert silence_s(slow, 0, 6 * second_ns) is None
    assert silence_s(slow, 0, 11 * second_ns) == 7.0


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("CmdVel", '{"linear": 0.5}', CmdVel(0.5)),
        ("dict", '{"a": {"b": 1}}', {"a": {"b": 1}}),
        (
            "JointState",
            '{"stamp_ns": 1, "names": ["a"], "positions": [2]}',
            JointState(1, ("a",), [2.0]),  # pyright: ignore
        ),
        (
            "Odometry",
            """{"stamp_ns": 1, "frame_id": "odom", "child_frame_id": "base",
                "pose": {"translation": [1, 2, 3]}}""",
            Odometry(1, "odom", "base", Transform((1, 2, 3))),
        ),
        (
            "TFMessage",
            """{"transforms": [{"parent_frame": "a", "child_frame": "b", "stamp_ns": 3,
                "transform": {"rotation": [0, 0, 1, 0]}}]}""",
            TFMessage([TransformStamped("a", "b", 3, Transform(rotation=(0, 0, 1, 0)))]),
        ),
        ("horus_sim.hub.messages:Twist", "{}", Twist()),
    ],
)
def test_messages_from_json(kind: str, text: str, message: object):
    assert from_text(find_type(kind), text) == message


@pytest.mark.parametrize(
    ("kind", "text", "error"),
    [
        (
            "CmdVel",
            '{"liner": 1}',
            r"CmdVel has no field 'liner'; did you mean 'linear'\?",
        ),
        ("CmdVel", '{"zzz": 1}', "CmdVel has no field 'zzz'; known: linear, angular"),
        ("CmdVel", '{"linear": "fast"}', "CmdVel.linear must be a number, got 'fast'"),
        ("Twist", '{"linear": [1, 2]}', r"Twist.linear must be three numbers, got \[1, 2\]"),
        ("Wrench", "{}", "Wrench also needs stamp_ns, frame_id"),
        ("CmdVel", "{", "the fields of CmdVel are not JSON: .*; write an object in single quotes"),
        ("CmdVel", "[1]", r"CmdVel takes a JSON object of fields, got \[1\]"),
        ("TFMessage", '{"transforms": 1}', "TFMessage.transforms must be a list of objects, got 1"),
        (
            "StaticTransformStamped",
            '{"parent_frame": "a", "child_frame": "b", "transform": [1]}',
            "StaticTransformStamped.transform must be an object",
        ),
        (
            "StaticTransformStamped",
            '{"parent_frame": "a", "child_frame": "b", "transform": {"translation": [1]}}',
            "StaticTransformStamped.transform is not a transform: ",
        ),
    ],
)
def test_unfit_json_names_the_field(kind: str, text: str, error: str):
    with pytest.raises(MessageError, match=error):
        from_text(find_type(kind), text)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("CmdVl", "'CmdVl' is not a message type of horus-sim; did you mean 'CmdVel'"),
        ("Zzzzzz", "is not a message type of horus-sim; known: dict, CameraInfo, Clock"),
        ("no_such_module:A", "cannot be loaded: No module named 'no_such_module'; is the module"),
        ("json:loads", "'json:loads' is not a message type; make the class a frozen dataclass"),
    ],
)
def test_unknown_types(name: str, error: str):
    with pytest.raises(MessageError, match=error):
        find_type(name)


def test_text_is_kept_on_its_line(capsys: pytest.CaptureFixture[str]):
    assert printable("größer \x1b[31m\n") == "größer \\x1b[31m\\n"
    print_table(("a", "b"), [("long\t", 1), ("", 22)])
    assert capsys.readouterr().out == "a       b\nlong\\t  1\n        22\n"


def test_pub_warns_of_subscriptions_that_want_another_type(capsys: pytest.CaptureFixture[str]):
    session = f"other-{uuid.uuid4().hex[:8]}"
    with connect(session=session) as hub:
        received = hub.subscribe("a", CmdVel)
        command = [
            "topic",
            "pub",
            "a",
            "String",
            '{"data": "x"}',
            "--url",
            "inproc://",
            "--session",
            session,
        ]
        with pytest.raises(SystemExit):
            app.main(command)
        assert received.rejected == 1
    err = capsys.readouterr().err
    text = (
        "'a' is subscribed to as geometry_msgs/msg/Twist; such subscriptions refuse a std_msgs/msg/"
    )
    assert text in err
