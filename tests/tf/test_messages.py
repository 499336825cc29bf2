import struct
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.tf import (
    InvalidTransformError,
    StaticTransformStamped,
    TFMessage,
    Transform,
    TransformStamped,
)

from .strategies import transforms

stamps = st.integers(-(2**63), 2**63 - 1)
# Up to four bytes a character in UTF-8.
characters = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/")
frame_names = st.text(characters, min_size=1, max_size=16)
stamped = st.builds(TransformStamped, frame_names, frame_names, stamps, transforms)
T = Transform((1, 2, 3), (0, 0, 0.6, 0.8))


def test_the_records_have_the_size_and_layout_of_the_blueprint():
    data = TransformStamped("odom", "base", 7, T).to_bytes()
    assert len(data) == 192
    assert data[:64] == b"odom".ljust(64, b"\0")
    assert data[64:128] == b"base".ljust(64, b"\0")
    assert struct.unpack("<q7d", data[128:]) == (7, 1, 2, 3, 0, 0, 0.6, 0.8)
    static = StaticTransformStamped("odom", "base", T).to_bytes()
    assert len(static) == 184
    assert static == data[:128] + data[136:]


@given(stamped)
def test_round_trip(message):
    assert TransformStamped.from_bytes(message.to_bytes()) == message
    static = StaticTransformStamped(message.parent_frame, message.child_frame, message.transform)
    assert StaticTransformStamped.from_bytes(static.to_bytes()) == static


@given(st.lists(stamped, max_size=40))
def test_a_message_takes_any_number(entries):
    message = TFMessage(entries)
    data = message.to_bytes()
    assert len(data) == 192 * len(entries)
    assert TFMessage.from_bytes(data) == message
    assert TFMessage.from_bytes(memoryview(data)) == message
    assert list(message) == entries
    assert len(message) == len(entries)


def test_names_of_64_bytes_fit_and_longer_ones_are_refused():
    for name in ("x" * 64, "é" * 32):
        message = TransformStamped(name, "b", 0, T)
        assert TransformStamped.from_bytes(message.to_bytes()).parent_frame == name
    with pytest.raises(InvalidTransformError, match="has 65 bytes in UTF-8; the longest is 64"):
        TransformStamped("x" * 65, "b", 0, T)
    with pytest.raises(InvalidTransformError, match="has 66 bytes in UTF-8; the longest is 64"):
        StaticTransformStamped("a", "é" * 33, T)


def test_a_leading_slash_is_dropped_as_in_the_tree():
    message = TransformStamped("/map", "/base", 0, T)
    assert message == TransformStamped("map", "base", 0, T)
    assert StaticTransformStamped("/map", "base", T) == StaticTransformStamped("map", "base", T)


def test_messages_are_frozen():
    message = TransformStamped("a", "b", 0, T)
    with pytest.raises(FrozenInstanceError):
        message.stamp_ns = 1  # pyright: ignore[reportAttributeAccessIssue]


def test_one_readable_line():
    message = TransformStamped("odom", "base", 1_500_000_000, Transform((1, 2, 3)))
    text = "xyz (1.000, 2.000, 3.000) m, rpy (0.000, 0.000, 0.000) rad"
    assert str(message) == f"odom -> base at 1.500 s: {text}"
    static = StaticTransformStamped("odom", "base", Transform((1, 2, 3)))
    assert str(static) == f"odom -> base, static: {text}"
    assert str(TFMessage([message])) == "1 transform: base"
    assert str(TFMessage([message] * 5)) == "5 transforms: base, base, base, base, ..."


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("", "b", 0, T), "a frame name must be text and not empty, got ''"),
        (("a", None, 0, T), "a frame name must be text and not empty, got None"),
        (("a", "b\0c", 0, T), "contains a NUL character; remove it"),
        (("a", "\ud800", 0, T), "is not valid Unicode"),
        (("a", "b", 1.5, T), "stamp_ns must be integer nanoseconds in 64 bits, got 1.5"),
        (("a", "b", True, T), "stamp_ns must be integer nanoseconds in 64 bits, got True"),
        (("a", "b", 2**63, T), "stamp_ns must be integer nanoseconds in 64 bits"),
        (("a", "b", 0, (1, 2, 3)), r"transform must be a Transform, got \(1, 2, 3\)"),
    ],
)
def test_what_a_record_refuses(arguments, text):
    with pytest.raises(InvalidTransformError, match=text):
        TransformStamped(*arguments)


def test_a_stamp_may_come_from_an_array_as_in_the_tree():
    message = TransformStamped("a", "b", np.array([7])[0], T)
    assert message == TransformStamped.from_bytes(message.to_bytes())
    assert message.stamp_ns == 7


def test_what_a_message_refuses():
    with pytest.raises(InvalidTransformError, match=r"transforms\[0\] must be a TransformStamped"):
        TFMessage([T])  # pyright: ignore[reportArgumentType]


def test_bytes_that_are_no_record():
    data = TransformStamped("odom", "base", 7, T).to_bytes()
    with pytest.raises(InvalidTransformError, match="a TransformStamped has 192 bytes, got 191"):
        TransformStamped.from_bytes(data[:-1])
    with pytest.raises(InvalidTransformError, match="a StaticTransformStamped has 184 bytes"):
        StaticTransformStamped.from_bytes(data)
    with pytest.raises(
        InvalidTransformError, match="multiple of 192 bytes, got 383; was it cut off"
    ):
        TFMessage.from_bytes((data + data)[:-1])
    with pytest.raises(InvalidTransformError, match="is not UTF-8"):
        TransformStamped.from_bytes(b"\xff" + data[1:])
    with pytest.raises(InvalidTransformError, match=r"translation\[0\] is nan"):
        TransformStamped.from_bytes(data[:136] + struct.pack("<d", float("nan")) + data[144:])
    with pytest.raises(InvalidTransformError, match="zero quaternion"):
        TransformStamped.from_bytes(data[:160] + bytes(32))


@given(transforms)
def test_a_transform_comes_back_from_its_bytes(T):
    data = T.to_bytes()
    assert data == struct.pack("<7d", *T.translation, *T.rotation)
    assert Transform.from_bytes(data) == T
    assert Transform.from_bytes(memoryview(data)) == T


def test_bytes_that_are_no_transform():
    with pytest.raises(InvalidTransformError, match="a Transform has 56 bytes, got 3"):
        Transform.from_bytes(b"abc")
    with pytest.raises(InvalidTransformError, match=r"not valid: rotation\[3\] is inf"):
        Transform.from_bytes(struct.pack("<7d", 0, 0, 0, 0, 0, 0, float("inf")))
    with pytest.raises(InvalidTransformError, match="rotation is the zero quaternion"):
        Transform.from_bytes(bytes(56))
    with pytest.raises(TypeError, match="bytes-like"):
        Transform.from_bytes("text")  # pyright: ignore[reportArgumentType]


def test_a_name_without_hash_is_refused():
    with pytest.raises(InvalidTransformError, match="a frame name must be text"):
        TransformStamped(["a"], "b", 0, Transform())  # pyright: ignore[reportArgumentType]
