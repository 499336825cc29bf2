"""Messages as bytes and back: the program of a type, for the native codec."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from horus_sim._native import MessageCodec
from horus_sim.errors import MessageError
from horus_sim.hub.ros.definition import SCALARS, Definition, definition_of

_DEEPEST = 20


class Step(IntEnum):
    """What an instruction does, as in ``native/hub/cdr.hpp``."""

    VALUE = 0
    VALUES = 1
    EACH = 2
    ENTER = 3
    STAMP = 4
    NUMBERS = 5
    POSE = 6
    FRAME = 7


class Program:
    """Instructions of a type, one after the other.

    Attributes:
        names: Names of the fields that instructions ask for.
        rows: Step, scalar, whether it is a sequence, whether decoding gives it, count, name, number
            of instructions inside, and an object: what makes a structure, or what stands for None,
            or the value of what decoding does not give.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.rows: list[tuple[int, int, bool, bool, int, int, int, Any]] = []

    def add(
        self,
        step: Step,
        name: str,
        scalar: str = "float64",
        *,
        is_sequence: bool = False,
        count: int = 0,
        is_read: bool = True,
        default: object = None,
    ) -> int:
        """Appends an instruction; gives its place."""
        number = self._number(name)
        self.rows.append(
            (int(step), SCALARS.index(scalar), is_sequence, is_read, count, number, 0, default)
        )
        return len(self.rows) - 1

    def close(self, at: int, maker: object = None) -> None:
        """Ends the structure of the instruction at a place.

        Args:
            at: The place.
            maker: What decoding makes of the fields: None for a dict, a function of their values,
                or a tuple of a class and the descriptors of its slots.
        """
        row = self.rows[at]
        self.rows[at] = (*row[:6], len(self.rows) - at - 1, maker)

    def extend(self, inner: Program) -> None:
        """Appends the instructions of another program."""
        for step, scalar, is_sequence, is_read, count, name, length, item in inner.rows:
            number = self._number(inner.names[name])
            self.rows.append((step, scalar, is_sequence, is_read, count, number, length, item))

    def _number(self, name: str) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def codec(self, maker: object = None) -> MessageCodec:
        """The codec that runs the program.

        Args:
            maker: What decoding makes of the whole, as for `close`.
        """
        return MessageCodec(self.names, self.rows, maker)


def add_fields(program: Program, definition: Definition, depth: int = 0) -> None:
    """The instructions for dicts with the fields of a definition."""
    if depth > _DEEPEST:
        raise MessageError(f"'{definition.name}' is nested deeper than {_DEEPEST} levels")
    for part in definition.fields:
        is_one, is_sequence = part.shape == "one", part.shape == "sequence"
        if part.is_nested:
            step = Step.ENTER if is_one else Step.EACH
            at = program.add(step, part.name, is_sequence=is_sequence, count=part.count)
            add_fields(program, definition_of(part.kind), depth + 1)
            program.close(at)
        else:
            step = Step.VALUE if is_one else Step.VALUES
            program.add(step, part.name, part.kind, is_sequence=is_sequence, count=part.count)


@functools.cache
def dict_codec(name: str) -> MessageCodec:
    """The codec of a type for dicts: nested ones for messages, arrays for numbers."""
    program = Program()
    add_fields(program, definition_of(name), 0)
    return program.codec()


def encode(name: str, value: Mapping[str, Any]) -> bytes:
    """The bytes of a message.

    Args:
        name: Full name of its type.
        value: Its fields; those of nested messages as dicts.

    Raises:
        MessageError: The type is unknown, or a field does not fit; the text names it.
    """
    try:
        return dict_codec(name).encode(value)
    except ValueError as error:
        raise MessageError(f"{name}: {error}") from None


def decode(name: str, data: bytes | memoryview) -> dict[str, Any]:
    """The fields of a message, numbers in arrays.

    Raises:
        MessageError: The type is unknown, or the bytes are not those of such a message.
    """
    try:
        return dict_codec(name).decode(data)
    except ValueError as error:
        raise MessageError(f"{name}: {error}") from None
