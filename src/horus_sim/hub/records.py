"""Frames of single transforms, written and read without going through MessagePack.

The bytes are those of `horus_sim.hub.codec`. All that surrounds the record is the same for every
message of a publisher, so it is made once; this takes a third of the time.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import msgspec

from horus_sim.hub.codec import (
    HEADER,
    MAGIC,
    Frame,
    Header,
    decode,
    encode,
    type_name,
    type_version,
)
from horus_sim.tf import StaticTransformStamped, TransformStamped

if TYPE_CHECKING:
    from collections.abc import Callable

_RECORDS = (TransformStamped, StaticTransformStamped)
_MOST_SOURCES = 1_000


def is_record(kind: type) -> bool:
    """Whether messages of this type are single transforms, each frame in memory of its own."""
    return kind in _RECORDS


def encoder(kind: type, source: str) -> Callable[[Any, int, int, int], bytes | bytearray]:
    """A function that turns messages of one publisher into frames.

    A large frame is valid until the next one is made.

    Args:
        kind: Type of the messages.
        source: Name of the connection that sends them.

    Returns:
        A function of message, epoch, sequence and sent_ns, as in `Header`.
    """
    if is_record(kind):
        return _record_encoder(kind, source)
    scratch: list[bytearray] = []

    def encode_message(
        message: Any,  # noqa: ANN401 - any message
        epoch: int,
        sequence: int,
        sent_ns: int,
    ) -> bytes | bytearray:
        return encode(message, Header(epoch, sequence, sent_ns), source, scratch)

    return encode_message


def decoder(kind: type) -> Callable[[bytes | bytearray], Frame]:
    """A function that reads frames of one subscription, as `decode` does.

    Args:
        kind: The type that is expected.
    """
    if is_record(kind):
        return _record_decoder(kind)
    return lambda data: decode(data, kind)


def _prefix(kind: type) -> bytes:
    # An array of four: type, version, record, source.
    size = kind.RECORD.size
    head = msgspec.msgpack.encode((type_name(kind), type_version(kind), b"", ""))
    return head[:-3] + struct.pack("BB", 0xC4, size)


def _record_encoder(kind: type, source: str) -> Callable[[Any, int, int, int], bytes]:
    prefix, suffix = _prefix(kind), msgspec.msgpack.encode(source)
    length = len(prefix) + kind.RECORD.size + len(suffix)
    record = kind.RECORD.format.removeprefix("<")
    pack = struct.Struct(f"{HEADER.format}{len(prefix)}s{record}{len(suffix)}s").pack

    def encode_record(
        message: TransformStamped | StaticTransformStamped,
        epoch: int,
        sequence: int,
        sent_ns: int,
    ) -> bytes:
        record = message.record()
        return pack(MAGIC, 0, 0, length, epoch, sequence, sent_ns, prefix, *record, suffix)

    return encode_record


def _record_decoder(kind: type) -> Callable[[bytes | bytearray], Frame]:
    prefix = _prefix(kind)
    start = HEADER.size + len(prefix)
    end = start + kind.RECORD.size
    unpack, from_record = kind.RECORD.unpack_from, kind.from_record
    sources: dict[bytes, str] = {}

    def decode_record(data: bytes | bytearray) -> Frame:
        suffix = bytes(data[end:])
        source = sources.get(suffix)
        if source is None or data[HEADER.size : start] != prefix or data[:4] != MAGIC:
            # The general way knows what is wrong with a frame, and the name of a new sender.
            frame = decode(data, kind)
            if len(sources) < _MOST_SOURCES and suffix == msgspec.msgpack.encode(frame.source):
                sources[suffix] = frame.source
            return frame
        return Frame(from_record(*unpack(data, start)), source)

    return decode_record
