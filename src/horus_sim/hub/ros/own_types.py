"""ROS types of classes that have none of their own: made from the fields of the class."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any, get_args, get_origin

import numpy as np

from horus_sim.errors import MessageError
from horus_sim.hub.ros.definition import Definition, FieldDefinition
from horus_sim.tf import Transform

OWN_PACKAGE = "horus_msgs"
_FIT = re.compile(r"[a-z](_?[a-z0-9])*")
_SCALARS = {float: "float64", int: "int64", bool: "bool", str: "string"}
_HEADER = "std_msgs/msg/Header"
_TIME = "builtin_interfaces/msg/Time"
VECTOR = tuple[float, float, float]
"""Three numbers, on the wire a Vector3."""


def define(kind: type, name: str, hints: dict[str, Any]) -> tuple[Definition, dict[str, str]]:
    """The definition of a class.

    Args:
        kind: A dataclass.
        name: Full name of the type.
        hints: Type of each field of the class.

    Returns:
        The definition, and its paths with the attributes of the class where the names differ.

    Raises:
        MessageError: A field cannot be sent; the text names it.
    """
    fields: list[FieldDefinition] = []
    attributes: dict[str, str] = {}
    if hints.get("stamp_ns") is int:
        if hints.get("frame_id") is str:
            fields.append(FieldDefinition("header", _HEADER, _HEADER))
        else:
            fields.append(FieldDefinition("stamp", _TIME, _TIME))
            attributes["stamp"] = "stamp_ns"
    for entry in dataclasses.fields(kind):
        if fields and entry.name == "stamp_ns":
            continue
        if fields and fields[0].kind == _HEADER and entry.name == "frame_id":
            continue
        if not _FIT.fullmatch(entry.name):
            raise MessageError(
                f"{kind.__name__}.{entry.name} is not a name for a field in ROS; use small "
                "letters, digits and single underscores between them"
            )
        fields.extend(_fields(kind, entry, hints[entry.name]))
    if not fields:
        raise MessageError(f"{kind.__name__} has no fields; give it at least one")
    return Definition(name, tuple(fields)), attributes


def _fields(kind: type, entry: dataclasses.Field[Any], hint: Any) -> list[FieldDefinition]:  # noqa: ANN401
    spec = entry.metadata.get("array")
    if spec is not None:
        return _array_fields(entry.name, spec.dtype.name, spec.shape)
    given, is_many = item_type(hint)
    dtype = array_dtype(hint)
    if dtype is not None:
        return _array_fields(entry.name, dtype, (-1,))
    shape = "sequence" if is_many else "one"
    if given in _SCALARS:
        scalar = _SCALARS[given]
        return [FieldDefinition(entry.name, scalar, scalar, shape)]
    if given == VECTOR:
        return [_nested(entry.name, "geometry_msgs/msg/Vector3", shape)]
    if given is Transform:
        return [_nested(entry.name, "geometry_msgs/msg/Transform", shape)]
    if dataclasses.is_dataclass(given):
        from horus_sim.hub.ros.binding import ros_type

        return [_nested(entry.name, ros_type(given), shape)]  # type: ignore[arg-type]
    raise MessageError(
        f"{kind.__name__}.{entry.name} is {hint!r:.60}, which has no form in ROS; use float, "
        "int, bool, str, an array, a Transform, another message, or a tuple of them"
    )


def without_aliases(hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """What an annotation stands for that names a `type` alias, as NumPy's NDArray is since 2.5."""
    while (value := getattr(get_origin(hint) or hint, "__value__", None)) is not None:
        arguments = get_args(hint)
        hint = value[arguments] if arguments else value
    return hint


def item_type(hint: Any) -> tuple[Any, bool]:  # noqa: ANN401 - an annotation
    """What a field holds, and whether it holds any number of them."""
    if hint != VECTOR and get_origin(hint) in (tuple, list):
        arguments = [each for each in get_args(hint) if each is not Ellipsis]
        if len(arguments) == 1:
            return arguments[0], True
    return hint, False


def array_dtype(hint: Any) -> str | None:  # noqa: ANN401 - an annotation
    """The name of the type of an array that an annotation describes, or None for anything else."""
    if hint is np.ndarray:
        return "float64"
    if get_origin(hint) is not np.ndarray:
        return None
    found = get_args(get_args(hint)[1])
    try:
        return np.dtype(found[0]).name
    except (IndexError, TypeError):
        return "float64"


def _array_fields(name: str, dtype: str, shape: tuple[int, ...]) -> list[FieldDefinition]:
    if -1 not in shape:
        return [FieldDefinition(name, dtype, dtype, "array", math.prod(shape))]
    found = [FieldDefinition(name, dtype, dtype, "sequence")]
    if shape.count(-1) > 1:
        # The length alone does not tell the shape.
        found.append(FieldDefinition(shape_field(name), "uint32", "uint32", "array", len(shape)))
    return found


def shape_field(name: str) -> str:
    """The field with the lengths of an array's axes."""
    return f"{name}_shape"


def _nested(name: str, kind: str, shape: Any) -> FieldDefinition:  # noqa: ANN401 - one of three words
    return FieldDefinition(name, kind, kind, shape)
