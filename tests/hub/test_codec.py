# Messages convert lists and other array types: pyright sees the converted type only.
# pyright: reportArgumentType=false
import re
import struct
from contextlib import suppress

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from horus_sim.errors import InvalidTransformError, MessageError
from horus_sim.hub import Message, message
from horus_sim.hub import messages as msgs
from horus_sim.hub.codec import HEADER as LAYOUT
from horus_sim.hub.codec import MAGIC, Header, decode, decode_header, encode
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped

HEADER = Header(epoch=3, sequence=7, sent_ns=-5)
T = Transform((1, 2, 3), (0, 0, 0.6, 0.8))

EXAMPLES = [
    msgs.String("grüße"),
    msgs.Clock(2**62),
    msgs.Twist((1, 2, 3), (4, 5, 6), 7),
    msgs.CmdVel(0.5, -1.5, 9),
    msgs.Odometry(1, "odom", "base", T, (1, 0, 0), (0, 0, 1), np.eye(6), None),
    msgs.Imu(1, "imu", (1, 2, 3), (0, 0, 9.81), [0, 0, 0, 1]),
    msgs.LaserScan(1, "lidar", -3.14, 0.01, 0.1, 20, np.linspace(0, 1, 720), None, 1e-4),
    msgs.PointCloud(1, "lidar", np.ones((5, 3)), np.ones(5), np.arange(5), np.arange(5)),
    msgs.Image(1, "camera", np.arange(60).reshape(4, 5, 3), "rgb8"),
    msgs.DepthImage(1, "camera", np.full((4, 5), np.inf)),
    msgs.RgbdImage(1, "camera", np.ones((4, 5, 3)), np.full((4, 5), np.inf)),
    msgs.SegmentationImage(1, "camera", np.ones((4, 5)), ("background", "burger")),
    msgs.CameraInfo(1, "camera", 640, 480, np.eye(3), [0.1, 0.2], "plumb_bob"),
    msgs.NavSatFix(1, "gps", 52.5, 13.4, 34.0, np.eye(3), [1, 2, 3]),
    msgs.JointState(1, ("a", "b"), [1, 2], [3, 4], None),
    msgs.JointCommand(("a", "b"), [1, 2], "velocity", 3),
    msgs.Wrench(1, "tool", (1, 2, 3), (4, 5, 6)),
    msgs.Contact(1, "a", "b", (0, 0, 0), (0, 0, 1), 12.5),
    msgs.Contacts(1, "bumper", ("a",), ("b",), np.ones((1, 3)), np.ones((1, 3)), np.ones((1, 3))),
    msgs.Range(1, "sonar", 0.5, 0.02, 4.0, np.inf),
    msgs.Reflectance(1, "line", np.array([0.0, 0.5, 1.0])),
    msgs.MagneticField(1, "compass", (2e-5, 0, -4e-5)),
    msgs.Encoder(1, "wheel", -12, 4096, 0.5),
    TransformStamped("odom", "base", 5, T),
    StaticTransformStamped("base", "camera", T),
    TFMessage([TransformStamped("odom", "base", i, T) for i in range(3)]),
]


def _packed(value):
    return msgspec.msgpack.encode(value)


def _described(*description):
    """An array field that tells of a buffer, as bytes."""
    return _packed(msgspec.msgpack.Ext(1, _packed(description)))


def _nested(depth):
    return b"\x91" * depth + b"\x90"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: type(example).__name__)
def test_every_message_comes_back(example):
    data = encode(example, HEADER)
    frame = decode(data, type(example))
    assert frame.message == example
    assert frame.source == ""
    assert decode(memoryview(bytearray(data))).message == example
    assert decode_header(data) == HEADER


def test_every_exported_type_is_tried_above():
    assert {type(example).__name__ for example in EXAMPLES} == set(msgs.__all__)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), plain, max_size=5))
def test_plain_dicts_come_back(content):
    assert decode(encode(content, HEADER), dict).message == content


@given(
    npst.arrays(
        st.sampled_from(["u1", "i2", "f4", "f8", "?", ">f8", "<i8"]),
        npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
    )
)
def test_arrays_in_dicts_come_back(values):
    result = decode(encode({"a": [values, T]}, HEADER), dict).message
    assert result["a"][0].shape == values.shape
    np.testing.assert_array_equal(result["a"][0], values)
    assert result["a"][1] == T


def test_arrays_are_read_in_place_and_read_only():
    data = encode(msgs.Image(1, "camera", np.zeros((100, 100, 3))), HEADER)
    picture = decode(data, msgs.Image).message.data
    assert not picture.flags.writeable
    assert not picture.flags.owndata
    assert picture.ctypes.data % 8 == np.frombuffer(data, np.uint8).ctypes.data % 8
    assert len(data) < 30_000 + 200


def test_the_senders_array_stays_writable():
    ranges = np.ones(4, dtype=np.float32)
    scan = msgs.LaserScan(1, "lidar", 0, 0.1, 0.1, 20, ranges)
    ranges[0] = 2.0
    assert scan.ranges[0] == 2.0
    assert not scan.ranges.flags.writeable


def test_a_type_of_ones_own():
    @message
    class Battery(Message):
        """Charge of a battery."""

        level: float
        cells: tuple[str, ...] = ()

    battery = Battery(0.5, ("a", "b"))
    frame = decode(encode(battery, HEADER, "robot-1"), Battery)
    assert frame.message == battery
    assert frame.source == "robot-1"
    with pytest.raises(MessageError, match="the type 'Battery', which this version does not know"):
        decode(encode(battery, HEADER))


def test_another_type_or_version():
    data = encode(msgs.CmdVel(1, 2), HEADER)
    with pytest.raises(MessageError, match="has the type 'CmdVel', but 'Image' is expected"):
        decode(data, msgs.Image)

    @message
    class CmdVel(Message):
        """A later release."""

        VERSION = 2
        linear: float
        angular: float
        stamp_ns: int = 0

    with pytest.raises(MessageError, match="is CmdVel version 1, but version 2 is expected"):
        decode(data, CmdVel)


@pytest.mark.parametrize("length", [0, 3, 39, 40, 60, 100])
def test_a_frame_that_is_cut_off(length):
    data = encode(msgs.LaserScan(1, "lidar", 0, 0.1, 0.1, 20, np.ones(720)), HEADER)
    with pytest.raises(MessageError, match=r"cut off|not a message of horus-sim"):
        decode(data[:length], msgs.LaserScan)


@given(st.binary(max_size=200))
def test_noise_is_an_error_and_nothing_worse(noise):
    for data in (noise, b"HRS1" + noise):
        with pytest.raises(MessageError):
            decode(data, msgs.CmdVel)


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_damaged_byte_is_an_error_or_another_value(position, value):
    data = bytearray(encode(msgs.Odometry(1, "odom", "base", T), HEADER))
    data[position % len(data)] = value
    # InvalidTransformError: the numbers are no transform any more.
    with suppress(MessageError, InvalidTransformError):
        assert isinstance(decode(bytes(data), msgs.Odometry).message, msgs.Odometry)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (("dict", 1, [1, 2], "me"), "a dict is expected, but a message holds [1, 2]"),
        (("dict", 1, {}, ["me"]), "the sender of a message must have a name, got ['me']"),
        (("dict", 1, _described(0, "O", [1]), ""), "an array of 'O', which cannot be sent"),
        (("dict", 1, _described(-1, "<f8", [1]), ""), "an array of '<f8', which cannot be sent"),
        (("dict", 1, _described(0, "(", [1]), ""), "a message is damaged"),
        (("dict", 1, _described(0, "|u1", [2**62, 2**62]), ""), "a message is damaged"),
        (("dict", 1, _described(5, "|u1", [1]), ""), "a message is damaged"),
        (("dict", 1, _nested(100_000), ""), "a message is damaged"),
    ],
)
def test_a_body_that_does_not_fit_is_an_error(content, text):
    *head, inner, source = content
    body = b"".join(
        (b"\x94", *map(_packed, head), inner if isinstance(inner, bytes) else _packed(inner))
    ) + _packed(source)
    with pytest.raises(MessageError, match=re.escape(text)):
        decode(LAYOUT.pack(MAGIC, 0, 0, len(body), 0, 1, 0) + body)


def test_a_frame_with_more_buffers_than_bytes_is_cut_off():
    with pytest.raises(MessageError, match="cut off after 40 bytes"):
        decode(LAYOUT.pack(MAGIC, 65535, 0, 0, 0, 1, 0))


def test_what_cannot_be_sent():
    with pytest.raises(MessageError, match="cannot be sent; a dict may hold numbers"):
        encode({"a": object()}, HEADER)
    with pytest.raises(MessageError, match="array of object cannot be sent"):
        encode({"a": np.array([None])}, HEADER)
    with pytest.raises(MessageError, match="is not a message type; use one of dict, CameraInfo"):
        encode([1, 2], HEADER)
    with pytest.raises(MessageError, match="a dict cannot be sent"):
        encode({"a": 2**70}, HEADER)


def test_the_layout_on_the_wire():
    data = encode(msgs.String("x"), HEADER)
    assert data[:4] == b"HRS1"
    assert struct.unpack_from("<HHI4xQQq", data, 4) == (0, 0, len(data) - 40, 3, 7, -5)
    assert decode_header(data) == (3, 7, -5)


def test_large_frames_use_the_same_memory_and_bytes():
    scratch = []
    for value in (1, 2):
        image = msgs.Image(1, "camera", np.full((40, 50, 3), value))
        data = encode(image, HEADER, "robot", scratch)
        assert data == encode(image, HEADER, "robot")
        assert data is scratch[0]
    assert decode(encode(EXAMPLES[6], HEADER, "", scratch)).message == EXAMPLES[6]
