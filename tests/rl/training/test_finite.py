"""Numbers that nothing can be learned from are named; so is learning that goes astray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from horus_sim.cli.app import app
from horus_sim.errors import TaskError, TrainingError
from horus_sim.rl import Observation, Reward
from horus_sim.rl.tasks.navigation import Navigation
from horus_sim.rl.training import Policy, evaluate, train, train_config
from horus_sim.rl.training.run_folder import RunFolder

SMALL: dict[str, Any] = {
    "num_envs": 8,
    "total_steps": 512,
    "evaluation_episodes": 2,
    "settings": {"episode_duration": 1.0},
    "sac": {"learning_starts": 32, "batch_size": 32},
}


def no_numbers(task: Navigation) -> np.ndarray[Any, Any]:
    """Fine, but for environment 3 once it moves."""
    values = np.zeros(task.sim.num_envs)
    moved = task.random.steps[3] > 1 if len(values) > 3 else False
    values[3:4] = np.nan if moved else 0.0
    return values


@pytest.fixture
def observed(monkeypatch):
    own = Navigation.observations

    def observations(self: Navigation) -> Any:
        return (*own(self), Observation("gap", 1, lambda rows: no_numbers(self)[rows, None]))

    monkeypatch.setattr(Navigation, "observations", observations)


@pytest.fixture
def rewarded(monkeypatch):
    own = Navigation.rewards

    def rewards(self: Navigation) -> Any:
        return (*own(self), Reward("gap", lambda: no_numbers(self)))

    monkeypatch.setattr(Navigation, "rewards", rewards)


@pytest.fixture
def with_extra():
    pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")


@pytest.mark.usefixtures("observed", "with_extra")
@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_training_names_the_observation(tmp_path, algorithm):
    config = train_config("NavigationOpen", algorithm=algorithm, **SMALL)
    with pytest.raises(TaskError, match="observation 'gap' is nan in environment 3; give"):
        train(config, tmp_path / "run")


@pytest.mark.usefixtures("rewarded", "with_extra")
@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_training_tells_of_rewards(tmp_path, algorithm):
    config = train_config("NavigationOpen", algorithm=algorithm, **SMALL)
    with pytest.raises(TaskError, match="Navigation: reward 'gap' is nan in environment 3; give"):
        train(config, tmp_path / "run")


@pytest.mark.usefixtures("with_extra")
@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
@pytest.mark.parametrize("steps", [256, 10_000])
def test_learning_that_diverges_says_so(tmp_path, algorithm, steps):
    values = SMALL | {"total_steps": steps, "learning_rate": 1e30}
    config = train_config("NavigationOpen", algorithm=algorithm, **values)
    run = RunFolder(tmp_path / "run")
    with pytest.raises(TrainingError, match=r"diverged after .* lower learning_rate.* 1e\+30"):
        train(config, run.path)
    assert not run.checkpoints()
    # The folder is free for the next try.
    run.check_new()


def bench(task: str) -> Any:
    return CliRunner().invoke(app, ["rl", "bench", task, "--envs", "8", "--seconds", "0.1"])


@pytest.mark.usefixtures("observed")
def test_bench_names_the_observation():
    assert "observation 'gap' is nan in environment 3" in str(bench("Navigation").exception)


@pytest.mark.usefixtures("rewarded")
def test_bench_names_the_reward():
    assert "reward 'gap' is nan in environment 3" in str(bench("Navigation").exception)


@pytest.mark.usefixtures("observed")
def test_an_evaluation_does_not_blame_the_policy():
    policy = Policy(
        "NavigationOpen",
        {},
        ((np.zeros((32, 2), np.float32), np.zeros(2, np.float32)),),
        "tanh",
        squash=False,
        low=np.array([-1, -1], np.float32),
        high=np.array([1, 1], np.float32),
        mean=np.zeros(32),
        variance=np.ones(32),
        clip=np.inf,
    )
    with pytest.raises(TaskError, match="observation 'gap' is nan in environment 3"):
        evaluate(policy, "NavigationOpen", 8)


@pytest.mark.usefixtures("with_extra")
def test_diverged_episodes_are_counted(tmp_path, monkeypatch):
    own = Navigation.act

    def act(self: Navigation) -> None:
        own(self)
        self.sim.bind("qvel")[0] = np.nan

    assert "warning" not in bench("Navigation").stderr
    monkeypatch.setattr(Navigation, "act", act)
    words = ["rl", "train", "NavigationOpen", "--folder", str(tmp_path / "run"), "--envs", "8"]
    words += [
        "--steps",
        "512",
        "--option",
        "evaluation_episodes=2",
        "--set",
        "episode_duration=0.5",
    ]
    trained = CliRunner().invoke(app, words)
    assert trained.exit_code == 0, trained.output
    for result in (trained, bench("Navigation")):
        assert "warning: physics diverged in" in result.stderr
