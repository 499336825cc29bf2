"""Logs of runs."""

from __future__ import annotations

import csv
import importlib
import re

import numpy as np
import pytest

from horus_sim.errors import MissingExtraError, Sim2dError
from horus_sim.installation import install_command
from horus_sim.sim2d import Simulator
from horus_sim.sim2d.simulation.recorder import Recorder

from ..makers import scenario

parquet = importlib.import_module("pyarrow.parquet")


@pytest.fixture
def recorder():
    sim = Simulator(scenario())
    sim.robots["robot"].drive.drive(0.3, 0.4)
    recorder = Recorder(sim)
    for _ in range(50):
        sim.step()
        recorder(sim)
    return recorder


def test_parquet_holds_what_was_recorded(recorder, tmp_path):
    recorder.write(tmp_path / "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet")
    assert tuple(table.column_names) == recorder.columns
    assert {str(field.type) for field in table.schema} == {"double"}
    values = np.stack([table[name].to_numpy() for name in recorder.columns], axis=1)
    assert values.tobytes() == np.array(recorder.rows).tobytes()
    assert table["time"].to_pylist()[-1] == pytest.approx(50 / 120)


def test_csv_and_parquet_agree(recorder, tmp_path):
    for name in ("run.csv", "run.parquet"):
        recorder.write(tmp_path / name)
    rows = list(csv.reader((tmp_path / "run.csv").read_text().splitlines()))
    table = parquet.read_table(tmp_path / "run.parquet")
    assert rows[0] == table.column_names
    written = np.array([[float(x) for x in row] for row in rows[1:]])
    assert (written == np.stack(table.columns, axis=1)).all()


def test_a_run_of_no_steps_is_a_table_without_rows(tmp_path):
    recorder = Recorder(Simulator(scenario()))
    recorder.write(tmp_path / "empty.parquet")
    table = parquet.read_table(tmp_path / "empty.parquet")
    assert (table.num_rows, tuple(table.column_names)) == (0, recorder.columns)


def test_without_pyarrow_the_extra_is_named(recorder, tmp_path, monkeypatch):
    real = importlib.import_module

    def refuse(name, *arguments):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(MissingExtraError, match=re.escape(install_command("parquet"))):
        recorder.write(tmp_path / "run.parquet")
    assert list(tmp_path.iterdir()) == []


def test_another_ending_is_refused(recorder, tmp_path):
    with pytest.raises(Sim2dError, match=r"ends in '\.txt'; logs end in \.csv or \.parquet"):
        recorder.write(tmp_path / "run.txt")
