"""What programs keep, as JSON that holds data only: reading it runs nothing.

Numbers, text, bytes, lists, tuples, sets, deques, dictionaries, NumPy arrays, and the small tuples
and dictionaries of this package come back as they were, with their types; anything else is refused.
Where JSON has no word for a value it is an object with one key, the name of its type.
"""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from horus_sim.sim2d.controllers.part_names import PartName
from horus_sim.sim2d.engine.named import ByBody, ByMotor, BySensor
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.scenario.devices import EncoderReading, ImuReading

KINDS = "numbers, text, bytes, lists, tuples, sets, deques, dictionaries and NumPy arrays"

_DEEPEST = 100
# Python reads no longer ones from text.
_LONGEST_BITS = 10_000
_OWN_TUPLES = (Pose2D, ImuReading, EncoderReading, PartName)
_OWN_DICTIONARIES = (ByBody, ByMotor, BySensor)


class NotPlain(Exception):  # noqa: N818 - never leaves the package
    """A value that is not plain data.

    Attributes:
        place: Where it is, as Python would reach it from the whole: ``['pid'][0]``.
        what: What it is, for people.
    """

    def __init__(self, place: str, what: str) -> None:
        super().__init__(place, what)
        self.place = place
        self.what = what


def encode(value: object) -> bytes:
    """A value as JSON; the same one gives the same bytes.

    Raises:
        NotPlain: Something in the value is not plain data.
    """
    return json.dumps(_plain(value, "", 0), separators=(",", ":")).encode()


def decode(data: bytes) -> Any:  # noqa: ANN401 - what was encoded
    """The value from what `encode` gave.

    Raises:
        ValueError: The bytes are not in this format.
    """
    try:
        return json.loads(data, object_hook=_value)
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError) as error:
        raise ValueError(f"they hold other values ({error})") from error


def _plain(value: Any, place: str, depth: int) -> object:  # noqa: ANN401 - what is to be kept
    """The value of what JSON knows, and objects with one key."""
    kind = type(value)
    if depth > _DEEPEST:
        raise NotPlain(place, f"nested more than {_DEEPEST} deep, or holds itself")
    if kind is int and value.bit_length() > _LONGEST_BITS:
        raise NotPlain(place, f"an int of more than {_LONGEST_BITS} bits")
    if kind is str and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise NotPlain(place, "text with half of a character")
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return _items(value, place, depth)
    if isinstance(value, np.ndarray | np.generic):
        return _numpy(value, place)
    if kind not in _FORMS:
        raise NotPlain(place, f"a {kind.__name__}")
    return {kind.__name__: _FORMS[kind][0](value, place, depth)}


def _items(values: Iterable[object], place: str, depth: int) -> list[object]:
    return [_plain(item, f"{place}[{k}]", depth + 1) for k, item in enumerate(values)]


def _sorted_items(values: Iterable[object], place: str, depth: int) -> list[object]:
    return sorted(_items(values, place, depth), key=json.dumps)


def _pairs(values: dict[Any, Any], place: str, depth: int) -> list[list[object]]:
    return [
        [_plain(key, place, depth + 1), _plain(item, f"{place}[{key!r:.60}]", depth + 1)]
        for key, item in values.items()
    ]


def _numpy(value: np.ndarray | np.generic, place: str) -> object:
    is_array = isinstance(value, np.ndarray)
    if value.dtype.kind not in "biufc" or (is_array and type(value) is not np.ndarray):
        raise NotPlain(place, f"a {type(value).__name__} of {value.dtype}")
    content = [value.dtype.str, list(value.shape), _base64(value.tobytes())]
    return {"array" if is_array else "number": content}


def _base64(data: bytes, *_: object) -> str:
    return base64.b64encode(data).decode()


def _array(content: list[Any]) -> np.ndarray:
    dtype, shape, values = content
    if np.dtype(dtype).kind not in "biufc":
        raise ValueError(f"an array of {dtype}")
    return np.frombuffer(base64.b64decode(values), dtype=dtype).reshape(shape).copy()


# How the content of a type is written, by value, place and depth, and how it is read.
_FORMS: dict[type, tuple[Callable[..., object], Callable[[Any], object]]] = {
    bytes: (_base64, base64.b64decode),
    complex: (lambda value, *_: [value.real, value.imag], lambda parts: complex(*parts)),
    deque: (lambda v, *at: [_items(v, *at), v.maxlen], lambda content: deque(*content)),
    tuple: (_items, tuple),
    **{kind: (_items, kind._make) for kind in _OWN_TUPLES},
    **{kind: (_sorted_items, kind) for kind in (set, frozenset)},
    **{kind: (_pairs, kind) for kind in (dict, *_OWN_DICTIONARIES)},
}
_READERS = {kind.__name__: read for kind, (_, read) in _FORMS.items()} | {
    "array": _array,
    "number": lambda content: _array(content)[()],
}


def _value(tagged: dict[str, Any]) -> object:
    ((name, content),) = tagged.items()
    return _READERS[name](content)
