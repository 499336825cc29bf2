"""`horus-sim replay`: recordings are played, shown and verified from the command line."""

from __future__ import annotations

import importlib.util
import os
import uuid
from pathlib import Path

import pytest

from horus_sim.cli import app
from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import Clock
from horus_sim.running.recording import CommandLog, McapFile


def run(*arguments: object) -> int:
    """The exit code of `horus-sim` with these arguments."""
    with pytest.raises(SystemExit) as stop:
        app.main([str(argument) for argument in arguments])
    assert isinstance(stop.value.code, int)
    return stop.value.code


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "run.mcap"
    arguments = ("--headless", "--duration", "0.5", "--seed", "3", "--record", path)
    assert run("sim3d", "tabletop", *arguments) == 0
    return path


@pytest.fixture
def session() -> str:
    if importlib.util.find_spec("zenoh") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
        pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'")
    return f"test-{uuid.uuid4().hex[:12]}"


def test_record_ends_with_a_line_that_names_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "run.mcap"
    options = ("--headless", "--duration", "0.2", "--record", path)
    assert run("sim3d", "empty_world", *options) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"recorded {len(list(McapFile(path).read()))} messages to {path}"
    assert CommandLog.load(path).entries[0]["scene"] == "empty_world"


def test_info_lists_the_topics(recording: Path, capsys: pytest.CaptureFixture[str]):
    assert run("replay", "info", recording) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0][:4] == ["topic", "type", "schema", "messages"]
    found = {row[0]: row[1:] for row in rows[1:]}
    assert found["clock"] == ["Clock", "horus.Clock", "51", "0.000", "0.500"]
    assert found["arm/joint_states"][1] == "foxglove.JointStates"
    assert found["tf_static"][0] == "StaticTransforms"


def test_verify_does_it_again(recording: Path, capsys: pytest.CaptureFixture[str]):
    assert run("replay", "verify", recording) == 0
    assert "states equal bit by bit" in capsys.readouterr().out
    assert run("replay", "verify", recording, "--scene", "warehouse") == 1
    assert "the record was made of scene 'tabletop'" in capsys.readouterr().err


def test_play_publishes_for_other_programs(
    recording: Path, session: str, capsys: pytest.CaptureFixture[str]
):
    with connect("zenoh://", session=session) as hub:
        clock = hub.subscribe("clock", Clock, QoS(depth=1000))
        assert run("replay", recording, "--session", session, "--speed", "2") == 0
        assert clock.wait(30) is not None
    assert "played " in capsys.readouterr().out


def test_wrong_files_and_topics_are_named(
    recording: Path, session: str, capsys: pytest.CaptureFixture[str]
):
    assert run("replay", recording, "--fast", "--topics", "clok", "--session", session) == 1
    assert "has no topic 'clok'; did you mean 'clock'?" in capsys.readouterr().err
    assert run("replay", "absent.mcap") == 1
    assert "'absent.mcap' cannot be read: No such file" in capsys.readouterr().err
    short = recording.with_name("short.mcap")
    short.write_bytes(recording.read_bytes()[:20])
    assert run("replay", short, "--fast", "--session", session) == 0
    captured = capsys.readouterr()
    assert "played 0 messages" in captured.out
    assert "the file is not whole: its index is missing" in captured.err
    assert run("replay", "verify", short) == 1
    assert "holds no commands" in capsys.readouterr().err


def test_repair_makes_a_recording_whole(recording: Path, capsys: pytest.CaptureFixture[str]):
    assert run("replay", "repair", recording) == 0
    assert f"{recording} is whole; there is nothing to repair" in capsys.readouterr().out
    cut, whole = recording.with_name("cut.mcap"), recording.with_name("whole.mcap")
    cut.write_bytes(recording.read_bytes()[:-40])
    assert run("replay", "repair", cut, "--output", whole) == 0
    captured = capsys.readouterr()
    assert captured.err == "the index was damaged or missing\n"
    count = len(list(McapFile(recording).read()))
    assert captured.out.startswith(f"{whole}: {count} messages on ")
    assert captured.out.endswith("topics, up to 0.500 s\n")
    assert run("replay", "verify", whole) == 0


def test_verify_knows_what_was_set_and_which_robots_were_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "run.mcap"
    options = ("--set", "physics.timestep=0.002", "--set", "physics.gravity=[0,0,-3]")
    options += ("--robot", "turtlebot3_burger", "--headless", "--duration", "0.3")
    assert run("sim3d", "empty_world", *options, "--record", path) == 0
    assert run("replay", "verify", path) == 0
    assert "150 steps and 0 commands done again" in capsys.readouterr().out


def test_topics_inside_the_command_would_be_of_no_use(capsys: pytest.CaptureFixture[str]):
    options = ("--headless", "--duration", "0.1", "--url", "inproc://")
    assert run("sim3d", "empty_world", *options) == 1
    assert "use 'zenoh://'" in capsys.readouterr().err


def test_a_run_on_topics(session: str, capsys: pytest.CaptureFixture[str]):
    with connect("zenoh://", session=session) as hub:
        clock = hub.subscribe("clock", Clock, QoS(depth=1000))
        options = ("--headless", "--duration", "0.3", "--session", session)
        assert run("sim3d", "empty_world", *options) == 0
        assert clock.wait(30) is not None
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"topics of session '{session}' at zenoh://"
    # On topics it runs in real time.
    assert float(lines[1].split(" s simulated in ")[1].split()[0]) >= 0.29


def test_a_live_view_from_the_command_line(capsys: pytest.CaptureFixture[str]):
    options = ("--headless", "--duration", "0.1", "--fast", "--foxglove", "--foxglove-port", "0")
    assert run("sim3d", "empty_world", *options) == 0
    assert "open Foxglove and connect to ws://127.0.0.1:" in capsys.readouterr().out
