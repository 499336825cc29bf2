"""Message types by name, and messages from JSON."""

from __future__ import annotations

import dataclasses
import importlib
import json
from typing import Any

from horus_sim.errors import HorusError, MessageError
from horus_sim.files.names import did_you_mean
from horus_sim.hub import Message, messages
from horus_sim.tf import TFMessage, Transform, TransformStamped


def find_type(name: str) -> type:
    """A message type by its name.

    Args:
        name: A name such as ``CmdVel``, ``dict``, or ``module:Class`` for a class of your own.

    Raises:
        MessageError: There is no such type.
    """
    if name == "dict":
        return dict
    if name in messages.__all__:
        return getattr(messages, name)
    module_name, colon, class_name = name.partition(":")
    if colon:
        return _own_type(module_name, class_name)
    known = ["dict", *messages.__all__]
    hint = did_you_mean(name, known)
    raise MessageError(
        f"'{name}' is no message type of horus-sim; {hint} (a class of your own is 'module:Class')"
    )


def build_message(kind: type, text: str) -> Any:  # noqa: ANN401 - any message
    """A message from a JSON object with its fields.

    A `Transform` is an object with ``translation`` and ``rotation`` (x, y, z, w).

    Args:
        kind: The message type.
        text: The JSON text.

    Raises:
        MessageError: The text is no JSON object, or a field is unknown, missing or not fit.
    """
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise MessageError(
            f"the fields of {kind.__name__} are no JSON: {error}; write an object in single "
            """quotes, such as '{"linear": 0.5}'"""
        ) from error
    return _build(kind, values)


def _build(kind: type, values: object) -> Any:  # noqa: ANN401
    name = kind.__name__
    if not isinstance(values, dict):
        raise MessageError(f"{name} takes a JSON object of fields, got {values!r:.80}")
    if kind is dict:
        return values
    if kind is TFMessage:
        values = dict(values)
        values["transforms"] = _transforms(values.get("transforms", []))
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for given in values:
        if given not in fields:
            raise MessageError(f"{name} has no field '{given}'; {did_you_mean(given, fields)}")
    missing = [
        field.name
        for field in fields.values()
        if field.name not in values
        and field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise MessageError(f"{name} also needs {', '.join(missing)}")
    arguments: dict[str, Any] = {
        given: _transform(value, f"{name}.{given}")
        if fields[given].type in ("Transform", Transform)
        else value
        for given, value in values.items()
    }
    try:
        return kind(**arguments)
    except HorusError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise MessageError(f"{name} cannot be made of {values!r:.80}: {error}") from error


def _transform(value: object, what: str) -> Transform:
    if not isinstance(value, dict) or not value.keys() <= {"translation", "rotation"}:
        raise MessageError(
            f'{what} must be an object {{"translation": [x, y, z], "rotation": [x, y, z, w]}}, '
            f"got {value!r:.80}"
        )
    try:
        return Transform(**value)
    except (TypeError, ValueError) as error:
        raise MessageError(f"{what} is no transform: {error}") from error


def _transforms(values: object) -> list[TransformStamped]:
    if not isinstance(values, list):
        raise MessageError(f"TFMessage.transforms must be a list of objects, got {values!r:.80}")
    return [_build(TransformStamped, value) for value in values]


def _own_type(module_name: str, class_name: str) -> type:
    try:
        kind = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise MessageError(
            f"the message type '{module_name}:{class_name}' cannot be loaded: {error}; "
            "is the module on PYTHONPATH?"
        ) from error
    if not (isinstance(kind, type) and issubclass(kind, Message)):
        raise MessageError(
            f"'{module_name}:{class_name}' is no message type; decorate the class with @message"
        )
    return kind
