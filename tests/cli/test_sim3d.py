"""`horus-sim sim3d`: scenes run, are listed and checked from the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from horus_sim.cli import app, sim3d
from horus_sim.cli.page_options import PageOptions
from horus_sim.running import Loop


def run(*arguments: str) -> int:
    """The exit code of `horus-sim sim3d` with these arguments."""
    with pytest.raises(SystemExit) as stop:
        app.main(["sim3d", *arguments])
    assert isinstance(stop.value.code, int)
    return stop.value.code


def test_a_scene_runs_and_ends_with_a_summary(capsys: pytest.CaptureFixture[str]):
    assert run("warehouse", "--headless", "--duration", "0.5", "--seed", "1") == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].startswith("warehouse: 0.500 s simulated in ")
    assert "real-time factor" in lines[0]
    assert any(line.split()[:2] == ["robot", "burger"] for line in lines)
    assert any(line.split()[:2] == ["object", "forklift"] for line in lines)
    assert any(line.startswith("contacts: ") for line in lines)
    assert "ground and barrel: 196" in captured.out
    assert "warnings: none" in lines
    assert captured.err == ""


def test_options_may_come_first_and_change_the_scene(capsys: pytest.CaptureFixture[str]):
    arguments = ("--headless", "--set", "physics.timestep=0.002", "--duration", "0.1", "tabletop")
    assert run(*arguments) == 0
    assert "tabletop: 0.100 s simulated" in capsys.readouterr().out


def test_a_robot_is_put_into_the_scene(capsys: pytest.CaptureFixture[str]):
    arguments = ("empty_world", "--headless", "--robot", "turtlebot3_burger", "--duration", "0.5")
    assert run(*arguments) == 0
    assert "robot  turtlebot3_burger" in capsys.readouterr().out


@pytest.mark.parametrize("option", [(), ("--visual",)])
def test_without_headless_there_is_a_page(option: tuple[str, ...], monkeypatch: pytest.MonkeyPatch):
    shown: list[PageOptions] = []

    def serve(loop: object, joined: object, film: object, page: PageOptions) -> None:
        shown.append(page)

    monkeypatch.setattr(sim3d, "_serve", serve)
    arguments = ("empty_world", "--host", "localhost", "--port", "0", "--no-open")
    assert run(*arguments, *option) == 0
    assert shown == [PageOptions("localhost", 0, open_page=False)]


@pytest.mark.parametrize(
    ("options", "page", "without"),
    [
        (("--headless", "--visual"), "--visual", "--headless"),
        (("--headless", "--port", "9000"), "--port", "--headless"),
        (("--no-open", "--dataset", "x"), "--open", "--dataset"),
    ],
)
def test_options_of_a_page_are_refused_where_there_is_none(
    options: tuple[str, ...], page: str, without: str, capsys: pytest.CaptureFixture[str]
):
    assert run("empty_world", *options) == 2
    told = re.sub(r"[\s│]+", " ", capsys.readouterr().err)
    assert f"{page} is about the page, and {without} runs without one; leave one of them" in told


@pytest.mark.parametrize("options", [(), ("--visual",), ("--seed", "3")])
def test_the_warehouse_is_the_scene_where_none_is_named(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    shown: list[str] = []
    monkeypatch.setattr(
        sim3d, "_serve", lambda loop, *_, **__: shown.append(loop.running.exchange.name)
    )
    assert run(*options) == 0
    assert shown == ["warehouse"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--dataset", "data", "--every", "0"), "--every must be more than 0 seconds"),
        (("--dataset", "data", "--every", "-1"), "--every must be more than 0 seconds"),
        (("--dataset", "data", "--every", "nan"), "--every must be more than 0 seconds"),
        (("--duration", "1", "--camera", "overview"), "--camera is that of --video or --dataset"),
        (("--dataset", "data", "--duration", "1"), "--duration does not go with --dataset"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    options: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
):
    assert run("empty_world", "--headless", *options) == 2
    shown = " ".join(capsys.readouterr().err.replace("\u2502", " ").split())
    assert text in shown


def test_realtime_takes_its_time(capsys: pytest.CaptureFixture[str]):
    assert run("empty_world", "--headless", "--realtime", "--duration", "0.2") == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert float(first.split(" s simulated in ")[1].split()[0]) >= 0.19


def test_the_shipped_scenes_are_listed(capsys: pytest.CaptureFixture[str]):
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["scene", "robots", "objects", "description"]
    assert [line.split()[0] for line in lines[1:]] == [
        "apartment", "empty_world", "race_track", "rough_terrain", "tabletop", "warehouse"
    ]  # fmt: skip


def test_a_sound_scene_is_called_so(capsys: pytest.CaptureFixture[str]):
    assert run("validate", "tabletop") == 0
    assert "tabletop: 1 robots, 8 objects" in capsys.readouterr().out


@pytest.mark.parametrize("command", [("validate",), ("run",), ()])
def test_a_typo_is_named_with_file_line_and_the_right_key(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nrobtos: []\n")
    assert run(*command, str(path)) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error == (f"error: {path}:2: robtos: unknown key 'robtos'; did you mean 'robots'?")


def test_an_unknown_scene_gets_a_proposal(capsys: pytest.CaptureFixture[str]):
    assert run("wharehouse", "--headless") == 1
    assert "did you mean 'warehouse'?" in capsys.readouterr().err


def test_help_shows_the_commands(capsys: pytest.CaptureFixture[str]):
    assert run("--help") == 0
    assert "validate" in capsys.readouterr().out


def test_the_short_name_runs_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", ["sim3d", "list"])
    with pytest.raises(SystemExit) as stop:
        app.sim3d_main()
    assert stop.value.code == 0
    assert "warehouse" in capsys.readouterr().out


def test_an_interrupt_ends_with_the_summary(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Loop, "run", interrupt)
    assert run("empty_world", "--headless") == 130
    assert "empty_world: 0.000 s simulated" in capsys.readouterr().out


def test_it_runs_where_there_is_no_opengl():
    """As on a machine without GL: the libraries cannot be loaded."""
    program = (
        "import ctypes\n"
        "real = ctypes.CDLL\n"
        "def load(name, *arguments, **options):\n"
        "    if any(word in str(name) for word in ('EGL', 'GL.so', 'OSMesa', 'glfw')):\n"
        "        raise OSError(name)\n"
        "    return real(name, *arguments, **options)\n"
        "ctypes.CDLL = load\n"
        "from horus_sim.cli.app import main\n"
        "main(['sim3d', 'warehouse', '--headless', '--duration', '0.2'])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "warehouse: 0.200 s simulated" in result.stdout
