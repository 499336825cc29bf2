"""What goes beside every message: its number, its time and its sender."""

from __future__ import annotations

import operator
import struct
from typing import NamedTuple

from horus_sim.errors import MessageError

_LAYOUT = struct.Struct("<qqB8sQ")
_GID_BYTES = 16
_NUMBERS = struct.Struct("<qq")


class Attachment(NamedTuple):
    """What goes beside a message.

    Attributes:
        sequence: Number of the message among those of its publisher.
        sent_ns: Time of sending [ns].
        sender: The first half of the sender's GID.
        rest: The second half, as a number. In messages of our own programs the run of the
            simulation that the sender belongs to is folded into it (exclusive or), which others do
            not notice: they compare GIDs with each other alone.
    """

    sequence: int
    sent_ns: int
    sender: bytes
    rest: int

    @classmethod
    def read(cls, data: bytes) -> Attachment:
        """Reads it.

        Raises:
            MessageError: It is not what rmw_zenoh sends.
        """
        if len(data) != _LAYOUT.size or data[16] != _GID_BYTES:
            found = f"{len(data)} bytes"
            if len(data) == _LAYOUT.size:
                found += f", of which {data[16]} name the sender and not {_GID_BYTES},"
            raise MessageError(
                f"a message comes with {found} beside it instead of the {_LAYOUT.size} of ROS 2 "
                "(rmw_zenoh since Jazzy 0.2.4); does another kind of program publish here?"
            )
        sequence, sent_ns, _, sender, rest = _LAYOUT.unpack(data)
        return cls(sequence, sent_ns, sender, rest)


numbers_in = _NUMBERS.unpack_from
"""The sequence and the time of sending in the bytes of an `Attachment`."""
sender_in = operator.itemgetter(slice(_NUMBERS.size, None))
"""The bytes of an `Attachment` that are the same in all messages of a sender in one run."""


def halves(gid: bytes) -> tuple[bytes, int]:
    """The two halves of a GID."""
    return gid[:8], int.from_bytes(gid[8:], "little")


def packed(sequence: int, sent_ns: int, sender: bytes, rest: int) -> bytes:
    """The bytes of an `Attachment`."""
    return _LAYOUT.pack(sequence, sent_ns, _GID_BYTES, sender, rest)
