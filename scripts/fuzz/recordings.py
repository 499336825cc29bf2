"""Damages recordings and reads them: `python scripts/fuzz/recordings.py [COUNT] [SEED]`.

Bytes are flipped, lengths forged, pieces cut out, doubled and exchanged, ends cut off. Whatever
comes of it, reading must give messages or a `RecordingError`; of files with checksums, only
messages that were recorded; and a repair must give a file that a plain MCAP reader takes.
"""

from __future__ import annotations

import io
import random
import struct
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, Writer

from horus_sim.errors import HorusError
from horus_sim.hub import messages
from horus_sim.running.recording import CommandLog, McapFile, McapRecorder, repair_recording
from horus_sim.running.topic_plan import COMMAND_LOG_TOPIC
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped

_FORGED = (0, 1, 7, 0x7F, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**63, 2**64 - 1)
_MOST_FLIPS = 8
_MOST_SHOWN = 20


def messages_of_all_kinds(stamp_ns: int) -> dict[str, Any]:
    """One message of every form that a recording has, by topic."""
    T = Transform.from_euler((1.0, -2.0, 0.1), (0.3, -0.2, 2.0))
    pixels = np.arange(96, dtype=np.uint8).reshape(4, 8, 3)
    depth = np.linspace(0.5, 3, 32, dtype=np.float32).reshape(4, 8)
    points = np.arange(30, dtype=np.float32).reshape(10, 3)
    scan = np.ones(20, np.float32)
    return {
        "clock": messages.Clock(stamp_ns),
        "cmd_vel": messages.CmdVel(0.1, -0.2),
        "odom": messages.Odometry(stamp_ns, "odom", "base", T, pose_covariance=np.eye(6)),
        "joint_states": messages.JointState(stamp_ns, ("a", "b"), np.array([0.1, 0.2])),
        "imu": messages.Imu(stamp_ns, "imu"),
        "scan": messages.LaserScan(stamp_ns, "scan", -3.14, 0.01, 0.1, 3.5, scan, None, 1e-4),
        "points": messages.PointCloud(stamp_ns, "lidar", points, points[:, 0]),
        "fix": messages.NavSatFix(stamp_ns, "gps", 47.1, 8.5, 431.25, np.eye(3), np.ones(3)),
        "image": messages.Image(stamp_ns, "cam", pixels),
        "depth": messages.DepthImage(stamp_ns, "cam", depth),
        "rgbd": messages.RgbdImage(stamp_ns, "cam", pixels, depth),
        "labels": messages.SegmentationImage(stamp_ns, "cam", np.eye(4, dtype=np.int32), ("sky",)),
        "info": messages.CameraInfo(stamp_ns, "cam", 8, 4, np.eye(3), np.arange(5.0), "plumb_bob"),
        "tf": TFMessage([TransformStamped("a", "b", stamp_ns, T)]),
        "tf_static": (StaticTransformStamped("a", "c", T),),
        COMMAND_LOG_TOPIC: {"kind": "state", "step": stamp_ns // 10**6, "sha256": "0" * 32},
    }


def sound_files(folder: Path) -> dict[str, bytes]:
    """Recordings of three chunks, by name: as we write them, and as other programs may."""
    files = {}
    for name, images in (("raw", "raw"), ("png", "png"), ("jpeg", "jpeg")):
        now = [0.0]
        path = folder / f"{name}.mcap"
        with McapRecorder(path, images=images, clock=lambda now=now: now[0]) as recorder:
            for number in range(3):
                now[0] += 1.0
                for topic, message in messages_of_all_kinds(number * 10**7).items():
                    recorder.log(topic, message, number * 10**7)
        files[name] = path.read_bytes()
    files["bare"] = _written_again(files["raw"], CompressionType.NONE)
    files["bare png"] = _written_again(files["png"], CompressionType.NONE)
    files["lz4"] = _written_again(files["raw"], CompressionType.LZ4)
    files["single"] = _written_again(files["raw"], CompressionType.NONE, use_chunking=False)
    return files


def _written_again(
    data: bytes, compression: CompressionType, *, use_chunking: bool = True
) -> bytes:
    """The same messages without checksums, so that damage reaches whoever decodes them."""
    file = io.BytesIO()
    writer = Writer(file, 4096, compression, use_chunking=use_chunking, enable_crcs=False)
    writer.start()
    schemas: dict[int, int] = {}
    channels: dict[int, int] = {}
    for schema, channel, message in make_reader(io.BytesIO(data)).iter_messages():
        if schema is not None and schema.id not in schemas:
            schemas[schema.id] = writer.register_schema(schema.name, schema.encoding, schema.data)
        if channel.id not in channels:
            channels[channel.id] = writer.register_channel(
                channel.topic,
                channel.message_encoding,
                schemas.get(channel.schema_id, 0),
                channel.metadata,
            )
        writer.add_message(
            channels[channel.id], message.log_time, message.data, message.publish_time
        )
    writer.finish()
    return file.getvalue()


def damaged(data: bytes, dice: random.Random) -> tuple[str, bytes]:
    """A damaged copy, and what was done to it."""
    kind = dice.choice(("flip", "flip", "cut", "length", "length", "remove", "double", "exchange"))
    changed = bytearray(data)
    place = dice.randrange(len(data))
    if kind == "flip":
        for _ in range(dice.randint(1, _MOST_FLIPS)):
            changed[dice.randrange(8, len(data))] ^= 1 << dice.randrange(8)
    elif kind == "cut":
        del changed[place:]
    elif kind == "length":
        form = dice.choice(("<Q", "<I", "<H"))
        number = dice.choice((*_FORGED, len(data), dice.getrandbits(16), dice.getrandbits(64)))
        place = dice.choice((place, *_record_offsets(data)))
        size = struct.calcsize(form)
        changed[place : place + size] = struct.pack(form, number % (1 << 8 * size))
    elif kind == "remove":
        del changed[place : place + dice.randint(1, 200)]
    elif kind == "double":
        piece = data[place : place + dice.randint(1, 500)]
        changed[place:place] = piece
    else:
        other, size = dice.randrange(len(data)), dice.randint(1, 100)
        changed[place : place + size] = data[other : other + size]
    return kind, bytes(changed)


def _record_offsets(data: bytes) -> list[int]:
    """Where the lengths of the records are."""
    found, offset = [], 8
    while offset + 9 < len(data):
        found.append(offset + 1)
        offset += 9 + struct.unpack_from("<Q", data, offset + 1)[0]
    return found


def identity(path: Path) -> Counter[tuple[str, int, str, str]]:
    """The messages of a recording, to be compared."""
    return Counter(
        (found.topic, found.stamp_ns, found.schema, repr(found.value))
        for found in McapFile(path).read()
    )


def findings_of(path: Path, known: Counter[Any] | None) -> tuple[list[str], str]:
    """What is wrong with how a damaged file is dealt with, and what became of reading it.

    Args:
        path: The file.
        known: All messages that were recorded, where checksums protect them.
    """
    outcome, found = "read", []
    try:
        file = McapFile(path)
        _ = file.duration_ns
        got = identity(path)
        file.topics()
        if known is not None and got - known:
            found.append(f"messages that were never recorded: {list(got - known)[:1]}")
        if known is not None and got != known:
            for _ in file.read():
                pass
            outcome = "cut off"
            if not file.missing:
                found.append("messages are missing, and nothing tells so")
    except HorusError:
        outcome = "refused"
    for what in (lambda: CommandLog.load(path), lambda: repaired_messages(path)):
        try:
            what()
        except HorusError:
            continue
    return found, outcome


def repaired_messages(path: Path) -> int:
    """How many messages a plain reader finds in the repaired file, by its index and without."""
    target = path.with_name("repaired.mcap")
    target.unlink(missing_ok=True)
    repaired = repair_recording(path, target)
    if repaired is None:
        return 0
    with target.open("rb") as file:
        indexed = sum(1 for _ in make_reader(file).iter_messages())
    with target.open("rb") as file:
        kinds = Counter(type(r).__name__ for r in StreamReader(file, validate_crcs=True).records)
    if not indexed == kinds["Message"] == repaired.messages:
        raise AssertionError(f"{repaired.messages} were written, {indexed} are indexed, {kinds}")
    return indexed


def main(count: int, seed: int) -> int:
    """Damages and reads so many files, and prints a summary.

    Returns:
        How many files were not dealt with properly.
    """
    outcomes: Counter[str] = Counter()
    shown = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = sound_files(folder)
        path = folder / "damaged.mcap"
        known: dict[str, Counter[Any] | None] = dict.fromkeys(files)
        for kind in ("raw", "png", "jpeg"):
            known[kind] = identity(folder / f"{kind}.mcap")
        for number in range(count):
            dice = random.Random(f"{seed} {number}")  # noqa: S311
            base = dice.choice(sorted(files))
            how, data = damaged(files[base], dice)
            path.write_bytes(data)
            try:
                found, outcome = findings_of(path, known[base])
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
                found, outcome = [f"{type(error).__name__}: {error}"], "failed"
            outcomes[outcome] += 1
            for text in found:
                shown += 1
                if shown <= _MOST_SHOWN:
                    print(f"{base}, {how}, case {number} of seed {seed}: {text:.300}")
    print(f"{count} damaged recordings: {dict(sorted(outcomes.items()))}, {shown} findings")
    return shown


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    sys.exit(1 if main(*(arguments + [1000, 0][len(arguments) :])) else 0)
