"""Training: files, resume, export. Skipped without the extra."""

from __future__ import annotations

import csv
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import TrainingError
from horus_sim.interruption import Interruption
from horus_sim.rl.training import load_policy, resume, train, train_config
from horus_sim.rl.training.run_folder import RunFolder, append_row, read_rows
from horus_sim.rl.training.score import Score

pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
pytest.importorskip("stable_baselines3", reason="pip install 'horus-sim[train]'")

import torch  # pyright: ignore[reportMissingImports]

from horus_sim.rl.training.learner import Learner, make_learner
from horus_sim.rl.training.monitor import TrainingMonitor
from horus_sim.rl.training.sac import Sac

SMALL: dict[str, Any] = {
    "num_envs": 16,
    "total_steps": 1024,
    "evaluation_episodes": 4,
    "settings": {"episode_duration": 1.0},
    "network": (16,),
}
SAC: dict[str, Any] = {
    "learning_starts": 32,
    "batch_size": 32,
    "buffer_size": 2000,
    "gradient_steps": 1,
}


def learn(learner: Learner, folder: Path) -> None:
    """Without evaluations and checkpoints."""
    run = RunFolder(folder)
    run.create(learner.config)
    monitor = TrainingMonitor(learner, run, 0.0, None, Interruption(), None)
    learner.learn(monitor)
    monitor.close()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    states = []
    result = train(train_config("NavigationOpen", **SMALL), folder, states.append)
    return folder, result, states


def test_a_training_leaves_what_the_page_says(trained):
    folder, result, states = trained
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "config.json",
        "checkpoints",
        "progress.csv",
        "evaluations.csv",
        "tensorboard",
        "policy.npz",
        "last_policy.npz",
        "curve.png",
    }
    assert result.steps == 1024
    assert not result.is_cut_short
    # The time that a resume goes on from, which includes the last evaluation.
    assert result.duration >= read_rows(folder / "evaluations.csv")[-1]["seconds"]
    assert [state.steps for state in states] == [512, 1024]
    assert states[-1].share == 1.0
    rows = list(csv.DictReader((folder / "progress.csv").read_text().splitlines()))
    assert [row["steps"] for row in rows] == ["512", "1024"]
    assert list((folder / "tensorboard").glob("events*"))
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert load_policy(folder).origin["algorithm"] == "ppo"


def test_the_same_seed_learns_the_same(trained, tmp_path):
    folder, _, _ = trained
    config = train_config("NavigationOpen", **SMALL, torch_threads=3, threads=1)
    train(config, tmp_path / "again")
    first, second = (load_policy(path / "last_policy.npz") for path in (folder, tmp_path / "again"))
    for one, other in zip(first.layers, second.layers, strict=True):
        np.testing.assert_array_equal(one[0], other[0])


@pytest.mark.parametrize("normalized", [True, False])
def test_the_exported_policy_acts_as_sb3s(tmp_path, normalized):
    config = train_config(
        "Navigation",
        algorithm="sac",
        num_envs=8,
        total_steps=256,
        normalize_observations=normalized,
        sac=SAC,
    )
    learner = make_learner(config)
    assert isinstance(learner, Sac)
    learn(learner, tmp_path / "run")
    policy = learner.export()
    seen = np.random.default_rng(0).normal(size=(500, 31)).astype(np.float32)
    expected, _ = learner.model.predict(learner.envs.normalize_obs(seen), deterministic=True)
    np.testing.assert_allclose(policy.act(seen), expected, atol=1e-5)
    assert np.ptp(expected) > 0


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_a_checkpoint_restores_everything(algorithm, tmp_path):
    values = {"algorithm": algorithm, "sac": SAC, "total_steps": 512, "normalize_rewards": True}
    config = train_config("NavigationOpen", **{**SMALL, **values})
    one, other = make_learner(config), make_learner(config)
    learn(one, tmp_path / "run")
    one.save(tmp_path / "step_1.pt", 12.5)
    assert other.restore(tmp_path / "step_1.pt") == 12.5
    assert other.steps == one.steps == 512
    other.save(tmp_path / "step_2.pt", 12.5)
    first, second = (torch.load(tmp_path / f"step_{k}.pt", weights_only=True) for k in (1, 2))
    if algorithm == "sac":
        # Returns of the running episodes; new ones begin.
        del first["returns"], second["returns"]
    assert str(first) == str(second)
    assert len(first) > 7
    seen = np.ones((3, 31), np.float32)
    np.testing.assert_array_equal(other.export().act(seen), one.export().act(seen))
    for learner in (one, other):
        learner.close()


def test_a_checkpoint_that_cannot_be_written_is_named(tmp_path):
    learner = make_learner(train_config("NavigationOpen", **SMALL))
    (tmp_path / ".step_1.pt.part").mkdir()
    with pytest.raises(TrainingError, match=r"step_1.pt' cannot be written: .+; make room for it"):
        learner.save(tmp_path / "step_1.pt", 12.5)
    learner.close()


def test_resume_goes_on_where_it_was(trained):
    folder, _, _ = trained
    with pytest.raises(TrainingError, match="all that was asked for; give a larger total_steps"):
        resume(folder)
    before = load_policy(folder / "last_policy.npz")
    result = resume(folder, total_steps=2048)
    assert result.steps == 2048
    after = load_policy(folder / "last_policy.npz")
    assert after.origin["steps"] == 2048
    assert not np.array_equal(before.layers[0][0], after.layers[0][0])
    # A few updates move the weights a little: the networks were not begun anew.
    assert np.abs(before.layers[0][0] - after.layers[0][0]).max() < 0.1
    rows = list(csv.DictReader((folder / "progress.csv").read_text().splitlines()))
    assert [int(row["steps"]) for row in rows] == [512, 1024, 1536, 2048]
    assert len(list((folder / "checkpoints").iterdir())) == 2


@pytest.mark.parametrize("tells", [True, False])
def test_a_resume_keeps_the_better_policy_and_continues_the_rows(tmp_path, tells):
    run = RunFolder(tmp_path / "run")
    every: dict[str, Any] = {"evaluate_every": 512, "checkpoint_every": 512}
    train(train_config("NavigationOpen", **SMALL, **every), run.path)
    # As if it had been killed after an evaluation that the checkpoint knows nothing of.
    policy = replace(load_policy(run.policy), origin={})
    (Score(1.0, 99.0).signed(policy) if tells else policy).save(run.policy)
    row = read_rows(run.evaluations)[-1] | {"success_rate": 1.0, "mean_return": 99.0}
    append_row(run.evaluations, row)
    best = run.policy.read_bytes()
    result = resume(run.path, checkpoint=run.checkpoint(512), total_steps=1536)
    assert run.policy.read_bytes() == best
    assert (result.success_rate, result.mean_return) == (1.0, 99.0)
    assert [row["steps"] for row in read_rows(run.progress)] == [512, 1024, 1536]
    evaluations = [row["steps"] for row in read_rows(run.evaluations)]
    assert evaluations == [512, 1024, 1536]
    assert run.checkpoints()[-1] == run.checkpoint(1536)
    assert run.read_config().total_steps == 1536


def test_a_broken_checkpoint_is_named_with_the_others(trained):
    folder, _, _ = trained
    broken = folder / "checkpoints" / "step_999999999999.pt"
    broken.write_bytes(b"not a checkpoint")
    try:
        with pytest.raises(TrainingError, match=r"cannot be used .*there: step_000000001024\.pt"):
            resume(folder, total_steps=10**6)
    finally:
        broken.unlink()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"settings": {"lidar": {"rays": 8}}}, r"observations have shape \(31,\) and .* \(15,\)\)"),
        ({"network": (8,)}, "networks have other shapes than the task and settings ask"),
    ],
)
def test_a_checkpoint_of_another_task_says_what_differs(trained, changed, said):
    folder, _, _ = trained
    learner = make_learner(train_config("NavigationOpen", **(SMALL | changed)))
    with pytest.raises(TrainingError, match=rf"cannot be used \(its {said}"):
        learner.restore(RunFolder(folder).find_checkpoint())
    learner.close()


def test_a_file_that_is_no_checkpoint_is_told_in_our_words(trained):
    folder, _, _ = trained
    said = r"\(it is damaged, or no checkpoint\); name another one \(there: step_0"
    with pytest.raises(TrainingError, match=said):
        resume(folder, checkpoint=folder / "config.json", total_steps=10**6)


def test_folders_that_do_not_fit(trained, tmp_path):
    folder, _, _ = trained
    with pytest.raises(TrainingError, match="exists already; choose another folder, or resume"):
        train(train_config("NavigationOpen", **SMALL), folder)
    with pytest.raises(TrainingError, match="holds no training that can go on"):
        resume(tmp_path)


def test_minutes_end_a_training(tmp_path):
    settings = {**SMALL, "total_steps": None, "minutes": 0.02}
    result = train(train_config("NavigationOpen", **settings), tmp_path / "run")
    assert 1.0 < result.duration < 60
    assert not result.is_cut_short


def test_minutes_cut_a_training_short(tmp_path):
    settings = {**SMALL, "total_steps": 10**9, "minutes": 0.02}
    run = RunFolder(tmp_path / "run")
    result = train(train_config("NavigationOpen", **settings), run.path)
    assert result.is_cut_short
    with pytest.raises(TrainingError, match="all that was asked for"):
        resume(run.path)
    result = resume(run.path, total_steps=result.steps + 512)
    assert not result.is_cut_short
    assert run.read_config().minutes is None
    result = resume(run.path, total_steps=10**9, minutes=result.duration / 60 + 0.01)
    assert result.is_cut_short


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_saves_what_a_resume_goes_on_from(tmp_path, number):
    run = RunFolder(tmp_path / "run")
    config = train_config("NavigationOpen", **{**SMALL, "evaluate_every": 512})
    with pytest.raises(KeyboardInterrupt, match="512 steps are saved in"):
        # The evaluation that is due is not waited for.
        train(config, run.path, lambda _: signal.raise_signal(number))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert run.checkpoints() == (run.checkpoint(512),)
    assert not run.evaluations.exists()
    assert not run.curve.exists()
    assert load_policy(run.policy).origin["steps"] == 512
    result = resume(run.path)
    assert result.steps == 1024
    assert not result.is_cut_short
    # Any evaluation counts more than none.
    assert load_policy(run.policy).origin["evaluation"]["mean_return"] == result.mean_return


def test_a_ctrl_c_that_is_passed_on_is_no_second_one(tmp_path):
    def both(_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)

    run = RunFolder(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt, match="512 steps are saved in"):
        train(train_config("NavigationOpen", **SMALL), run.path, both)
    assert run.checkpoints() == (run.checkpoint(512),)


def test_a_second_ctrl_c_ends_at_once(tmp_path):
    def twice(_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(train_config("NavigationOpen", **SMALL), tmp_path / "run", twice)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert RunFolder(tmp_path / "run").checkpoints() == ()


def test_checkpoints_are_made_by_time_too(tmp_path):
    run = RunFolder(tmp_path / "run")
    train(train_config("NavigationOpen", **SMALL, checkpoint_minutes=1e-9), run.path)
    assert run.checkpoints() == (run.checkpoint(512), run.checkpoint(1024))


@pytest.mark.parametrize("train_every", [1, 3])
def test_sac_evaluates_when_it_is_due(tmp_path, train_every):
    run = RunFolder(tmp_path / "run")
    sac = {**SAC, "train_every": train_every}
    values = {**SMALL, "algorithm": "sac", "total_steps": 480, "evaluate_every": 144, "sac": sac}
    train(train_config("NavigationOpen", **values), run.path)
    assert [row["steps"] for row in read_rows(run.evaluations)] == [144, 288, 432, 480]


def test_practice_is_for_learning_alone():
    learner = make_learner(train_config("ManipulationLift", num_envs=8, practice={"assisted": 1.0}))
    assert learner.vector.task.config.assisted == 1.0
    assert learner.export().settings == {}
    learner.close()
