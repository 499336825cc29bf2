"""The command line as a whole: version, help, errors, and what it must not import."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from horus_sim import __version__
from horus_sim.cli import app, doctor, sim3d
from horus_sim.errors import HorusError, MissingExtraError
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


def test_other_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch):
    def fail(*, as_json: bool) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(doctor, "run_doctor", fail)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # Typer replaces it
    with pytest.raises(ZeroDivisionError):
        app.main(["doctor"])


def test_no_arguments_open_the_warehouse(monkeypatch: pytest.MonkeyPatch):
    shown: list[str] = []

    def serve(world: World, host: str, port: int, *, open_page: bool) -> None:
        shown.append(f"{world.scene.name} at {host}:{port}, {open_page}")

    monkeypatch.setattr(sim3d, "_serve", serve)
    assert run() == 0
    assert shown == ["warehouse at 127.0.0.1:8080, True"]


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
    own = [name for name in loaded if name.split(".")[0] == "horus_sim"]
    assert own == ["horus_sim", "horus_sim.cli", "horus_sim.cli.app", "horus_sim.errors"]
    assert not {"numpy", "scipy", "yaml", "zenoh"} & set(loaded)
