"""Files of a training: rows that are whole, and what a resume forgets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from horus_sim.errors import TrainingError
from horus_sim.rl.training import train_config
from horus_sim.rl.training.run_folder import RunFolder, append_row, read_rows


@pytest.fixture
def run(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.create(train_config("NavigationOpen"))
    for steps in (512, 1024, 1536):
        append_row(folder.progress, {"steps": steps, "seconds": steps / 1000, "success_rate": ""})
        folder.checkpoint(steps).touch()
    return folder


def steps_of(folder: RunFolder) -> list[float]:
    return [row["steps"] for row in read_rows(folder.progress)]


@pytest.mark.parametrize("torn", ["2", "2048,2.0", "2048,2.048,", "2048,2.048,\r"])
def test_a_row_that_was_cut_off_is_left_out(run, torn):
    with run.progress.open("a", newline="") as file:
        file.write(torn)
    assert steps_of(run) == [512, 1024, 1536]
    run.rewind(1536)
    append_row(run.progress, {"steps": 2048, "seconds": 2.0, "success_rate": 0.5})
    assert steps_of(run) == [512, 1024, 1536, 2048]


def test_headings_that_were_cut_off_are_written_anew(run):
    run.progress.write_text("steps,sec")
    assert steps_of(run) == []
    run.rewind(0)
    append_row(run.progress, {"steps": 512, "seconds": 2.0})
    assert read_rows(run.progress) == [{"steps": 512.0, "seconds": 2.0}]


@pytest.mark.parametrize("row", ["1,2", "1,2,3,4", "1,2,x"])
def test_a_row_of_something_else_is_named(run, row):
    with run.progress.open("a") as file:
        file.write(f"{row}\n")
    with pytest.raises(TrainingError, match=rf"'{row}' is none of steps,seconds,success_rate"):
        read_rows(run.progress)


def test_rewinding_forgets_what_came_after(run):
    run.curve.touch()
    run.policy.touch()
    run.rewind(1024)
    assert steps_of(run) == [512, 1024]
    assert run.checkpoints() == (run.checkpoint(512), run.checkpoint(1024))
    assert run.policy.exists()
    assert not run.curve.exists()


def test_checkpoints_are_found_by_name_and_by_path(run, tmp_path):
    assert run.find_checkpoint() == run.checkpoint(1536)
    assert run.find_checkpoint("step_000000000512.pt") == run.checkpoint(512)
    assert run.find_checkpoint(run.checkpoint(1024)) == run.checkpoint(1024)
    with pytest.raises(TrainingError, match=r"no checkpoint '512', here or in .*step_000000000512"):
        run.find_checkpoint("512")
    with pytest.raises(TrainingError, match="has no checkpoint; train without a resume"):
        RunFolder(tmp_path).find_checkpoint()


def test_a_training_without_a_checkpoint_is_begun_anew(run):
    with pytest.raises(TrainingError, match="exists already; choose another folder, or resume"):
        run.create(train_config("NavigationOpen"))
    for path in run.checkpoints():
        path.unlink()
    run.tensorboard.mkdir()
    (run.tensorboard / "events").touch()
    run.create(train_config("NavigationOpen", seed=7))
    assert run.read_config().seed == 7
    assert {path.name for path in run.path.iterdir()} == {"config.json", "checkpoints"}


@pytest.mark.parametrize("name", ["policy.npz", "last_policy.npz", "notes.txt"])
def test_what_is_worth_something_is_kept(run, name):
    for path in run.checkpoints():
        path.unlink()
    (run.path / name).touch()
    with pytest.raises(TrainingError, match="exists already"):
        run.create(train_config("NavigationOpen"))
    assert steps_of(run) == [512, 1024, 1536]


@pytest.mark.skipif(sys.platform == "win32", reason="no fcntl")
def test_a_folder_is_held_by_one_process(run):
    hold = (
        "import sys\nfrom pathlib import Path\n"
        "from horus_sim.rl.training.folder_lock import held\n"
        "with held(Path(sys.argv[1])):\n    print(flush=True)\n    input()\n"
    )
    lock = run.path / "training.lock"
    words = [sys.executable, "-c", hold, str(lock)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(TrainingError, match=f"is in use by process {other.pid}; wait"):
            run.held().__enter__()
        other.kill()
    # What the killed process left does not count.
    assert lock.read_text() == str(other.pid)
    with run.held():
        assert lock.read_text() == str(os.getpid())
    assert not lock.exists()


def test_a_folder_that_cannot_be_written_is_named(run, monkeypatch):
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    run.progress.with_name(".progress.csv.part").mkdir()
    with pytest.raises(TrainingError, match=r"run' cannot be written: .+; go on with a copy of it"):
        run.rewind(512)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(TrainingError, match=r"run' cannot be written: Permission denied; choose"):
        run.held().__enter__()
