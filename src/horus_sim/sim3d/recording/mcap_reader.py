"""MCAP files, message by message; those that end early, too."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horus_sim.errors import MissingExtraError, RecordingError
from horus_sim.hub.messages import DepthImage, Image, RgbdImage
from horus_sim.sim3d.recording.decoding import decode_json, decode_protobuf
from horus_sim.sim3d.recording.form_names import PART_KEY, STATIC_TOPIC, TYPE_KEY

try:
    from google.protobuf.message import DecodeError
    from mcap.exceptions import EndOfFile, McapError
    from mcap.reader import make_reader
    from mcap.records import Channel, Schema
    from mcap.records import Message as Record
    from mcap.stream_reader import StreamReader
    from mcap.summary import Summary
    from zstandard import ZstdError
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError("mcap", "record") from error

# What a flipped bit may cause, wherever it is.
_DAMAGE = (McapError, DecodeError, ZstdError, struct.error, KeyError, ValueError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A message of a recording.

    Attributes:
        topic: As on the hub, without a slash before it.
        stamp_ns: Simulated time [ns] at which it was recorded.
        value: The message; None where its type is unknown here.
        schema: Name of its schema in the file.
    """

    topic: str
    stamp_ns: int
    value: Any
    schema: str


class McapFile:
    """A recording.

    Args:
        path: The file.

    Attributes:
        path: The file.
        is_cut_off: Whether the file ends early, as after a full disk; known after reading.

    Raises:
        RecordingError: It cannot be read or is no MCAP file.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.is_cut_off = False
        try:
            with self.path.open("rb") as file:
                magic = file.read(8)
        except OSError as error:
            cause = error.strerror or error
            raise RecordingError(f"'{self.path}' cannot be read: {cause}") from error
        if magic != b"\x89MCAP0\r\n":
            raise RecordingError(f"'{self.path}' is no MCAP file; it begins with {magic!r}")

    @property
    def duration_ns(self) -> int | None:
        """Time [ns] from first to last message; None where the file does not tell."""
        summary = self._summary()
        statistics = None if summary is None else summary.statistics
        if statistics is None:
            return None
        return statistics.message_end_time - statistics.message_start_time

    def topics(self) -> set[str]:
        """Names of the topics, as on the hub."""
        summary = self._summary()
        if summary is None or not summary.channels:
            return {message.topic for message in self.read()}
        return {_topic_of(channel) for channel in summary.channels.values()}

    def _summary(self) -> Summary | None:
        try:
            with self.path.open("rb") as file:
                return make_reader(file).get_summary()
        except (*_DAMAGE, OSError):
            # A file that was cut off has none; one of a few bytes has no place for it.
            return None

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
        with self.path.open("rb") as file:
            try:
                for record in StreamReader(file, validate_crcs=True).records:
                    if isinstance(record, Schema):
                        schemas[record.id] = record
                    elif isinstance(record, Channel):
                        channels[record.id] = record
                    elif isinstance(record, Record):
                        channel = channels[record.channel_id]
                        topic = _topic_of(channel)
                        if topics is not None and topic not in topics:
                            continue
                        found = _recorded(topic, record, channel, schemas)
                        if PART_KEY in channel.metadata:
                            found = _joined(found, colours)
                        if found is not None:
                            yield found
            except _DAMAGE as error:
                # The reader of a record that is cut off tells it in one of two ways.
                if isinstance(error, EndOfFile | struct.error) and not file.read(1):
                    self.is_cut_off = True
                    return
                raise RecordingError(f"'{self.path}' is damaged: {error}") from error
            except OSError as error:
                cause = error.strerror or error
                raise RecordingError(f"'{self.path}' cannot be read: {cause}") from error


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
    if channel.message_encoding == "json":
        value = decode_json(kind, record.data)
    elif channel.message_encoding == "protobuf" and schema is not None:
        if not kind and topic == STATIC_TOPIC:
            kind = "StaticTransformStamped"
        value = decode_protobuf(name, schema.data, kind, record.data)
    return Recorded(topic, record.log_time, value, name)
