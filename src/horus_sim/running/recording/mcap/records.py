"""The records of an MCAP file, which may be damaged: nothing is believed before it is checked.

A length in the file may be any number. So each record is read as a whole, if the file is long
enough for it, and taken apart inside these bounds. The `mcap` package reads the single records.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from horus_sim.errors import MissingExtraError, RecordingError

try:
    import zstandard
    from lz4.frame import LZ4FrameDecompressor
    from mcap.data_stream import ReadDataStream
    from mcap.exceptions import EndOfFile, McapError
    from mcap.opcode import Opcode
    from mcap.records import (
        Attachment,
        Channel,
        Chunk,
        ChunkIndex,
        DataEnd,
        Footer,
        Header,
        McapRecord,
        Message,
        Metadata,
        Schema,
        Statistics,
    )
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError("mcap", "record") from error

MAGIC = b"\x89MCAP0\r\n"
_HEAD = struct.Struct("<BQ")
_TAIL_BYTES = _HEAD.size + 20 + len(MAGIC)  # a footer and the magic bytes
_CHECKSUM_BYTES = 4
_MOST_BYTES = 1 << 30
_PIECE_BYTES = 1 << 20
_READERS = {
    Opcode.ATTACHMENT: Attachment.read,
    Opcode.CHANNEL: Channel.read,
    Opcode.CHUNK: Chunk.read,
    Opcode.CHUNK_INDEX: ChunkIndex.read,
    Opcode.DATA_END: DataEnd.read,
    Opcode.FOOTER: Footer.read,
    Opcode.HEADER: Header.read,
    Opcode.METADATA: Metadata.read,
    Opcode.SCHEMA: Schema.read,
    Opcode.STATISTICS: Statistics.read,
}
# What taking a record apart may raise, wherever a bit was flipped.
_DAMAGE = (McapError, zstandard.ZstdError, struct.error, ValueError, RuntimeError, EOFError)


@dataclass(frozen=True, slots=True)
class Summary:
    """What the end of a file tells about it.

    Attributes:
        schemas: Schemas by number.
        channels: Channels by number.
        statistics: Numbers and times of messages, or None.
        chunk_offsets: Where chunks begin [bytes], ascending.
    """

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    statistics: Statistics | None = None
    chunk_offsets: tuple[int, ...] = ()


class RecordFile:
    """An open MCAP file.

    Args:
        file: Open for reading.
        path: For error messages.

    Attributes:
        size: Size of the file [bytes].
        read_until: Place [bytes] up to which records were read.
        has_data_end: Whether the record was met that ends the messages.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self.size = file.seek(0, io.SEEK_END)
        self.read_until = len(MAGIC)
        self.has_data_end = False

    def records(self, lost: list[RecordingError] | None = None) -> Iterator[McapRecord]:
        """Headers, schemas, channels, messages and so on, in their order; chunks are unpacked.

        It ends where the file does, if that is cut off.

        Args:
            lost: Takes the errors of what is damaged, which is then left out.

        Raises:
            RecordingError: A record is damaged, and `lost` is not given.
        """
        offsets = () if lost is None else self._chunk_offsets()
        start, checksum = len(MAGIC), zlib.crc32(MAGIC)
        while start < self.size:
            self.has_data_end = False
            for raw in _split(self._file, start, self.size):
                self.read_until = raw.end
                try:
                    found = _parse(raw)
                    if isinstance(found, DataEnd):
                        self.has_data_end = True
                        _check_data_end(raw, found, checksum)
                    elif isinstance(found, Chunk):
                        yield from _unpack(found)
                    elif found is not None:
                        yield found
                except (*_DAMAGE, MemoryError) as error:
                    damage = self._damage(raw.offset, error)
                    if lost is None:
                        raise damage from error
                    lost.append(damage)
                if self.has_data_end:
                    break
                checksum = zlib.crc32(raw.data, zlib.crc32(raw.head, checksum))
            passed = max(self.read_until, start + 1)
            start = next((offset for offset in offsets if offset >= passed), self.size)
            if not self.has_data_end and self._footer() is not None:
                # The file was ended properly, so it is not just cut off.
                damage = self._damage(self.read_until, "the length of a record is wrong")
                if lost is None:
                    raise damage
                lost.append(damage)

    def summary(self) -> Summary | None:
        """What the end of the file tells; None where it is missing or damaged."""
        footer = self._footer()
        if footer is not None and footer.summary_start == 0:
            return Summary()  # whoever wrote it left it out
        start = 0 if footer is None else footer.summary_start
        if footer is None or not len(MAGIC) <= start <= self.size - _TAIL_BYTES:
            return None
        self._file.seek(start)
        # The checksum covers the footer, too, without the checksum itself and the magic bytes.
        data = self._file.read(self.size - start - _CHECKSUM_BYTES - len(MAGIC))
        if footer.summary_crc not in (0, zlib.crc32(data)):
            return None
        summary = Summary()
        statistics, offsets = None, []
        try:
            for raw in _split(self._file, start, self.size):
                match _parse(raw):
                    case Schema() as schema:
                        summary.schemas[schema.id] = schema
                    case Channel() as channel:
                        summary.channels[channel.id] = channel
                    case Statistics() as statistics:
                        pass
                    case ChunkIndex() as index:
                        offsets.append(index.chunk_start_offset)
                    case _:
                        pass
        except (*_DAMAGE, MemoryError):
            # Without a checksum, that is how damage shows.
            return None
        return Summary(summary.schemas, summary.channels, statistics, tuple(sorted(offsets)))

    def _footer(self) -> Footer | None:
        if self.size < len(MAGIC) + _TAIL_BYTES:
            return None
        self._file.seek(self.size - _TAIL_BYTES)
        data = self._file.read(_TAIL_BYTES)
        opcode, length = _HEAD.unpack_from(data)
        body = data[_HEAD.size : -len(MAGIC)]
        if opcode != Opcode.FOOTER or length != len(body) or not data.endswith(MAGIC):
            return None
        return Footer.read(ReadDataStream(io.BytesIO(body)))

    def _chunk_offsets(self) -> tuple[int, ...]:
        summary = self.summary()
        return () if summary is None else summary.chunk_offsets

    def _damage(self, offset: int, cause: object) -> RecordingError:
        text = str(cause) or type(cause).__name__
        return RecordingError(
            f"'{self._path}' is damaged at byte {offset}: {text}; 'replay repair' keeps "
            "what can be read"
        )


@dataclass(frozen=True, slots=True)
class _Raw:
    """A record as it is in a file: kind, length, content."""

    offset: int
    opcode: int
    data: bytes

    @property
    def head(self) -> bytes:
        return _HEAD.pack(self.opcode, len(self.data))

    @property
    def end(self) -> int:
        return self.offset + _HEAD.size + len(self.data)


class _Bounded(ReadDataStream):
    """Reads what is there, and never less than was asked for."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self._size = len(data)

    def read(self, length: int) -> bytes:
        if not 0 <= length <= self._size - self.count:
            raise EndOfFile("a length in it is wrong")
        return super().read(length)


def _split(file: BinaryIO, start: int, size: int) -> Iterator[_Raw]:
    """Records, up to the last that is there as a whole."""
    offset = start
    while offset + _HEAD.size <= size:
        file.seek(offset)
        opcode, length = _HEAD.unpack(file.read(_HEAD.size))
        if length > min(size - offset - _HEAD.size, _MOST_BYTES) or opcode == 0:
            return
        raw = _Raw(offset, opcode, file.read(length))
        yield raw
        offset = raw.end


def _parse(raw: _Raw) -> McapRecord | None:
    """A record taken apart; None where it is of a kind that readers pass over."""
    stream = _Bounded(raw.data)
    if raw.opcode == Opcode.MESSAGE:
        return Message.read(stream, len(raw.data))
    reader = _READERS.get(raw.opcode)  # pyright: ignore[reportArgumentType]
    return None if reader is None else reader(stream)


def _check_data_end(raw: _Raw, end: DataEnd, checksum: int) -> None:
    if len(raw.data) != _CHECKSUM_BYTES:
        raise ValueError("a record has a wrong size")
    if end.data_section_crc not in (0, checksum):
        raise ValueError("the checksum of all that comes before is another one")


def _unpack(chunk: Chunk) -> list[McapRecord]:
    """What is in a chunk, after its checksum was checked."""
    size = chunk.uncompressed_size
    if size > _MOST_BYTES:
        raise ValueError(f"a chunk of {size} bytes is more than a reader takes")
    match chunk.compression:
        case "":
            data = chunk.data
        case "zstd":
            data = _decompressed(zstandard.ZstdDecompressor().stream_reader(chunk.data), size)
        case "lz4":
            data = LZ4FrameDecompressor().decompress(chunk.data, size + 1)
        case other:
            raise ValueError(f"its compression {other!r:.40} is unknown")
    if len(data) != size:
        raise ValueError("a chunk has another size than it says")
    if chunk.uncompressed_crc not in (0, zlib.crc32(data)):
        raise ValueError("the checksum of a chunk is another one")
    found = []
    end = 0
    for raw in _split(io.BytesIO(data), 0, size):
        end = raw.end
        record = _parse(raw)
        if isinstance(record, Schema | Channel | Message):
            found.append(record)
    if end != size:
        raise ValueError("a chunk ends inside a record")
    return found


def _decompressed(stream: zstandard.ZstdDecompressionReader, size: int) -> bytes:
    """Up to one byte more than `size`; memory is taken only for what really comes."""
    data = bytearray()
    while len(data) <= size and (piece := stream.read(_PIECE_BYTES)):
        data += piece
    return bytes(data)
