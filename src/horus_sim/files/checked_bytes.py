"""Bytes that somebody keeps for later, with a mark, a version and a checksum."""

from __future__ import annotations

import struct
import zlib

_HEAD = struct.Struct("<4sHIQ")
_CHECKED = struct.Struct("<HQ")


def seal(content: bytes, mark: bytes, version: int) -> bytes:
    """Content behind a head of 18 bytes: mark, version, CRC-32, length.

    Args:
        content: What is kept.
        mark: Four bytes that say what it is.
        version: Version of the way in which it is written.
    """
    return _HEAD.pack(mark, version, _checksum(content, version), len(content)) + content


def unseal(data: bytes, mark: bytes, version: int) -> memoryview:
    """The content of what `seal` gave.

    Raises:
        ValueError: It is something else, of another version, or not as it was.
    """
    if len(data) < _HEAD.size or data[: len(mark)] != mark:
        raise ValueError("they do not begin as one")
    _, found, checksum, length = _HEAD.unpack_from(data)
    if found != version:
        raise ValueError(f"they are of version {found}, and this release reads version {version}")
    content = memoryview(data)[_HEAD.size :]
    if len(content) != length:
        raise ValueError(f"they have {len(content)} bytes of content instead of {length}")
    if _checksum(content, version) != checksum:
        raise ValueError("they were altered: the checksum does not fit")
    return content


def _checksum(content: bytes | memoryview, version: int) -> int:
    return zlib.crc32(content, zlib.crc32(_CHECKED.pack(version, len(content))))
