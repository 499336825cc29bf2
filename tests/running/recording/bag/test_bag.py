"""Bags that this program writes: rosbags and mcap-ros2-support read them, and they replay."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader

from horus_sim.errors import MessageError, RecordingError
from horus_sim.hub import messages
from horus_sim.hub.messages import CmdVel, DepthImage, Image, LaserScan
from horus_sim.hub.ros.binding import binding_of, ros_message
from horus_sim.hub.ros.definition import definition_of, type_names
from horus_sim.running import RunningWorld
from horus_sim.running.recording import (
    Bag,
    BagRecorder,
    CommandLog,
    McapFile,
    McapRecorder,
    open_recording,
    replay_commands,
)
from horus_sim.running.recording.bag.definitions import definition_text, learn_definition
from horus_sim.sim3d import World, recorded_world
from horus_sim.tf import StaticTransformStamped, Transform


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run as a bag and as a file for Foxglove."""
    folder = tmp_path_factory.mktemp("bags")
    with RunningWorld(World.load("warehouse", seed=1)) as running:
        recorders = BagRecorder(folder / "run"), McapRecorder(folder / "run.mcap")
        for recorder in recorders:
            running.add_outlet(recorder)
        running.command("burger", CmdVel(linear=0.2, angular=0.3))
        running.step(240)
    assert recorders[0].error is None
    assert recorders[0].summary() == f"recorded {recorders[0].messages} messages to {folder}/run"
    return folder / "run", folder / "run.mcap"


def plain(value: Any) -> Any:
    """A message of another program as plain data, without its class."""
    if isinstance(value, np.ndarray):
        return [plain(each) for each in value.tolist()]
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return list(value)
    if dataclasses.is_dataclass(value):
        names = [entry.name for entry in dataclasses.fields(value)]
    elif hasattr(value, "__slots__"):
        names = list(value.__slots__)
    elif isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    else:
        return value
    return {name: plain(getattr(value, name)) for name in names if not name.startswith("__msgtype")}


def written(path: Path) -> list[tuple[str, int, Any]]:
    """Topics, times and fields as they are in the bag, decoded by our codec."""
    found = []
    with (path / f"{path.name}_0.mcap").open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages(log_time_order=False):
            assert schema is not None
            fields = binding_of(ros_message(schema.name)).decode(message.data)
            found.append((channel.topic, message.log_time, plain(fields)))
    return found


def test_a_bag_holds_what_the_other_form_holds(both: tuple[Path, Path]):
    bag, file = both
    ours = list(Bag(bag).read())
    theirs = [each for each in McapFile(file).read() if each.topic != "scene"]
    assert [(each.topic, each.stamp_ns) for each in ours] == [
        (each.topic, each.stamp_ns) for each in theirs
    ]
    for ros, foxglove in zip(ours, theirs, strict=True):
        if isinstance(foxglove.value, LaserScan):  # its angles are float32 in ROS
            assert isinstance(ros.value, LaserScan)
            np.testing.assert_array_equal(ros.value.ranges, foxglove.value.ranges)
            assert ros.value.angle_min == np.float32(foxglove.value.angle_min)
        else:
            assert ros.value == foxglove.value
    assert {"tf", "tf_static", "clock", "burger/scan", "sim/command_log"} <= Bag(bag).topics()
    assert Bag(bag).duration_ns == McapFile(file).duration_ns == 1_000_000_000


def test_rosbags_reads_every_message(both: tuple[Path, Path]):
    expected = sorted(written(both[0]), key=lambda each: each[:2])
    with AnyReader([both[0]]) as reader:
        found = [
            (connection.topic, stamp_ns, plain(reader.deserialize(data, connection.msgtype)))
            for connection, stamp_ns, data in reader.messages()
        ]
        assert reader.message_count == len(expected)
        assert reader.duration == 1_000_000_001  # its end is behind the last message
        digests = {each.topic: each.digest for each in reader.connections}
        latched = {
            each.topic
            for each in reader.connections
            for profile in each.ext.offered_qos_profiles  # type: ignore[union-attr]
            if profile.durability.name == "TRANSIENT_LOCAL"
        }
    assert digests["/burger/scan"] == binding_of(LaserScan).type_hash
    assert latched == {"/burger/robot_description", "/sim/status", "/tf_static"}
    assert sorted(found, key=lambda each: each[:2]) == expected


def test_mcap_ros2_support_reads_every_message(both: tuple[Path, Path]):
    file = both[0] / "run_0.mcap"
    with file.open("rb") as opened:
        reader = make_reader(opened, decoder_factories=[DecoderFactory()])
        found = [
            (channel.topic, message.log_time, plain(decoded))
            for _, channel, message, decoded in reader.iter_decoded_messages()
        ]
        assert reader.get_header().profile == "ros2"
    key = lambda each: each[:2]  # noqa: E731
    assert sorted(found, key=key) == sorted(written(both[0]), key=key)


def test_metadata_is_that_of_rosbag2(both: tuple[Path, Path]):
    found = yaml.safe_load((both[0] / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    assert found["version"] == 9
    assert found["storage_identifier"] == "mcap"
    assert found["relative_file_paths"] == ["run_0.mcap"]
    counts = {
        each["topic_metadata"]["name"]: each["message_count"]
        for each in found["topics_with_message_count"]
    }
    assert counts["/clock"] == 101
    assert sum(counts.values()) == found["message_count"] == found["files"][0]["message_count"]


def test_a_bag_is_done_again_bit_by_bit(both: tuple[Path, Path]):
    log = CommandLog.load(both[0])
    assert log.entries == CommandLog.load(both[1]).entries
    done = replay_commands(recorded_world(log), log)
    assert (done.steps, done.commands) == (240, 1)


def test_the_log_survives_a_copy_by_another_program(both: tuple[Path, Path], tmp_path: Path):
    from rosbags.rosbag2 import StoragePlugin, Writer

    with (
        AnyReader([both[0]]) as reader,
        Writer(tmp_path / "copy", version=9, storage_plugin=StoragePlugin.SQLITE3) as writer,
    ):
        connections = {
            each.id: writer.add_connection(
                each.topic, each.msgtype, msgdef=each.msgdef.data, rihs01=each.digest
            )
            for each in reader.connections
        }
        for connection, stamp_ns, data in reader.messages():
            writer.write(connections[connection.id], stamp_ns, data)
    assert CommandLog.load(tmp_path / "copy").entries == CommandLog.load(both[0]).entries


def test_a_reset_begins_a_new_bag(tmp_path: Path):
    with RunningWorld(World.load("empty_world")) as running:
        recorder = BagRecorder(tmp_path / "run")
        running.add_outlet(recorder)
        running.step(24)
        running.reset()
        running.step(24)
    assert recorder.paths == [tmp_path / "run", tmp_path / "run_2"]
    for path in recorder.paths:
        log = CommandLog.load(path)
        replay_commands(recorded_world(log), log)
    assert (tmp_path / "run_2" / "run_2_0.mcap").exists()


@pytest.mark.parametrize("images", ["raw", "png"])
def test_pictures_keep_every_bit(tmp_path: Path, images: Any):
    pixels = np.random.default_rng(1).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    sent = Image(5, "camera", pixels), DepthImage(6, "camera", np.full((2, 3), np.inf, np.float32))
    with BagRecorder(tmp_path / "run", images=images) as recorder:
        recorder.log("image", sent[0], 5)
        recorder.log("depth", sent[1], 6)
    assert [each.value for each in Bag(tmp_path / "run").read()] == list(sent)
    channel = "/image" if images == "raw" else "/image/compressed"
    with AnyReader([tmp_path / "run"]) as reader:
        assert channel in reader.topics


def test_fixed_transforms_and_dicts_come_back(tmp_path: Path):
    fixed = (StaticTransformStamped("base", "lidar", Transform((0.1, 0.0, 0.2))),)
    with BagRecorder(tmp_path / "run") as recorder:
        recorder.log("tf_static", fixed, 0)
        recorder.log("notes", {"text": "Grüße", "numbers": [1, 2.5]}, 3)
    values = [each.value for each in Bag(tmp_path / "run").read()]
    assert values == [fixed, {"text": "Grüße", "numbers": [1, 2.5]}]


@dataclasses.dataclass(frozen=True)
class Battery:
    stamp_ns: int
    frame_id: str
    charge: float
    cells: tuple[float, ...] = ()


def test_a_class_of_ones_own_has_its_definition_in_the_bag(tmp_path: Path):
    with BagRecorder(tmp_path / "run") as recorder:
        recorder.log("battery", Battery(1_500_000_000, "base", 0.5, (3.7, 3.6)), 7)
    with AnyReader([tmp_path / "run"]) as reader:
        ((connection, _, data),) = reader.messages()
        found = plain(reader.deserialize(data, connection.msgtype))
    stamp = {"sec": 1, "nanosec": 500_000_000}
    header = {"stamp": stamp, "frame_id": "base"}
    assert found == {"header": header, "charge": 0.5, "cells": [3.7, 3.6]}
    (read,) = Bag(tmp_path / "run").read()
    assert plain(read.value) == found


@pytest.mark.parametrize("name", [name for name in type_names() if "/msg/" in name])
def test_definitions_are_read_as_they_are_written(name: str):
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    text = definition_text(name)
    learn_definition(name, text)  # the same as here
    types = get_types_from_msg(text, name)
    fields = [part.name for part in definition_of(name).fields]
    assert [each for each, _ in types[name][1]] == [
        each for each in fields if each != "structure_needs_at_least_one_member"
    ] or fields == ["structure_needs_at_least_one_member"]
    store = get_typestore(Stores.EMPTY)
    store.register(types)
    assert store.hash_rihs01(name) == binding_of(ros_message(name)).type_hash
    # The constants of the type, and of every type inside it.
    for each, (constants, _) in types.items():
        named = [(key, held.value) for key, held in definition_of(each).constants.items()]
        assert [(constant, str(value)) for constant, _, value in constants] == named


def test_rosbags_finds_the_constants_in_our_bags(tmp_path: Path):
    fix = messages.NavSatFix(1, "gps", 52.5, 13.4, 34.0)
    with BagRecorder(tmp_path / "run") as recorder:
        recorder.log("fix", fix, 1)
    with AnyReader([tmp_path / "run"]) as reader:
        ((connection, _, data),) = reader.messages()
        found: Any = reader.deserialize(data, connection.msgtype)
        assert found.status.service == found.status.SERVICE_GPS == 1
        assert found.position_covariance_type == found.COVARIANCE_TYPE_UNKNOWN


_KINDS = st.sampled_from(["float64", "uint8", "string", "byte", "geometry_msgs/msg/Point"])
_NUMBERS = itertools.count()
_SHAPES = st.sampled_from(["", "[]", "[3]", "[<=5]"])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(_KINDS, _SHAPES), min_size=1, max_size=6))
def test_unknown_types_are_learned_from_their_text(parts: list[tuple[str, str]]):
    name = f"learned_msgs/msg/Type{next(_NUMBERS)}"
    lines = [f"{kind}{shape} f{i}" for i, (kind, shape) in enumerate(parts)]
    learn_definition(name, "\n".join(lines))
    text = definition_text(name)
    learn_definition(name, text)
    with pytest.raises(MessageError, match="has other fields there than here"):
        learn_definition(name, f"{text.partition('=' * 80)[0]}bool one_more\n")


def test_a_bag_replaces_a_bag_and_nothing_else(tmp_path: Path):
    for count in (3, 1):
        with BagRecorder(tmp_path / "run") as recorder:
            for number in range(count):
                recorder.log("clock", messages.Clock(number), number)
    assert len(list(Bag(tmp_path / "run").read())) == 1
    (tmp_path / "run" / "thesis.tex").write_text("years of work")
    with pytest.raises(RecordingError, match=r"is a folder with 'thesis.tex', which is not of a"):
        BagRecorder(tmp_path / "run")
    assert (tmp_path / "run" / "thesis.tex").exists()
    assert (tmp_path / "run" / "run_0.mcap").exists()
    with pytest.raises(RecordingError, match="cannot be written: No such file or directory"):
        BagRecorder(tmp_path / "absent" / "run")
    with pytest.raises(RecordingError, match="is not a name for a bag"):
        BagRecorder("")


def test_wrong_folders_are_named(tmp_path: Path):
    with pytest.raises(RecordingError, match=r"is not a ROS 2 bag: it holds neither metadata.yaml"):
        open_recording(tmp_path)
    (tmp_path / "metadata.yaml").write_text("a: [")
    with pytest.raises(RecordingError, match=r"metadata.yaml' is not the metadata of a ROS 2 bag"):
        open_recording(tmp_path)
    (tmp_path / "metadata.yaml").write_text("a: 1")
    with pytest.raises(RecordingError, match=r"is not the metadata of a ROS 2 bag"):
        open_recording(tmp_path)
    database = tmp_path / "bag.db3"
    database.write_bytes(b"not a database at all")
    with pytest.raises(RecordingError, match=r"bag.db3' cannot be read: "):
        list(open_recording(database).read())
    with pytest.raises(RecordingError, match="cannot be read: No such file"):
        open_recording(tmp_path / "absent")
