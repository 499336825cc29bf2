"""Definitions of ROS 2 types: the fields of messages, as their files describe them."""

from __future__ import annotations

import dataclasses
import functools
import re
from dataclasses import dataclass
from typing import Literal

from horus_sim.assets import ROOT
from horus_sim.errors import MessageError
from horus_sim.files.names import did_you_mean

SCALARS = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
    "string",
)
"""Types of single values, in the order of the native codec."""
ALIASES = {"byte": "uint8", "char": "uint8"}
ACTION_GOAL = "_Goal"
"""Behind the name of an action: the type of its goals."""
EMPTY_FIELD = "structure_needs_at_least_one_member"
"""The one byte of a message without fields."""

_FIELD = re.compile(
    r"(?P<kind>[A-Za-z][\w/]*)(?:<=(?P<bound>\d+))?"
    r"(?P<array>\[(?:<=)?\d*\])?\s+(?P<name>[A-Za-z]\w*)(?:\s+(?P<default>\S.*))?"
)
_CONSTANT = re.compile(r"(?P<kind>\w+)(?:<=\d+)?\s+(?P<name>[A-Z][A-Z0-9_]*)\s*=\s*(?P<value>.+)")
_TYPE_NAME = re.compile(r"[a-z]\w*/(msg|srv|action)/[A-Za-z]\w*")


@dataclass(frozen=True, slots=True)
class FieldDefinition:
    """A field of a message.

    Attributes:
        name: Its name.
        kind: A type of `SCALARS` or the full name of a message type.
        written_kind: The same as its file writes it: `byte` and `char` are bytes, too.
        shape: One value, an array of `count`, or a sequence of at most `count`.
        count: How many; 0 for a sequence without a bound.
        text_bound: Most characters of a text; 0 without a bound.
        default: The value that its file gives it, as written; empty without one.
    """

    name: str
    kind: str
    written_kind: str
    shape: Literal["one", "array", "sequence"] = "one"
    count: int = 0
    text_bound: int = 0
    default: str = ""

    @property
    def is_nested(self) -> bool:
        """Whether it holds messages."""
        return self.kind not in SCALARS


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that the file of a message names.

    Attributes:
        kind: Its type, as the file writes it.
        value: The value, as the file writes it.
    """

    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A type of messages.

    Attributes:
        name: Full name, such as ``sensor_msgs/msg/LaserScan``.
        fields: What a message holds, in the order of its bytes.
        constants: Values that its file names, by name.
    """

    name: str
    fields: tuple[FieldDefinition, ...]
    constants: dict[str, Constant] = dataclasses.field(default_factory=dict)

    @property
    def layout(self) -> tuple[FieldDefinition, ...]:
        """The fields as they are on the wire, where defaults do not matter."""
        return tuple(dataclasses.replace(part, default="") for part in self.fields)


def parse_definition(name: str, text: str) -> Definition:
    """A definition as the text of a ``.msg`` file.

    Args:
        name: Full name of the type, such as ``my_package/msg/Name``.
        text: Lines with a type and a name; comments, constants and defaults as in ROS.

    Raises:
        MessageError: A line does not fit; the text names it.
    """
    if not _TYPE_NAME.fullmatch(name):
        raise MessageError(f"'{name}' is not a ROS type; write it like 'my_package/msg/Name'")
    package = name.partition("/")[0]
    fields: list[FieldDefinition] = []
    constants: dict[str, Constant] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()  # noqa: PLW2901 - what counts of it
        if not line:
            continue
        if constant := _CONSTANT.fullmatch(line):
            constants[constant["name"]] = Constant(constant["kind"], constant["value"].strip())
        elif found := _FIELD.fullmatch(line):
            fields.append(_field(found, package))
        else:
            raise MessageError(
                f"{name}, line {number}: '{line:.60}' is not a field; write it like 'float64 x' or "
                "'geometry_msgs/msg/Point[] points'"
            )
    if not fields:
        fields.append(FieldDefinition(EMPTY_FIELD, "uint8", "uint8"))
    return Definition(name, tuple(fields), constants)


def _field(found: re.Match[str], package: str) -> FieldDefinition:
    written = found["kind"]
    kind = ALIASES.get(written, written)
    if kind not in SCALARS:
        parts = kind.split("/")
        if kind == "Header":
            parts = ["std_msgs", "Header"]
        if len(parts) != 3:
            kind = "/".join((parts[0] if len(parts) > 1 else package, "msg", parts[-1]))
        written = kind
    shape, count = "one", 0
    if found["array"] is not None:
        inside = found["array"][1:-1]
        is_bounded = inside.startswith("<=")
        count = int(inside.removeprefix("<=") or 0)
        shape = "array" if inside and not is_bounded else "sequence"
    bound, default = int(found["bound"] or 0), (found["default"] or "").strip()
    return FieldDefinition(found["name"], kind, written, shape, count, bound, default)


@functools.cache
def _shipped() -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (ROOT / "ros2" / "messages.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            lines.append(line)
        else:
            lines = texts.setdefault(line, [])
    for goal in [name for name in texts if name.endswith(ACTION_GOAL)]:
        texts |= _action_parts(goal.removesuffix(ACTION_GOAL))
    return {name: "\n".join(lines) for name, lines in texts.items()}


def _action_parts(action: str) -> dict[str, list[str]]:
    """What ROS makes of the goal, the result and the feedback of an action."""
    goal_id = "unique_identifier_msgs/msg/UUID goal_id"
    return {
        f"{action}_SendGoal_Request": [goal_id, f"{action}{ACTION_GOAL} goal"],
        f"{action}_SendGoal_Response": ["bool accepted", "builtin_interfaces/msg/Time stamp"],
        f"{action}_GetResult_Request": [goal_id],
        f"{action}_GetResult_Response": ["int8 status", f"{action}_Result result"],
        f"{action}_FeedbackMessage": [goal_id, f"{action}_Feedback feedback"],
    }


_own: dict[str, Definition] = {}


def register(definition: Definition) -> None:
    """Makes a type of one's own known.

    Raises:
        MessageError: There is one of that name with other fields.
    """
    known = _own.get(definition.name) or _shipped_definition(definition.name)
    if known is None:
        _own[definition.name] = definition
    elif known.layout != definition.layout:
        raise MessageError(
            f"there is another '{definition.name}' already, with the fields "
            f"{_listed(known)} instead of {_listed(definition)}; give the type another name or "
            "package"
        )


def _listed(definition: Definition) -> str:
    return ", ".join(f"{part.written_kind} {part.name}" for part in definition.fields) or "none"


@functools.cache
def _shipped_definition(name: str) -> Definition | None:
    text = _shipped().get(name)
    return None if text is None else parse_definition(name, text)


def definition_of(name: str) -> Definition:
    """The definition of a type by its full name.

    Raises:
        MessageError: The type is unknown; the text proposes close ones.
    """
    found = _own.get(name) or _shipped_definition(name)
    if found is None:
        known = (*_shipped(), *_own)
        package = name.partition("/")[0]
        if any(each.startswith(f"{package}/") for each in known):
            remedy = did_you_mean(name, known)
        else:
            remedy = (
                "make it known from its .msg file by parse_definition and register of "
                "horus_sim.hub.ros.definition"
            )
        raise MessageError(f"'{name}' is not a known ROS type; {remedy}")
    return found


def type_names() -> list[str]:
    """Full names of all types that are known, sorted."""
    return sorted((*_shipped(), *_own))


def referenced(definition: Definition) -> dict[str, Definition]:
    """Every type inside a definition, at any depth, by name."""
    found: dict[str, Definition] = {}
    waiting = [definition]
    while waiting:
        for part in waiting.pop().fields:
            if part.is_nested and part.kind not in found:
                found[part.kind] = definition_of(part.kind)
                waiting.append(found[part.kind])
    return found
