"""Requests and responses as plain dicts, filled up with defaults, and as bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from horus_sim.errors import MessageError
from horus_sim.files.names import propose
from horus_sim.hub.ros.codec import decode, encode
from horus_sim.hub.ros.definition import EMPTY_FIELD, Definition, FieldDefinition, definition_of


def to_bytes(definition: Definition, values: Mapping[str, Any]) -> bytes:
    """A message as bytes; what is left out has its default.

    Args:
        definition: The type of the message.
        values: Its fields; those of messages inside it as dicts.

    Raises:
        MessageError: There is no such field, or a value does not fit; the text names it.
    """
    return encode(definition.name, filled(definition, values))


def from_bytes(definition: Definition, data: bytes | memoryview) -> dict[str, Any]:
    """The fields of a message.

    Raises:
        MessageError: The bytes are not those of such a message.
    """
    found = decode(definition.name, data)
    found.pop(EMPTY_FIELD, None)
    return found


def filled(definition: Definition, values: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """All fields of a message: those that are given, and the defaults of the others.

    Args:
        definition: The type of the message.
        values: Some of its fields; in messages inside it, too, fields may be left out.
        place: Where the message is inside another one, for errors.

    Raises:
        MessageError: There is no such field; the text proposes close ones.
    """
    if not isinstance(values, Mapping):
        where = f"{place}: " if place else ""
        raise MessageError(
            f"{where}give a dict with fields of {definition.name}, got {values!r:.60}"
        )
    known = [part.name for part in definition.fields if part.name != EMPTY_FIELD]
    for name in values:
        if name not in known:
            culprit = f"{place} ({definition.name})" if place else definition.name
            raise MessageError(propose(str(name), known, culprit, "field"))
    return {
        part.name: _given(part, values[part.name], f"{place}.{part.name}" if place else part.name)
        if part.name in values
        else default_of(part)
        for part in definition.fields
    }


def default_of(part: FieldDefinition) -> Any:  # noqa: ANN401 - by the field's type
    """The value of a field that nobody gave."""
    if part.default:
        return _written(part)
    if part.shape == "sequence":
        return []
    one = filled(definition_of(part.kind), {}) if part.is_nested else _zero(part.kind)
    return one if part.shape == "one" else [one] * part.count


def _given(part: FieldDefinition, value: Any, place: str) -> Any:  # noqa: ANN401
    if not part.is_nested:
        return value
    definition = definition_of(part.kind)
    if part.shape == "one":
        return filled(definition, value, place)
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise MessageError(f"{place}: give a list of {definition.name}, got {value!r:.60}")
    return [filled(definition, item, f"{place}[{i}]") for i, item in enumerate(value)]


def _zero(kind: str) -> bool | int | float | str:
    if kind == "string":
        return ""
    if kind == "bool":
        return False
    return 0.0 if kind.startswith("float") else 0


def _written(part: FieldDefinition) -> Any:  # noqa: ANN401 - by the field's type
    """The default that the file of a type gives a field."""
    text = part.default
    if part.shape == "one" and part.kind == "string":
        is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
        return text[1:-1] if is_quoted else text
    try:
        found = json.loads(text.replace("'", '"').lower() if part.kind != "string" else text)
    except ValueError:
        raise MessageError(
            f"the default of field '{part.name}' is {text!r:.60}, which is not a {part.kind}"
        ) from None
    return bool(found) if part.kind == "bool" and part.shape == "one" else found
