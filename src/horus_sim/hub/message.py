"""What every message is: a frozen record with checked fields, equality and a one-line summary."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field
from typing import (
    Any,
    ClassVar,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from horus_sim.errors import MessageError, seconds
from horus_sim.hub.ros.form import RosForm
from horus_sim.tf import Transform

_Message = TypeVar("_Message", bound="Message")


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """Type and shape of an array field; -1 stands for any length."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    optional: bool


def array(dtype: str, *shape: int, default: Any = MISSING) -> Any:  # noqa: ANN401 - a dataclass field
    """A field that holds a read-only array of one type and shape.

    Args:
        dtype: NumPy type, such as ``float32``.
        shape: Length of each axis, -1 for any.
        default: The array of a message that is not given one.
    """
    spec = ArraySpec(np.dtype(dtype), shape, optional=False)
    if default is MISSING:
        return field(metadata={"array": spec})
    return field(default_factory=lambda: default, metadata={"array": spec})


def optional_array(dtype: str, *shape: int, default: None) -> Any:  # noqa: ANN401
    """A field that holds such an array, or None by default."""
    spec = ArraySpec(np.dtype(dtype), shape, optional=True)
    return field(default=default, metadata={"array": spec})


class Message:
    """Base of the message classes; made into a record by the decorator `message`.

    Attributes:
        NAME: Name of the class.
        ROS: Its ROS type; a class of your own may give the type's full name, such as
            ``my_robot/msg/Battery``, or leave it out.
        ALSO: Further ROS types that subscriptions of this class understand.
    """

    __slots__ = ()

    NAME: ClassVar[str]
    ROS: ClassVar[RosForm | str | None] = None
    ALSO: ClassVar[tuple[RosForm, ...]] = ()
    FIELDS: ClassVar[tuple[str, ...]]
    _converters: ClassVar[tuple[tuple[str, Any], ...]]

    def __post_init__(self) -> None:
        for name, convert in self._converters:
            value = getattr(self, name)
            object.__setattr__(self, name, convert(value, self.NAME, name))

    def field_values(self) -> tuple[Any, ...]:
        """The fields, in their order."""
        return tuple(getattr(self, name) for name in self.FIELDS)

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        pairs = zip(self.field_values(), other.field_values(), strict=True)  # type: ignore[attr-defined]
        return all(_same(a, b) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def __str__(self) -> str:
        parts = [f"{name}={_summary(name, getattr(self, name))}" for name in self.FIELDS]
        return f"{self.NAME}({', '.join(parts)})"


@dataclass_transform(
    frozen_default=True, kw_only_default=False, field_specifiers=(array, optional_array, field)
)
def message(cls: type[_Message]) -> type[_Message]:
    """Makes a class with annotated fields a message type."""
    record = dataclass(frozen=True, slots=True, eq=False, repr=True)(cls)
    record.NAME = cls.__name__
    fields = dataclasses.fields(record)  # type: ignore[arg-type]
    record.FIELDS = tuple(entry.name for entry in fields)
    hints = get_type_hints(cls)
    converters = []
    for entry in fields:
        spec = entry.metadata.get("array")
        convert = _array_converter(spec) if spec else _converter_of(hints[entry.name])
        if convert is not None:
            converters.append((entry.name, convert))
    record._converters = tuple(converters)
    return record


def _array_converter(spec: ArraySpec) -> Any:  # noqa: ANN401
    def convert(value: Any, message_name: str, name: str) -> np.ndarray | None:  # noqa: ANN401
        if value is None and spec.optional:
            return None
        try:
            result = np.asarray(value, dtype=spec.dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise MessageError(
                f"{message_name}.{name} must be {_wanted(spec)}, got {value!r:.80}"
            ) from error
        fits = result.ndim == len(spec.shape) and all(
            wanted in (-1, length) for wanted, length in zip(spec.shape, result.shape, strict=True)
        )
        if not fits:
            raise MessageError(
                f"{message_name}.{name} must be {_wanted(spec)}, got shape {result.shape}"
            )
        # A view: the sender's own array stays writable.
        view = result.view()
        view.flags.writeable = False
        return view

    return convert


def _wanted(spec: ArraySpec) -> str:
    shape = ", ".join("N" if length == -1 else str(length) for length in spec.shape)
    return f"{spec.dtype.name} of shape ({shape}{',' if len(spec.shape) == 1 else ''})"


Vector = tuple[float, float, float]
Names = tuple[str, ...]


def _converter(convert: Callable[[Any], Any], wanted: str) -> Callable[[Any, str, str], Any]:
    """A converter whose error names the message and its field."""

    def checked(value: Any, message_name: str, name: str) -> Any:  # noqa: ANN401
        try:
            return convert(value)
        except (TypeError, ValueError) as error:
            raise MessageError(
                f"{message_name}.{name} must be {wanted}, got {value!r:.80}"
            ) from error

    return checked


def _only(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, kind):
            raise TypeError
        return value

    return check


def _to_names(value: Any) -> Names:  # noqa: ANN401
    if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
        raise TypeError
    return tuple(value)


def _to_vector(value: Any) -> Vector:  # noqa: ANN401
    x, y, z = value
    return (float(x), float(y), float(z))


_CONVERTERS: dict[Any, Callable[[Any, str, str], Any]] = {
    float: _converter(float, "a number"),
    int: _converter(operator.index, "an integer"),
    str: _converter(_only(str), "text"),
    Names: _converter(_to_names, "names"),
    Vector: _converter(_to_vector, "three numbers"),
    tuple[float, ...]: _converter(lambda value: tuple(map(float, value)), "numbers"),
    Transform: _converter(_only(Transform), "a Transform"),
}


def _converter_of(hint: Any) -> Callable[[Any, str, str], Any] | None:  # noqa: ANN401
    """What checks a field, by its annotation."""
    inner = get_args(hint)[:1]
    if get_origin(hint) is tuple and dataclasses.is_dataclass(inner[0]):
        check = _only(cast("type", inner[0]))
        wanted = f"any number of {cast('type', inner[0]).__name__}"
        return _converter(lambda value: tuple(check(each) for each in value), wanted)
    return _CONVERTERS.get(hint)


def _same(a: Any, b: Any) -> bool:  # noqa: ANN401
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return False
    return bool(a == b)


def _summary(name: str, value: Any) -> str:  # noqa: ANN401
    if name.endswith("stamp_ns"):
        return seconds(value)
    if isinstance(value, np.ndarray):
        if value.size <= 4:
            return "[" + ", ".join(f"{entry:.4g}" for entry in value.ravel()) + "]"
        return f"{value.dtype.name}{list(value.shape)}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Transform):
        x, y, z = value.translation
        return f"xyz ({x:.3f}, {y:.3f}, {z:.3f}) yaw {value.to_euler()[2]:.3f}"
    if isinstance(value, tuple):
        shown = [f"{entry:.4g}" if isinstance(entry, float) else str(entry) for entry in value[:6]]
        return "(" + ", ".join(shown) + (", ..." if len(value) > 6 else "") + ")"
    return str(value)
