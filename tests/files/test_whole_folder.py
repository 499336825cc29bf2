"""Folders are copied as a whole or not at all; test_whole_file has the full disk."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from horus_sim.errors import SceneError
from horus_sim.files.whole_folder import copy_folder


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    for name in ("a.json", "inside/run.sh", "__pycache__/a.pyc"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (folder / "inside/run.sh").chmod(0o750)
    return folder


def test_a_copy_has_all_but_the_caches(source, tmp_path):
    target = tmp_path / "above" / "copy"
    copy_folder(source, target, SceneError)
    assert files(target) == {"a.json": b"a.json", "inside/run.sh": b"inside/run.sh"}
    assert (target / "inside/run.sh").stat().st_mode & 0o777 == 0o750
    assert [path.name for path in target.parent.iterdir()] == ["copy"]


def test_what_a_killed_process_left_is_taken(source, tmp_path):
    part = tmp_path / "new" / ".copy.part"
    (part / "old").mkdir(parents=True)
    (part / "a.json").write_text("half of it and much more")
    copy_folder(source, tmp_path / "new" / "copy", SceneError)
    assert files(tmp_path / "new") == {
        "copy/a.json": b"a.json",
        "copy/inside/run.sh": b"inside/run.sh",
    }


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_copy_that_fails_leaves_nothing(source, tmp_path, monkeypatch, error):
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(shutil, "copymode", failing)
    text = "copy' cannot be written: No space left on device; free some space or choose another"
    expected = SceneError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected, match=text if isinstance(error, OSError) else None):
        copy_folder(source, tmp_path / "copy", SceneError)
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_a_folder_with_something_in_it_stays(source, tmp_path):
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "mine").write_text("mine")
    with pytest.raises(SceneError, match="copy' cannot be written: Directory not empty; "):
        copy_folder(source, tmp_path / "copy", SceneError)
    assert files(tmp_path / "copy") == {"mine": b"mine"}


def test_two_do_not_write_the_same_copy(source, tmp_path):
    part = tmp_path / ".copy.part"
    part.mkdir()
    descriptor = os.open(part, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(SceneError, match="cannot be written: another process is writing it; "):
            copy_folder(source, tmp_path / "copy", SceneError)
    finally:
        os.close(descriptor)
    assert part.is_dir()
    copy_folder(source, tmp_path / "copy", SceneError)
