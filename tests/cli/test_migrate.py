"""`horus-sim migrate` on files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from horus_sim.cli.app import main


def test_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "deep").mkdir()
    old = tmp_path / "deep" / "robot.json"
    old.write_text('{"sensors": [{"params": {"max_range": 2}}]}')
    (tmp_path / "scene.yaml").write_text("name: hall\n")
    (tmp_path / "notes.txt").write_text("sensors: [{xyz: 1}]")
    with pytest.raises(SystemExit, match="0"):
        main(["migrate", str(tmp_path)])
    assert old.read_text() == '{"sensors": [{"params": {"range_max": 2}}]}'
    text = capsys.readouterr().out
    assert "robot.json: line 1: max_range -> range_max" in text
    assert "scene.yaml: nothing to change" in text
    assert "notes" not in text


def test_a_file_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit, match="1"):
        main(["migrate", str(tmp_path / "gone.yaml")])
    assert "gone.yaml: the file cannot be read" in capsys.readouterr().err


def test_a_file_of_others_in_a_folder_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.yaml").write_text("sensors: [{xyz: [1, 2, 3]}]")
    with pytest.raises(SystemExit, match="0"):
        main(["migrate", str(tmp_path)])
    assert "pose" in (tmp_path / "b.yaml").read_text()
    assert "left out: " in capsys.readouterr().err
