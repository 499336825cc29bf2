"""The training page from the terminal, without a browser."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlparse

import pytest
import typer
from typer.testing import CliRunner

from horus_sim.cli.app import app, main
from horus_sim.cli.page_options import PageOptions
from horus_sim.cli.rl_page import Training, watch_training
from horus_sim.installation import command, install_command
from horus_sim.rl.training import train_config
from horus_sim.rl.training.run_folder import RunFolder
from horus_sim.ui.shell.server import ServerConfig

PAGE = ("--port", "0", "--no-open")


class FakeServer:
    """Says where it would be, and ends at once."""

    def __init__(self, session: object, config: ServerConfig) -> None:
        del session
        self.invitation = f"http://127.0.0.1:1{config.path}"
        self.is_ending = False

    def run(self) -> None:
        pass


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horus_sim.ui.shell.server.Server", FakeServer)


def opened(*words: str) -> dict[str, list[str]]:
    """What the address of the opened page says."""
    result = CliRunner().invoke(app, ["rl", *words, *PAGE])
    assert result.exit_code == 0, result.output
    name, _, rest = result.stdout.partition(": ")
    assert name
    address = urlparse(rest.split()[0])
    assert address.path == "/training"
    return parse_qs(address.query)


def fails(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit):
        main(["rl", *words])
    return capsys.readouterr().err


@pytest.mark.usefixtures("no_server")
def test_play_opens_the_page_with_what_was_asked_for():
    assert opened("play", "NavigationOpen") == {
        "task": ["NavigationOpen"],
        "policy": ["NavigationOpen"],
        "envs": ["9"],
    }
    found = opened("play", "Ant", "--policy", "random", "--envs", "4", "--seed", "7")
    assert found == {"task": ["Ant"], "policy": ["random"], "envs": ["4"], "seed": ["7"]}
    found = opened("play", "Navigation", "--set", "obstacles.count=3")
    assert found["set"] == ['{"obstacles": {"count": 3}}']


@pytest.mark.usefixtures("no_server")
def test_watch_opens_the_page_of_a_run(tmp_path: Path):
    run = RunFolder(tmp_path / "run")
    run.create(train_config("NavigationOpen"))
    found = opened("watch", str(run.path))
    assert found == {"task": ["NavigationOpen"], "run": [str(run.path)]}
    assert opened("watch") == {}


def test_no_page_opens_on_what_cannot_be_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert "--policy random shows random actions" in fails(capsys, "play", "Ant")
    assert "did you mean 'Navigation'" in fails(capsys, "play", "Navigatio")
    assert "holds no training" in fails(capsys, "watch", str(tmp_path))
    run = RunFolder(tmp_path / "run")
    run.create(train_config("NavigationOpen"))
    text = (run.path / "config.json").read_text()
    (run.path / "config.json").write_text(text.replace("NavigationOpen", "Mine"))
    said = fails(capsys, "watch", str(run.path))
    assert "is a training of 'Mine', and no task is called that" in said
    assert "with --tasks" in said
    if find_spec("torch") is None:
        said = fails(capsys, "train", "Navigation", "--watch")
        assert install_command("train") in said


def test_a_training_that_fails_at_once_ends_with_its_code(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    training = Training(["rl", "train", "Navigatio", "--folder", "x"], tmp_path / "x")
    with pytest.raises(typer.Exit) as failure:
        training.start(SimpleNamespace(is_ending=False))  # pyright: ignore[reportArgumentType]
    assert failure.value.exit_code == 1
    assert "did you mean 'Navigation'" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM to be handled")
def test_a_training_that_is_ended_saves_what_it_learned(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
    run = RunFolder(tmp_path / "run")
    words = ["rl", "train", "NavigationOpen", "--folder", str(run.path), "--minutes", "10"]
    training = Training([*words, "--envs", "8"], run.path)
    training.start(SimpleNamespace(is_ending=True))  # pyright: ignore[reportArgumentType]
    assert training.end() == 143
    assert len(run.checkpoints()) == 1
    assert f"go on with: {command('rl train')}" in capfd.readouterr().err


def test_the_words_of_a_watched_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    served: list[Training | None] = []
    monkeypatch.setattr("horus_sim.cli.rl_page.find_spec", lambda _: True)
    monkeypatch.setattr("horus_sim.cli.rl_page._serve", lambda *rest: served.append(rest[-1]))
    words = {"--seed": 0, "--envs": None, "--set": ["a=1", "b=2"], "--resume": True, "--x": False}
    watch_training("Navigation", words, tmp_path, PageOptions("127.0.0.1", 0, open_page=False))
    (training,) = served
    assert training is not None
    assert training._words == [
        *("rl", "train", "Navigation", "--seed", "0"),
        *("--set", "a=1", "--set", "b=2", "--resume"),
    ]
