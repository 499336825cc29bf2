"""Messages that are kept as the bytes that are sent."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from horus_sim.errors import MessageError
from horus_sim.hub.message import Message
from horus_sim.hub.ros.binding import binding_of


class EncodedMessage(Message):
    """A message with a large array, which is a part of the message's own bytes.

    The array is copied once, when the message is made: whoever gave it may change it afterwards,
    and sending the message or recording it copies nothing more. An array that cannot change is not
    copied, as those of messages that were received.

    Attributes:
        encoded: The bytes (CDR); None where they are made when the message is sent.
    """

    __slots__ = ("encoded",)

    encoded: bytes | None

    @classmethod
    def _of_checked(cls, *values: object) -> Self:
        """A message of its fields without its constructor, which costs more than sending them does.

        Args:
            values: What the constructor would make of them; the array cannot change.
        """
        made = object.__new__(cls)
        for name, value in zip(cls.FIELDS, values, strict=True):
            object.__setattr__(made, name, value)
        object.__setattr__(made, "encoded", None)
        return made

    def _encode(self, name: str) -> None:
        """Moves the array in the last field of the ROS type into the message's bytes.

        Args:
            name: The attribute that holds the array.
        """
        object.__setattr__(self, "encoded", None)
        given: np.ndarray = getattr(self, name)
        if _is_constant(given):
            return
        try:
            encoded = binding_of(type(self)).encode(self)
        except MessageError:
            return  # It can be handed over inside this process; sending it anywhere else tells why.
        array = np.ndarray(given.shape, given.dtype, encoded, len(encoded) - given.nbytes)
        object.__setattr__(self, "encoded", encoded)
        object.__setattr__(self, name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is copied and pickled: without its bytes, which are made again."""
        return type(self), self.field_values()


def _is_constant(array: np.ndarray) -> bool:
    """Whether the memory of an array is that of bytes, which nobody can change."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, bytes)
