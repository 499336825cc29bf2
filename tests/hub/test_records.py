import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import HorusError, InvalidTransformError, MessageError
from horus_sim.hub import messages as msgs
from horus_sim.hub.codec import Header, decode, encode
from horus_sim.hub.records import decoder, encoder
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped

T = Transform((1, 2, 3), (0, 0, 0.6, 0.8))
HEADER = Header(epoch=3, sequence=7, sent_ns=-5)
MESSAGES = [
    TransformStamped("odom", "base", 5, T),
    StaticTransformStamped("base", "camera", T),
    TFMessage([TransformStamped("odom", "base", 5, T)]),
    msgs.CmdVel(1, 2),
]
names = st.text(min_size=1, max_size=16).filter(lambda name: "\0" not in name.lstrip("/") != "")


@given(names, names, st.integers(-(2**63), 2**63 - 1), st.text(max_size=300))
def test_bytes_are_those_of_the_general_way(parent, child, stamp_ns, source):
    for sample in (
        TransformStamped(parent, child, stamp_ns, T),
        StaticTransformStamped(parent, child, T),
        *(TFMessage([TransformStamped(parent, child, stamp_ns, T)] * n) for n in range(3)),
    ):
        data = encoder(type(sample), source)(sample, *HEADER)
        assert data == encode(sample, HEADER, source)
        read = decoder(type(sample))
        for _ in range(2):  # the second time, the sender is known
            assert read(data) == decode(data) == (sample, source)


@pytest.mark.parametrize("sample", MESSAGES, ids=lambda sample: type(sample).__name__)
def test_another_type_is_refused_before_and_after_a_fit_message(sample):
    read = decoder(type(sample))
    other = encode(msgs.String("x"), HEADER, "a")
    for _ in range(2):
        with pytest.raises(MessageError, match="has the type 'String', but"):
            read(other)
        assert read(encode(sample, HEADER, "a")) == (sample, "a")


@given(st.sampled_from(MESSAGES[:3]), st.integers(0, 300), st.integers(0, 255))
def test_damaged_frames_are_refused_or_read(sample, position, value):
    read = decoder(type(sample))
    data = bytearray(encode(sample, HEADER, "a"))
    read(bytes(data))
    data[position % len(data)] = value
    try:
        frame = read(bytes(data))
    except HorusError:
        return
    assert isinstance(frame.message, type(sample))


def test_a_cut_frame_is_refused():
    read = decoder(TransformStamped)
    data = encode(MESSAGES[0], HEADER, "a")
    read(data)
    for length in range(len(data)):
        with pytest.raises(MessageError):
            read(data[:length])


def test_a_quaternion_of_nothing_is_refused():
    data = bytearray(encode(MESSAGES[0], HEADER, ""))
    read = decoder(TransformStamped)
    read(bytes(data))
    start = len(data) - 1 - 32
    data[start : start + 32] = struct.pack("<4d", 0, 0, 0, 0)
    with pytest.raises(InvalidTransformError, match="rotation is the zero quaternion"):
        read(bytes(data))
