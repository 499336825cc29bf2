"""What a Foxglove message has no field for, as a field that its readers pass over.

Protocol buffers let a reader skip fields that it does not know; field 1000 holds the rest as JSON.
"""

from __future__ import annotations

import json
from typing import Any

from horus_sim.hub.json_form import to_text

REST_FIELD = 1000
_TAG = bytes((0xC2, 0x3E))  # field 1000, length-delimited


def with_rest(data: bytes, rest: dict[str, Any]) -> bytes:
    """An encoded message with the rest appended."""
    text = to_text(rest).encode()
    return data + _TAG + _varint(len(text)) + text


def rest_of(message: Any) -> dict[str, Any]:  # noqa: ANN401 - a protobuf message
    """The rest in a message that was read; empty where there is none."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    for field in UnknownFieldSet(message):
        if field.field_number == REST_FIELD:
            return json.loads(field.data)
    return {}


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
