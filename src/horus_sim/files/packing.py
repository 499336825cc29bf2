"""Plain data with arrays as bytes; equal data gives equal bytes, and nothing in them is run."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

_ARRAY_CODE = 1


def pack(value: object) -> bytes:
    """The bytes of plain data that may hold arrays of numbers.

    Raises:
        NotImplementedError: It holds anything else; the text names its type.
    """
    return msgspec.msgpack.encode(value, enc_hook=_encode)


def unpack(data: bytes | memoryview) -> Any:  # noqa: ANN401 - plain data
    """What `pack` was given; tuples are lists.

    Raises:
        ValueError: These are not such bytes.
    """
    return msgspec.msgpack.decode(data, ext_hook=_decode)


def _encode(value: object) -> object:
    if isinstance(value, np.ndarray):
        head = msgspec.msgpack.encode((value.dtype.str, value.shape))
        body = np.ascontiguousarray(value).tobytes()
        return msgspec.msgpack.Ext(_ARRAY_CODE, msgspec.msgpack.encode((head, body)))
    if isinstance(value, np.generic):
        return value.item()
    raise NotImplementedError(f"this cannot be packed: it holds a {type(value).__name__}")


def _decode(code: int, data: memoryview) -> object:
    if code != _ARRAY_CODE:
        raise ValueError(f"unknown part {code}")
    head, body = msgspec.msgpack.decode(bytes(data))
    kind, shape = msgspec.msgpack.decode(head)
    dtype = np.dtype(kind)
    if dtype.kind not in "biuf":
        raise ValueError(f"an array of {dtype}")
    return np.frombuffer(body, dtype=dtype).reshape(shape).copy()
