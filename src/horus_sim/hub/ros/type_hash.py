"""Hashes of ROS 2 types (REP 2016): the same name and fields give the same hash everywhere."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

from horus_sim.hub.ros.definition import Definition, FieldDefinition, definition_of, referenced

# Numbers of type_description_interfaces/msg/FieldType.
_NESTED = 1
_TYPE_IDS = {
    "int8": 2,
    "uint8": 3,
    "int16": 4,
    "uint16": 5,
    "int32": 6,
    "uint32": 7,
    "int64": 8,
    "uint64": 9,
    "float32": 10,
    "float64": 11,
    "char": 13,
    "bool": 15,
    "byte": 16,
    "string": 17,
}
_BOUNDED_TEXT = 21
_SHAPES = {"one": 0, "array": 48, "bounded": 96, "sequence": 144}


@functools.cache
def type_hash(name: str) -> str:
    """``RIHS01_`` and 64 hexadecimal digits of a message type.

    Raises:
        MessageError: The type is unknown.
    """
    definition = definition_of(name)
    return hash_of(definition, referenced(definition))


def hash_of(definition: Definition, inside: dict[str, Definition]) -> str:
    """The hash of a definition with all that are inside it."""
    description = {
        "type_description": _describe(definition),
        "referenced_type_descriptions": [_describe(inside[name]) for name in sorted(inside)],
    }
    text = json.dumps(description, separators=(", ", ": "), ensure_ascii=True)
    return f"RIHS01_{hashlib.sha256(text.encode()).hexdigest()}"


def _describe(definition: Definition) -> dict[str, Any]:
    return {
        "type_name": definition.name,
        "fields": [{"name": part.name, "type": _describe_type(part)} for part in definition.fields],
    }


def _describe_type(part: FieldDefinition) -> dict[str, Any]:
    if part.is_nested:
        number = _NESTED
    else:
        number = _BOUNDED_TEXT if part.text_bound else _TYPE_IDS[part.written_kind]
    shape = "bounded" if part.shape == "sequence" and part.count else part.shape
    return {
        "type_id": number + _SHAPES[shape],
        "capacity": part.count,
        "string_capacity": part.text_bound,
        "nested_type_name": part.kind if part.is_nested else "",
    }
