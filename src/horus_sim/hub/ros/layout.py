"""From the fields of a ROS type to the attributes of a class: the flat program of the pair."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, get_origin

import numpy as np

from horus_sim.errors import MessageError
from horus_sim.hub.ros.codec import Program, Step, add_fields
from horus_sim.hub.ros.definition import Definition, FieldDefinition, definition_of
from horus_sim.hub.ros.own_types import item_type, shape_field
from horus_sim.tf import StaticTransformStamped, TFMessage, TransformStamped

if TYPE_CHECKING:
    from horus_sim.hub.message import ArraySpec
    from horus_sim.hub.ros.form import RosForm

_STAMPS = ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration")
_POSES = ("geometry_msgs/msg/Pose", "geometry_msgs/msg/Transform")
_VECTORS = {
    "geometry_msgs/msg/Vector3": ("float64", 3),
    "geometry_msgs/msg/Point": ("float64", 3),
    "geometry_msgs/msg/Quaternion": ("float64", 4),
    "std_msgs/msg/ColorRGBA": ("float32", 4),
}
_HEADER = {"header.stamp": "stamp_ns", "header.frame_id": "frame_id"}
_RECORDS = (TransformStamped, TFMessage)
"""Their constructors check what the codec has checked already."""
_FRAMED = (TransformStamped, StaticTransformStamped)

Fields = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Layout:
    """How messages of a class are written and read.

    Attributes:
        program: The instructions.
        read: Fields that decoding gives, in their order.
        to_fields: Gives what the program writes; None where that is the message itself.
        make: Gives the message of the fields that were read.
        record: The class where its slots can be filled without its constructor, else None.
    """

    program: Program
    read: tuple[str, ...]
    to_fields: Callable[[Any], Any] | None
    make: Callable[[Fields], Any]
    record: type | None = None

    @property
    def maker(self) -> object:
        """What makes a message inside another one, for `Program.close`."""
        if self.record is not None:
            return (self.record, *(getattr(self.record, name) for name in self.read))
        make, names = self.make, self.read
        return lambda *values: make(dict(zip(names, values, strict=True)))


def layout_of(
    kind: type, form: RosForm, hints: Mapping[str, Any], inside: Callable[[type], Layout]
) -> Layout:
    """The layout of a dataclass.

    Args:
        kind: The class.
        form: Its ROS type.
        hints: Type of each of its fields.
        inside: Gives the layout of messages inside it.

    Raises:
        MessageError: A field of the class has no place in the type.
    """
    compiler = _Compiler(kind, form, hints, inside)
    compiler.add_structure(definition_of(form.name), "")
    return compiler.finish()


class _Compiler:
    def __init__(
        self, kind: type, form: RosForm, hints: Mapping[str, Any], inside: Callable[[type], Layout]
    ) -> None:
        self._kind, self._form, self._hints, self._inside = kind, form, hints, inside
        self._fields = {entry.name: entry for entry in dataclasses.fields(kind)}
        header = {path: name for path, name in _HEADER.items() if self._has(name)}
        self._attributes = {**header, **form.attributes}
        self._program = Program()
        self._read: list[str] = []
        self._before: dict[str, Callable[[Any], Any]] = {}
        self._after: list[Callable[[Fields], None]] = []

    def _has(self, name: str) -> bool:
        return name in self._fields or isinstance(getattr(self._kind, name, None), property)

    def add_structure(self, definition: Definition, prefix: str) -> None:
        """A structure whose fields are attributes of the class."""
        for part in definition.fields:
            path = prefix + part.name
            name = self._attributes.get(path)
            if name is None and not prefix and self._has(part.name):
                is_spread = any(each.startswith(f"{path}.") for each in self._attributes)
                name = None if is_spread else part.name
            if path in self._before:
                self._read.append(path)
                self._program.add(Step.VALUES, path, part.kind, count=part.count)
            elif name is not None:
                self._add_attribute(part, name)
            elif part.is_nested and part.shape == "one":
                self.add_structure(definition_of(part.kind), f"{path}.")
            else:
                self._add_constant(part, path)

    def finish(self) -> Layout:
        """The layout of what was added."""
        kind, after = self._kind, tuple(self._after)
        for entry in self._fields.values():
            has_default = (
                entry.default is not dataclasses.MISSING
                or entry.default_factory is not dataclasses.MISSING
            )
            if entry.name not in self._read and not has_default:
                raise MessageError(
                    f"{kind.__name__}.{entry.name} has no place in {self._form.name}; name one in "
                    "ROS, or give the field a default"
                )

        def make(fields: Fields) -> Any:  # noqa: ANN401 - of the class
            for change in after:
                change(fields)
            return kind(**fields)

        read = tuple(self._read)
        record = kind if kind in _RECORDS else None
        to_fields = self._to_fields() if self._before else None
        return Layout(self._program, read, to_fields, make, record)

    def _to_fields(self) -> Callable[[Any], Fields]:
        before = dict(self._before)
        names = [name for name in self._program.names if name not in before and self._has(name)]

        def to_fields(message: Any) -> Fields:  # noqa: ANN401 - of the class
            fields = {name: getattr(message, name) for name in names}
            return fields | {name: change(message) for name, change in before.items()}

        return to_fields

    def _add(self, step: Step, name: str, scalar: str = "float64", **options: Any) -> int:  # noqa: ANN401
        is_read = name in self._fields
        if is_read:
            self._read.append(name)
        else:
            # It would be written instead of the property.
            options["default"] = None
        return self._program.add(step, name, scalar, is_read=is_read, **options)

    def _add_attribute(self, part: FieldDefinition, name: str) -> None:
        is_one = part.shape == "one"
        if is_one and part.kind in _STAMPS:
            self._add(Step.STAMP, name)
        elif is_one and part.kind in _POSES:
            self._add(Step.POSE, name)
        elif is_one and part.kind in _VECTORS:
            scalar, count = _VECTORS[part.kind]
            self._add(Step.NUMBERS, name, scalar, count=count, default=np.zeros(count))
            self._shape(name)
        elif part.is_nested:
            self._add_nested(part, name)
        elif is_one:
            is_frame = self._kind in _FRAMED and name.endswith("_frame")
            self._add(Step.FRAME if is_frame else Step.VALUE, name, part.kind)
        else:
            is_sequence = part.shape == "sequence"
            default: object = () if is_sequence else np.zeros(part.count)
            self._add(
                Step.VALUES,
                name,
                part.kind,
                is_sequence=is_sequence,
                count=part.count,
                default=default,
            )
            self._shape(name)

    def _add_nested(self, part: FieldDefinition, name: str) -> None:
        kind, is_many = item_type(self._hints.get(name))
        if not isinstance(kind, type) or is_many != (part.shape != "one"):
            raise MessageError(
                f"{self._kind.__name__}.{name} is annotated with {self._hints.get(name)!r:.60}, "
                f"but {self._form.name} has {part.kind} there"
            )
        layout = self._inside(kind)
        at = self._add(
            Step.EACH if is_many else Step.ENTER,
            name,
            is_sequence=part.shape == "sequence",
            count=part.count,
        )
        self._program.extend(layout.program)
        self._program.close(at, layout.maker)
        to_fields = layout.to_fields
        if to_fields is not None and is_many:
            self._before[name] = lambda message: [
                to_fields(each) for each in getattr(message, name)
            ]
        elif to_fields is not None:
            self._before[name] = lambda message: to_fields(getattr(message, name))

    def _add_constant(self, part: FieldDefinition, path: str) -> None:
        given = self._form.constants.get(path)
        is_sequence = part.shape == "sequence"
        options: dict[str, Any] = {
            "is_read": False,
            "is_sequence": is_sequence,
            "count": part.count,
        }
        if part.is_nested:
            at = self._program.add(Step.EACH, path, **options)
            self._program.extend(_plain_program(part.kind))
            self._program.close(at, () if given is None else given)
            return
        step, zero = Step.VALUES, () if is_sequence else np.zeros(part.count)
        if part.shape == "one":
            step, zero = Step.VALUE, {"string": "", "bool": False}.get(part.kind, 0)
        self._program.add(
            step, path, part.kind, default=zero if given is None else given, **options
        )

    def _shape(self, name: str) -> None:
        """What an array becomes after it was read."""
        entry = self._fields.get(name)
        if entry is None:
            return
        spec: ArraySpec | None = entry.metadata.get("array")
        if spec is not None and spec.shape.count(-1) > 1:
            lengths = shape_field(name)
            self._before[lengths] = lambda message: getattr(message, name).shape
            self._after.append(lambda fields: _reshape_by(fields, name, lengths))
        elif spec is not None and (len(spec.shape) > 1 or spec.optional):
            self._after.append(lambda fields: _reshape(fields, name, spec))
        elif spec is None and get_origin(self._hints[name]) is tuple:
            self._after.append(lambda fields: _to_tuple(fields, name))


def _plain_program(name: str) -> Program:
    program = Program()
    add_fields(program, definition_of(name))
    return program


def _reshape(fields: Fields, name: str, spec: ArraySpec) -> None:
    value = fields[name]
    # ROS says nothing by an empty sequence, or by zeros in an array of a fixed length.
    is_missing = spec.optional and not (value.any() if -1 not in spec.shape else value.size)
    fields[name] = None if is_missing else value.reshape(spec.shape)


def _reshape_by(fields: Fields, name: str, lengths: str) -> None:
    fields[name] = fields[name].reshape(fields.pop(lengths))


def _to_tuple(fields: Fields, name: str) -> None:
    value = fields[name]
    fields[name] = tuple(value.tolist() if isinstance(value, np.ndarray) else value)
