"""Messages as JSON: text, schema, and back, without losing a bit.

Numbers that are not finite have no form in JSON: infinity is written ``1e999``, which readers take
as infinity, and NaN as ``null``.
"""

from __future__ import annotations

import dataclasses
import json
import math
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from horus_sim.errors import HorusError, MessageError
from horus_sim.files.names import did_you_mean
from horus_sim.hub.message import ArraySpec, Message, Names, Vector
from horus_sim.tf import Transform

_Made = TypeVar("_Made")

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
    properties = {}
    for name, field in _fields(kind).items():
        form = _SCHEMAS.get(field.hint, {})
        if field.array is not None:
            form = _NUMBER
            for _ in field.array.shape:
                form = {"type": "array", "items": form}
        properties[name] = form
    return {
        "title": f"horus.{kind.NAME}",
        "description": (kind.__doc__ or "").strip().splitlines()[0],
        "type": "object",
        "properties": properties,
    }


def from_text(kind: type, text: str) -> Any:  # noqa: ANN401 - any message
    """A message from the text of a JSON object with its fields.

    Raises:
        MessageError: The text is not a JSON object, or a field is unknown, missing or not fit.
    """
    try:
        return from_plain(kind, json.loads(text))
    except json.JSONDecodeError as error:
        raise MessageError(
            f"the fields of {kind.__name__} are not JSON: {error}; write an object in single "
            """quotes, such as '{"linear": 0.5}'"""
        ) from error


def from_plain(kind: type[_Made], values: object) -> _Made:
    """A message from its fields, as JSON gives them.

    A `Transform` is an object with ``translation`` and ``rotation`` (x, y, z, w).

    Args:
        kind: The message type, or dict.
        values: A dict of the fields.

    Raises:
        MessageError: A field is unknown, missing or not fit.
    """
    name = kind.__name__
    if not isinstance(values, dict):
        raise MessageError(f"{name} takes a JSON object of fields, got {values!r:.80}")
    if issubclass(kind, dict):
        return kind(values)
    fields = _fields(kind)
    for given in values:
        if given not in fields:
            raise MessageError(f"{name} has no field '{given}'; {did_you_mean(given, fields)}")
    missing = [name for name, field in fields.items() if field.is_required and name not in values]
    if missing:
        raise MessageError(f"{name} also needs {', '.join(missing)}")
    arguments = {
        given: _value(value, fields[given], f"{name}.{given}") for given, value in values.items()
    }
    try:
        return kind(**arguments)
    except HorusError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise MessageError(f"{name} cannot be made of {values!r:.80}: {error}") from error


class _Field(NamedTuple):
    hint: Any
    array: ArraySpec | None
    is_required: bool


@cache
def _fields(kind: type) -> dict[str, _Field]:
    hints, missing = get_type_hints(kind), dataclasses.MISSING
    return {
        field.name: _Field(
            hints[field.name],
            field.metadata.get("array"),
            field.default is missing and field.default_factory is missing,
        )
        for field in dataclasses.fields(kind)
    }


def _value(value: Any, field: _Field, what: str) -> Any:  # noqa: ANN401 - as JSON gives it
    if field.hint is Transform:
        return _transform(value, what)
    inner = get_args(field.hint)[:1]
    if get_origin(field.hint) is tuple and dataclasses.is_dataclass(inner[0]):
        if not isinstance(value, list):
            raise MessageError(f"{what} must be a list of objects, got {value!r:.80}")
        return tuple(from_plain(cast("type", inner[0]), each) for each in value)
    if field.hint is float and value is None:
        return math.nan
    if field.hint == Vector and isinstance(value, list):
        return [math.nan if each is None else each for each in value]
    if field.array is not None and value is not None and np.size(value) == 0:
        return np.empty([max(0, length) for length in field.array.shape])
    return value


def _transform(value: object, what: str) -> Transform:
    if not isinstance(value, dict) or not value.keys() <= {"translation", "rotation"}:
        raise MessageError(
            f'{what} must be an object {{"translation": [x, y, z], "rotation": [x, y, z, w]}}, '
            f"got {value!r:.80}"
        )
    try:
        return Transform(**value)
    except (TypeError, ValueError) as error:
        raise MessageError(f"{what} is not a transform: {error}") from error
