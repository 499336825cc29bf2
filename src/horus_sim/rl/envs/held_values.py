"""What Python objects remember, as plain data: arrays, numbers, texts and generators.

A task may keep what it remembers in attributes, in objects of its own, or in the closures of its
terms. All of that is found from where it hangs, and put back in place, so that views stay views.
What cannot change is left out: classes, modules, frozen dataclasses and settings. So is what
compiled objects hold inside.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import random
from collections import deque
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

Tree = list[Any] | None
"""A kind and what it holds, as plain data; None where there is nothing to keep."""

_PLAIN = (bool, int, float, str, bytes, type(None))
_CONSTANT = (type, ModuleType, enum.Enum, BaseModel, np.dtype)
_ROWS = {"list": list, "tuple": tuple, "deque": deque, "set": set}
_FUNCTIONS = (FunctionType, MethodType, functools.partial)
_HIDDEN = (random.Random, np.random.RandomState)
_NUMBERS = "biuf"
# Objects of these packages are not looked into: they are engines, or constants.
_CLOSED = frozenset({"builtins", "gymnasium", "logging", "mujoco", "numpy", "pydantic", "torch"})


class HeldValues:
    """Reads and writes what objects remember.

    Args:
        roots: The objects.
        memory: Arrays that belong to somebody else; what lies in them is left out.
        closed: Objects that are left out.
    """

    def __init__(
        self,
        roots: Iterable[object],
        memory: Iterable[npt.NDArray[Any]] = (),
        closed: Iterable[object] = (),
    ) -> None:
        self._roots = list(roots)
        self._memory = list(memory)
        self._closed = list(closed)
        # Objects that were passed already; held here, so that no other takes their id.
        self._seen: dict[int, object] = {}

    def read(self) -> list[Tree]:
        """All that is remembered; arrays are copies.

        Raises:
            ValueError: Something cannot be read; the text says what.
        """
        self._begin()
        return [self._read(root) for root in self._roots]

    def write(self, trees: list[Tree]) -> None:
        """Puts back what `read` gave.

        Raises:
            ValueError: The objects are made otherwise than those that were read.
        """
        self._begin()
        for root, tree in zip(self._roots, trees, strict=True):
            if self._written(root, tree) is not root:
                raise ValueError(f"a {type(root).__name__} cannot be replaced")

    def _begin(self) -> None:
        self._seen = {id(value): value for value in self._closed}

    def _read(self, value: object) -> Tree:
        if isinstance(value, np.ndarray):
            return ["array", value.copy()] if self._is_own(value) else None
        if isinstance(value, np.generic):
            return ["plain", value.item()] if value.dtype.kind in _NUMBERS else None
        if isinstance(value, _PLAIN) and not isinstance(value, enum.Enum):
            return ["plain", value]
        if self._is_passed(value):
            return None
        if isinstance(value, np.random.Generator):
            return ["generator", json.dumps(value.bit_generator.state, default=_listed)]
        if isinstance(value, tuple(_ROWS.values())):
            kind = next(name for name, kind in _ROWS.items() if isinstance(value, kind))
            return [kind, [self._read(item) for item in _in_order(value)]]
        if isinstance(value, dict):
            return ["table", [[key, self._read(item)] for key, item in _entries(value)]]
        if isinstance(value, _FUNCTIONS):
            return ["function", [self._read(part) for part, _ in _parts(value)]]
        parts = {name: self._read(part) for name, part in _attributes(value).items()}
        return ["object", {name: tree for name, tree in parts.items() if tree is not None}]

    def _written(self, value: object, tree: Tree) -> object:
        """What is to stand in the place of a value: itself, wherever that can be."""
        if tree is None:
            # It is passed all the same, so that both ways see objects in one order.
            self._read(value)
            return value
        kind, held = tree
        if kind == "array":
            return _written_array(value, held)
        if kind == "plain":
            return _written_plain(value, held)
        if value is not None and self._is_passed(value):
            raise _another(value, kind)
        if kind in _ROWS:
            return self._written_row(value, kind, held)
        if kind == "table" and (value is None or isinstance(value, dict)):
            return self._written_table(value, held)
        if kind == "generator" and isinstance(value, np.random.Generator):
            value.bit_generator.state = json.loads(held, object_hook=_with_arrays)
        elif kind == "function" and isinstance(value, _FUNCTIONS):
            for (part, put), subtree in zip(_parts(value), held, strict=True):
                new = self._written(part, subtree)
                if new is not part:
                    put(new)
        elif kind == "object" and value is not None:
            self._write_object(value, held)
        else:
            raise _another(value, kind)
        return value

    def _written_row(self, value: Any, kind: str, held: list[Tree]) -> object:  # noqa: ANN401 - one of `_ROWS`
        value = _ROWS[kind]() if value is None else value
        if not isinstance(value, _ROWS[kind]):
            raise _another(value, kind)
        present = list(_in_order(value))
        padded = (present + [None] * len(held))[: len(held)]
        items = [self._written(item, tree) for item, tree in zip(padded, held, strict=True)]
        if len(items) == len(present) and all(map(_is, items, present)):
            return value
        if isinstance(value, tuple):
            return tuple(items)
        value.clear()
        getattr(value, "update" if kind == "set" else "extend")(items)
        return value

    def _written_table(self, value: dict[Any, Any] | None, held: list[Any]) -> dict[Any, Any]:
        value = {} if value is None else value
        kept = {key: self._written(value.get(key), tree) for key, tree in held}
        for key, _ in _entries(value):
            if key not in kept:
                del value[key]
        value.update(kept)
        return value

    def _write_object(self, value: object, held: dict[str, Tree]) -> None:
        present = _attributes(value)
        for name in sorted({*present, *held}):
            part = present.get(name)
            if name not in held:
                # It came later, unless it is something that is never kept.
                if self._read(part) is not None:
                    object.__delattr__(value, name)
                continue
            new = self._written(part, held[name])
            if new is not part or name not in present:
                object.__setattr__(value, name, new)

    def _is_own(self, array: npt.NDArray[Any]) -> bool:
        if array.dtype.kind not in _NUMBERS:
            return False
        return not any(np.may_share_memory(array, other) for other in self._memory)

    def _is_passed(self, value: object) -> bool:
        """Whether nothing of a value is kept: it was seen before, or cannot change."""
        if id(value) in self._seen:
            return True
        self._seen[id(value)] = value
        if isinstance(value, _HIDDEN):
            raise ValueError(
                f"a {type(value).__name__} is not kept; draw from the task's own self.random, or "
                "from a numpy.random.Generator"
            )
        if isinstance(value, _CONSTANT) or _is_frozen(value):
            return True
        if isinstance(value, (*_ROWS.values(), dict, *_FUNCTIONS, np.random.Generator)):
            return False
        home = type(value).__module__.partition(".")[0]
        return home in _CLOSED or not (hasattr(value, "__dict__") or hasattr(value, "__slots__"))


def _is(one: object, other: object) -> bool:
    return one is other


def _another(value: object, kind: str) -> ValueError:
    return ValueError(f"a {type(value).__name__} stands where a {kind} was")


def _is_frozen(value: object) -> bool:
    params = getattr(type(value), "__dataclass_params__", None)
    return dataclasses.is_dataclass(value) and bool(getattr(params, "frozen", False))


def _in_order(row: Any) -> Iterable[Any]:  # noqa: ANN401 - one of `_ROWS`
    return sorted(row, key=repr) if isinstance(row, set) else row


def _entries(table: dict[Any, Any]) -> list[tuple[Any, Any]]:
    return [(key, item) for key, item in table.items() if isinstance(key, (str, int, float))]


def _attributes(value: object) -> dict[str, object]:
    """What an object has, in the order of the names."""
    found = dict(vars(value)) if hasattr(value, "__dict__") else {}
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and hasattr(value, name):
                found.setdefault(name, getattr(value, name))
    return dict(sorted(found.items()))


def _parts(function: Any) -> list[tuple[object, Callable[[Any], None]]]:  # noqa: ANN401 - one of `_FUNCTIONS`
    """What a function holds, and what puts something else in its place."""

    def refuse(_: object) -> None:
        raise ValueError(f"what {function!r} was made with cannot be replaced")

    if isinstance(function, MethodType):
        return [(function.__self__, refuse), (function.__func__, refuse)]
    if isinstance(function, functools.partial):
        given = (function.func, *function.args, *function.keywords.values())
        return [(part, refuse) for part in given]
    cells = [cell for cell in function.__closure__ or () if _is_filled(cell)]
    held = [(c.cell_contents, functools.partial(setattr, c, "cell_contents")) for c in cells]
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return [*held, *((part, refuse) for part in defaults)]


def _is_filled(cell: Any) -> bool:  # noqa: ANN401 - the type of cells has no name
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True


def _written_array(value: object, held: npt.NDArray[Any]) -> object:
    if isinstance(value, np.ndarray) and (value.shape, value.dtype) == (held.shape, held.dtype):
        if value.tobytes() == held.tobytes():
            return value
        if value.flags.writeable:
            value[...] = held
            return value
    return held.copy()


def _written_plain(value: object, held: Any) -> object:  # noqa: ANN401 - plain data
    if isinstance(value, np.generic):
        return value if repr(value.item()) == repr(held) else type(value)(held)
    # By their text, in which 0.0 is not -0.0, and NaN is NaN.
    return value if type(value) is type(held) and repr(value) == repr(held) else held


def _listed(value: object) -> object:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "type": value.dtype.str}
    raise TypeError(type(value).__name__)


def _with_arrays(table: dict[str, Any]) -> Any:  # noqa: ANN401 - a table or an array
    return np.array(table["array"], table["type"]) if table.keys() == {"array", "type"} else table
