"""Files are replaced as a whole or not at all, whatever happens."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from horus_sim.errors import HorusError, SceneError
from horus_sim.files import whole_file as module
from horus_sim.files.whole_file import (
    check_writable,
    copy_whole,
    is_part,
    replacing,
    whole_file,
    write_whole,
)

HERE = Path(__file__).parent
LONGEST_S = 120


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_process_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path):
    command = [sys.executable, str(HERE / "killed_saver.py"), str(tmp_path), "100", "7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["torn"] == 0
    # Else no kill hit a save, and the test says nothing.
    assert answer["parts"] > 0
    assert answer["left"] == ["saved.txt"], "the next save takes what a killed one left"
    assert answer["last"] == "the last one"


def test_a_full_disk_costs_nothing_that_was_there(tmp_path):
    unshare = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "-r", "--mount"]
    script = 'mount -t tmpfs -o size=128k tmpfs "$1" && exec "$2" "$3" "$1"'
    probe = 'mount -t tmpfs -o size=128k tmpfs "$1"'
    try:
        subprocess.run(
            [*unshare, "sh", "-c", probe, "sh", str(tmp_path)],
            check=True,
            capture_output=True,
            timeout=LONGEST_S,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"this machine lets nobody mount a disk: {error}")
    arguments = [str(tmp_path), sys.executable, str(HERE / "full_disk_saver.py")]
    done = subprocess.run(
        [*unshare, "sh", "-c", script, "sh", *arguments],
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(answer) == 8
    for name, found in answer.items():
        assert f"{name}' cannot be written: No space left on device; " in found["error"], name
        assert found["is_as_before"], (name, found["strange"])


def test_content_is_on_the_disk_before_the_name_and_the_name_after_it(tmp_path, monkeypatch):
    done = []
    real_fsync, real_replace = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "content")
        real_fsync(descriptor)

    def replace(self: Path, target: Path) -> Path:
        done.append("name")
        return real_replace(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    write_whole(tmp_path / "a.txt", "x", HorusError)
    assert done == ["content", "name", "folder"]
    done.clear()
    with replacing(tmp_path / "a.txt", sync=False) as file:
        file.write(b"y")
    assert done == ["name"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_block_that_raises_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def interrupted() -> None:
        with whole_file(path, SceneError) as file:
            file.write(b"new")
            file.flush()
            raise error

    with pytest.raises(error):
        interrupted()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_what_a_killed_process_left_is_taken(tmp_path):
    path = tmp_path / "a.txt"
    (tmp_path / ".a.txt.part").write_text("a much longer text, half of it")
    assert is_part(tmp_path / ".a.txt.part")
    assert not is_part(path)
    write_whole(path, "new", SceneError)
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "a.sh", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o750)
    link.symlink_to("a.sh")
    write_whole(link, "new", SceneError)
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_text("")
    write_whole(ours, "", SceneError)
    assert plain.stat().st_mode == ours.stat().st_mode


def test_a_protected_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")
    # The superuser, as which tests may run, is never refused.
    monkeypatch.setattr(os, "access", lambda *_: False)
    for act in (lambda: write_whole(path, "new", SceneError), lambda: check(path)):
        with pytest.raises(SceneError, match=r"a\.txt' cannot be written: Permission denied; "):
            act()
    assert path.read_text() == "old"


def check(path: Path) -> None:
    check_writable(path, SceneError)


def test_pipes_are_written_as_they_are(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    check(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_text()), daemon=True)
    reader.start()
    write_whole(path, "through", SceneError)
    reader.join(LONGEST_S)
    assert got == ["through"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_errors_name_the_file_and_the_remedy(tmp_path):
    absent = tmp_path / "none" / "a.txt"
    cases = ((absent, "No such file or directory"), (tmp_path, "Is a directory"))
    for path, why in cases:
        text = f"'{path}' cannot be written: {why}; choose another --output"
        with pytest.raises(SceneError, match=f"^{text}$"):
            write_whole(path, "x", SceneError, "choose another --output")
        with pytest.raises(SceneError, match=f"{path}' cannot be written: {why}; choose another"):
            check(path)
    with pytest.raises(SceneError, match=r"has half of a character \('\\ud800'\); remove it"):
        write_whole(tmp_path / "a.txt", "a\ud800", SceneError)
    assert names(tmp_path) == []


def test_a_file_is_only_looked_at(tmp_path):
    old = tmp_path / "old.txt"
    old.write_text("old")
    check(old)
    check(tmp_path / "new.txt")
    assert names(tmp_path) == ["old.txt"]
    assert old.read_text() == "old"


def test_who_writes_the_same_file_waits(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    versions = [f"{number}" * 100_000 for number in range(4)]

    def save(text: str) -> None:
        for _ in range(10):
            write_whole(path, text, SceneError)

    threads = [threading.Thread(target=save, args=(text,)) for text in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST_S)
    assert path.read_text() in versions
    assert names(tmp_path) == ["a.txt"]
    monkeypatch.setattr(module, "_LONGEST_WAIT_S", 0.0)
    with replacing(path) as file:
        file.write(b"first")
        with pytest.raises(SceneError, match="cannot be written: another process is writing it; "):
            write_whole(path, "second", SceneError)
    assert path.read_text() == "first"


def test_a_name_of_any_legal_length_is_written(tmp_path):
    path = tmp_path / ("a" * 250 + ".urdf")
    write_whole(path, "old", SceneError)
    write_whole(path, "new", SceneError)
    assert names(tmp_path) == [path.name]
    assert path.read_text() == "new"


def test_what_is_no_file_is_not_written_through(tmp_path):
    path, part = tmp_path / "a.txt", tmp_path / ".a.txt.part"
    os.mkfifo(part)
    text = r"a\.txt' cannot be written: '\.a\.txt\.part' beside it is in the way, which is not"
    with pytest.raises(SceneError, match=text):
        write_whole(path, "new", SceneError)
    assert names(tmp_path) == [part.name]


def test_a_copy_is_whole(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    copy_whole(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"content"
    with pytest.raises(FileNotFoundError):
        copy_whole(tmp_path / "none", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"content"
