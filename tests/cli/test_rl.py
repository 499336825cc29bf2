"""`horus-sim rl`, as users call it."""

from __future__ import annotations

import json
import math
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

from horus_sim.cli import app as cli
from horus_sim.cli.rl_settings import parse_settings
from horus_sim.errors import TaskError
from horus_sim.installation import command
from horus_sim.rl import task_names
from horus_sim.rl.task_files import definitions
from horus_sim.rl.training import Policy, train_config
from horus_sim.rl.training.run_folder import RunFolder, read_rows

runner = CliRunner()
BALANCER = Path(__file__).resolve().parents[2] / "examples" / "05_rl" / "balancer"


def call(*arguments: str):
    return runner.invoke(cli.app, ["rl", *arguments])


@pytest.fixture
def policy(tmp_path):
    """A policy that stands and turns."""
    path = tmp_path / "policy.npz"
    Policy(
        "NavigationOpen",
        {"episode_duration": 1.0, "lidar": {"rays": 24, "range": 2.5}},
        ((np.zeros((31, 2), np.float32), np.array([-1, 1], np.float32)),),
        "tanh",
        squash=False,
        low=np.array([-1, -1], np.float32),
        high=np.array([1, 1], np.float32),
        mean=np.zeros(31),
        variance=np.ones(31),
    ).save(path)
    return path


def test_options_of_a_page_are_refused_where_there_is_none():
    result = call("play", "Navigation", "--headless", "--port", "9")
    assert result.exit_code == 2
    assert "--port is about the page, and --headless" in re.sub(r"[\s│]+", " ", result.output)


@pytest.fixture
def own_tasks(tmp_path, monkeypatch):
    """Works in a folder of its own, and forgets the tasks that were loaded."""
    task_names()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(definitions, "_definitions", dict(definitions._definitions))
    known = set(gymnasium.registry)
    yield
    for name in set(gymnasium.registry) - known:
        del gymnasium.registry[name]


def fails(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as stop:
        cli.main(["rl", *arguments])
    assert stop.value.code == 1
    text = capsys.readouterr().err
    assert text.startswith("error: ")
    assert text.count("\n") == 1
    return text


def test_list_names_all():
    result = call("list")
    assert result.exit_code == 0, result.output
    assert "HorusSim/NavigationFar-v0" in result.stdout


def test_tasks_of_a_file(tmp_path):
    file = tmp_path / "tasks.yaml"
    file.write_text("NavigationCliTest:\n  base: Navigation\n")
    result = call("list", "--tasks", str(file))
    assert "NavigationCliTest" in result.stdout


def test_bench_measures():
    result = call("bench", "NavigationOpen", "--envs", "8", "--seconds", "0.1")
    assert result.exit_code == 0, result.output
    assert "steps a second" in result.stdout
    assert "a physics step of one environment takes" in result.stdout
    planar = call("bench", "LineFollower2D", "--envs", "8", "--seconds", "0.1")
    assert planar.exit_code == 0, planar.output
    assert "physics step of one environment" not in planar.stdout


def test_eval_reports_and_writes(tmp_path, policy):
    target = tmp_path / "report.json"
    result = call(
        "eval", "NavigationOpen", "--policy", str(policy), "--episodes", "6", "--json", str(target)
    )
    assert result.exit_code == 0, result.output
    assert "success   0.0%" in result.stdout
    assert "ended by  time limit 6" in result.stdout
    assert "settings  episode_duration=1.0 from the policy, lidar.rays=24 from" in result.stdout
    written = json.loads(target.read_text())
    assert written["lengths"]["largest"] == 20
    assert written["settings"]["lidar.range"] == {"value": 2.5, "source": "policy"}


def test_settings_go_over_those_of_the_policy_key_by_key(policy):
    words = ["eval", "NavigationOpen", "--policy", str(policy), "--episodes", "1"]
    result = call(*words, "--set", "lidar.range=3.0", "--set", "episode_duration=0.5")
    assert result.exit_code == 0, result.output
    assert "lidar.rays=24 from the policy, lidar.range=3.0 given" in result.stdout
    assert "episode_duration=0.5 given" in result.stdout


def test_play_tells_of_another_task(policy):
    result = call(
        "play",
        "Navigation",
        "--policy",
        str(policy),
        "--episodes",
        "1",
        "--set",
        "obstacles.count=1",
    )
    assert result.exit_code == 0, result.output
    assert "the policy learned 'NavigationOpen', not 'Navigation'" in result.stderr


def test_random_actions_need_no_page():
    words = ["NavigationOpen", "--policy", "random", "--episodes", "3"]
    short = ["--set", "episode_duration=0.5"]
    first, second = (call(verb, *words, *short) for verb in ("play", "eval"))
    assert first.exit_code == 0, first.output
    assert "ended by  time limit 3" in first.stdout
    assert first.stdout == second.stdout


def test_a_task_without_success_tells_none(tmp_path):
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
    run = RunFolder(tmp_path / "run")
    words = ["HalfCheetah", "--folder", str(run.path), "--envs", "4", "--steps", "128"]
    result = call("train", *words, "--set", "episode_duration=0.2")
    assert result.exit_code == 0, result.output
    assert "best evaluation: return" in result.stdout
    (row,) = read_rows(run.progress)
    assert math.isnan(row["success_rate"])


def test_a_training_without_success_says_what_may_help(tmp_path):
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
    words = ["NavigationOpen", "--folder", str(tmp_path / "run"), "--envs", "8", "--steps", "256"]
    short = ["--set", "episode_duration=0.05", "--option", "evaluation_episodes=2"]
    result = call("train", *words, *short)
    assert result.exit_code == 0, result.output
    assert "no episode succeeded. What may help: more steps; more exploration" in result.stdout
    assert "--resume --steps 768" in result.stdout


def test_a_training_that_is_cut_short_says_so(tmp_path):
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
    words = ["NavigationOpen", "--folder", str(tmp_path / "run"), "--envs", "8"]
    short = ["--set", "episode_duration=0.5", "--option", "evaluation_episodes=2"]
    result = call("train", *words, *short, "--minutes", "0.01")
    assert result.exit_code == 0, result.output
    assert "cut short: --minutes ended it before its " in result.stdout
    said = result.stdout.rpartition("go on with: ")[2].splitlines()[0]
    assert shlex.split(said)[-2] == "--steps"


def test_train_then_eval_then_resume(tmp_path):
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
    folder = str(tmp_path / "run")
    words = ["train", "NavigationOpen", "--folder", folder, "--envs", "8", "--steps", "512"]
    words += ["--option", "evaluation_episodes=2", "--set", "episode_duration=0.5"]
    result = call(*words)
    assert result.exit_code == 0, result.output
    assert "trained 512 steps" in result.stdout
    result = call("eval", "NavigationOpen", "--policy", folder, "--episodes", "2")
    assert result.exit_code == 0, result.output
    result = call(*words, "--resume", "--steps", "768")
    assert result.exit_code == 0, result.output
    assert "trained 768 steps" in result.stdout
    result = call("train", "NavigationOpen", "--folder", folder, "--resume", "--steps", "1024")
    assert result.exit_code == 0, result.output


@pytest.mark.usefixtures("own_tasks")
def test_a_task_of_ones_own_is_trained(capsys):
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
    words = ["train", "Balancer", "--tasks", str(BALANCER / "tasks.yaml")]
    small = ["--envs", "8", "--option", "evaluation_episodes=2", "--set", "episode_duration=0.5"]
    result = call(*words, *small, "--steps", "256")
    assert result.exit_code == 0, result.output
    assert f"policy: {Path('runs/Balancer-ppo-0/policy.npz')}" in result.stdout
    assert "(--steps, --minutes)" in fails(capsys, *words)
    result = call(*words, "--resume", "--steps", "512")
    assert result.exit_code == 0, result.output
    assert "trained 512 steps" in result.stdout
    result = call(*words, *small, "--minutes", "0.01", "--option", "seed=3")
    assert result.exit_code == 0, result.output
    assert RunFolder("runs/Balancer-ppo-3").policy.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Racing"], "a training of 'NavigationOpen', not of 'Racing'"),
        (["NavigationOpen", "--algorithm", "sac"], "trained with algorithm=ppo, not sac"),
        (["NavigationOpen", "--envs", "16"], "trained with num_envs=8, not 16"),
        (["NavigationOpen", "--seed", "0"], "trained with seed=3, not 0"),
        (
            ["NavigationOpen", "--set", "lidar.rays=36"],
            "settings.lidar.rays=the task's own, not 36",
        ),
        (["NavigationOpen", "--set", "episode_duration=2"], "episode_duration=0.5, not 2"),
        (["NavigationOpen", "--option", "ppo.epochs=9"], "trained with ppo.epochs=5, not 9"),
        (["NavigationOpen", "--option", "sed=9"], "did you mean 'seed'"),
    ],
)
def test_a_resume_of_something_else_is_refused(tmp_path, capsys, words, said):
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
    run = RunFolder(tmp_path / "run")
    values: dict[str, Any] = {"num_envs": 8, "seed": 3, "settings": {"episode_duration": 0.5}}
    run.create(train_config("NavigationOpen", **values))
    folder = ["--folder", str(run.path), "--resume", "--option", "total_steps=512"]
    assert said in fails(capsys, "train", *words, *folder)
    same = ["NavigationOpen", "--envs", "8", "--seed", "3", "--option", "network=[64, 64]"]
    assert "has no checkpoint" in fails(capsys, "train", *same, *folder)


def test_ctrl_c_says_how_to_go_on(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text("NavigationCtrlC:\n  base: NavigationOpen\n")

    def press(_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("horus_sim.cli.rl._training_line", lambda _: press)
    words = ["train", "NavigationCtrlC", "--tasks", str(tasks), "--folder", str(tmp_path / "a run")]
    result = call(*words, "--envs", "8", "--steps", "10000")
    assert result.exit_code == 130
    assert "interrupted: 256 steps are saved" in result.stderr
    said = result.stderr.rpartition(f"go on with: {command('rl ')}")[2]
    monkeypatch.undo()
    result = call(*shlex.split(said), "--steps", "300")
    assert result.exit_code == 0, result.output
    said = result.stdout.rpartition(f"next: {command('rl ')}")[2]
    result = call(*shlex.split(said), "--episodes", "1")
    assert result.exit_code == 0, result.output


def test_errors_are_one_line_with_a_remedy(capsys, tmp_path, policy):
    assert "did you mean 'Navigation'" in fails(capsys, "bench", "Navigaton")
    assert "did you mean" in fails(capsys, "eval", "NavigationOpn")
    nowhere = fails(capsys, "play", "Racing", "--policy", "nope")
    assert nowhere.endswith("; or give a policy.npz or the folder of a training\n")
    assert f"which '{command('rl train Ant')}' makes" in fails(capsys, "eval", "Ant")
    assert "--policy random shows random actions" in fails(capsys, "eval", "Ant")
    assert "add --resume" in fails(capsys, "train", "Navigation", "--checkpoint", "x.pt")
    assert "holds no policy" in fails(
        capsys, "eval", "Navigation", "--policy", str(_file(tmp_path / "x.npz"))
    )
    assert "write KEY=VALUE" in fails(capsys, "bench", "Navigation", "--set", "lidar")
    assert "takes observations of shape (n, 31)" in fails(
        capsys, "play", "NavigationOpen", "--policy", str(policy), "--set", "lidar.rays=8"
    )


def test_a_report_that_cannot_be_written_is_noticed_first(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("horus_sim.cli.rl._run", None)
    target = str(tmp_path / "nowhere" / "report.json")
    said = fails(capsys, "eval", "NavigationOpen", "--json", target)
    assert "report.json' cannot be written: No such file or directory" in said


def _file(path):
    path.write_bytes(b"nothing")
    return path


def test_settings_are_nested_yaml():
    words = ["lidar.rays=36", "goal_distance=[1, 2]", "lidar.range=2.5", "rate=1e-3", "name=a"]
    assert parse_settings(words) == {
        "lidar": {"rays": 36, "range": 2.5},
        "goal_distance": [1, 2],
        "rate": 1e-3,
        "name": "a",
    }
    assert parse_settings(None) == {}
    with pytest.raises(TaskError, match="'a' is a value already"):
        parse_settings(["a=1", "a.b=2"])
    with pytest.raises(TaskError, match="not a valid YAML value"):
        parse_settings(["a=[1"])
