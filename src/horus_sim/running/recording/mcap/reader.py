"""MCAP files, message by message; those that end early, too."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from horus_sim.errors import HorusError, MissingExtraError, RecordingError
from horus_sim.hub import QoS
from horus_sim.hub.messages import DepthImage, Image, RgbdImage
from horus_sim.running.recording.bag.decoding import CDR, decode_cdr
from horus_sim.running.recording.bag.definitions import full_name
from horus_sim.running.recording.bag.qos_profiles import QOS_KEY, qos_from
from horus_sim.running.recording.foxglove.decoding import decode_json, decode_protobuf
from horus_sim.running.recording.foxglove.form_names import PART_KEY, STATIC_TOPIC, TYPE_KEY
from horus_sim.running.recording.mcap.records import MAGIC, RecordFile, Summary

try:
    from google.protobuf.message import DecodeError
    from mcap.records import Channel, Schema
    from mcap.records import Message as Record
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError("mcap", "record") from error

# What a message may cause that is not what its schema says.
_DAMAGE = (
    *(ArithmeticError, AttributeError, DecodeError, HorusError, LookupError),
    *(MemoryError, RuntimeError, TypeError, ValueError),
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A message of a recording.

    Attributes:
        topic: Name as on the hub, without a slash before it.
        stamp_ns: Simulated time [ns] at which it was recorded.
        value: The message; None where its type is unknown here.
        schema: Name of its schema in the file; in a ROS 2 bag that of its ROS type.
        cdr: Its bytes as a ROS message, where it comes from a ROS program: they hold fields that
            our class of the type has not.
        qos: How it was published, where the recording tells.
    """

    topic: str
    stamp_ns: int
    value: Any
    schema: str
    cdr: bytes | None = None
    qos: QoS | None = None


class McapFile:
    """A recording.

    Args:
        path: The file.

    Attributes:
        path: The file.
        missing: What the file lacks at its end, in words, as after a full disk; empty where it is
            whole. Known after reading.

    Raises:
        RecordingError: It cannot be read or is not an MCAP file.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.missing = ""
        try:
            with self.path.open("rb") as file:
                magic = file.read(8)
        except OSError as error:
            cause = error.strerror or error
            raise RecordingError(f"'{self.path}' cannot be read: {cause}") from error
        if magic != MAGIC:
            raise RecordingError(f"'{self.path}' is not an MCAP file; it begins with {magic!r}")

    @property
    def duration_ns(self) -> int | None:
        """Time [ns] from first to last message; None where the file does not tell."""
        span_ns = self.span_ns
        return None if span_ns is None else span_ns[1] - span_ns[0]

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """Times [ns] of the first and the last message; None where the file does not tell."""
        summary = self._summary()
        statistics = None if summary is None else summary.statistics
        if statistics is None:
            return None
        return statistics.message_start_time, statistics.message_end_time

    def counts(self) -> dict[tuple[str, str], int] | None:
        """Numbers of messages by topic and schema, as the index tells; None where it does not."""
        summary = self._summary()
        if summary is None or summary.statistics is None:
            return None
        found: dict[tuple[str, str], int] = {}
        for number, count in summary.statistics.channel_message_counts.items():
            channel = summary.channels.get(number)
            schema = None if channel is None else summary.schemas.get(channel.schema_id)
            if channel is None or schema is None:
                return None
            key = _topic_of(channel), schema.name
            found[key] = found.get(key, 0) + count
        return found

    def topics(self) -> set[str]:
        """Names of the topics, as on the hub."""
        summary = self._summary()
        if summary is None or not summary.channels:
            return {message.topic for message in self.read()}
        return {_topic_of(channel) for channel in summary.channels.values()}

    def _summary(self) -> Summary | None:
        with self._opened() as records:
            return records.summary()

    def read(self, topics: Collection[str] | None = None) -> Iterator[Recorded]:
        """The messages in the order in which they were recorded.

        Args:
            topics: Only these, as on the hub; all unless given.

        Raises:
            RecordingError: The file is damaged.
        """
        schemas: dict[int, Schema] = {}
        channels: dict[int, Channel] = {}
        colours: dict[str, Image] = {}
        with self._opened() as records:
            for record in records.records():
                if isinstance(record, Schema):
                    schemas[record.id] = record
                elif isinstance(record, Channel):
                    channels[record.id] = record
                elif isinstance(record, Record):
                    channel = channels.get(record.channel_id)
                    if channel is None:
                        raise self._damage(f"channel {record.channel_id} is not declared")
                    topic = _topic_of(channel)
                    if topics is not None and topic not in topics:
                        continue
                    try:
                        # Numbers that are too large for their field become infinite.
                        with np.errstate(over="ignore", invalid="ignore"):
                            found = _recorded(topic, record, channel, schemas)
                    except _DAMAGE as error:
                        cause = str(error) or type(error).__name__
                        place = f"a message on {topic!r:.80} at {record.log_time * 1e-9:.3f} s"
                        raise self._damage(f"{place} cannot be read: {cause}") from error
                    if PART_KEY in channel.metadata and channel.message_encoding != CDR:
                        found = _joined(found, colours)
                    if found is not None:
                        yield found
            self.missing = _missing(records)

    @contextmanager
    def _opened(self) -> Iterator[RecordFile]:
        try:
            with self.path.open("rb") as file:
                yield RecordFile(file, self.path)
        except OSError as error:
            cause = error.strerror or error
            raise RecordingError(f"'{self.path}' cannot be read: {cause}") from error

    def _damage(self, text: str) -> RecordingError:
        return RecordingError(f"'{self.path}' is damaged: {text}")


def _missing(records: RecordFile) -> str:
    if not records.has_data_end:
        rest = records.size - records.read_until
        return "its index is missing" + (f", and its last {rest} bytes are unfinished" * (rest > 0))
    return "" if records.summary() is not None else "its index is damaged or missing"


def _topic_of(channel: Channel) -> str:
    """The topic as on the hub; two channels of a message in two parts have one."""
    return channel.topic.removeprefix("/").removesuffix(channel.metadata.get(PART_KEY, ""))


def _joined(found: Recorded, colours: dict[str, Image]) -> Recorded | None:
    """Colour and depth as one message, when both are there: colour is written first."""
    if isinstance(found.value, Image):
        colours[found.topic] = found.value
        return None
    image, depth = colours.pop(found.topic, None), found.value
    if image is None or not isinstance(depth, DepthImage) or image.stamp_ns != depth.stamp_ns:
        return None
    value = RgbdImage(image.stamp_ns, image.frame_id, image.data, depth.depth)
    return Recorded(found.topic, found.stamp_ns, value, found.schema)


def _recorded(topic: str, record: Record, channel: Channel, schemas: dict[int, Schema]) -> Recorded:
    schema = schemas.get(channel.schema_id)
    name = schema.name if schema is not None else ""
    kind = channel.metadata.get(TYPE_KEY, "")
    value = None
    if channel.message_encoding == CDR:
        definition = ("", b"") if schema is None else (schema.encoding, schema.data)
        value = decode_cdr(topic, name, definition, kind, record.data)
        qos = qos_from(channel.metadata.get(QOS_KEY, ""))
        cdr = None if kind else record.data
        return Recorded(topic, record.log_time, value, full_name(name), cdr, qos)
    if channel.message_encoding == "json":
        value = decode_json(kind, record.data)
    elif channel.message_encoding == "protobuf" and schema is not None:
        if not kind and topic == STATIC_TOPIC:
            kind = "StaticTransformStamped"
        value = decode_protobuf(name, schema.data, kind, record.data)
    return Recorded(topic, record.log_time, value, name)
