"""Files of a training: rows that are whole, and what a resume forgets."""

from __future__ import annotations

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
    with pytest.raises(TrainingError, match="has no checkpoint; train anew"):
        RunFolder(tmp_path).find_checkpoint()
