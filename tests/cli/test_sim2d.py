"""`horus-sim sim2d`, as users call it."""

from __future__ import annotations

import csv
import re

import pytest
from typer.testing import CliRunner

from horus_sim.cli import app as cli

runner = CliRunner()


def call(*arguments: str):
    return runner.invoke(cli.app, ["sim2d", *arguments])


@pytest.mark.parametrize("option", [("--headless",), ("--duration", "1"), ("--log", "run.csv")])
def test_options_of_a_page_are_refused_where_there_is_none(option: tuple[str, ...]):
    result = call("run", "maze", *option, "--port", "9000")
    assert result.exit_code == 2
    told = re.sub(r"[\s│]+", " ", result.output)
    assert f"--port is about the page, and {option[0]} runs without one" in told


def test_run_writes_log_and_picture(tmp_path):
    log, svg, png = tmp_path / "run.csv", tmp_path / "path.svg", tmp_path / "path.png"
    result = call(
        "run",
        "line_follower",
        "--headless",
        "--duration",
        "2",
        "--seed",
        "1",
        "--log",
        str(log),
        "--picture",
        str(svg),
    )
    assert result.exit_code == 0, result.output
    assert "2.00 s simulated" in result.stdout
    rows = list(csv.reader(log.read_text().splitlines()))
    assert rows[0][:4] == ["time", "robot/chassis/x", "robot/chassis/y", "robot/chassis/theta"]
    assert "robot/line/4" in rows[0]
    assert len(rows) == 241
    assert svg.read_text().startswith("<svg")
    assert (
        call("run", "sumo", "--headless", "--duration", "1", "--picture", str(png)).exit_code == 0
    )
    assert png.read_bytes().startswith(b"\x89PNG")


def test_the_same_seed_writes_the_same_log(tmp_path):
    for name in ("a.csv", "b.csv"):
        call(
            "run",
            "maze",
            "--headless",
            "--duration",
            "1",
            "--seed",
            "7",
            "--log",
            str(tmp_path / name),
        )
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_list_names_all(tmp_path):
    result = call("list")
    assert result.exit_code == 0
    assert "line_follower_hard" in result.stdout
    assert "trailer" in result.stdout


def test_new_then_validate_then_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("new", "mine").exit_code == 0
    result = call("validate", "mine")
    assert "mine is valid: 1 robots, 5 bodies, 2 motors, 4 sensors" in result.stdout
    assert call("run", "mine", "--headless", "--duration", "0.5").exit_code == 0
    with pytest.raises(SystemExit):
        cli.main(["sim2d", "new", "mine"])


def test_errors_are_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["sim2d", "run", "line_folower", "--headless"])
    assert ended.value.code == 1
    assert "did you mean 'line_follower'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["sim2d", "run", "maze", "--headless", "--log", "run.txt"])
    assert "'run.txt' must end in .csv or .parquet" in capsys.readouterr().err


def test_a_failing_controller_ends_the_run(tmp_path, capsys):
    assert call("new", str(tmp_path / "mine")).exit_code == 0
    (tmp_path / "mine/controller.py").write_text(
        "class Controller:\n  def __init__(self, sim): pass\n  def step(self, sensors, dt): 1 / 0\n"
    )
    with pytest.raises(SystemExit) as ended:
        cli.main(["sim2d", "run", str(tmp_path / "mine"), "--headless"])
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    assert "ZeroDivisionError" in shown
    assert "controller of 'robot': step:" in shown


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ("return [0.5, 0.5]", "step returned the list [0.5, 0.5] (controller.py, line 2); return"),
        ("1 / 0", "step: ZeroDivisionError: division by zero (controller.py, line 2)"),
    ],
)
def test_validate_lets_controllers_make_a_step(step, text, tmp_path, capsys):
    assert call("new", str(tmp_path / "mine")).exit_code == 0
    (tmp_path / "mine/controller.py").write_text(f"def step(sensors, dt):\n    {step}\n")
    with pytest.raises(SystemExit) as ended:
        cli.main(["sim2d", "validate", str(tmp_path / "mine")])
    assert ended.value.code == 1
    shown = capsys.readouterr()
    assert "is valid" not in shown.out
    assert f"controller of 'robot': {text}" in " ".join(shown.err.split())


def test_bench_prints_a_rate():
    result = call("bench", "empty_plane", "--worlds", "8", "--threads", "1", "--seconds", "0.1")
    assert "million world-steps a second" in result.stdout


def test_run_writes_parquet(tmp_path):
    log = tmp_path / "run.parquet"
    result = call("run", "maze", "--headless", "--duration", "0.5", "--log", str(log))
    assert result.exit_code == 0, result.output
    assert log.read_bytes().startswith(b"PAR1")


def fails(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        cli.main(["sim2d", *arguments])
    assert ended.value.code == 1
    return capsys.readouterr().err


@pytest.mark.parametrize("option", ["--log", "--picture"])
def test_files_that_cannot_be_written_are_found_before_the_run(
    option, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("horus_sim.sim2d.Simulator.load", lambda *_, **__: pytest.fail("it ran"))
    ending = ".csv" if option == "--log" else ".svg"
    (tmp_path / f"folder{ending}").mkdir()
    for name, why in ((f"folder{ending}", "Is a directory"), (f"no/x{ending}", "No such file")):
        shown = fails(capsys, "run", "maze", option, str(tmp_path / name))
        assert f"{name}' cannot be written: {why}" in shown
        assert "choose another file" in shown


def test_a_run_that_fails_leaves_logs_alone(tmp_path, capsys):
    kept, new = tmp_path / "kept.csv", tmp_path / "new.csv"
    kept.write_text("before")
    for log in (kept, new):
        fails(capsys, "run", "nothing_like_it", "--log", str(log))
    assert kept.read_text() == "before"
    assert not new.exists()


def test_durations_must_be_finite(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["sim2d", "run", "maze", "--duration", "inf"])
    assert stop.value.code == 2
    assert "should be less than or equal to" in " ".join(capsys.readouterr().err.split())


def test_new_where_nothing_can_be_made(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    shown = fails(capsys, "new", str(tmp_path / "file/mine"))
    assert "cannot be written: Not a directory; free some space or choose another place" in shown


def test_ctrl_c_writes_what_was_logged(tmp_path):
    assert call("new", str(tmp_path / "mine")).exit_code == 0
    (tmp_path / "mine/controller.py").write_text(
        "class Controller:\n  def __init__(self, sim): self.n = 0\n"
        "  def step(self, sensors, dt):\n    self.n += 1\n"
        "    if self.n == 11: raise KeyboardInterrupt\n"
    )
    log, svg = tmp_path / "run.csv", tmp_path / "path.svg"
    result = call("run", str(tmp_path / "mine"), "--log", str(log), "--picture", str(svg))
    assert result.exit_code == 130
    assert len(log.read_text().splitlines()) == 11
    assert svg.read_text().startswith("<svg")


def test_a_renamed_controller_is_missed(tmp_path, capsys):
    assert call("new", str(tmp_path / "mine")).exit_code == 0
    (tmp_path / "mine/controller.py").rename(tmp_path / "mine/controller_2.py")
    for command in ("validate", "run"):
        more = ["--headless"] if command == "run" else []
        shown = fails(capsys, command, str(tmp_path / "mine"), *more)
        assert "controller.py; create it, or correct the controller's name; did you mean" in shown


def test_a_controller_that_exits_ends_with_an_error(tmp_path, capsys):
    assert call("new", str(tmp_path / "mine")).exit_code == 0
    (tmp_path / "mine/controller.py").write_text(
        "import sys\nclass Controller:\n  def __init__(self, sim): pass\n"
        "  def step(self, sensors, dt): sys.exit(0)\n"
    )
    shown = fails(capsys, "run", str(tmp_path / "mine"), "--headless")
    assert "step: SystemExit: 0 (controller.py, line 4)" in shown


def test_a_robot_without_any_controller_is_told(tmp_path):
    assert call("new", str(tmp_path / "mine")).exit_code == 0
    (tmp_path / "mine/controller.py").unlink()
    robot = tmp_path / "mine/robot.json"
    named = '"controller_module": "controller"'
    for value, why in (("", "none is named"), (None, "there is no file .*controller.py")):
        text = robot.read_text()
        if value is None:
            text = re.sub(r',\s*"controller_module": ""', "", text)
        robot.write_text(text.replace(named, '"controller_module": ""'))
        result = call("run", str(tmp_path / "mine"), "--headless", "--duration", "0.1")
        assert result.exit_code == 0
        assert re.search(f"robot 'robot' has no controller: {why}", result.stderr)
    assert "has no controller" in call("validate", str(tmp_path / "mine")).stderr
