"""Messages as they are recorded, in JSON and Foxglove's schemas: there and back, bit by bit."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader

from horus_sim.errors import MessageError
from horus_sim.hub import Message, messages
from horus_sim.hub.json_form import from_plain, schema_of, to_text
from horus_sim.running.recording.foxglove.channels import Channels
from horus_sim.running.recording.foxglove.message_form import wires
from horus_sim.running.recording.foxglove.sdk import foxglove
from horus_sim.running.recording.mcap.reader import McapFile
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped

T = Transform.from_euler((1.0, -2.0, 0.1), (0.3, -0.2, 2.0))
STAMP = 1_234_567_891
F4 = np.float32
EXAMPLES = [
    messages.String("text with 'quotes' and \n lines"),
    messages.Clock(STAMP),
    messages.CmdVel(0.1, -0.2),
    messages.Twist((1.0, 2.0, 3.0), (0.1, 0.2, 0.3)),
    messages.Odometry(STAMP, "odom", "base", T, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    messages.Odometry(STAMP, "odom", "base", T, pose_covariance=np.arange(36.0).reshape(6, 6)),
    messages.JointState(STAMP, ("a", "b"), np.array([0.1, 0.2])),
    messages.JointState(STAMP, ("a",), np.array([0.1]), np.array([0.0]), np.array([-3.0])),
    messages.JointState(STAMP, (), np.zeros(0)),
    messages.JointCommand(("a", "b"), np.array([0.1, 1 / 3]), "velocity"),
    messages.Imu(STAMP, "imu", (0.1, 0.2, 0.3), (0.0, 0.0, 9.81), np.array([0.0, 0.0, 0.0, 1.0])),
    messages.Imu(STAMP, "imu"),
    messages.LaserScan(
        STAMP, "scan", -3.14, 0.01, 0.1, 3.5, np.array([1.0, np.inf, 0.3], F4), None, 1e-4
    ),
    messages.LaserScan(STAMP, "scan", -3.14, 0.01, 0.1, 3.5, np.ones(2, F4), np.array([7, 8], F4)),
    messages.PointCloud(STAMP, "lidar", np.arange(12, dtype=F4).reshape(4, 3)),
    messages.PointCloud(
        STAMP, "lidar", np.arange(6, dtype=F4).reshape(2, 3), np.array([0.5, 0.6], F4),
        np.array([3, 65535], np.uint16), np.array([STAMP, STAMP + 99_999_999]),
    ),
    messages.PointCloud(STAMP, "lidar", np.zeros((0, 3), F4)),
    messages.NavSatFix(STAMP, "gps", 47.123456789, 8.5, 431.25),
    messages.NavSatFix(STAMP, "gps", 47.1, 8.5, 431.0, np.diag([1.0, 2.0, 3.0]), np.ones(3)),
    messages.Wrench(STAMP, "tool", (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)),
    messages.Range(STAMP, "sonar", 0.5, 0.1, 4.0, -math.inf),
    messages.Reflectance(STAMP, "line", np.array([0.0, 0.5, 1.0])),
    messages.MagneticField(STAMP, "mag", (2e-5, 0.0, -4e-5)),
    messages.Encoder(STAMP, "wheel", -5, 4096, 0.25),
    messages.Contact(STAMP, "a", "b", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 9.81),
    messages.Contacts(STAMP, "world", (), (), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))),
    messages.Image(STAMP, "cam", np.arange(24, dtype=np.uint8).reshape(2, 4, 3)),
    messages.Image(STAMP, "cam", np.arange(8, dtype=np.uint8).reshape(2, 4, 1), "mono8"),
    messages.DepthImage(STAMP, "cam", np.array([[1.5, np.inf], [0.1, -np.inf]], F4)),
    messages.SegmentationImage(STAMP, "cam", np.eye(2, dtype=np.int32), ("sky", "a")),
    messages.CameraInfo(STAMP, "cam", 4, 2, np.array([[2.0, 0, 1.5], [0, 2.0, 0.5], [0, 0, 1]])),
    messages.CameraInfo(STAMP, "cam", 4, 2, np.eye(3), np.arange(5.0), "plumb_bob"),
    messages.TwistStamped(STAMP, "base", (1.0, 2.0, 3.0)),
    messages.CompressedImage(STAMP, "cam", "jpeg", np.arange(9, dtype=np.uint8)),
    messages.PointStamped(STAMP, "map", (1.0, 2.0, 3.0)),
    messages.Vector3Stamped(STAMP, "map", (1.0, 2.0, 3.0)),
    messages.PoseStamped(STAMP, "map", T),
    messages.Path(STAMP, "map", (messages.PoseStamped(STAMP, "map", T),)),
    messages.OccupancyGrid(STAMP, "map", 0.05, T, np.array([[0, 100, -1]], np.int8)),
    messages.JointTrajectory(STAMP, ("a",), np.array([1, 2]), np.array([[1.0], [2.0]])),
    messages.Marker(STAMP, "map", "cube", T),
    messages.MarkerArray((messages.Marker(STAMP, "map", "line_strip", T, points=np.ones((2, 3))),)),
    TFMessage([TransformStamped("a", "b", STAMP, T), TransformStamped("b", "c", STAMP, T)]),
    {"kind": "command", "step": 3, "list": [1, 2.5, None, "x"], "flag": True},
]  # fmt: skip


def write(tmp_path, *logged, images: Any = "raw"):
    """A file with these (topic, message, stamp)."""
    path = tmp_path / "some.mcap"
    channels = Channels(images)
    with foxglove.open_mcap(path, context=channels.context, allow_overwrite=True):
        for topic, message, stamp_ns in logged:
            channels.log(topic, message, stamp_ns)
    return path


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda m: type(m).__name__)
def test_a_message_comes_back_as_it_was(message, tmp_path):
    path = write(tmp_path, ("some/topic", message, 77))
    (found,) = McapFile(path).read()
    assert (found.topic, found.stamp_ns) == ("some/topic", 77)
    assert found.value == message
    assert type(found.value) is type(message)


def test_every_message_type_is_among_the_examples():
    covered = {type(message).__name__ for message in EXAMPLES}
    # These two are parts of messages; colour with depth has a test of its own.
    parts = {"StaticTransformStamped", "TransformStamped", "RgbdImage"}
    assert set(messages.__all__) <= covered | parts


def test_static_transforms_come_back(tmp_path):
    frames = (StaticTransformStamped("a", "b", T), StaticTransformStamped("a", "c", T.inverse()))
    path = write(tmp_path, ("tf_static", frames, 5))
    (found,) = McapFile(path).read()
    assert found.value == frames


def test_colour_with_depth_is_two_topics_in_the_file_and_one_message_again(tmp_path):
    pixels, depth = np.zeros((2, 3, 3), np.uint8), np.ones((2, 3), np.float32)
    both = [messages.RgbdImage(STAMP + i, "cam", pixels + i, depth * i) for i in range(3)]
    path = write(tmp_path, *(("cam", message, 5 + i) for i, message in enumerate(both)))
    with path.open("rb") as file:
        topics = {channel.topic for _, channel, _ in make_reader(file).iter_messages()}
    assert topics == {"/cam/image", "/cam/depth"}
    assert McapFile(path).topics() == {"cam"}
    found = list(McapFile(path).read(["cam"]))
    assert [(each.topic, each.stamp_ns) for each in found] == [("cam", 5), ("cam", 6), ("cam", 7)]
    assert [each.value for each in found] == both


@pytest.mark.parametrize("encoding", ["rgb8", "bgr8", "rgba8", "mono8"])
def test_pictures_may_be_packed(tmp_path, encoding):
    channels = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "mono8": 1}[encoding]
    y, x = np.mgrid[0:24, 0:40]
    planes = [4 * x, 8 * y, 255 - 4 * x, np.full_like(x, 200)][:channels]
    pixels = np.stack(planes, axis=2).astype(np.uint8)
    image = messages.Image(STAMP, "cam", pixels, encoding)
    (exact,) = McapFile(write(tmp_path, ("cam", image, 5), images="png")).read()
    assert exact.value == image
    assert exact.schema == "foxglove.CompressedImage"
    (near,) = McapFile(write(tmp_path, ("cam", image, 5), images="jpeg")).read()
    assert near.value.encoding == encoding
    assert np.abs(near.value.data.astype(int) - pixels).mean() < 3


def test_colour_with_depth_may_be_packed(tmp_path):
    y, x = np.mgrid[0:24, 0:40]
    pixels = np.stack([4 * x, 8 * y, 255 - 4 * x], axis=2).astype(np.uint8)
    both = messages.RgbdImage(STAMP, "cam", pixels, (x + y).astype(F4))
    (found,) = McapFile(write(tmp_path, ("cam", both, 5), images="png")).read()
    assert found.value == both


def test_another_reader_sees_foxgloves_own_schema(tmp_path):
    """What any tool does: the schema in the file, and protocol buffers."""
    scan = messages.LaserScan(STAMP, "scan", -0.5, 0.25, 0.1, 3.5, np.array([1, 2, 3], F4))
    path = write(tmp_path, ("burger/scan", scan, STAMP))
    with path.open("rb") as file:
        ((schema, channel, record),) = make_reader(file).iter_messages()
    assert (channel.topic, channel.message_encoding) == ("/burger/scan", "protobuf")
    assert schema is not None
    assert (schema.name, schema.encoding) == ("foxglove.LaserScan", "protobuf")
    pool = descriptor_pool.DescriptorPool()
    for part in descriptor_pb2.FileDescriptorSet.FromString(schema.data).file:
        pool.Add(part)
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(schema.name))
    found: Any = kind.FromString(record.data)
    assert list(found.ranges) == [1.0, 2.0, 3.0]
    assert (found.start_angle, found.end_angle) == (-0.5, 0.0)
    assert (found.timestamp.seconds, found.timestamp.nanos) == (1, 234567891)
    assert found.frame_id == "scan"


def test_json_has_a_schema_with_the_fields(tmp_path):
    path = write(tmp_path, ("imu", messages.Imu(STAMP, "imu"), 1))
    with path.open("rb") as file:
        ((schema, channel, record),) = make_reader(file).iter_messages()
    assert schema is not None
    assert (schema.name, schema.encoding, channel.message_encoding) == (
        "horus.Imu", "jsonschema", "json"
    )  # fmt: skip
    described = json.loads(schema.data)
    assert described["type"] == "object"
    assert set(described["properties"]) == set(json.loads(record.data)) == set(messages.Imu.FIELDS)


def test_a_recording_of_another_program_is_read_where_it_can_be(tmp_path):
    path = tmp_path / "other.mcap"
    context = foxglove.Context()
    with foxglove.open_mcap(path, context=context):
        from foxglove.channels import FrameTransformChannel, LogChannel, PointCloudChannel
        from foxglove.messages import Log, PackedElementField, PackedElementFieldNumericType
        from foxglove.messages import PointCloud as Cloud

        fields = [
            PackedElementField(name=name, offset=8 * i, type=PackedElementFieldNumericType.Float64)
            for i, name in enumerate("zyx")
        ]
        data = np.array([[3.0, 2.0, 1.0]]).tobytes()
        cloud = Cloud(frame_id="lidar", point_stride=24, fields=fields, data=data)
        PointCloudChannel("/points", context=context).log(cloud, log_time=1)
        LogChannel("/log", context=context).log(Log(message="hello"), log_time=2)
        foxglove.Channel("/free", context=context).log({"a": 1}, log_time=3)
        assert FrameTransformChannel
    points, log, free = McapFile(path).read()
    np.testing.assert_array_equal(points.value.points, [[1.0, 2.0, 3.0]])
    assert (log.value, log.schema) == (None, "foxglove.Log")
    assert free.value == {"a": 1}


finite_or_not = st.floats(allow_nan=True, allow_infinity=True)


@given(finite_or_not, finite_or_not, st.text(max_size=20))
def test_json_keeps_every_number_and_text(a, b, text):
    message = messages.Range(1, text, a, b, -b, a)
    data = to_text(message)
    json.loads(data, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    back = from_plain(messages.Range, json.loads(data))
    for name in messages.Range.FIELDS:
        before, after = getattr(message, name), getattr(back, name)
        assert before == after or (math.isnan(before) and math.isnan(after))


def test_json_refuses_what_it_cannot_hold():
    with pytest.raises(MessageError, match="has no form in JSON"):
        to_text({"x": io.BytesIO()})
    with pytest.raises(MessageError, match="CmdVel has no field 'speed'; known: linear"):
        from_plain(messages.CmdVel, {"speed": 1.0})


@pytest.mark.parametrize(
    "kind", [getattr(messages, name) for name in messages.__all__], ids=lambda kind: kind.__name__
)
def test_schemas_name_every_field(kind):
    if issubclass(kind, Message):
        assert set(schema_of(kind)["properties"]) == set(kind.FIELDS)


def test_the_rest_is_where_readers_pass_over_it():
    scan = messages.LaserScan(STAMP, "scan", -0.5, 0.25, 0.1, 3.5, np.array([1], F4))
    (wire,) = wires(scan, 0)
    assert b"range_max" in wire.data
    assert b"range_max" not in wire.schema.data
