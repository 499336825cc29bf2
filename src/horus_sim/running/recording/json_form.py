"""Messages as JSON: text, schema, and back, without losing a bit.

Numbers that are not finite have no form in JSON: infinity is written ``1e999``, which readers take
as infinity, and NaN as ``null``.
"""

from __future__ import annotations

import dataclasses
import json
import math
from functools import cache
from typing import Any, get_type_hints

import numpy as np

from horus_sim.errors import MessageError
from horus_sim.hub import Message, messages
from horus_sim.hub.message import ArraySpec, Names, Vector
from horus_sim.tf import Transform

_NUMBER = {"type": "number"}
_NUMBERS = {"type": "array", "items": _NUMBER}
_POSE = {
    "type": "object",
    "properties": {"translation": _NUMBERS, "rotation": _NUMBERS},
    "description": "translation x, y, z [m]; rotation x, y, z, w",
}
_SCHEMAS: dict[Any, dict[str, Any]] = {
    float: _NUMBER,
    int: {"type": "integer"},
    str: {"type": "string"},
    Names: {"type": "array", "items": {"type": "string"}},
    Vector: _NUMBERS,
    Transform: _POSE,
}


def to_text(value: Any) -> str:  # noqa: ANN401 - plain data, messages, arrays
    """JSON text of plain data that may hold messages, arrays and transforms."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        if math.isnan(number):
            return "null"
        return repr(number) if math.isfinite(number) else ("1e999" if number > 0 else "-1e999")
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, np.ndarray):
        return to_text(value.tolist())
    if isinstance(value, list | tuple):
        return f"[{','.join(map(to_text, value))}]"
    if isinstance(value, dict):
        parts = (f"{json.dumps(str(key))}:{to_text(entry)}" for key, entry in value.items())
        return f"{{{','.join(parts)}}}"
    if isinstance(value, Transform):
        return to_text({"translation": value.translation, "rotation": value.rotation})
    if isinstance(value, Message):
        return to_text({name: getattr(value, name) for name in value.FIELDS})
    raise MessageError(f"{value!r:.80} ({type(value).__name__}) has no form in JSON")


@cache
def schema_of(kind: type[Message]) -> dict[str, Any]:
    """The JSON schema of a message type."""
    hints = get_type_hints(kind)
    properties = {}
    for field in dataclasses.fields(kind):  # pyright: ignore[reportArgumentType]
        if "array" in field.metadata:
            depth = len(field.metadata["array"].shape)
            form: dict[str, Any] = _NUMBER
            for _ in range(depth):
                form = {"type": "array", "items": form}
            properties[field.name] = form
        else:
            properties[field.name] = _SCHEMAS.get(hints[field.name], {})
    return {
        "title": f"horus.{kind.NAME}",
        "description": (kind.__doc__ or "").strip().splitlines()[0],
        "type": "object",
        "properties": properties,
    }


def from_plain(kind: type[Message], values: dict[str, Any]) -> Message:
    """A message from what JSON gave.

    Raises:
        MessageError: A field is unknown, missing or not fit.
    """
    hints = get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}  # pyright: ignore[reportArgumentType]
    arguments = {}
    for name, value in values.items():
        if name not in fields:
            raise MessageError(f"{kind.NAME} has no field '{name}'; another version wrote it")
        spec = fields[name].metadata.get("array")
        if spec is not None:
            arguments[name] = None if value is None and spec.optional else _array(value, spec)
        elif hints[name] is Transform:
            arguments[name] = Transform(value["translation"], value["rotation"])
        elif hints[name] is float:
            arguments[name] = float("nan") if value is None else value
        elif hints[name] == Vector:
            arguments[name] = tuple(float("nan") if x is None else x for x in value)
        else:
            arguments[name] = value
    try:
        return kind(**arguments)
    except TypeError as error:
        raise MessageError(f"{kind.NAME} cannot be made of {values!r:.80}: {error}") from error


def message_type(name: str) -> type[Message] | None:
    """The message type of a name, or None."""
    found = getattr(messages, name, None) if name in messages.__all__ else None
    return found if isinstance(found, type) and issubclass(found, Message) else None


def _array(value: Any, spec: ArraySpec) -> np.ndarray:  # noqa: ANN401 - nested lists
    if spec.dtype.kind in "iu":
        found = np.array(value, dtype=spec.dtype)
    else:
        # None becomes NaN.
        found = np.array(value, dtype=np.float64).astype(spec.dtype)
    if found.size == 0:
        return found.reshape([max(0, length) for length in spec.shape])
    return found
