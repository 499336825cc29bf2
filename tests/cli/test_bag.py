"""`horus-sim bag`, and recordings and replays of ROS 2 bags from the command line."""

from __future__ import annotations

import importlib.util
import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from horus_sim.cli import app
from horus_sim.hub import Hub, QoS, StaticTFBroadcaster, connect
from horus_sim.hub.messages import Clock, Odometry, String
from horus_sim.running.recording import Bag, CommandLog
from horus_sim.tf import Transform


def run(*arguments: object) -> int:
    """The exit code of `horus-sim` with these arguments."""
    with pytest.raises(SystemExit) as stop:
        app.main([str(argument) for argument in arguments])
    assert isinstance(stop.value.code, int)
    return stop.value.code


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "run"
    arguments = ("--headless", "--duration", "0.5", "--seed", "3", "--record", path)
    assert run("sim3d", "warehouse", *arguments) == 0
    return path


@pytest.fixture
def session() -> str:
    if importlib.util.find_spec("zenoh") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
        pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'")
    return f"test-{uuid.uuid4().hex[:12]}"


@contextmanager
def talking(hub: Hub) -> Iterator[None]:
    """Somebody publishes a text again and again, beside a fixed frame."""
    StaticTFBroadcaster(hub).send_transform("base", "laser", Transform((0.1, 0.0, 0.0)))
    text, ended = hub.publisher("text", String), threading.Event()

    def talk() -> None:
        while not ended.wait(0.01):
            text.send(String("hello"))

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_record_without_an_ending_makes_a_bag(recording: Path):
    assert sorted(each.name for each in recording.iterdir()) == ["metadata.yaml", "run_0.mcap"]
    assert CommandLog.load(recording).entries[0]["scene"] == "warehouse"


def test_verify_does_it_again(recording: Path, capsys: pytest.CaptureFixture[str]):
    assert run("replay", "verify", recording) == 0
    assert "states equal bit by bit" in capsys.readouterr().out


def test_both_infos_list_the_topics(recording: Path, capsys: pytest.CaptureFixture[str]):
    assert run("bag", "info", recording) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines]
    total = sum(int(row[2]) for row in rows[1:])
    times = f"{total} messages in 0.500 s, from 0.000 s to 0.500 s"
    assert head == f"{recording}: {times}"
    assert ["clock", "rosgraph_msgs/msg/Clock", "51"] in rows
    assert run("replay", "info", recording) == 0
    found = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["clock", "Clock", "rosgraph_msgs/msg/Clock", "51", "0.000", "0.500"] in found


def test_a_bag_is_played_for_other_programs(
    recording: Path, session: str, capsys: pytest.CaptureFixture[str]
):
    with connect("zenoh://", session=session) as hub:
        clock = hub.subscribe("clock", Clock, QoS(depth=1000))
        odom = hub.subscribe("burger/odom", Odometry, QoS(depth=1000))
        assert run("replay", recording, "--session", session, "--rate", "0.5") == 0
        assert clock.wait(30) is not None
        assert odom.wait(30) is not None
    assert "played " in capsys.readouterr().out


def test_a_session_is_recorded(tmp_path: Path, session: str, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "talk"
    options = ("--session", session, "-o", path, "--count", 10)
    with connect("zenoh://", session=session) as hub, talking(hub):
        assert run("bag", "record", "--all", *options) == 0
        captured = capsys.readouterr()
        assert captured.out.startswith("recorded ")
        assert "topic text" in captured.err
        assert run("bag", "record", "text", *options) == 1
        assert f"'{path}' exists already; choose another folder" in capsys.readouterr().err
        fixed = tmp_path / "fixed"
        options = ("--session", session, "-o", fixed, "--count", 1)
        assert run("bag", "record", "/tf_static", *options) == 0
    ((frame,),) = (each.value for each in Bag(fixed).read())
    assert (frame.parent_frame, frame.child_frame) == ("base", "laser")
    found = list(Bag(path).read())
    assert len(found) >= 10
    assert "text" in {each.topic for each in found}
    assert all(each.value == String("hello") for each in found if each.topic == "text")
    stamps = [each.stamp_ns for each in found]
    assert stamps == sorted(stamps)


def test_what_nobody_publishes_is_told(
    tmp_path: Path, session: str, capsys: pytest.CaptureFixture[str]
):
    options = ("--session", session, "-o", tmp_path / "run", "--duration", 0)
    assert run("bag", "record", "absent", *options) == 0
    captured = capsys.readouterr()
    assert "nobody published absent" in captured.err
    assert run("bag", "info", tmp_path / "run") == 0
    assert "0 messages in 0.000 s" in capsys.readouterr().out


def test_wrong_wishes_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run("bag", "record") == 2
    assert "give the topics to record, or --all" in capsys.readouterr().err
    assert run("bag", "info", tmp_path) == 1
    assert "is not a ROS 2 bag: it holds neither metadata.yaml" in capsys.readouterr().err
    assert run("bag", "info", tmp_path / "absent") == 1
    assert "cannot be read: " in capsys.readouterr().err


def test_a_bag_without_its_metadata_is_read_and_repaired(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "cut"
    path.mkdir()
    (path / "cut_0.mcap").write_bytes((recording / "run_0.mcap").read_bytes()[:-40])
    assert run("bag", "info", path) == 0
    assert "the bag is not whole: its metadata.yaml is missing" in capsys.readouterr().err
    assert run("replay", "repair", path) == 0
    assert f"{path}: " in capsys.readouterr().out
    assert run("replay", "verify", path) == 0
    assert run("replay", "repair", path) == 0
    assert "is whole; there is nothing to repair" in capsys.readouterr().out
