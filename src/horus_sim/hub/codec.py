"""Messages as bytes.

A frame on the wire is a fixed header, a MessagePack body ``[type, version, fields, source]`` and
the raw buffers of its arrays, each aligned to 8 bytes, so that arrays are read in place:

    magic "HRS1" | buffers u16 | 0 u16 | body length u32 | 0 u32
    epoch u64 | sequence u64 | sent_ns i64
    length of each buffer u64 ... | body, padded | buffer, padded | ...

All numbers are little-endian. `sent_ns` is wall time, for the age of a message.
"""

from __future__ import annotations

import struct
import time
from typing import Any, NamedTuple

import msgspec
import numpy as np

from horus_sim.errors import HorusError, MessageError
from horus_sim.hub import messages
from horus_sim.hub.message import Message
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped

HEADER = struct.Struct("<4sHHI4xQQq")
MAGIC = b"HRS1"
_ARRAY, _TRANSFORM = 1, 2
_TRANSFORM_NUMBERS = struct.Struct("<7d")
# The records of horus_sim.tf bring their own layout.
_RECORDS = (TransformStamped, StaticTransformStamped, TFMessage)
_RECORD_VERSION = 1
# Epochs are times; clocks of machines differ, but not by more.
_MOST_AHEAD_NS = 86_400_000_000_000
# What reading a damaged frame may raise.
_DAMAGE = (
    msgspec.DecodeError,
    ValueError,
    TypeError,
    IndexError,
    OverflowError,
    RecursionError,
    SyntaxError,
    struct.error,
)


class Header(NamedTuple):
    """What a frame says besides its message.

    Attributes:
        epoch: The run of the simulation that the sender belongs to; 0 when it knows of none.
        sequence: Number of the message among those of its publisher, from 1.
        sent_ns: Wall time of sending [ns].
    """

    epoch: int
    sequence: int
    sent_ns: int


class Frame(NamedTuple):
    """A frame that was read.

    Attributes:
        message: The message. Its arrays are views of the frame's bytes.
        source: Name of the connection that sent it.
    """

    message: Any
    source: str


def type_name(kind: type) -> str:
    """The name of a message type on the wire.

    Raises:
        MessageError: Messages of this type cannot be sent.
    """
    if kind is dict or kind in _RECORDS:
        return kind.__name__
    if isinstance(kind, type) and issubclass(kind, Message) and kind is not Message:
        return kind.NAME
    known = ", ".join(["dict", *messages.__all__])
    raise MessageError(
        f"{kind!r} is not a message type; use one of {known}, or your own class with @message"
    )


def type_version(kind: type) -> int:
    """The version of a message type; receivers refuse others."""
    return kind.VERSION if issubclass(kind, Message) else _RECORD_VERSION


def encode(
    message: Any,  # noqa: ANN401 - any message
    header: Header,
    source: str = "",
    scratch: list[bytearray] | None = None,
) -> bytes | bytearray:
    """A message as one frame.

    Args:
        message: The message.
        header: What the frame says besides.
        source: Name of the connection that sends it.
        scratch: Keeps the memory of a large frame for the next one, which overwrites it.
    """
    buffers: list[memoryview] = []

    def hook(value: object) -> object:
        if isinstance(value, np.ndarray):
            return _put_array(value, buffers)
        if isinstance(value, Transform):
            numbers = (*value.translation.tolist(), *value.rotation.tolist())
            return msgspec.msgpack.Ext(_TRANSFORM, _TRANSFORM_NUMBERS.pack(*numbers))
        if isinstance(value, np.generic):
            return value.item()
        raise MessageError(
            f"{value!r:.80} ({type(value).__name__}) cannot be sent; a dict may hold numbers, "
            "text, lists, dicts, arrays and Transforms"
        )

    kind = type(message)
    if isinstance(message, Message):
        content: object = message.field_values()
    elif isinstance(message, _RECORDS):
        content = message.to_bytes()
    else:
        content = message
    try:
        body = msgspec.msgpack.encode(
            (type_name(kind), type_version(kind), content, source), enc_hook=hook
        )
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        if isinstance(error, HorusError):
            raise
        raise MessageError(f"a {kind.__name__} cannot be sent: {error}") from error
    head = HEADER.pack(
        MAGIC, len(buffers), 0, len(body), header.epoch, header.sequence, header.sent_ns
    )
    if not buffers:
        return head + body
    lengths = struct.pack(f"<{len(buffers)}Q", *(buffer.nbytes for buffer in buffers))
    parts: list[bytes | memoryview] = [head, lengths]
    for part in (body, *buffers):
        parts.append(part)
        parts.append(b"\0" * (-memoryview(part).nbytes % 8))
    if scratch is None:
        return b"".join(parts)
    return _join_into(scratch, parts)


def _join_into(scratch: list[bytearray], parts: list[Any]) -> bytearray:
    # Fresh memory of a megabyte costs more, in page faults, than copying into it.
    size = sum(memoryview(part).nbytes for part in parts)
    if not scratch or len(scratch[0]) != size:
        scratch[:] = [bytearray(size)]
    view = memoryview(scratch[0])
    start = 0
    for part in parts:
        end = start + memoryview(part).nbytes
        view[start:end] = part
        start = end
    return scratch[0]


def decode_header(data: bytes | bytearray | memoryview) -> Header:
    """The header of a frame alone.

    Raises:
        MessageError: It is not a frame of ours.
    """
    if len(data) < HEADER.size or bytes(data[:4]) != MAGIC:
        raise MessageError(
            f"not a message of horus-sim (it begins with {bytes(data[:4])!r}); does another "
            "program or version publish on this topic?"
        )
    return Header._make(HEADER.unpack_from(data)[4:])


def check_epoch(epoch: int) -> None:
    """Refuses the epoch of a run that cannot have begun yet; to adopt it would end all others.

    Raises:
        MessageError: It lies too far in the future.
    """
    ahead_ns = epoch - time.time_ns()
    if ahead_ns > _MOST_AHEAD_NS:
        raise MessageError(
            f"a run of the simulation claims to begin {ahead_ns / 86_400e9:.1f} days from now "
            f"(epoch {epoch}); set the clocks of the machines, or find the program that sends it"
        )


def decode(data: bytes | bytearray | memoryview, kind: type | None = None) -> Frame:
    """Reads a frame.

    Args:
        data: The frame.
        kind: The type that is expected; None for any.

    Raises:
        MessageError: The frame is damaged or holds another type or version.
    """
    decode_header(data)
    _, count, _, body_length, _, _, _ = HEADER.unpack_from(data)
    view = memoryview(data)
    start = HEADER.size + 8 * count
    body = view[start : start + body_length]
    if len(data) < start + body_length:
        raise MessageError(f"a message is cut off after {len(data)} bytes")
    lengths = struct.unpack_from(f"<{count}Q", data, HEADER.size) if count else ()
    buffers = []
    start += body_length + -body_length % 8
    for length in lengths:
        buffers.append(view[start : start + length])
        if len(buffers[-1]) < length:
            raise MessageError(f"a message is cut off after {len(data)} bytes")
        start += length + -length % 8

    def hook(code: int, payload: memoryview) -> object:
        if code == _ARRAY:
            return _get_array(payload, buffers)
        if code == _TRANSFORM:
            numbers = _TRANSFORM_NUMBERS.unpack(payload)
            return Transform(numbers[:3], numbers[3:])
        raise MessageError(f"a message holds an extension {code} that this version does not know")

    try:
        name, version, content, source = msgspec.msgpack.decode(body, ext_hook=hook)
        if not isinstance(source, str):
            raise MessageError(f"the sender of a message must have a name, got {source!r:.80}")
        return Frame(_build(name, version, content, kind), source)
    except HorusError:
        raise
    except _DAMAGE as error:
        raise MessageError(f"a message is damaged: {error}") from error


def _build(name: str, version: int, content: Any, kind: type | None) -> Any:  # noqa: ANN401
    found = _TYPES.get(name) if kind is None else kind
    if found is None:
        raise MessageError(f"a message has the type '{name}', which this version does not know")
    if type_name(found) != name:
        raise MessageError(f"a message has the type '{name}', but '{type_name(found)}' is expected")
    if type_version(found) != version:
        raise MessageError(
            f"a message is {name} version {version}, but version {type_version(found)} is "
            "expected: sender and receiver run different releases of horus-sim"
        )
    if found is dict:
        if not isinstance(content, dict):
            raise MessageError(f"a dict is expected, but a message holds {content!r:.80}")
        return content
    if issubclass(found, Message):
        return found(*content)
    return found.from_bytes(content)


def _is_plain(dtype: np.dtype[Any]) -> bool:
    return not dtype.hasobject and dtype.kind != "V"


def _put_array(value: np.ndarray, buffers: list[memoryview]) -> msgspec.msgpack.Ext:
    dtype = value.dtype
    if not _is_plain(dtype):
        raise MessageError(f"an array of {dtype} cannot be sent; give it a numeric type")
    shape = value.shape
    if not (dtype.isnative and value.flags.c_contiguous):
        dtype = dtype.newbyteorder("<")
        value = np.ascontiguousarray(value, dtype)
    description = (len(buffers), dtype.str, shape)
    buffers.append(value.reshape(-1).view(np.uint8).data)
    return msgspec.msgpack.Ext(_ARRAY, msgspec.msgpack.encode(description))


def _get_array(payload: memoryview, buffers: list[memoryview]) -> np.ndarray:
    index, name, shape = msgspec.msgpack.decode(payload, type=tuple[int, str, tuple[int, ...]])
    dtype = np.dtype(name)
    if not _is_plain(dtype) or index < 0:
        raise MessageError(f"a message holds an array of {name!r:.80}, which cannot be sent")
    return np.frombuffer(buffers[index], dtype=dtype).reshape(shape)


_TYPES: dict[str, type] = {name: getattr(messages, name) for name in messages.__all__} | {
    "dict": dict
}
