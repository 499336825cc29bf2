"""Transforms as fixed-size records, for wires and files.

All numbers are little-endian. A frame name takes 64 bytes of UTF-8, padded with zeros; a longer one
is an error.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self, SupportsIndex

from horus_sim._native import RecordMaker
from horus_sim.errors import InvalidTransformError, seconds
from horus_sim.tf.transform import Transform

FRAME_NAME_BYTES = 64
_FIRST_NS, _LAST_NS = -(2**63), 2**63 - 1


class _Record:
    """A message of one fixed-size record."""

    __slots__ = ()
    RECORD: ClassVar[struct.Struct]
    record: Callable[..., tuple]
    from_record: Callable[..., Any]

    def to_bytes(self) -> bytes:
        """The record."""
        return self.RECORD.pack(*self.record())

    @classmethod
    def from_bytes(cls, data: bytes | memoryview) -> Self:
        """Reads a record.

        Raises:
            InvalidTransformError: It has another size, a name is not UTF-8, or the transform is not
                valid.
        """
        if len(data) != cls.RECORD.size:
            raise InvalidTransformError(
                f"a {cls.__name__} has {cls.RECORD.size} bytes, got {len(data)}"
            )
        return cls.from_record(*cls.RECORD.unpack(data))


@dataclass(frozen=True, slots=True, init=False)
class TransformStamped(_Record):
    """Where a child frame was in its parent at one time. A record of 192 bytes.

    Attributes:
        parent_frame: Parent frame.
        child_frame: Child frame.
        stamp_ns: Time [ns].
        transform: T_parent_child.
    """

    RECORD: ClassVar[struct.Struct] = struct.Struct("<64s64sq56s")

    parent_frame: str
    child_frame: str
    stamp_ns: int
    transform: Transform

    def __init__(
        self, parent_frame: str, child_frame: str, stamp_ns: SupportsIndex, transform: Transform
    ) -> None:
        # By hand, since a robot makes thousands a second: half the time of what dataclass writes.
        try:
            is_fit = (
                parent_frame in _encoded
                and child_frame in _encoded
                and stamp_ns.__class__ is int
                and _FIRST_NS <= stamp_ns <= _LAST_NS  # type: ignore[operator]
                and transform.__class__ is Transform
            )
        except TypeError:  # a name that has no hash
            is_fit = False
        if not is_fit:
            parent_frame, child_frame = _name(parent_frame), _name(child_frame)
            stamp_ns = _stamp(stamp_ns)
            _check_transform(transform)
        _set_parent_frame(self, parent_frame)
        _set_child_frame(self, child_frame)
        _set_stamp_ns(self, stamp_ns)
        _set_transform(self, transform)

    def record(self) -> tuple[bytes, bytes, int, bytes]:
        """The arguments of `RECORD`."""
        parent, child = _encoded.get(self.parent_frame), _encoded.get(self.child_frame)
        if parent is None or child is None:  # when many others came in between
            parent, child = _encode(self.parent_frame), _encode(self.child_frame)
        return parent, child, self.stamp_ns, self.transform.to_bytes()

    @classmethod
    def from_record(cls, parent: bytes, child: bytes, stamp_ns: int, numbers: bytes) -> Self:
        """From the values of `RECORD`."""
        return cls(_decode(parent), _decode(child), stamp_ns, Transform.from_bytes(numbers))

    def __str__(self) -> str:
        link = f"{self.parent_frame} -> {self.child_frame}"
        return f"{link} at {seconds(self.stamp_ns)}: {_short(self.transform)}"


_set_parent_frame = TransformStamped.parent_frame.__set__  # type: ignore[attr-defined]
_set_child_frame = TransformStamped.child_frame.__set__  # type: ignore[attr-defined]
_set_stamp_ns = TransformStamped.stamp_ns.__set__  # type: ignore[attr-defined]
_set_transform = TransformStamped.transform.__set__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class StaticTransformStamped(_Record):
    """Where a child frame is in its parent, at all times. A record of 184 bytes.

    Attributes:
        parent_frame: Parent frame.
        child_frame: Child frame.
        transform: T_parent_child.
    """

    RECORD: ClassVar[struct.Struct] = struct.Struct("<64s64s56s")

    parent_frame: str
    child_frame: str
    transform: Transform

    def __post_init__(self) -> None:
        for field in ("parent_frame", "child_frame"):
            object.__setattr__(self, field, _name(getattr(self, field)))
        _check_transform(self.transform)

    def record(self) -> tuple[bytes, bytes, bytes]:
        """The arguments of `RECORD`."""
        return (
            _encode(self.parent_frame),
            _encode(self.child_frame),
            self.transform.to_bytes(),
        )

    @classmethod
    def from_record(cls, parent: bytes, child: bytes, numbers: bytes) -> Self:
        """From the values of `RECORD`."""
        return cls(_decode(parent), _decode(child), Transform.from_bytes(numbers))

    def __str__(self) -> str:
        return f"{self.parent_frame} -> {self.child_frame}, static: {_short(self.transform)}"


@dataclass(frozen=True, slots=True)
class TFMessage:
    """Any number of stamped transforms, one record after the other.

    Attributes:
        transforms: The transforms, in the order in which they are to be stored.
    """

    transforms: tuple[TransformStamped, ...] = ()

    def __init__(self, transforms: Iterable[TransformStamped] = ()) -> None:
        transforms = tuple(transforms)
        for transform in transforms:
            if not isinstance(transform, TransformStamped):
                raise InvalidTransformError(
                    f"transforms[{transforms.index(transform)}] must be a TransformStamped, "
                    f"got {transform!r}"
                )
        _set_transforms(self, transforms)

    def to_bytes(self) -> bytes:
        """The records, joined."""
        return b"".join(transform.to_bytes() for transform in self.transforms)

    @classmethod
    def from_bytes(cls, data: bytes | memoryview) -> Self:
        """Reads joined records.

        Raises:
            InvalidTransformError: The size is not a multiple of 192 bytes, or a record is invalid.
        """
        size = TransformStamped.RECORD.size
        if len(data) % size:
            raise InvalidTransformError(
                f"a TFMessage is a multiple of {size} bytes, got {len(data)}; was it cut off?"
            )
        view = memoryview(data)
        return cls(
            TransformStamped.from_bytes(view[start : start + size])
            for start in range(0, len(data), size)
        )

    def __iter__(self) -> Iterator[TransformStamped]:
        return iter(self.transforms)

    def __len__(self) -> int:
        return len(self.transforms)

    def __str__(self) -> str:
        names = ", ".join(transform.child_frame for transform in self.transforms[:4])
        more = ", ..." if len(self.transforms) > 4 else ""
        plural = "" if len(self.transforms) == 1 else "s"
        return f"{len(self.transforms)} transform{plural}: {names}{more}"


_set_transforms = TFMessage.transforms.__set__  # type: ignore[attr-defined]
_make_message = RecordMaker((TFMessage, TFMessage.transforms)).make
_make_stamped = RecordMaker(
    (TransformStamped, *(getattr(TransformStamped, slot) for slot in TransformStamped.__slots__))
).make


def message_of(
    parent_frame: str, child_frame: str, stamp_ns: SupportsIndex, transform: Transform
) -> TFMessage:
    """A message of one transform, with less work than the two constructors."""
    try:
        is_fit = (
            parent_frame in _encoded
            and child_frame in _encoded
            and stamp_ns.__class__ is int
            and _FIRST_NS <= stamp_ns <= _LAST_NS  # type: ignore[operator]
            and transform.__class__ is Transform
        )
    except TypeError:  # a name that has no hash
        is_fit = False
    if not is_fit:
        return TFMessage((TransformStamped(parent_frame, child_frame, stamp_ns, transform),))
    return _make_message((_make_stamped(parent_frame, child_frame, stamp_ns, transform),))


def _stamp(stamp_ns: SupportsIndex) -> int:
    if type(stamp_ns) is int and _FIRST_NS <= stamp_ns <= _LAST_NS:
        return stamp_ns
    stamp = None
    if isinstance(stamp_ns, SupportsIndex) and not isinstance(stamp_ns, bool):
        stamp = operator.index(stamp_ns)
    if stamp is None or not _FIRST_NS <= stamp <= _LAST_NS:
        raise InvalidTransformError(
            f"stamp_ns must be integer nanoseconds in 64 bits, got {stamp_ns!r}"
        )
    return stamp


# Names that were found fit, encoded. A robot sends the same few names over and over.
_encoded: dict[str, bytes] = {}
_decoded: dict[bytes, str] = {}
_MOST_NAMES = 10_000


def _name(frame: str) -> str:
    # As in the tree, so that one frame has one record.
    bare = frame.lstrip("/") if isinstance(frame, str) else frame
    _encode(bare)
    return bare


def _check_transform(transform: Transform) -> None:
    if not isinstance(transform, Transform):
        raise InvalidTransformError(f"transform must be a Transform, got {transform!r}")


def _encode(frame: str) -> bytes:
    known = _encoded.get(frame) if isinstance(frame, str) else None
    if known is not None:
        return known
    if not isinstance(frame, str) or not frame:
        raise InvalidTransformError(f"a frame name must be text and not empty, got {frame!r}")
    try:
        data = frame.encode()
    except UnicodeEncodeError as error:
        raise InvalidTransformError(f"frame name {frame!a} is not valid Unicode") from error
    if len(data) > FRAME_NAME_BYTES:
        raise InvalidTransformError(
            f"frame name '{frame}' has {len(data)} bytes in UTF-8; "
            f"the longest is {FRAME_NAME_BYTES}, shorten it"
        )
    if b"\0" in data:
        raise InvalidTransformError(f"frame name {frame!r} contains a NUL character; remove it")
    if len(_encoded) >= _MOST_NAMES:
        _encoded.clear()
    _encoded[frame] = data
    return data


def _decode(field: bytes) -> str:
    known = _decoded.get(field)
    if known is not None:
        return known
    try:
        frame = field.rstrip(b"\0").decode()
    except UnicodeDecodeError as error:
        raise InvalidTransformError(f"frame name {field!r} is not UTF-8") from error
    if len(_decoded) >= _MOST_NAMES:
        _decoded.clear()
    _decoded[field] = frame
    return frame


def _short(transform: Transform) -> str:
    x, y, z = transform.translation
    roll, pitch, yaw = transform.to_euler()
    return f"xyz ({x:.3f}, {y:.3f}, {z:.3f}) m, rpy ({roll:.3f}, {pitch:.3f}, {yaw:.3f}) rad"
