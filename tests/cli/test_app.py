"""The command line as a whole: version, help, errors, and what it must not import."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from horus_sim import __version__
from horus_sim.cli import app, doctor, sim3d
from horus_sim.cli.page_options import PageOptions
from horus_sim.errors import HorusError, MissingExtraError
from horus_sim.installation import command
from horus_sim.running import Loop
from horus_sim.sim3d import World


def run(*arguments: str) -> int:
    """The exit code of `horus-sim` with these arguments."""
    with pytest.raises(SystemExit) as stop:
        app.main(arguments)
    assert isinstance(stop.value.code, int)
    return stop.value.code


def test_version(capsys: pytest.CaptureFixture[str]):
    assert run("--version") == 0
    assert capsys.readouterr().out == f"horus-sim {__version__}\n"


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]):
    assert run("--help") == 0
    text = capsys.readouterr().out
    assert "Usage: horus-sim" in text
    assert "doctor" in text


def test_unknown_command_suggests_a_known_one(capsys: pytest.CaptureFixture[str]):
    assert run("doctr") == 2
    assert "No such command 'doctr'. Did you mean 'doctor'?" in capsys.readouterr().err


def test_cli_prints_forward_kinematics_of_the_default_arm(capsys: pytest.CaptureFixture[str]):
    assert run("cli") == 0
    told = capsys.readouterr().out
    assert run("arm", "cli") == 0
    assert told == capsys.readouterr().out
    assert "tool" in told


def test_sim2d_is_a_command_and_runs_the_line_follower(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (entry,) = entry_points(group="console_scripts", name="sim2d")
    monkeypatch.setattr(sys, "argv", ["sim2d", "--headless", "--duration", "0.1"])
    # Other tests of this process may have loaded it; the program would end the process.
    monkeypatch.delitem(sys.modules, "zenoh", raising=False)
    with pytest.raises(SystemExit) as stop:
        entry.load()()
    assert stop.value.code == 0
    assert "0.10 s simulated" in capsys.readouterr().out


@pytest.mark.parametrize(
    "error",
    [HorusError("the culprit, the cause and the remedy"), MissingExtraError("zenoh", "zenoh")],
)
def test_own_errors_are_one_line_without_traceback(
    error: HorusError, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def fail(*, as_json: bool) -> int:
        raise error

    monkeypatch.setattr(doctor, "run_doctor", fail)
    assert run("doctor") == 1
    captured = capsys.readouterr()
    assert captured.err == f"error: {error}\n"
    assert captured.out == ""


@pytest.fixture
def crash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Lets `horus-sim doctor` crash; the user's folder of what may be deleted."""

    def fail(*, as_json: bool) -> int:
        raise ZeroDivisionError("as it\nhappens")

    monkeypatch.setattr(doctor, "run_doctor", fail)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # Typer replaces it
    monkeypatch.setenv("HORUS_DEBUG", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "cache"


def test_other_errors_are_one_line_and_a_file_to_send(
    crash: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run("doctor", "--json") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    (log,) = (crash / "horus-sim" / "crashes").iterdir()
    here = re.escape(__file__)
    assert re.fullmatch(
        rf"error: unexpected ZeroDivisionError: as it happens \({here}, line \d+\); please "
        rf"report it with the details in {re.escape(str(log))}, or run it again as "
        rf"'{re.escape(command('--debug ...'))}' to see them\n",
        captured.err,
    )
    details = log.read_text()
    assert details.startswith("command   horus-sim doctor --json\nversion   horus-sim ")
    assert "\nplatform  " in details
    assert 'raise ZeroDivisionError("as it\\nhappens")' in details
    for number in range(30):
        (log.parent / f"2000-{number:02d}.txt").touch()
    assert run("doctor") == 1
    assert len(list(log.parent.iterdir())) == 20
    assert log.exists()


def test_a_crash_without_a_home_is_logged_all_the_same(
    crash: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    crash.write_text("no folder")
    assert run("doctor") == 1
    assert "; its details are lost ('" in capsys.readouterr().err
    (tmp_path / "temporary").mkdir()
    assert run("doctor") == 1
    (log,) = (tmp_path / "temporary").iterdir()
    assert f"with the details in {log}, or" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "value"), [(["--debug"], ""), ([], "1")])
def test_other_errors_are_shown_to_who_asks(
    crash: Path, arguments: list[str], value: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HORUS_DEBUG", value)
    with pytest.raises(ZeroDivisionError):
        app.main([*arguments, "doctor"])
    assert not crash.exists()


def test_no_arguments_open_the_warehouse(monkeypatch: pytest.MonkeyPatch):
    shown: list[str] = []

    def serve(loop: Loop[World], joined: object, film: object, page: PageOptions) -> None:
        where = (page.host, page.port)
        shown.append(f"{loop.running.exchange.name} at {where}, {page.open_page}")

    monkeypatch.setattr(sim3d, "_serve", serve)
    assert run() == 0
    assert shown == ["warehouse at ('127.0.0.1', 8080), True"]


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_nothing_heavy_is_imported(arguments: list[str]):
    program = (
        "import json, sys\n"
        "from horus_sim.cli.app import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "finally:\n"
        "    print(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = json.loads(result.stderr)
    own = [name.partition(".")[2] for name in loaded if name.split(".")[0] == "horus_sim"]
    parts = {name for name in own if not name.startswith("errors.")}
    assert parts == {"", "cli", "cli.app", "errors", "interruption", "time"}
    assert not {"numpy", "scipy", "yaml", "zenoh"} & set(loaded)
