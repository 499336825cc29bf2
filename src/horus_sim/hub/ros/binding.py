"""Message classes as ROS messages: which type a class is, and its bytes."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, get_type_hints

from horus_sim.errors import HorusError, MessageError
from horus_sim.hub.json_form import to_text
from horus_sim.hub.message import Message
from horus_sim.hub.ros.codec import Program, add_fields
from horus_sim.hub.ros.definition import definition_of, register
from horus_sim.hub.ros.form import RosForm
from horus_sim.hub.ros.layout import Layout, layout_of
from horus_sim.hub.ros.own_types import OWN_PACKAGE, define, without_aliases
from horus_sim.hub.ros.type_hash import type_hash
from horus_sim.tf import StaticTransformStamped, TFMessage, TransformStamped

_TEXT_TYPE = "std_msgs/msg/String"
_FRAMES = {"header.frame_id": "parent_frame", "child_frame_id": "child_frame"}
_TF_FORMS = {
    TransformStamped: RosForm("geometry_msgs/msg/TransformStamped", _FRAMES),
    StaticTransformStamped: RosForm("geometry_msgs/msg/TransformStamped", _FRAMES),
    TFMessage: RosForm("tf2_msgs/msg/TFMessage"),
}


class RosMessage(dict[str, Any]):
    """A message of any ROS type as a dict of its fields; made by `ros_message`.

    Attributes:
        ROS: The type.
    """

    ROS: ClassVar[RosForm]


@functools.cache
def ros_message(name: str) -> type[RosMessage]:
    """A class for messages of a ROS type that has none here: dicts of its fields.

    Args:
        name: Full name of the type, such as ``std_msgs/msg/Int32``.

    Raises:
        MessageError: The type is unknown.
    """
    definition = definition_of(name)
    return type(definition.name.rpartition("/")[2], (RosMessage,), {"ROS": RosForm(name)})


class Binding:
    """How messages of one class become bytes.

    Args:
        kind: The class.
        name: Full name of its ROS type.
        layout: How the class is written and read.

    Attributes:
        codec: Runs the program of the layout.
        type_hash: ``RIHS01_...`` of the type.
        readable: This and the bindings of further types that are read as this class, by name.
    """

    def __init__(self, kind: type, name: str, layout: Layout, also: Iterable[Binding] = ()) -> None:
        self.kind = kind
        self.name = name
        self.layout = layout
        self.type_hash = type_hash(name)
        self.readable = {binding.name: binding for binding in (self, *also)}
        is_record = layout.record is not None
        self.codec = layout.program.codec(layout.maker if is_record else None)
        self._encode, self._decode = self.codec.encode, self.codec.decode
        self._to_fields = layout.to_fields
        self._make = None if is_record else layout.make
        self._keeps_bytes = hasattr(kind, "encoded")

    def encode(self, message: Any) -> bytes:  # noqa: ANN401 - of the class
        """The bytes (CDR) of a message.

        Raises:
            MessageError: A field does not fit; the text names it.
        """
        if self._keeps_bytes and message.__class__ is self.kind and message.encoded is not None:
            return message.encoded
        try:
            return self._encode(message if self._to_fields is None else self._to_fields(message))
        except ValueError as error:
            if isinstance(error, HorusError):
                raise
            raise MessageError(f"a {self.kind.__name__} cannot be sent: {error}") from None

    def decode(self, data: bytes | memoryview) -> Any:  # noqa: ANN401 - of the class
        """The message of bytes; large arrays of bytes are views of them.

        Raises:
            MessageError: They are not those of such a message.
        """
        try:
            fields = self._decode(data)
            return fields if self._make is None else self._make(fields)
        except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
            if isinstance(error, MessageError):
                raise
            raise MessageError(f"not a message of the type {self.name}: {error}") from None


def is_message_type(kind: object) -> bool:
    """Whether messages of a class can be sent."""
    if not isinstance(kind, type) or kind in (Message, RosMessage):
        return False
    return kind is dict or issubclass(kind, RosMessage) or dataclasses.is_dataclass(kind)


def ros_type(kind: type) -> str:
    """Full name of the ROS type of a class.

    Raises:
        MessageError: Messages of this class cannot be sent.
    """
    return binding_of(kind).name


@functools.cache
def binding_of(kind: type) -> Binding:
    """How messages of a class become bytes.

    Raises:
        MessageError: Messages of this class cannot be sent.
    """
    if not is_message_type(kind):
        raise MessageError(
            f"{kind!r} is not a message type; use a class of horus_sim.hub.messages, dict, "
            "ros_message('package/msg/Name'), or a frozen dataclass of your own"
        )
    if kind is dict:
        return Binding(kind, _TEXT_TYPE, _plain_layout(_TEXT_TYPE, _to_json, _from_json))
    form, hints = _form_of(kind)
    if issubclass(kind, RosMessage):
        return Binding(kind, form.name, _plain_layout(form.name, None, kind))
    if hasattr(kind, "to_ros"):
        return Binding(kind, form.name, _plain_layout(form.name, kind.to_ros, kind.from_ros))

    def bound(form: RosForm, also: Iterable[Binding] = ()) -> Binding:
        layout = layout_of(kind, form, hints, lambda inner: binding_of(inner).layout)
        return Binding(kind, form.name, layout, also)

    return bound(form, map(bound, getattr(kind, "ALSO", ())))


def _plain_layout(
    name: str, to_fields: Callable[[Any], Any] | None, make: Callable[[dict[str, Any]], Any]
) -> Layout:
    """The layout of a class that is turned into the fields of the type as a whole."""
    program = Program()
    definition = definition_of(name)
    add_fields(program, definition)
    return Layout(program, tuple(part.name for part in definition.fields), to_fields, make)


def _form_of(kind: type) -> tuple[RosForm, dict[str, Any]]:
    """The form of a class, made from its fields where it says none."""
    form: RosForm | str | None = _TF_FORMS.get(kind) or getattr(kind, "ROS", None)
    given = get_type_hints(kind) if dataclasses.is_dataclass(kind) else {}
    hints = {name: without_aliases(hint) for name, hint in given.items()}
    if isinstance(form, RosForm):
        return form, hints
    name = form or f"{OWN_PACKAGE}/msg/{kind.__name__}"
    definition, attributes = define(kind, name, hints)
    register(definition)
    return RosForm(name, attributes), hints


def _to_json(message: dict[str, Any]) -> dict[str, str]:
    try:
        # Much faster than our own, which also knows arrays and numbers that are not finite.
        return {"data": json.dumps(message, allow_nan=False)}
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return {"data": to_text(message)}
    except RecursionError as error:
        raise MessageError(f"{message!r:.80} holds itself, or is too deep to be sent") from error


def _from_json(fields: dict[str, str]) -> dict[str, Any]:
    found = json.loads(fields["data"])
    if not isinstance(found, dict):
        raise MessageError(f"the text {fields['data']!r:.60} is not a JSON object")
    return found
