"""Message classes as ROS messages: every class comes back, and rosbags reads what it should."""

# Messages convert lists and other array types: pyright sees the converted type only.
# pyright: reportArgumentType=false
from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from typing_extensions import TypeAliasType

from horus_sim.errors import HorusError, MessageError
from horus_sim.hub import Message, connect, message
from horus_sim.hub import messages as msgs
from horus_sim.hub.message import array
from horus_sim.hub.ros.binding import binding_of, ros_message, ros_type
from horus_sim.hub.ros.definition import definition_of
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped

STORE = get_typestore(Stores.ROS2_JAZZY)
T = Transform((1, 2, 3), (0, 0, 0.6, 0.8))
# Numbers that ROS keeps in 32 bits are chosen so that they fit.
EXAMPLES = [
    msgs.String("grüße"),
    msgs.Clock(2**60),
    msgs.Twist((1, 2, 3), (4, 5, 6)),
    msgs.TwistStamped(1, "base", (1, 2, 3), (4, 5, 6)),
    msgs.CmdVel(0.5, -1.5),
    msgs.Odometry(1, "odom", "base", T, (1, 0, 0), (0, 0, 1), np.eye(6), None),
    msgs.Imu(1, "imu", (1, 2, 3), (0, 0, 9.81), [0, 0, 0, 1]),
    msgs.Imu(1, "imu", (1, 2, 3), (0, 0, 9.81)),
    msgs.LaserScan(1, "lidar", -3.125, 0.0625, 0.125, 20, np.linspace(0, 1, 720), None, 0.5),
    msgs.LaserScan(1, "lidar", 0, 0.5, 0.125, 20, [np.inf, 1], [3, 4]),
    msgs.PointCloud(1, "lidar", np.ones((5, 3)), np.ones(5), np.arange(5), np.arange(1, 6)),
    msgs.PointCloud(1, "lidar", np.zeros((0, 3))),
    msgs.Image(1, "camera", np.arange(60).reshape(4, 5, 3), "rgb8"),
    msgs.DepthImage(1, "camera", np.full((4, 5), np.inf)),
    msgs.CompressedImage(1, "camera", "jpeg", np.arange(200)),
    msgs.RgbdImage(1, "camera", np.ones((4, 5, 3)), np.full((4, 5), np.inf)),
    msgs.SegmentationImage(1, "camera", np.ones((4, 5)), ("background", "burger")),
    msgs.CameraInfo(1, "camera", 640, 480, np.eye(3), [0.1, 0.2], "plumb_bob"),
    msgs.NavSatFix(1, "gps", 52.5, 13.4, 34.0, np.eye(3)),
    msgs.JointState(1, ("a", "b"), [1, 2], [3, 4], None),
    msgs.JointCommand(("a", "b"), [1, 2], "velocity", 3),
    msgs.JointTrajectory(1, ("a", "b"), [10, 20], [[1, 2], [3, 4]], [[0, 0], [1, 1]]),
    msgs.Wrench(1, "tool", (1, 2, 3), (4, 5, 6)),
    msgs.Contact(1, "a", "b", (0, 0, 0), (0, 0, 1), 12.5),
    msgs.Contacts(1, "bumper", ("a",), ("b",), np.ones((1, 3)), np.ones((1, 3)), np.ones((1, 3))),
    msgs.Range(1, "sonar", 0.5, 0.03125, 4.0, np.inf),
    msgs.Reflectance(1, "line", np.array([0.0, 0.5, 1.0])),
    msgs.MagneticField(1, "compass", (2e-5, 0, -4e-5)),
    msgs.Encoder(1, "wheel", -12, 4096, 0.5),
    msgs.PointStamped(1, "map", (1, 2, 3)),
    msgs.Vector3Stamped(1, "map", (1, 2, 3)),
    msgs.PoseStamped(1, "map", T),
    msgs.Path(1, "map", (msgs.PoseStamped(1, "map", T), msgs.PoseStamped(2, "map", T))),
    msgs.OccupancyGrid(1, "map", 0.5, T, [[0, 100, -1], [1, 2, 3]]),
    msgs.Marker(1, "map", "line_strip", T, color=(1, 0, 0.5, 1), points=np.ones((3, 3))),
    msgs.MarkerArray((msgs.Marker(1, "map", "text", T, text="here"),)),
    TransformStamped("odom", "base", 5, T),
    StaticTransformStamped("base", "camera", T),
    TFMessage([TransformStamped("odom", "base", i, T) for i in range(3)]),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: type(example).__name__)
def test_every_message_comes_back(example: Any):
    binding = binding_of(type(example))
    data = binding.encode(example)
    back = binding.decode(data)
    assert back == example
    assert type(back) is type(example)
    assert binding.encode(binding.decode(memoryview(bytearray(data)))) == data


def test_every_exported_type_is_tried_above():
    assert {type(example).__name__ for example in EXAMPLES} == set(msgs.__all__)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: type(example).__name__)
def test_rosbags_reads_and_writes_the_same_bytes(example: Any):
    binding = binding_of(type(example))
    if binding.name not in STORE.fielddefs:
        assert binding.name.startswith("horus_msgs/msg/")
        return
    data = binding.encode(example)
    theirs = STORE.deserialize_cdr(data, binding.name)
    assert bytes(STORE.serialize_cdr(theirs, binding.name)) == data


def test_what_ros_has_and_we_have_not():
    def read(example: Any) -> Any:
        binding = binding_of(type(example))
        return STORE.deserialize_cdr(binding.encode(example), binding.name)

    scan = read(msgs.LaserScan(1_500_000_000, "lidar", -1, 0.5, 0.1, 20, [1, np.inf, 2, 3, 4]))
    assert (scan.header.stamp.sec, scan.header.stamp.nanosec) == (1, 500_000_000)
    assert scan.angle_max == 1.0
    assert math.isinf(scan.ranges[1])  # REP 117: nothing was hit
    assert len(scan.intensities) == 0
    imu = read(msgs.Imu(0, "imu"))
    assert imu.orientation_covariance[0] == -1  # not measured
    assert read(msgs.Imu(0, "imu", orientation=[0, 0, 0, 1])).orientation_covariance[0] == 0
    image = read(msgs.Image(0, "camera", np.zeros((4, 5, 3), np.uint8)))
    assert (image.height, image.width, image.step, image.encoding) == (4, 5, 15, "rgb8")
    depth = read(msgs.DepthImage(0, "camera", np.ones((4, 5))))
    assert (depth.encoding, depth.step) == ("32FC1", 20)
    info = read(msgs.CameraInfo(0, "camera", 640, 480, np.diag([500.0, 500.0, 1.0])))
    np.testing.assert_array_equal(info.r, np.eye(3).ravel())
    np.testing.assert_array_equal(info.p.reshape(3, 4)[:, :3], np.diag([500.0, 500.0, 1.0]))
    cloud = read(msgs.PointCloud(0, "lidar", np.ones((2, 3)), [1, 2], [3, 4], [5, 6]))
    assert [(field.name, field.offset, field.datatype) for field in cloud.fields] == [
        ("x", 0, 7),
        ("y", 4, 7),
        ("z", 8, 7),
        ("intensity", 12, 7),
        ("ring", 16, 4),
        ("t", 18, 6),
    ]
    assert (cloud.point_step, cloud.row_step, cloud.is_dense) == (22, 44, True)
    fix = read(msgs.NavSatFix(0, "gps", 1, 2, 3, np.eye(3)))
    assert (fix.status.status, fix.position_covariance_type) == (0, 3)


def test_an_imu_of_ros_without_orientation():
    binding = binding_of(msgs.Imu)
    fields = msgs.Imu(0, "imu", orientation=[0, 0, 0, 1]).to_ros()
    fields["orientation_covariance"] = np.array([-1.0, *[0.0] * 8])
    assert binding.decode(binding_of(ros_message(binding.name)).encode(fields)).orientation is None


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_cloud_of_another_layout(order: str):
    rows = np.zeros(
        6, [("y", f"{order}f8"), ("x", f"{order}f4"), ("z", f"{order}f4"), ("ring", "u1")]
    )
    rows["x"], rows["y"], rows["z"], rows["ring"] = np.arange(6), np.arange(6) + 10, 7, 9
    fields = {
        "header": {"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "lidar"},
        "height": 2,
        "width": 3,
        "fields": [
            {"name": name, "offset": rows.dtype.fields[name][1], "datatype": kind, "count": 1}  # type: ignore[index]
            for name, kind in (("x", 7), ("z", 7), ("y", 8), ("ring", 2))
        ],
        "is_bigendian": order == ">",
        "point_step": rows.dtype.itemsize,
        "row_step": 3 * rows.dtype.itemsize + 5,
        "data": np.hstack([np.pad(row.view(np.uint8), (0, 5)) for row in rows.reshape(2, 3)]),
        "is_dense": True,
    }
    cloud = msgs.PointCloud.from_ros(fields)
    expected = np.stack([np.arange(6), np.arange(6) + 10, np.full(6, 7)], axis=1)
    np.testing.assert_array_equal(cloud.points, expected)
    np.testing.assert_array_equal(cloud.rings, np.full(6, 9))
    assert (cloud.stamp_ns, cloud.intensities) == (1_000_000_002, None)
    for change in ({"row_step": 7}, {"point_step": 3}, {"height": 9}):
        with pytest.raises(MessageError, match="the layout of a PointCloud2 does not fit its data"):
            msgs.PointCloud.from_ros(fields | change)
    with pytest.raises(MessageError, match="must have the fields x, y and z, got x, ring"):
        msgs.PointCloud.from_ros(fields | {"fields": [fields["fields"][0], fields["fields"][3]]})


def test_images_of_other_encodings():
    fields = msgs.DepthImage(0, "camera", np.ones((2, 3))).to_ros()
    with pytest.raises(MessageError, match="an Image in '32FC1' cannot be read; it must be one of"):
        msgs.Image.from_ros(fields)
    millimetres = np.array([[0, 1500, 250]], ">u2")
    depth = msgs.DepthImage.from_ros(
        fields
        | {"encoding": "16UC1", "is_bigendian": True, "height": 1, "step": 8}
        | {"data": np.append(millimetres.view(np.uint8), np.zeros(2, np.uint8))}
    )
    np.testing.assert_array_equal(depth.depth, np.array([[np.inf, 1.5, 0.25]], np.float32))
    with pytest.raises(MessageError, match="of 3 x 2 pixels in '32FC1' has 24 bytes in rows of 13"):
        msgs.DepthImage.from_ros(fields | {"step": 13})


@message
class Battery(Message):
    ROS = "my_robot/msg/Battery"

    stamp_ns: int
    frame_id: str
    voltage: float
    cells: npt.NDArray[np.float32] = array("float32", -1)
    is_charging: bool = False


@dataclass(frozen=True)
class Part:
    name: str
    mass: float
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Inventory:
    parts: tuple[Part, ...]
    best: Part
    where: Transform
    counts: npt.NDArray[np.int32]
    notes: tuple[str, ...] = ()
    picture: msgs.Image = field(
        default_factory=lambda: msgs.Image(0, "", np.zeros((1, 1, 3), np.uint8))
    )


OWN = {
    Battery: (
        "my_robot/msg/Battery",
        "std_msgs/msg/Header header\nfloat64 voltage\nfloat32[] cells\nbool is_charging",
    ),
    Part: (
        "horus_msgs/msg/Part",
        "string name\nfloat64 mass\ngeometry_msgs/msg/Vector3 center",
    ),
    Inventory: (
        "horus_msgs/msg/Inventory",
        "\n".join(
            (
                "horus_msgs/msg/Part[] parts",
                "horus_msgs/msg/Part best",
                "geometry_msgs/msg/Transform where",
                "int32[] counts",
                "string[] notes",
                "sensor_msgs/msg/Image picture",
            )
        ),
    ),
}


def test_classes_of_ones_own_are_ros_types():
    store = get_typestore(Stores.ROS2_JAZZY)
    for name, text in OWN.values():
        store.register(get_types_from_msg(text, name))
    part = Part("wheel", 0.25, (1.0, 2.0, 3.0))
    examples: tuple[Any, ...] = (
        Battery(5, "base", 12.5, [1, 2, 3], True),
        part,
        Inventory((part, Part("arm", 2.0)), part, T, np.arange(3, dtype=np.int32), ("a", "b")),
    )
    for example in examples:
        kind = type(example)
        binding = binding_of(kind)
        assert binding.name == OWN[kind][0]
        assert binding.type_hash == store.hash_rihs01(binding.name)
        data = binding.encode(example)
        theirs = store.deserialize_cdr(data, binding.name)
        assert bytes(store.serialize_cdr(theirs, binding.name)) == data
        back = binding.decode(data)
        if kind is Inventory:
            np.testing.assert_array_equal(back.counts, example.counts)
            assert (back.parts, back.best, back.notes) == (example.parts, part, ("a", "b"))
            assert (back.where, back.picture) == (T, example.picture)
        else:
            assert back == example


Scalar = TypeVar("Scalar", bound=np.generic)
# As Python 3.12's `type` statement makes them, by which NumPy defines NDArray since 2.5.
Metres = TypeAliasType("Metres", float)
Deep = TypeAliasType("Deep", Metres)
Many = TypeAliasType("Many", np.ndarray[Any, np.dtype[Scalar]], type_params=(Scalar,))
Names = TypeAliasType("Names", tuple[str, ...])


@dataclass(frozen=True)
class Aliased:
    height: Metres
    depth: Deep
    counts: Many[np.int16]
    names: Names


def test_aliases_of_types_are_what_they_stand_for():
    types = [(part.name, part.kind, part.shape) for part in definition_of(ros_type(Aliased)).fields]
    assert types == [
        ("height", "float64", "one"),
        ("depth", "float64", "one"),
        ("counts", "int16", "sequence"),
        ("names", "string", "sequence"),
    ]
    binding = binding_of(Aliased)
    back = binding.decode(binding.encode(Aliased(1.5, -2.0, np.array([1, -2], np.int16), ("a",))))
    assert (back.height, back.depth, back.counts.tolist()) == (1.5, -2.0, [1, -2])
    assert back.names == ("a",)


def test_what_has_no_form_in_ros_is_told():
    @dataclass(frozen=True)
    class Odd:
        when: complex

    with pytest.raises(
        MessageError, match=r"Odd.when is .*complex.*, which has no form in ROS; use"
    ):
        ros_type(Odd)

    @dataclass(frozen=True)
    class Loud:
        NAME: str

    with pytest.raises(
        MessageError, match=r"Loud.NAME is not a name for a field in ROS; use small"
    ):
        ros_type(Loud)
    with pytest.raises(MessageError, match=r"<class 'int'> is not a message type; use a class of"):
        ros_type(int)

    @message
    class Wrong(Message):
        ROS = msgs.Twist.ROS
        speed: float

    with pytest.raises(MessageError, match=r"Wrong.speed has no place in geometry_msgs/msg/Twist"):
        ros_type(Wrong)


def test_any_ros_type_as_a_dict():
    kind = ros_message("geometry_msgs/msg/PointStamped")
    point = kind(
        header={"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "map"},
        point={"x": 1.0, "y": 2.0, "z": 3.0},
    )
    with connect(session="ros-dict-test") as hub:
        subscription = hub.subscribe("goal", kind)
        hub.publisher("goal", kind).send(point)
        assert subscription.take() == point
        assert hub.topics()[0].kinds == ("geometry_msgs/msg/PointStamped",)
    assert binding_of(kind).decode(binding_of(kind).encode(point)) == point
    with pytest.raises(MessageError, match=r"PointStamped cannot be sent: point.x: give a number"):
        binding_of(kind).encode(kind(point | {"point": {"x": "far", "y": 0.0, "z": 0.0}}))
    with pytest.raises(
        MessageError, match=r"'std_msgs/msg/Strin' is not a known ROS type; did you"
    ):
        ros_message("std_msgs/msg/Strin")


def test_plain_dicts_are_json_in_a_string():
    binding = binding_of(dict)
    assert binding.name == "std_msgs/msg/String"
    value = {"a": [1, 2.5, None, True], "ü": {"deep": "text"}}
    assert binding.decode(binding.encode(value)) == value
    odd = {"points": np.eye(2), "far": np.inf, "where": T}
    assert binding.decode(binding.encode(odd)) == {
        "points": [[1.0, 0.0], [0.0, 1.0]],
        "far": np.inf,
        "where": {"translation": [1.0, 2.0, 3.0], "rotation": [0.0, 0.0, 0.6, 0.8]},
    }
    with pytest.raises(MessageError, match=r"object at .* has no form in JSON"):
        binding.encode({"a": object()})
    for text, reason in (
        ("[1]", "is not a JSON object"),
        ("{", "not a message of the type std_msgs"),
    ):
        data = binding_of(msgs.String).encode(msgs.String(text))
        with pytest.raises(MessageError, match=reason):
            binding.decode(data)


def test_frames_of_transforms():
    binding = binding_of(TransformStamped)
    plain = ros_message("geometry_msgs/msg/TransformStamped")
    example = binding.encode(TransformStamped("map", "base", 5, T))
    fields = binding_of(plain).decode(example)

    def with_frame(name: str) -> bytes:
        return binding_of(plain).encode(plain(fields | {"child_frame_id": name}))

    assert binding.decode(with_frame("//base")).child_frame == "base"
    for name, reason in (("", "is empty"), ("/", "is empty"), ("x" * 65, "more than 64 bytes")):
        with pytest.raises(MessageError, match=f"child_frame: the .*{reason}"):
            binding.decode(with_frame(name))
    zero = {"translation": {"x": 0.0, "y": 0.0, "z": 0.0}, "rotation": dict.fromkeys("xyzw", 0.0)}
    with pytest.raises(MessageError, match="transform: a number is not finite, or the quaternion"):
        binding.decode(binding_of(plain).encode(plain(fields | {"transform": zero})))


@given(st.sampled_from(EXAMPLES), st.data())
def test_damaged_bytes_never_do_more_than_raise(example: Any, data: st.DataObject):
    binding = binding_of(type(example))
    whole = bytearray(binding.encode(example))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    for damaged in (bytes(whole), cut):
        with suppress(HorusError):
            binding.decode(damaged)


def test_definitions_of_our_own_types_are_stable():
    # A change of these is a change of the wire.
    fields = {part.name: part.kind for part in definition_of(ros_type(msgs.Encoder)).fields}
    assert fields == {
        "header": "std_msgs/msg/Header",
        "ticks": "int64",
        "ticks_per_revolution": "int64",
        "velocity": "float64",
    }
