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
from horus_sim.tf import StaticTransformStamped, TFMessage, TransformStamped

if TYPE_CHECKING:
    from collections.abc import Callable

# Type of the messages -> type of the record that a frame holds. A TFMessage often has but one.
_RECORDS: dict[type, Any] = {
    TransformStamped: TransformStamped,
    StaticTransformStamped: StaticTransformStamped,
    TFMessage: TransformStamped,
}
_MOST_SOURCES = 1_000


def encoder(kind: type, source: str) -> Callable[[Any, int, int, int], bytes | bytearray]:
    """A function that turns messages of one publisher into frames.

    A large frame is valid until the next one is made.

    Args:
        kind: Type of the messages.
        source: Name of the connection that sends them.

    Returns:
        A function of message, epoch, sequence and sent_ns, as in `Header`.
    """
    if kind in _RECORDS:
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
    if kind in _RECORDS:
        return _record_decoder(kind)
    return lambda data: decode(data, kind)


def _prefix(kind: type) -> bytes:
    # An array of four: type, version, record, source.
    size = _RECORDS[kind].RECORD.size
    head = msgspec.msgpack.encode((type_name(kind), type_version(kind), b"", ""))
    return head[:-3] + struct.pack("BB", 0xC4, size)


def _record_encoder(kind: type, source: str) -> Callable[[Any, int, int, int], bytes]:
    prefix, suffix = _prefix(kind), msgspec.msgpack.encode(source)
    layout = _RECORDS[kind].RECORD
    length = len(prefix) + layout.size + len(suffix)
    record = layout.format.removeprefix("<")
    pack = struct.Struct(f"{HEADER.format}{len(prefix)}s{record}{len(suffix)}s").pack

    def encode_record(
        message: TransformStamped | StaticTransformStamped,
        epoch: int,
        sequence: int,
        sent_ns: int,
    ) -> bytes:
        record = message.record()
        return pack(MAGIC, 0, 0, length, epoch, sequence, sent_ns, prefix, *record, suffix)

    def encode_message(message: TFMessage, epoch: int, sequence: int, sent_ns: int) -> bytes:
        transforms = message.transforms
        if len(transforms) == 1:
            return encode_record(transforms[0], epoch, sequence, sent_ns)
        return bytes(encode(message, Header(epoch, sequence, sent_ns), source))

    return encode_message if kind is TFMessage else encode_record


def _record_decoder(kind: type) -> Callable[[bytes | bytearray], Frame]:
    prefix = _prefix(kind)
    start = HEADER.size + len(prefix)
    record = _RECORDS[kind]
    end = start + record.RECORD.size
    unpack, from_record = record.RECORD.unpack_from, record.from_record
    is_message = kind is TFMessage
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
        message = from_record(*unpack(data, start))
        return Frame(TFMessage((message,)) if is_message else message, source)

    return decode_record
