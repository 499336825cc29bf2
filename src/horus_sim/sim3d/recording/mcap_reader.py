"""MCAP files, message by message; those that end early, too."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horus_sim.errors import MissingExtraError, RecordingError
from horus_sim.sim3d.recording.decoding import decode_json, decode_protobuf
from horus_sim.sim3d.recording.form_names import STATIC_TOPIC, TYPE_KEY

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
        return {channel.topic.removeprefix("/") for channel in summary.channels.values()}

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
        with self.path.open("rb") as file:
            try:
                for record in StreamReader(file, validate_crcs=True).records:
                    if isinstance(record, Schema):
                        schemas[record.id] = record
                    elif isinstance(record, Channel):
                        channels[record.id] = record
                    elif isinstance(record, Record):
                        channel = channels[record.channel_id]
                        topic = channel.topic.removeprefix("/")
                        if topics is None or topic in topics:
                            yield _recorded(topic, record, channel, schemas)
            except _DAMAGE as error:
                # The reader of a record that is cut off tells it in one of two ways.
                if isinstance(error, EndOfFile | struct.error) and not file.read(1):
                    self.is_cut_off = True
                    return
                raise RecordingError(f"'{self.path}' is damaged: {error}") from error
            except OSError as error:
                cause = error.strerror or error
                raise RecordingError(f"'{self.path}' cannot be read: {cause}") from error


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
