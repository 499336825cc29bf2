"""Recordings that were cut off or damaged: read as far as they go, and repaired."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader

from horus_sim.errors import RecordingError
from horus_sim.running.recording import McapFile, McapRecorder, repair_recording

CHUNKS = 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A recording of four chunks with three messages each; the last topic comes in the last."""
    now = [0.0]
    path = tmp_path / "run.mcap"
    with McapRecorder(path, clock=lambda: now[0]) as recorder:
        for chunk in range(CHUNKS):
            for part in range(3):
                now[0] += 0.34
                topic = f"number/{chunk // 3}"
                recorder.log(topic, {"chunk": chunk, "part": part}, chunk * 10 + part)
    return path


def chunks_of(path: Path) -> list[tuple[int, int]]:
    """Offset and length of each chunk, by the index of a plain reader."""
    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    return [(index.chunk_start_offset, index.chunk_length) for index in summary.chunk_indexes]


def plain(path: Path) -> list[bytes]:
    """The messages that a plain reader finds by the index, after it has checked all checksums."""
    with path.open("rb") as file:
        list(StreamReader(file, validate_crcs=True).records)
        file.seek(0)
        return [message.data for _, _, message in make_reader(file).iter_messages()]


def numbers(data: list[bytes]) -> list[tuple[int, int]]:
    return [tuple(json.loads(text).values()) for text in data]


def parts(*chunks: int) -> list[tuple[int, int]]:
    return [(chunk, part) for chunk in chunks for part in range(3)]


def damage(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def test_the_fixture_has_its_chunks(path: Path):
    assert len(chunks_of(path)) == CHUNKS
    assert numbers(plain(path)) == parts(0, 1, 2, 3)


def test_a_file_that_was_cut_off_is_made_whole(path: Path):
    offset, _ = chunks_of(path)[3]
    os.truncate(path, offset + 30)
    file = McapFile(path)
    assert [tuple(message.value.values()) for message in file.read()] == parts(0, 1, 2)
    assert file.missing == "its index is missing, and its last 30 bytes are unfinished"
    before = path.read_bytes()
    path.chmod(0o640)
    link = path.with_name("link.mcap")
    link.symlink_to(path)
    repaired = repair_recording(link)
    link.unlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert repaired is not None
    assert (repaired.messages, repaired.topics, repaired.last_ns) == (9, 1, 22)
    assert repaired.lost == ("the index was missing, and 30 bytes at the end were unfinished",)
    assert numbers(plain(path)) == parts(0, 1, 2)
    kept = path.with_name("run.mcap.damaged")
    assert repaired.kept == kept
    assert kept.read_bytes() == before
    assert sorted(p.name for p in path.parent.iterdir()) == ["run.mcap", "run.mcap.damaged"]
    assert repair_recording(path) is None
    with path.open("rb") as file:
        assert make_reader(file).get_header().profile == "horus"


@pytest.mark.parametrize("lost", [0, 2, 3])
def test_only_a_damaged_chunk_is_lost(path: Path, lost: int):
    """Also the first one, which declares the topics: the index has them, too."""
    offset, length = chunks_of(path)[lost]
    damage(path, offset + length - 10, b"\x00\x11\x22\x33")
    target = path.with_name("repaired.mcap")
    with pytest.raises(
        RecordingError, match=f"is damaged at byte {offset}: .*'replay repair' keeps"
    ):
        list(McapFile(path).read())
    repaired = repair_recording(path, target)
    assert repaired is not None
    assert repaired.kept is None
    assert f"is damaged at byte {offset}" in repaired.lost[0]
    assert numbers(plain(target)) == parts(*({0, 1, 2, 3} - {lost}))


@pytest.mark.parametrize("length", [0, 5, 2**31, 2**64 - 1])
def test_behind_a_wrong_length_it_goes_on_with_the_next_chunk(path: Path, length: int):
    offset, _ = chunks_of(path)[1]
    damage(path, offset + 1, struct.pack("<Q", length))
    with pytest.raises(RecordingError, match="is damaged at byte"):
        list(McapFile(path).read())
    assert repair_recording(path) is not None
    assert numbers(plain(path)) == parts(0, 2, 3)


def test_a_damaged_index_is_told_and_made_again(path: Path):
    damage(path, path.stat().st_size - 60, b"\xff")
    file = McapFile(path)
    assert file.topics() == {"number/0", "number/1"}
    assert len(list(file.read())) == 12
    assert file.missing == "its index is damaged or missing"
    repaired = repair_recording(path)
    assert repaired is not None
    assert repaired.lost == ("the index was damaged or missing",)
    assert numbers(plain(path)) == parts(0, 1, 2, 3)


def test_zeros_at_the_end_as_after_a_power_cut(path: Path):
    offset, _ = chunks_of(path)[2]
    os.truncate(path, offset)
    os.truncate(path, offset + 4096)
    file = McapFile(path)
    assert [tuple(message.value.values()) for message in file.read()] == parts(0, 1)
    assert "4096 bytes are unfinished" in file.missing
    assert repair_recording(path) is not None
    assert numbers(plain(path)) == parts(0, 1)


def test_a_whole_file_stays_as_it_is(path: Path):
    before = path.read_bytes()
    assert repair_recording(path) is None
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["run.mcap"]


def test_a_repair_that_fails_leaves_everything_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    os.truncate(path, path.stat().st_size // 2)
    before = path.read_bytes()
    kept = path.with_name("run.mcap.damaged")
    kept.write_text("precious")
    with pytest.raises(RecordingError, match="damaged' exists already, from an earlier repair"):
        repair_recording(path)
    with pytest.raises(RecordingError, match="damaged' exists already; choose another file"):
        repair_recording(path, kept)
    with pytest.raises(RecordingError, match=r"cannot be repaired into .*: No such file or dir"):
        repair_recording(path, path.parent / "absent" / "run.mcap")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RecordingError, match="No space left on device; it stays as it is"):
        repair_recording(path, path.with_name("other.mcap"))
    assert path.read_bytes() == before
    assert kept.read_text() == "precious"
    assert len(list(path.parent.iterdir())) == 2
