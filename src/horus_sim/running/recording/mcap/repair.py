"""Recordings that were cut off or damaged, made whole again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from horus_sim.errors import MissingExtraError, RecordingError
from horus_sim.files.whole_file import replacing
from horus_sim.running.recording.mcap.reader import McapFile
from horus_sim.running.recording.mcap.records import RecordFile, Summary

try:
    from mcap.records import Attachment, Channel, Header, Message, Metadata, Schema
    from mcap.writer import Writer
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError("mcap", "record") from error

_DAMAGED = ".damaged"
_CHUNK_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair gave.

    Attributes:
        path: The file that is whole now.
        kept: Where the file is as it was before; None where it is still in its place.
        messages: How many it holds.
        topics: On how many topics.
        last_ns: Time [ns] of the last message.
        lost: What could not be read, in words.
    """

    path: Path
    kept: Path | None
    messages: int
    topics: int
    last_ns: int
    lost: tuple[str, ...]


def repair_recording(path: Path | str, output: Path | str | None = None) -> Repaired | None:
    """Writes all that can be read of a recording into a new file, which every MCAP reader takes.

    Messages keep every bit. Chunks that are damaged are left out. A ROS 2 bag gets its
    ``metadata.yaml``, too.

    Args:
        path: The file, or the folder of a bag.
        output: The new file or folder. Unless given, it takes the place of the old one at once,
            and that is kept with the ending ``.damaged``.

    Returns:
        What was done; None where the file is whole, and nothing was written.

    Raises:
        RecordingError: The file cannot be read, or the new one cannot be written.
    """
    path = Path(path)
    if path.is_dir():
        from horus_sim.running.recording.bag.repair import repair_bag

        return repair_bag(path, None if output is None else Path(output))
    if path.is_symlink():
        path = path.resolve()  # the link stays
    McapFile(path)  # checks that it is one at all
    target = path if output is None else Path(output)
    kept = path.with_name(path.name + _DAMAGED) if output is None else None
    if kept is None and target.exists():
        raise RecordingError(f"'{target}' exists already; choose another file")
    try:
        with path.open("rb") as source:
            if _is_whole(RecordFile(source, path)):
                return None
        with path.open("rb") as source, replacing(target) as file:
            copy = _Copy(RecordFile(source, path), file)
            copy.make()
            if kept is not None:
                # The new file is on the disk before the old one has a second name.
                file.flush()
                os.fsync(file.fileno())
                _keep(path, kept)
    except OSError as error:
        raise RecordingError(
            f"'{path}' cannot be repaired into '{target}': {error.strerror or error}; it stays as "
            "it is; give another place with --output"
        ) from error
    return Repaired(target, kept, copy.messages, len(copy.topics), copy.last_ns, tuple(copy.lost))


def _is_whole(source: RecordFile) -> bool:
    damage: list[RecordingError] = []
    for _ in source.records(damage):
        if damage:
            return False
    return not damage and source.has_data_end and source.summary() is not None


def _keep(path: Path, kept: Path) -> None:
    """Gives the old file a second name, so that the first one is never missing."""
    try:
        kept.hardlink_to(path)
    except FileExistsError as error:
        raise RecordingError(
            f"'{kept}' exists already, from an earlier repair; remove it, or give --output"
        ) from error


class _Copy:
    """Writes what can be read of a file into another one.

    Attributes:
        lost: What could not be read, in words; empty where the file is whole.
        messages: How many were written.
        topics: On which topics.
        last_ns: Time [ns] of the last message.
    """

    def __init__(self, source: RecordFile, target: BinaryIO) -> None:
        self._source = source
        self._writer = Writer(target, chunk_size=_CHUNK_BYTES, enable_data_crcs=True)
        summary = source.summary()
        self._has_summary = summary is not None
        # Where the chunk that declares a channel is lost, the end of the file tells of it.
        self._known = summary or Summary()
        self._schema_ids: dict[int, tuple[Schema, int]] = {}
        self._channel_ids: dict[int, tuple[Channel, int]] = {}
        self.lost: list[str] = []
        self.messages = 0
        self.topics: set[str] = set()
        self.last_ns = 0

    def make(self) -> None:
        """Copies everything."""
        damage: list[RecordingError] = []
        schemas, channels = dict(self._known.schemas), dict(self._known.channels)
        orphans = 0
        is_started = False
        for record in self._source.records(damage):
            if not is_started:
                profile = record.profile if isinstance(record, Header) else ""
                self._writer.start(profile)
                is_started = True
            match record:
                case Schema():
                    schemas[record.id] = record
                case Channel():
                    channels[record.id] = record
                case Message():
                    channel = channels.get(record.channel_id)
                    if channel is None:
                        orphans += 1
                    else:
                        self._add(record, channel, schemas)
                case Attachment():
                    times = record.create_time, record.log_time
                    self._writer.add_attachment(*times, record.name, record.media_type, record.data)
                case Metadata():
                    self._writer.add_metadata(record.name, record.metadata)
                case _:
                    pass
        if not is_started:
            self._writer.start()
        self._writer.finish()
        self.lost = [str(error) for error in damage]
        if orphans:
            self.lost.append(f"{orphans} messages are of channels that are not declared any more")
        if not self._source.has_data_end:
            rest = self._source.size - self._source.read_until
            self.lost.append(f"the index was missing, and {rest} bytes at the end were unfinished")
        elif not self._has_summary:
            self.lost.append("the index was damaged or missing")

    def _add(self, message: Message, channel: Channel, schemas: dict[int, Schema]) -> None:
        # A number may be declared again, as something else.
        found = self._channel_ids.get(channel.id)
        if found is None or found[0] != channel:
            schema = schemas.get(channel.schema_id)
            number = 0 if schema is None else self._schema(schema)
            found = (
                channel,
                self._writer.register_channel(
                    channel.topic, channel.message_encoding, number, channel.metadata
                ),
            )
            self._channel_ids[channel.id] = found
        self._writer.add_message(
            found[1], message.log_time, message.data, message.publish_time, message.sequence
        )
        self.messages += 1
        self.topics.add(channel.topic)
        self.last_ns = max(self.last_ns, message.log_time)

    def _schema(self, schema: Schema) -> int:
        found = self._schema_ids.get(schema.id)
        if found is None or found[0] != schema:
            number = self._writer.register_schema(schema.name, schema.encoding, schema.data)
            found = self._schema_ids[schema.id] = (schema, number)
        return found[1]
