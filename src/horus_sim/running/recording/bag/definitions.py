"""Definitions of message types as bags hold them: the text of a type and of all inside it."""

from __future__ import annotations

import functools

from horus_sim.errors import MessageError
from horus_sim.hub.ros.definition import (
    EMPTY_FIELD,
    Definition,
    FieldDefinition,
    definition_of,
    parse_definition,
    referenced,
    register,
    type_names,
)

_SEPARATOR = "=" * 80
_HEAD = "MSG: "


@functools.cache
def definition_text(name: str) -> str:
    """The definition of a type in the schema ``ros2msg``, with all types inside it.

    Args:
        name: Full name, such as ``sensor_msgs/msg/LaserScan``.

    Raises:
        MessageError: The type is unknown.
    """
    definition = definition_of(name)
    inside = referenced(definition)
    parts = [_text(definition)]
    parts += [f"{_SEPARATOR}\n{_HEAD}{_short(each)}\n{_text(inside[each])}" for each in inside]
    return "".join(parts)


def learn_definition(name: str, text: str) -> None:
    """Makes the types of a definition known here, as they were where it was written.

    Args:
        name: Full name of the type.
        text: Its definition in the schema ``ros2msg``.

    Raises:
        MessageError: The text makes no sense, or a type of that name has other fields here.
    """
    found = _parsed(name, text)
    known = set(type_names())
    for each in found:
        if each.name in known and definition_of(each.name).layout != each.layout:
            raise MessageError(
                f"'{each.name}' has other fields there than here, as types of other versions of "
                "ROS have"
            )
    for each in found:
        if each.name not in known:
            register(each)


def full_name(name: str) -> str:
    """The full name of a type, which early bags write without the ``/msg/``."""
    package, _, rest = name.partition("/")
    return name if "/" in rest else f"{package}/msg/{rest}"


def _parsed(name: str, text: str) -> list[Definition]:
    found: list[Definition] = []
    lines: list[str] = []
    for line in [*text.splitlines(), f"{_HEAD}end"]:
        if line.startswith(_HEAD):
            found.append(parse_definition(name, "\n".join(lines)))
            name, lines = full_name(line.removeprefix(_HEAD).strip()), []
        elif not line.startswith(_SEPARATOR):
            lines.append(line)
    return found


def _short(name: str) -> str:
    package, _, bare = name.split("/")
    return f"{package}/{bare}"


def _text(definition: Definition) -> str:
    constants = [f"{each.kind} {name}={each.value}" for name, each in definition.constants.items()]
    fields = [
        f"{_type_text(part)} {part.name} {part.default}".rstrip()
        for part in definition.fields
        if part.name != EMPTY_FIELD
    ]
    return "".join(f"{line}\n" for line in (*constants, *fields))


def _type_text(part: FieldDefinition) -> str:
    kind = _short(part.kind) if part.is_nested else part.written_kind
    if part.text_bound:
        kind += f"<={part.text_bound}"
    match part.shape:
        case "one":
            return kind
        case "array":
            return f"{kind}[{part.count}]"
        case "sequence":
            return f"{kind}[<={part.count}]" if part.count else f"{kind}[]"
