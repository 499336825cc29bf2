"""The check of ROS 2 with a stand-in for `ros2`, which finds what is really on the topics."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from horus_sim.cli import app
from horus_sim.ros2_check import Report, Result, checks
from horus_sim.ros2_check.commands import Answer

FAKE = Path(__file__).parent / "fake_ros2.py"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")


@pytest.fixture
def ros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for reports; ``ros2`` on PATH is the stand-in, in a domain of its own."""
    script = tmp_path / "bin" / "ros2"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\n{FAKE.read_text(encoding='utf-8')}", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ROS_DOMAIN_ID", "43")
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    monkeypatch.delenv("HORUS_SESSION_ID", raising=False)
    monkeypatch.delenv("FAKE_FAULTS", raising=False)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        app.main(["ros2-check", *words])
    captured = capsys.readouterr()
    return int(str(stop.value.code or 0)), captured.out, captured.err


def statuses(table: str) -> dict[str, str]:
    """Name of each check -> how it ended."""
    names = sorted((check.name for check in checks.CHECKS), key=len, reverse=True)
    found = {}
    for line in table.splitlines():
        status, rest = line[:8].strip(), line[9:]
        name = next((name for name in names if rest.startswith(name)), None)
        if name is not None:
            found[name] = status
    return found


def test_all_passes_where_both_understand_each_other(ros: Path, capsys: pytest.CaptureFixture[str]):
    report = ros / "report.txt"
    code, out, _ = run(capsys, "--output", str(report), "--timeout", "120")
    assert code == 0, report.read_text(encoding="utf-8")
    assert statuses(out) == {check.name: "passed" for check in checks.CHECKS}
    assert f"{len(checks.CHECKS)} passed, 0 failed, 0 not run" in out
    text = report.read_text(encoding="utf-8")
    assert "ROS_DISTRO             jazzy\nrmw_zenoh_cpp          0.2.7\n" in text
    assert out.splitlines()[0] in text
    assert "paused, 240 steps made, went on" in text


def test_what_goes_wrong_is_told_with_the_output(
    ros: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    faults = (
        "silent:echo --once --full-length /burger/scan",
        "garbage:echo --once /clock",
        "nothing:topic pub",
        "nothing:topic list",
        "nothing:hz",
        "fail:node list",
        "fail:interface show",
        "fail:bag record --help",
        "fail:service list",
        "nothing:info -v",
    )
    monkeypatch.setenv("FAKE_FAULTS", ",".join(faults))
    ask = checks.ros2

    def impatient(*words: str, timeout: float, **more: Any) -> Answer:
        # Of the command that never ends alone; all others may take their time.
        return ask(*words, timeout=5.0 if "--full-length" in words else timeout, **more)

    monkeypatch.setattr(checks, "ros2", impatient)
    report = ros / "report.txt"
    code, out, err = run(capsys, "--output", str(report), "--timeout", "120")
    assert code == 1, err
    ended = statuses(out)
    assert {name for name, status in ended.items() if status == "passed"} == {
        "topic echo /burger/odom",
        "topic echo /tf_static, late",
    }
    not_run = {name for name, status in ended.items() if status == "not run"}
    assert not_run == {"service call: pause, step", "bag record"}
    text = report.read_text(encoding="utf-8")
    for told in (
        "no message of '/clock' was printed\n$ ros2 topic echo --once /clock rosgraph_msgs",
        "no answer in time\n$ ros2 topic echo",
        "(it printed nothing)\n(ended for taking too long)",
        "the command failed\n$ ros2 node list",
        "it broke: node list\n(exit code 1)",
        "the robot moved 0.000 m",
        "no rate was measured",
        "there is no '/clock [rosgraph_msgs/msg/Clock]' in the list",
        "'Reliability: RELIABLE' is not shown",
        "apt install ros-$ROS_DISTRO-simulation-interfaces",
        "apt install ros-$ROS_DISTRO-ros2bag",
    ):
        assert told in text


def test_without_ros_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, err = run(capsys, "--output", str(tmp_path / "report.txt"))
    assert (code, out) == (2, "")
    assert "there is no 'ros2' on PATH; install ROS 2 (Jazzy, Kilted or later) with 'apt" in err
    assert not (tmp_path / "report.txt").exists()


def test_without_rmw_zenoh_it_says_what_to_install(
    ros: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FAKE_FAULTS", "fail:pkg")
    code, out, err = run(capsys, "--output", str(ros / "report.txt"))
    assert (code, out) == (2, "")
    assert "'rmw_zenoh_cpp' is not there; install it with 'apt install ros-jazzy-rmw-zenoh" in err
    assert "Package 'rmw_zenoh_cpp' not found" in err


def test_a_message_is_found_behind_warnings():
    output = "WARNING: a: b: c\nclock:\n  sec: 3\n  nanosec: 5\n---\n"
    assert Answer("", 0, output).message() == {"clock": {"sec": 3, "nanosec": 5}}
    assert Answer("", 0, "nothing at all\n").message() == {}


def test_long_output_is_cut_in_the_middle():
    told = Answer("ros2 x", 1, "begin" + "a" * 10_000 + "end").told()
    assert told.startswith("$ ros2 x\nbeginaaa")
    assert "a\n[...]\na" in told
    assert told.endswith("end\n(exit code 1)")
    assert len(told) < 5000


def test_a_report_counts_what_was_not_run():
    report = Report({"a": "1"}, [Result("x", "passed", "fine"), Result("yy", "not run", "no y")])
    assert report.table() == "passed   x   fine\nnot run  yy  no y\n1 passed, 0 failed, 1 not run"
    assert not report.has_failed
