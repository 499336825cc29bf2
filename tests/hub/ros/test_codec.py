"""Messages as CDR: cases nobody here wrote, random ones against rosbags and pycdr2, refusals."""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_typestore

from horus_sim.errors import MessageError
from horus_sim.hub.ros.codec import decode, encode
from horus_sim.hub.ros.definition import FieldDefinition, definition_of, type_names

from .. import cdr_adapter as adapter
from . import pycdr2_types

STORE = get_typestore(Stores.ROS2_JAZZY)
NAMES = [name for name in type_names() if name in STORE.fielddefs]
RANGES = {
    "bool": st.booleans(),
    "float32": st.floats(width=32, allow_nan=False),
    "float64": st.floats(allow_nan=False),
    "string": st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9),
} | {
    f"{sign}int{bits}": st.integers(
        0 if sign else -(2 ** (bits - 1)), 2 ** (bits if sign else bits - 1) - 1
    )
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}


def test_cases(shared: Path):
    cases = json.loads(gzip.decompress((shared / "ros2" / "cdr_cases.json.gz").read_bytes()))
    assert len(cases) == 684
    for case in cases:
        assert adapter.encode(case["type"], case["value"]).hex() == case["cdr"]
        # As text: -0.0 is not 0.0 there.
        back = adapter.decode(case["type"], bytes.fromhex(case["cdr"]))
        assert json.dumps(back) == json.dumps(case["value"])


def values_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    fields = definition_of(name).fields
    return st.fixed_dictionaries({part.name: _field(part) for part in fields})


def _field(part: FieldDefinition) -> st.SearchStrategy[Any]:
    one = values_of(part.kind) if part.is_nested else RANGES[part.kind]
    if part.written_kind == "byte":
        one = st.integers(0, 127)  # rosbags writes no larger ones
    if part.shape == "one":
        return one
    least = part.count if part.shape == "array" else 0
    return st.lists(one, min_size=least, max_size=part.count or 3)


def as_rosbags(name: str, value: dict[str, Any]) -> Any:
    """The message of rosbags with these fields."""
    types = {"byte": "uint8", "char": "uint8"}
    fields = {}
    for part in definition_of(name).fields:
        held = value[part.name]
        if part.is_nested:
            nested = [
                as_rosbags(part.kind, item) for item in ([held] if part.shape == "one" else held)
            ]
            held = nested[0] if part.shape == "one" else nested
        elif part.shape != "one" and part.kind != "string":
            held = np.array(held, types.get(part.kind, part.kind))
        fields[part.name] = held
    return STORE.types[name](**fields)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8)
@given(data=st.data())
def test_random_messages_as_rosbags_writes_them(name: str, data: st.DataObject):
    value = data.draw(values_of(name))
    theirs = bytes(STORE.serialize_cdr(as_rosbags(name, value), name))
    assert encode(name, value) == theirs
    assert adapter.decode(name, theirs) == value


def as_pycdr2(kind: Any, value: Any) -> Any:
    """The message of pycdr2 with these fields."""
    if not isinstance(value, dict):
        return value
    fields = kind.__dataclass_fields__
    return kind(**{name: as_pycdr2(fields[name].type, part) for name, part in value.items()})


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("std_msgs/msg/Header", pycdr2_types.Header),
        ("geometry_msgs/msg/Twist", pycdr2_types.Twist),
        ("sensor_msgs/msg/Image", pycdr2_types.Image),
        ("sensor_msgs/msg/MagneticField", pycdr2_types.MagneticField),
        ("sensor_msgs/msg/JointState", pycdr2_types.JointState),
    ],
)
@settings(max_examples=25)
@given(data=st.data())
def test_random_messages_as_pycdr2_writes_them(name: str, kind: type, data: st.DataObject):
    value = data.draw(values_of(name))
    assert encode(name, value) == as_pycdr2(kind, value).serialize()


def test_arrays_are_copied_as_they_are():
    scan = {
        "header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""},
        **dict.fromkeys(
            ("angle_min", "angle_max", "angle_increment", "time_increment", "scan_time"), 0.0
        ),
        "range_min": 0.0,
        "range_max": 9.0,
        "ranges": np.array([1, math.inf, 3], np.float64),
        "intensities": np.arange(8, dtype=np.float32)[::2],
    }
    back = decode("sensor_msgs/msg/LaserScan", encode("sensor_msgs/msg/LaserScan", scan))
    assert back["ranges"].dtype == np.float32
    assert back["ranges"].tolist() == [1, math.inf, 3]
    assert back["intensities"].tolist() == [0, 2, 4, 6]


def test_large_arrays_of_bytes_are_views_that_keep_the_message():
    cloud = np.arange(10_000) % 251
    data = encode(
        "sensor_msgs/msg/CompressedImage",
        {
            "header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""},
            "format": "png",
            "data": cloud.astype(np.uint8),
        },
    )
    back = decode("sensor_msgs/msg/CompressedImage", data)["data"]
    del data
    assert not back.flags.writeable
    assert (back == cloud).all()


POINT = {"x": 0.0, "y": 0.0, "z": 0.0}


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("geometry_msgs/msg/Point", {"x": 0.0, "y": 0.0}, "Point: z: the field is missing"),
        ("geometry_msgs/msg/Point", POINT | {"y": "a"}, r"y: give a number \(float64\), got 'a'"),
        ("geometry_msgs/msg/Pose", {"position": POINT | {"x": None}}, "position.x: give a number"),
        ("std_msgs/msg/UInt8", {"data": 256}, "data: 256 does not fit uint8"),
        ("std_msgs/msg/Int32", {"data": 1.5}, r"data: give a whole number \(int32\), got 1.5"),
        ("std_msgs/msg/UInt64", {"data": -1}, "data: -1 does not fit uint64"),
        ("std_msgs/msg/String", {"data": 1}, "data: give a text, got 1"),
        ("std_msgs/msg/String", {"data": "a\0b"}, "a text must not hold a zero"),
        ("std_msgs/msg/String", {"data": "\ud800"}, "cannot be written as UTF-8"),
        ("std_msgs/msg/Bool", {"data": "yes"}, "give True or False, got 'yes'"),
        ("sensor_msgs/msg/Joy", {}, "header: the field is missing"),
        (
            "geometry_msgs/msg/PoseWithCovariance",
            {"pose": {"position": POINT, "orientation": POINT | {"w": 1.0}}, "covariance": [0.0]},
            "covariance: exactly 36 values are needed, got 1",
        ),
        (
            "geometry_msgs/msg/Polygon",
            {"points": [POINT, POINT | {"x": "a"}]},
            r"points\[1\].x: give a number",
        ),
        ("geometry_msgs/msg/Polygon", {"points": "abc"}, "points: give a list, got 'abc'"),
        ("std_msgs/msg/Nothing", {}, "'std_msgs/msg/Nothing' is not a known ROS type"),
    ],
)
def test_what_does_not_fit_is_named(name: str, value: dict[str, Any], text: str):
    with pytest.raises(MessageError, match=text):
        encode(name, value)


def test_arrays_of_another_kind_are_refused():
    message = {"layout": {"dim": [], "data_offset": 0}, "data": np.array([1.5])}
    with pytest.raises(MessageError, match="data: give an array of int32, got array"):
        encode("std_msgs/msg/Int32MultiArray", message)


@pytest.mark.parametrize("name", ["tf2_msgs/msg/TFMessage", "sensor_msgs/msg/JointState"])
@given(data=st.data())
def test_bytes_that_are_no_message_are_refused(name: str, data: st.DataObject):
    whole = encode(name, data.draw(values_of(name)))
    for end in range(len(whole)):
        with pytest.raises(MessageError, match=r"the message ends at byte|the header is not"):
            decode(name, whole[:end])
    noise = bytes((0, 1, 0, 0)) + data.draw(st.binary(max_size=60))
    with contextlib.suppress(MessageError):
        decode(name, noise)


def test_made_up_lengths_ask_for_no_memory():
    huge = struct.pack("<4sI", bytes((0, 1, 0, 0)), 2**32 - 1)
    with pytest.raises(MessageError, match="transforms: the message ends at byte 8"):
        decode("tf2_msgs/msg/TFMessage", huge)
    with pytest.raises(MessageError, match=r"the header is not that of CDR in little-endian order"):
        decode("std_msgs/msg/Bool", b"\0\0\0\0\1")
