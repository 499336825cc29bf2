"""Recordings: schemas, stamps, resets, full disks, files that were cut off."""

from __future__ import annotations

import errno
import io
import shutil
import subprocess
import sys
from collections import Counter, defaultdict

import pytest
from mcap.reader import make_reader

from horus_sim.errors import RecordingError
from horus_sim.hub.messages import CmdVel
from horus_sim.running import RunningConfig, RunningWorld
from horus_sim.running.recording import McapFile, McapRecorder
from horus_sim.running.recording.foxglove.sdk import foxglove
from horus_sim.sim3d import World


class SmallDisk(io.BytesIO):
    """A file on a disk with so many bytes left."""

    def __init__(self, free):
        super().__init__()
        self.free = free

    def write(self, data, /):
        if self.tell() + len(data) > self.free:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def record(path, seconds=1.0, resets=0, **options):
    world = World.load("warehouse", seed=2)
    with RunningWorld(world) as running:
        recorder = McapRecorder(path, **options)
        running.add_outlet(recorder)
        for _ in range(1 + resets):
            for _ in range(round(seconds / 0.1)):
                running.command("burger", CmdVel(0.2, 0.4))
                running.step(24)
            if resets:
                running.reset()
    return recorder, world


def test_every_topic_has_its_schema_and_its_stamps_never_go_back(tmp_path):
    recorder, world = record(tmp_path / "run.mcap")
    last = defaultdict(int)
    counts: Counter[str] = Counter()
    schemas = {}
    with recorder.path.open("rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            assert schema is not None
            assert schema.data
            assert schema.name
            assert message.log_time >= last[channel.topic]
            last[channel.topic] = message.log_time
            counts[channel.topic] += 1
            schemas[channel.topic] = schema.name
    assert summary is not None
    assert summary.statistics is not None
    assert summary.statistics.message_count == sum(counts.values()) == recorder.messages
    assert schemas["/tf"] == schemas["/tf_static"] == "foxglove.FrameTransforms"
    assert schemas["/burger/odom"] == "foxglove.Odometry"
    assert schemas["/burger/joint_states"] == "foxglove.JointStates"
    assert schemas["/burger/cmd_vel"] == "horus.CmdVel"
    assert counts["/clock"] == 101
    assert counts["/tf"] == counts["/burger/odom"] == 51
    assert counts["/burger/cmd_vel"] == 10
    assert max(last.values()) == world.stamp_ns
    assert recorder.error is None
    assert recorder.summary() == f"recorded {recorder.messages} messages to {recorder.path}"


def test_a_reset_begins_a_new_file(tmp_path):
    recorder, _ = record(tmp_path / "run.mcap", resets=1)
    assert [path.name for path in recorder.paths] == ["run.mcap", "run_2.mcap", "run_3.mcap"]
    for path in recorder.paths[:2]:
        stamps = [message.stamp_ns for message in McapFile(path).read()]
        assert stamps[0] == 0
        assert stamps == sorted(stamps)


def test_a_file_that_exists_is_not_replaced_by_that_of_a_later_run(tmp_path):
    kept = tmp_path / "run_2.mcap"
    kept.write_text("precious")
    recorder, _ = record(tmp_path / "run.mcap", 0.1, resets=1)
    assert [path.name for path in recorder.paths] == ["run.mcap", "run_3.mcap", "run_4.mcap"]
    assert kept.read_text() == "precious"


def test_a_later_file_that_cannot_be_opened_ends_the_recording(tmp_path, caplog):
    folder = tmp_path / "gone"
    folder.mkdir()
    world = World.load("warehouse")
    with RunningWorld(world) as running:
        recorder = McapRecorder(folder / "run.mcap")
        running.add_outlet(recorder)
        running.step(24)
        shutil.rmtree(folder)
        running.reset()
        assert running.step(24) == 24
        assert world.steps == 24
    assert "run_2.mcap' ended early: No such file" in str(recorder.error)
    assert "ended early" in recorder.summary()
    assert sum("ended early" in record.message for record in caplog.records) == 1


def test_a_full_disk_ends_the_recording_and_the_simulation_goes_on(tmp_path, caplog):
    disk = SmallDisk(20_000)
    config = RunningConfig(tf_hz=1000.0)
    world = World.load("warehouse")
    with RunningWorld(world, None, config) as running:
        recorder = McapRecorder(tmp_path / "run.mcap", open_file=lambda path: disk)
        running.add_outlet(recorder)
        assert running.step(1200) == 1200
        assert recorder.error is not None
        assert running.step(100) == 100
    text = "the recording .*run.mcap' ended early: No space left on device; what was written"
    with pytest.raises(RecordingError, match=text):
        raise recorder.error
    assert "ended early" in recorder.summary()
    assert sum("ended early" in record.message for record in caplog.records) == 1


def test_a_disk_that_is_full_at_the_end_is_told_too(tmp_path):
    recorder, _ = record(tmp_path / "run.mcap", 0.2, open_file=lambda path: SmallDisk(3000))
    assert recorder.error is not None


def test_a_really_full_disk(tmp_path):
    """A tmpfs of 160 KB in a mount namespace of its own."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("there is no unshare")
    probe = [unshare, "--mount", "--map-root-user", "mount", "-t", "tmpfs", "t", str(tmp_path)]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("mount namespaces are not allowed here")
    program = "from horus_sim.cli.app import main; main()"
    options = "--headless --duration 10 --record"
    script = (
        f'mount -t tmpfs -o size=160k t "$1" && "$2" -c "{program}" sim3d warehouse {options} '
        '"$1/run.mcap"; code=$?; "$2" -c '
        f'"{program}" replay info $1/run.mcap; exit $code'
    )
    command = [unshare, "--mount", "--map-root-user", "sh", "-c", script, "sh"]
    result = subprocess.run(
        [*command, str(tmp_path), sys.executable], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1, result.stderr
    assert "warehouse: 10.000 s simulated" in result.stdout
    assert "ended early: No space left on device" in result.stdout
    assert "Traceback" not in result.stderr
    # What was written before can be read.
    assert "burger/odom" in result.stdout
    assert "the file is not whole: its index is missing" in result.stderr


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path):
    recorder, _ = record(tmp_path / "run.mcap", 3.0)
    whole = len(list(McapFile(recorder.path).read()))
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(recorder.path.read_bytes()[:-2000])
    file = McapFile(cut)
    assert 0 < len(list(file.read())) <= whole
    assert file.missing
    assert file.duration_ns is None
    assert "clock" in file.topics()


def test_files_that_are_no_recordings_are_named(tmp_path):
    with pytest.raises(RecordingError, match=r"cannot be written: .*; choose another file"):
        McapRecorder(tmp_path / "absent" / "run.mcap")
    with pytest.raises(RecordingError, match="cannot be read: No such file"):
        McapFile(tmp_path / "absent.mcap")
    (tmp_path / "text.mcap").write_text("hello, world")
    with pytest.raises(RecordingError, match="is not an MCAP file; it begins with b'hello, w'"):
        McapFile(tmp_path / "text.mcap")
    short = tmp_path / "short.mcap"
    recorder, _ = record(tmp_path / "run.mcap", 0.5)
    short.write_bytes(recorder.path.read_bytes()[:20])
    assert McapFile(short).duration_ns is None
    assert McapFile(short).topics() == set()
    data = bytearray(recorder.path.read_bytes())
    data[len(data) // 4] ^= 0xFF
    recorder.path.write_bytes(data)
    with pytest.raises(RecordingError, match="is damaged"):
        list(McapFile(recorder.path).read())


def test_what_was_recorded_is_in_the_file_after_a_second(tmp_path):
    """So that a process that is killed loses no more than that, however little it records."""
    now = [0.0]
    path = tmp_path / "run.mcap"
    recorder = McapRecorder(path, clock=lambda: now[0])
    recorder.log("clock", {"number": 1}, 0)
    assert list(McapFile(path).read()) == []
    now[0] = 1.0
    recorder.log("clock", {"number": 2}, 10)
    assert [message.value for message in McapFile(path).read()] == [{"number": 1}, {"number": 2}]
    recorder.close()


def test_numbers_that_are_too_large_are_read_as_infinite(tmp_path):
    """A range of another program, in double precision; ours has single precision."""
    from foxglove.channels import LaserScanChannel
    from foxglove.messages import LaserScan

    path = tmp_path / "scan.mcap"
    context = foxglove.Context()
    with foxglove.open_mcap(path, context=context):
        channel = LaserScanChannel("/scan", context=context)
        channel.log(LaserScan(ranges=[1.0, 1e300]))
    (found,) = McapFile(path).read()
    assert found.value.ranges.tolist() == [1.0, float("inf")]
