"""`horus-sim tf` against real processes on zenoh, and its parts on made-up frames."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import pty
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from horus_sim.cli import app
from horus_sim.cli.transforms.echo import Moment, moment_of
from horus_sim.cli.transforms.monitor import monitor_rows
from horus_sim.cli.transforms.static import static_transform
from horus_sim.hub import TFBroadcaster, TFListener, connect
from horus_sim.hub.transforms.findings import find_problems
from horus_sim.hub.transforms.watch import Watch, WatchedFrame
from horus_sim.tf import FrameInfo, Transform
from horus_sim.tf.svg import draw_svg

if importlib.util.find_spec("zenoh") is None:
    if os.environ.get("CI") == "true":
        pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
    pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'", allow_module_level=True)

# Longer than anything here takes; reached only when something is broken.
LONG = 30.0
SECOND_NS = 1_000_000_000
# The first line, so that Ctrl-C works where the tests run in the background.
CLI = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from horus_sim.cli.app import main; main()"
)
HEAD = """
import math, sys, time
from horus_sim.hub import TFBroadcaster, connect
from horus_sim.tf import Transform
hub = connect("zenoh://", session=sys.argv[1], name="robot")
tf = TFBroadcaster(hub)
"""
GOOD = """
tf.send_static_transform("base", "camera", (0.1, 0, 0.5), (0, 0, math.sin(0.25), math.cos(0.25)))
print("ready", flush=True)
while True:
    # one stamp: what is printed does not depend on when
    tf.send_transform("odom", "base", Transform((1, 2, 0)), 12_500_000_000)
    time.sleep(0.01)
"""
MOVING = """
print("ready", flush=True)
stamp_ns = 0
while True:
    tf.send_transform("odom", "base", Transform((stamp_ns * 1e-9, 0, 0)), stamp_ns)
    stamp_ns += 10_000_000
    time.sleep(0.01)
"""
BAD = """
tf.send_static_transform("a", "b")
tf.send_static_transform("b", "a")
second = TFBroadcaster(connect("zenoh://", session=sys.argv[1], name="intruder"))
print("ready", flush=True)
while True:
    for stamp_s, child in (100, "base"), (90, "late"):
        tf.send_transform("odom", child, Transform(), stamp_s * 1_000_000_000)
    second.send_transform("map", "base", Transform(), 100_000_000_000)
    tf.send_transform("odom", "gps", Transform(), time.time_ns())
    time.sleep(0.01)
"""

Answer = tuple[int, str, str]
Run = Callable[..., Answer]


@pytest.fixture(scope="module")
def good() -> Iterator[str]:
    """A session with one sound tree."""
    yield from _session(GOOD)


@pytest.fixture(scope="module")
def moving() -> Iterator[str]:
    """A session in which a frame moves: its x [m] is its stamp [s]."""
    yield from _session(MOVING)


@pytest.fixture(scope="module")
def bad() -> Iterator[str]:
    """A session in which everything is wrong."""
    yield from _session(BAD)


def _session(code: str) -> Iterator[str]:
    session = f"test-{uuid.uuid4().hex[:12]}"
    command = [sys.executable, "-c", HEAD + code, session]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield session
        process.kill()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command: exit code, stdout and stderr."""

    def run(*arguments: str) -> Answer:
        with pytest.raises(SystemExit) as stop:
            app.main(["tf", *arguments])
        assert isinstance(stop.value.code, int)
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


def eventually(run: Run, condition: Callable[[Answer], bool], *arguments: str) -> Answer:
    """The first answer that is as wanted: how long processes need to meet is not known."""
    end = time.monotonic() + LONG
    while True:
        answer = run(*arguments, "--wait", "0.6")
        if condition(answer):
            return answer
        assert time.monotonic() < end, answer


def whole(answer: Answer) -> bool:
    """Whether all three frames are in an answer."""
    return all(name in answer[1] for name in ("odom", "base", "camera"))


def test_view(run: Run, good: str):
    code, out, err = eventually(run, whole, "view", "--session", good)
    assert (code, err) == (0, "")
    assert out == ("odom\n└── base  (1 sample, newest 12.500 s)\n    └── camera  (static)\n")


def test_view_as_dot_and_json(run: Run, good: str):
    _, out, _ = eventually(run, whole, "view", "--dot", "--session", good)
    assert '  "odom" -> "base" [label="1 sample, newest 12.500 s", style=dashed];' in out
    _, out, _ = eventually(run, whole, "view", "--json", "--session", good)
    assert json.loads(out)["base"] == {
        "parent": "odom",
        "static": False,
        "orphan": False,
        "samples": 1,
        "rate_hz": None,
        "oldest_ns": 12_500_000_000,
        "newest_ns": 12_500_000_000,
    }


def test_view_into_a_file_takes_the_format_from_its_ending(run: Run, good: str, tmp_path: Path):
    path = tmp_path / "tree.svg"

    def drawn(answer: Answer) -> bool:
        return answer == (0, "", "") and "camera" in path.read_text() and "base" in path.read_text()

    eventually(run, drawn, "view", "--output", str(path), "--session", good)
    assert _boxes(path.read_text()) == ["odom root", "base moving", "camera static"]
    missing = tmp_path / "none" / "tree.svg"
    text = (
        f"error: '{missing}' cannot be written: No such file or directory; "
        "choose another --output\n"
    )
    arguments = ("view", "--output", str(missing), "--session", good)
    eventually(run, lambda answer: answer == (1, "", text), *arguments)


def test_view_in_two_formats(run: Run):
    code, _, err = run("view", "--dot", "--svg")
    assert code == 2
    assert "choose one of --dot, --svg" in err


@pytest.mark.parametrize("command", ["view", "check", "monitor"])
def test_nothing_arrives(command: str, run: Run):
    code, out, err = run(command, "--url", "inproc://", "--session", "nobody", "--wait", "0")
    assert (code, out) == (1, "")
    assert err.startswith("error: no transform arrived in session 'nobody' within 0 s; start the")


def test_check_of_a_sound_tree(run: Run, good: str):
    answer = (0, "3 frames, one tree, no problems\n", "")
    eventually(run, lambda given: given == answer, "check", "--session", good)
    report = {"ok": True, "frames": 3, "findings": []}

    def sound(answer: Answer) -> bool:
        return answer[0] == 0 and json.loads(answer[1]) == report

    eventually(run, sound, "check", "--json", "--session", good)


def test_check_finds_everything(run: Run, bad: str):
    wanted = ["cycle", "roots", "parents", "publishers", "clocks", "stale"]

    def found(answer: Answer) -> bool:
        return [line.split(":")[0] for line in answer[1].splitlines()] == wanted

    code, out, err = eventually(run, found, "check", "--session", bad)
    assert (code, err) == (1, "")
    cycle, _, parents, publishers, clocks, stale = out.splitlines()
    assert "from 'robot' was refused once: it closes the circle 'a' -> 'b'" in cycle or (
        "from 'robot' was refused once: it closes the circle 'b' -> 'a'" in cycle
    )
    assert parents.startswith("parents: 'base' jumps between the parents 'map', 'odom'; publish")
    assert publishers == (
        "publishers: 'base' is published by 2 programs: 'intruder', 'robot'; stop all but one, or "
        "rename the frame in the others"
    )
    assert "so they come from 2 clocks: 'late', 'base' at 100.000 s; 'gps' at " in clocks
    assert stale == (
        "stale: 'late' is 10.000 s older than 'base' (90.000 s); see whether its publisher has "
        "stopped or stamps late; --stale allows more"
    )

    def lenient(answer: Answer) -> bool:
        findings = json.loads(answer[1] or "{}").get("findings", [])
        return [finding["kind"] for finding in findings] == wanted[:-1]

    arguments = ("check", "--json", "--stale", "10", "--session", bad)
    code, out, _ = eventually(run, lenient, *arguments)
    assert code == 1
    assert json.loads(out)["ok"] is False
    assert json.loads(out)["findings"][3]["frames"] == ["base"]


def test_echo(run: Run, good: str):
    code, out, err = run(
        "echo",
        "camera",
        "odom",
        "--count",
        "2",
        "--rate",
        "50",
        "--wait",
        str(LONG),
        "--session",
        good,
    )
    assert (code, err) == (0, "")
    once = """\
'camera' -> 'odom' at 12.500 s
  translation xyz [m]    1.100000 2.000000 0.500000
  quaternion xyzw        0.000000 0.000000 0.247404 0.968912
  roll pitch yaw [rad]   0.000000 0.000000 0.500000
  roll pitch yaw [deg]   0.000000 0.000000 28.647890
"""
    assert out == once * 2


def test_echo_between_static_frames(run: Run, good: str):
    code, out, _ = run(
        "echo", "base", "camera", "--count", "1", "--wait", str(LONG), "--session", good
    )
    assert code == 0
    assert out.startswith("'base' -> 'camera' static\n")


def test_echo_of_an_unknown_frame_has_the_error_of_the_library(run: Run, good: str):
    text = (
        "error: no transform 'camra' -> 'odom' within 0.6 s: 'camra' is not in the tree; did you "
        "mean 'camera'? 3 frames known.\n"
    )
    arguments = ("echo", "camra", "odom", "--session", good)
    eventually(run, lambda answer: answer == (1, "", text), *arguments)


def test_monitor_without_a_terminal(run: Run, good: str):
    _, out, _ = eventually(run, whole, "monitor", "--session", good)
    headings, *rows = out.splitlines()
    assert headings.split("  ")[0] == "frame"
    cells = {row.split()[0]: row.split() for row in rows}
    assert cells["camera"] == ["camera", "base", "static", "-", "robot", "1"]
    assert cells["base"][1] == "odom"
    assert cells["base"][3:6] == ["0.000", "(newest)", "robot"]


def test_monitor_and_spinner_on_a_terminal(good: str):
    text = _on_a_terminal("monitor", "--duration", "2", "--session", good)
    assert f"session '{good}'" in text
    assert "camera" in text
    assert "rate [Hz]" in text
    text = _on_a_terminal("view", "--wait", "2.1", "--session", good)
    assert "listening for transforms" in text
    assert "└── camera  (static)" in text


def _on_a_terminal(*arguments: str) -> str:
    master, slave = pty.openpty()
    command = [sys.executable, "-c", CLI, "tf", *arguments]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        parts: list[bytes] = []
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # Linux: the other end is closed
                part = b""
            if not part:
                break
            parts.append(part)
    os.close(master)
    assert process.returncode == 0
    return b"".join(parts).decode()


def test_echo_at_a_stamp_prints_once(run: Run, good: str):
    arguments = ("echo", "camera", "odom", "--wait", str(LONG), "--session", good)
    code, out, err = run(*arguments, "--at", "12.5")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "'camera' -> 'odom' at 12.500 s"
    assert len(out.splitlines()) == 5


def test_echo_at_a_stamp_that_was_not_heard(run: Run, good: str):
    text = (
        "error: no transform 'camera' -> 'odom' within 0.6 s: 'odom' -> 'base' at 9.250 s is "
        "3.250 s before its oldest sample (12.500 s)"
    )
    arguments = ("echo", "camera", "odom", "--at", "9.25", "--session", good)
    eventually(run, lambda answer: answer[2].startswith(text), *arguments)


def test_echo_of_some_time_ago(run: Run, moving: str):
    code, out, err = run(
        *("echo", "base", "odom", "--ago", "0.5", "--count", "2", "--rate", "20"),
        *("--wait", str(LONG), "--session", moving),
    )
    assert (code, err) == (0, "")
    lines = out.splitlines()
    for head, translation in ((lines[0], lines[1]), (lines[5], lines[6])):
        # x is the stamp, and stamps are multiples of 10 ms: so is what was half a second before.
        stamp_s = float(head.removeprefix("'base' -> 'odom' at ").removesuffix(" s"))
        assert float(translation.split()[-3]) == pytest.approx(stamp_s, abs=1e-6)
        assert round(stamp_s * 1e9) % 10_000_000 == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--at", "noon"), "--at must be seconds, such as 12.5, got 'noon'"),
        (("--at", "nan"), "--at must be seconds, such as 12.5, got 'nan'"),
        (("--at", "1e30"), "--at must be seconds, such as 12.5, got '1e30'"),
        (("--ago", "-1"), "--ago must be seconds before the newest stamp, got -1"),
        (("--at", "1", "--ago", "1"), "choose one of --at and --ago"),
    ],
)
def test_times_that_make_no_sense(options: tuple[str, ...], text: str, run: Run):
    code, _, err = run("echo", "a", "b", *options)
    assert code == 2
    assert text in unwrapped(err)


def test_a_stamp_keeps_its_nanoseconds():
    assert moment_of("1763482657.123456789", None) == Moment(stamp_ns=1_763_482_657_123_456_789)
    assert moment_of(None, "0.000000001") == Moment(ago_ns=1)


def test_static_publishes_until_ctrl_c():
    session = f"test-{uuid.uuid4().hex[:12]}"
    half = "0.7071067811865476"
    command = [
        *(sys.executable, "-c", CLI, "tf", "static", "base", "gripper", "--session", session),
        *("--x", "-0.5", "--z", "2", "--qx", "0", "--qy", "0", "--qz", half, "--qw", half),
    ]
    with (
        connect("zenoh://", session=session) as hub,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        listener = TFListener(hub)
        T_base_gripper = listener.buffer.wait_for_transform("gripper", "base", timeout=LONG)
        wanted = Transform.from_euler((-0.5, 0, 2), (0, 0, math.pi / 2))
        assert T_base_gripper.is_close(wanted)
        late = TFListener(hub)
        late.buffer.wait_for_transform("gripper", "base", timeout=LONG)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONG)
    assert (process.returncode, err) == (0, "")
    assert out == (
        "base -> gripper, static: xyz (-0.500, 0.000, 2.000) m, rpy (0.000, 0.000, 1.571) rad; "
        f"published in session '{session}' until Ctrl-C\n"
    )


def test_the_rotation_of_a_static_frame():
    none = (None, None, None)
    assert static_transform((1, 2, 3), none, (*none, None)) == Transform((1, 2, 3))
    turned = static_transform((0, 0, 0), (0.1, None, 0.3), (*none, None))
    assert turned == Transform.from_euler((0, 0, 0), (0.1, 0, 0.3))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--yaw", "1", "--qw", "1"), "give the rotation by --roll, --pitch, --yaw or by --qx"),
        (("--qz", "1", "--qx", "0"), "a quaternion has four parts; --qy and --qw are missing"),
    ],
)
def test_rotations_that_are_not_whole(options: tuple[str, ...], text: str, run: Run):
    code, _, err = run("static", "a", "b", *options)
    assert code == 2
    assert text in unwrapped(err)


def unwrapped(text: str) -> str:
    """Text of an error box without the box."""
    return " ".join(line.strip("│ ") for line in text.splitlines())


@pytest.mark.parametrize("arguments", [("echo", "camera", "odom"), ("monitor", "--duration", "60")])
def test_ctrl_c_ends_with_code_0(arguments: tuple[str, ...], good: str):
    command = [sys.executable, "-c", CLI, "tf", *arguments, "--session", good]
    with (
        connect("zenoh://", session=good) as hub,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        end = time.monotonic() + LONG
        while not any(info.name == "tf" and info.subscriptions for info in hub.topics()):
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LONG)
    assert (process.returncode, err) == (0, "")


def frame(name: str, parent: str | None = None, newest_ns: int | None = None) -> FrameInfo:
    """A frame that is static unless it has a stamp."""
    return FrameInfo(
        name=name,
        parent=parent,
        is_orphan=False,
        is_static=parent is not None and newest_ns is None,
        samples=0 if newest_ns is None else 1,
        oldest_ns=newest_ns,
        newest_ns=newest_ns,
    )


def test_orphans_and_circles_are_found():
    orphan = FrameInfo("arm", "base", True, True, 0, None, None)
    circle = [frame("a", "b"), frame("b", "c"), frame("c", "b")]
    findings = find_problems([orphan, *circle])
    assert [(finding.kind, finding.frames) for finding in findings] == [
        ("cycle", ("b", "c")),
        ("orphan", ("arm",)),
    ]
    assert str(findings[1]) == (
        "orphan: 'arm' hangs from 'base', which was removed; add 'base' again or remove 'arm'"
    )


def test_staleness_is_told_within_a_clock():
    frames = [frame("map"), frame("x", "map", SECOND_NS), frame("y", "map", 2 * SECOND_NS)]
    assert find_problems(frames, stale_s=1.0) == []
    assert [finding.kind for finding in find_problems(frames, stale_s=0.9)] == ["stale"]
    wall = frame("z", "map", 1_700_000_000 * SECOND_NS)
    mixed = find_problems([*frames, wall], stale_s=1.0)
    assert [(finding.kind, finding.frames) for finding in mixed] == [("clocks", ("x", "y", "z"))]
    assert mixed[0].detail.startswith("stamps are 53.9 years apart, so they come from 2 clocks: ")


def test_what_a_tree_refuses_is_told_once_and_a_new_run_forgets_it():
    session = f"watch-{uuid.uuid4().hex[:8]}"
    with connect(session=session, name="robot") as hub:
        watch, tf = Watch(hub), TFBroadcaster(hub)
        tf.send_static_transform("base", "fixed")
        tf.send_transform("odom", "base", Transform(), 0)
        tf.send_transform("base", "odom", Transform(), 1)
        tf.send_transform("base", "odom", Transform(), 2)
        tf.send_transform("odom", "fixed", Transform(), 3)
        kinds = [finding.kind for finding in find_problems([], watch.buffer.refusals())]
        assert kinds == ["cycle", "refused"]
        cycle, refused = find_problems([], watch.buffer.refusals())
        assert cycle.detail.startswith("'base' -> 'odom' from 'robot' was refused 2 times: it")
        assert refused.detail == "'odom' -> 'fixed' from 'robot' was refused once"
        hub.begin_epoch()
        assert watch.buffer.refusals() == []
        assert [info.name for info in watch.buffer.frames()] == ["base", "fixed"]


def test_rows_of_the_monitor():
    wall_ns = 1_700_000_000 * SECOND_NS
    frames = [WatchedFrame("base", "odom"), WatchedFrame("gps", "map"), WatchedFrame("x", "map")]
    frames[0].newest_ns, frames[0].received = 5 * SECOND_NS, 3
    frames[0].arrivals_s.extend([90.0, 98.0, 98.5, 99.0])
    frames[1].newest_ns = wall_ns - SECOND_NS // 4
    frames[2].is_static = True
    assert monitor_rows(frames, {"base": {"b", "a"}}, 100.0, wall_ns) == [
        ("base", "odom", "2.0", "0.000 (newest)", "a, b", "3"),
        ("gps", "map", "-", "0.250 (wall)", "", "0"),
        ("x", "map", "static", "-", "", "0"),
    ]


def test_drawing_escapes_names_and_places_parents_between_children():
    frames = [frame("<m&p>"), frame("left\x1b", "<m&p>"), frame("right", "<m&p>", 5)]
    svg = draw_svg(frames)
    assert _boxes(svg) == ["<m&p> root", "left\\x1b static", "right moving"]
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    middles = [float(box.attrib["y"]) for box in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert middles[0] == (middles[1] + middles[2]) / 2
    links = list(root.iter("{http://www.w3.org/2000/svg}path"))
    assert [link.get("class") for link in links] == [None, "moving"]


def test_drawing_of_a_deep_tree():
    frames = [frame("0"), *(frame(str(i), str(i - 1)) for i in range(1, 3000))]
    assert len(_boxes(draw_svg(frames))) == 3000


def _boxes(svg: str) -> list[str]:
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    groups = root.iter("{http://www.w3.org/2000/svg}g")
    return [" ".join(group.itertext()) for group in groups]
