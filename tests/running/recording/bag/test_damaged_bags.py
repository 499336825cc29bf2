"""Bags that were cut off, damaged or not finished: what can be read is read, and repaired."""

from __future__ import annotations

import errno
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from rosbags.highlevel import AnyReader

from horus_sim.errors import RecordingError
from horus_sim.hub import messages
from horus_sim.hub.ros.binding import binding_of
from horus_sim.running.recording import Bag, BagRecorder, repair_recording
from horus_sim.tf import Transform


def test_a_killed_recording_is_read_and_repaired(tmp_path: Path):
    path = tmp_path / "run"
    script = (
        "import os, sys\n"
        "from horus_sim.running.recording import BagRecorder\n"
        "from horus_sim.hub.messages import Clock\n"
        "now = [0.0]\n"
        "recorder = BagRecorder(sys.argv[1], clock=lambda: now[0])\n"
        "for i in range(100):\n"
        "    now[0] = i * 0.1\n"
        "    recorder.log('clock', Clock(i), i)\n"
        "os._exit(9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, path], check=False)
    assert ended.returncode == 9
    bag = Bag(path)
    stamps = [each.stamp_ns for each in bag.read()]
    assert stamps == list(range(len(stamps)))
    assert len(stamps) >= 90
    assert bag.missing.startswith("its metadata.yaml is missing; of run_0.mcap, its index is miss")
    assert bag.contents().messages == {("clock", "rosgraph_msgs/msg/Clock"): len(stamps)}
    elsewhere = repair_recording(path, tmp_path / "whole")
    done = repair_recording(path)
    assert done is not None
    assert elsewhere is not None
    assert done.messages == elsewhere.messages == len(stamps)
    assert done.kept == path / "run_0.mcap.damaged"
    assert repair_recording(path) is None
    for whole in (path, tmp_path / "whole"):
        with AnyReader([whole]) as reader:
            assert reader.message_count == len(stamps)
        assert [each.stamp_ns for each in Bag(whole).read()] == stamps


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), max_size=4))
def test_damage_gives_messages_or_an_error_that_names_the_bag(
    plain_bag: Path, flips: list[tuple[float, int]]
):
    data = bytearray((plain_bag / "bag_0.mcap").read_bytes())
    for place, bits in flips:
        data[int(place * len(data))] ^= bits
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bag_0.mcap").write_bytes(data)
        error, found = "", []
        try:
            found = list(Bag(folder).read())
        except RecordingError as raised:
            error = str(raised)
        assert folder in error if error else flips or len(found) == 2
    # Whatever the file says of them, our types are what they were.
    assert binding_of(messages.Encoder).kind is messages.Encoder


@pytest.fixture(scope="module")
def plain_bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bag without checksums, so that damage reaches whoever decodes the messages."""
    folder = tmp_path_factory.mktemp("plain")
    with BagRecorder(folder / "bag") as recorder:
        recorder.log("odom", messages.Odometry(1, "odom", "base", Transform((1.0, 2.0, 3.0))), 1)
        recorder.log("notes", {"text": "hello"}, 2)
    file = folder / "bag" / "bag_0.mcap"
    with file.open("rb") as opened:
        held = list(make_reader(opened).iter_messages())
    with file.open("wb") as opened:
        writer = McapWriter(opened, compression=CompressionType.NONE, enable_crcs=False)
        writer.start("ros2")
        for schema, channel, message in held:
            assert schema is not None
            number = writer.register_schema(schema.name, schema.encoding, schema.data)
            number = writer.register_channel(channel.topic, "cdr", number, channel.metadata)
            writer.add_message(number, message.log_time, message.data, message.publish_time)
        writer.finish()
    return folder / "bag"


class SmallDisk(io.BytesIO):
    """A file on a disk with so many bytes left."""

    def __init__(self, free: int) -> None:
        super().__init__()
        self.free = free

    def write(self, data: Any, /) -> int:
        if self.tell() + len(data) > self.free:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def test_a_full_disk_ends_the_bag_and_not_the_simulation(tmp_path: Path):
    now = [0.0]
    recorder = BagRecorder(
        tmp_path / "run", open_file=lambda _: SmallDisk(2000), clock=lambda: now[0]
    )
    for number in range(100):
        now[0] += 1.0
        recorder.log("clock", messages.Clock(number), number)
    recorder.close()
    assert str(recorder.error).startswith(
        f"the recording '{tmp_path / 'run'}' ended early: No space left on device"
    )
    assert 0 < recorder.messages < 100
    assert not (tmp_path / "run" / "metadata.yaml").exists()
