"""Bags of real robots, as rosbags writes them: they are read, and played onto topics with TF."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from horus_sim.errors import RecordingError
from horus_sim.hub import Hub, QoS, TFListener, connect
from horus_sim.hub.messages import Clock, DepthImage, Image, LaserScan, Odometry, String
from horus_sim.hub.ros.binding import RosMessage, ros_message
from horus_sim.running.recording import (
    Bag,
    BagRecorder,
    CommandLog,
    Player,
    open_recording,
    repair_recording,
)

STORE = get_typestore(Stores.ROS2_JAZZY)
OWN = "my_robot/msg/Battery"
STORE.register(get_types_from_msg("std_msgs/Header header\nfloat32[] cells\nuint8 state\n", OWN))
START_NS = 1_700_000_000_000_000_000
MANY = QoS(depth=10_000)
FOREVER = QosTime(9223372036, 854775807)
LATCHED = Qos(
    QosHistory.KEEP_LAST,
    1,
    QosReliability.RELIABLE,
    QosDurability.TRANSIENT_LOCAL,
    FOREVER,
    FOREVER,
    QosLiveliness.AUTOMATIC,
    FOREVER,
    avoid_ros_namespace_conventions=False,
)
STORAGES = [StoragePlugin.MCAP, StoragePlugin.SQLITE3]


def make(name: str, **fields: Any) -> Any:
    return STORE.types[name](**fields)


def header(stamp_ns: int, frame: str) -> Any:
    seconds, rest = divmod(stamp_ns, 10**9)
    stamp = make("builtin_interfaces/msg/Time", sec=seconds, nanosec=rest)
    return make("std_msgs/msg/Header", stamp=stamp, frame_id=frame)


def transform(stamp_ns: int, parent: str, child: str, x: float) -> Any:
    return make(
        "geometry_msgs/msg/TransformStamped",
        header=header(stamp_ns, parent),
        child_frame_id=child,
        transform=make(
            "geometry_msgs/msg/Transform",
            translation=make("geometry_msgs/msg/Vector3", x=x, y=0.0, z=0.5),
            rotation=make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0),
        ),
    )


def odometry(stamp_ns: int, x: float) -> Any:
    zero = make("geometry_msgs/msg/Vector3", x=0.0, y=0.0, z=0.0)
    pose = make(
        "geometry_msgs/msg/Pose",
        position=make("geometry_msgs/msg/Point", x=x, y=0.0, z=0.0),
        orientation=make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0),
    )
    return make(
        "nav_msgs/msg/Odometry",
        header=header(stamp_ns, "odom"),
        child_frame_id="base_link",
        pose=make("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=np.full(36, 0.25)),
        twist=make(
            "geometry_msgs/msg/TwistWithCovariance",
            twist=make("geometry_msgs/msg/Twist", linear=zero, angular=zero),
            covariance=np.arange(36.0),
        ),
    )


def scan(stamp_ns: int) -> Any:
    return make(
        "sensor_msgs/msg/LaserScan",
        header=header(stamp_ns, "laser"),
        angle_min=-1.0,
        angle_max=1.0,
        angle_increment=0.5,
        time_increment=0.0,
        scan_time=0.1,
        range_min=0.5,
        range_max=10.0,
        ranges=np.array([1, 2, np.inf, 3, 4], dtype=np.float32),
        intensities=np.zeros(0, dtype=np.float32),
    )


def picture(stamp_ns: int, encoding: str, channel_bytes: int) -> Any:
    return make(
        "sensor_msgs/msg/Image",
        header=header(stamp_ns, "camera"),
        height=2,
        width=3,
        encoding=encoding,
        is_bigendian=0,
        step=3 * channel_bytes,
        data=np.arange(6 * channel_bytes, dtype=np.uint8),
    )


def write(
    path: Path,
    storage: StoragePlugin,
    packing: CompressionMode | None = None,
    version: Literal[8, 9] = 9,
) -> Path:
    """Two tenths of a second of a robot."""
    writer = Writer(path, version=version, storage_plugin=storage)
    if packing is not None:
        writer.set_compression(packing, CompressionFormat.ZSTD)
    with writer:
        connections: dict[str, Any] = {}

        def add(topic: str, stamp_ns: int, message: Any) -> None:
            kind = message.__msgtype__
            if topic not in connections:
                qos = [LATCHED] if topic in ("/tf_static", "/robot_description") else []
                connections[topic] = writer.add_connection(
                    topic, kind, typestore=STORE, offered_qos_profiles=qos
                )
            writer.write(connections[topic], stamp_ns, STORE.serialize_cdr(message, kind))

        text = make("std_msgs/msg/String", data="<robot/>")
        for frame, x in (("laser", 0.1), ("camera", 0.2)):
            static = make(
                "tf2_msgs/msg/TFMessage", transforms=[transform(0, "base_link", frame, x)]
            )
            add("/tf_static", START_NS, static)
        add("/robot_description", START_NS, text)
        now_ns = START_NS
        for number in range(20):
            now_ns = START_NS + number * 10_000_000
            moving = [transform(now_ns, "odom", "base_link", 0.01 * number)]
            add("/tf", now_ns, make("tf2_msgs/msg/TFMessage", transforms=moving))
            add("/odom", now_ns, odometry(now_ns, 0.01 * number))
        add("/scan", now_ns, scan(now_ns))
        for encoding, channel_bytes in (("rgb8", 3), ("16UC1", 2), ("bayer_rggb8", 1)):
            add(f"/camera/{encoding}", now_ns, picture(now_ns, encoding, channel_bytes))
        cells = np.array([3.5, 3.75], dtype=np.float32)
        battery = make(OWN, header=header(now_ns, "base_link"), cells=cells, state=2)
        add("/battery", now_ns, battery)
    return path


@pytest.fixture(scope="module", params=STORAGES, ids=lambda storage: storage.name)
def bag(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("robot") / "run", request.param)


@pytest.fixture
def hub() -> Iterator[Hub]:
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


def test_messages_have_our_classes(bag: Path):
    found = {each.topic: each.value for each in Bag(bag).read()}
    assert isinstance(found["odom"], Odometry)
    assert isinstance(found["scan"], LaserScan)
    assert isinstance(found["camera/rgb8"], Image)
    assert isinstance(found["camera/16UC1"], DepthImage)
    assert isinstance(found["camera/bayer_rggb8"], RosMessage)
    assert found["robot_description"] == String("<robot/>")
    assert found["odom"].pose.translation[0] == pytest.approx(0.19)
    assert found["battery"]["cells"].tolist() == [3.5, 3.75]
    assert found["battery"]["state"] == 2
    (camera,) = found["tf_static"]
    assert (camera.parent_frame, camera.child_frame) == ("base_link", "camera")


def test_what_it_holds_is_told(bag: Path):
    contents = Bag(bag).contents()
    assert contents.messages[("odom", "nav_msgs/msg/Odometry")] == 20
    assert contents.messages[("battery", OWN)] == 1
    assert contents.start_ns == START_NS
    assert contents.end_ns - contents.start_ns == Bag(bag).duration_ns == 190_000_000
    assert "tf_static" in Bag(bag).topics()
    assert {each.topic for each in Bag(bag).read(["odom"])} == {"odom"}
    assert list(Bag(bag).read(["absent"])) == []


def test_it_is_played_with_its_transforms(bag: Path, hub: Hub):
    listener = TFListener(hub)
    odom = hub.subscribe("odom", Odometry, MANY)
    fields = hub.subscribe("odom", ros_message("nav_msgs/msg/Odometry"), MANY)
    player = Player(open_recording(bag), hub, speed=None)
    played = player.play()
    assert not played.unknown
    assert played.messages["tf"] == played.messages["odom"] == odom.received == 20
    T_odom_camera = listener.tree.lookup_transform("camera", "odom")
    np.testing.assert_allclose(T_odom_camera.translation, (0.39, 0.0, 1.0))
    T_base_laser = listener.tree.lookup_transform("laser", "base_link")
    np.testing.assert_allclose(T_base_laser.translation, (0.1, 0.0, 0.5))
    last = fields.latest()
    assert last is not None
    # Fields that our class has not are there, too.
    assert last["twist"]["covariance"].tolist() == list(range(36))
    # Who comes late gets what was latched, and nothing else.
    late = TFListener(hub)
    assert late.tree.lookup_transform("laser", "base_link") == T_base_laser
    assert "odom" not in late.tree.get_all_frames()
    text = hub.subscribe("robot_description", String, QoS(latched=True)).latest()
    assert text == String("<robot/>")
    assert hub.subscribe("scan", LaserScan, QoS(latched=True)).latest() is None
    player.close()


def test_the_pace_is_that_of_the_record(bag: Path, hub: Hub):
    now = [50.0]
    sent: list[tuple[float, int]] = []
    hub.subscribe("odom", Odometry, callback=lambda each: sent.append((now[0], each.stamp_ns)))

    def sleep(seconds: float) -> None:
        now[0] += seconds

    Player(open_recording(bag), hub, speed=2.0, clock=lambda: now[0], sleep=sleep).play()
    assert len(sent) == 20
    for moment, stamp_ns in sent:
        assert moment - 50.0 == pytest.approx((stamp_ns - START_NS) * 1e-9 / 2.0, abs=1e-6)


@pytest.mark.parametrize("storage", STORAGES, ids=lambda storage: storage.name)
@pytest.mark.parametrize("packing", [CompressionMode.FILE, CompressionMode.MESSAGE])
def test_packed_bags_are_unpacked(tmp_path: Path, storage: StoragePlugin, packing: CompressionMode):
    path = write(tmp_path / "run", storage, packing)
    found = [each for each in Bag(path).read() if each.topic == "odom"]
    assert len(found) == 20
    assert isinstance(found[0].value, Odometry)
    with pytest.raises(RecordingError, match="only bags of MCAP files can be"):
        repair_recording(path)


def test_a_single_file_of_a_bag_is_read(bag: Path):
    (file,) = (each for each in bag.iterdir() if each.suffix in (".db3", ".mcap"))
    assert len(list(open_recording(file).read())) == len(list(Bag(bag).read()))


def test_a_robot_holds_no_commands(bag: Path):
    with pytest.raises(RecordingError, match="holds no commands"):
        CommandLog.load(bag)


def test_types_that_differ_are_left_out_and_counted(tmp_path: Path, hub: Hub):
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg("float64 data\n", "std_msgs/msg/String"))
    with Writer(tmp_path / "run", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/odd", "std_msgs/msg/String", typestore=store)
        message = store.types["std_msgs/msg/String"](data=1.0)
        writer.write(connection, 1, store.serialize_cdr(message, "std_msgs/msg/String"))
    (found,) = Bag(tmp_path / "run").read()
    assert found.value is None
    played = Player(open_recording(tmp_path / "run"), hub, speed=None).play()
    assert played.unknown == {"std_msgs/msg/String": 1}


@pytest.mark.parametrize("storage", STORAGES, ids=lambda storage: storage.name)
def test_bytes_that_are_no_message_are_named(tmp_path: Path, storage: StoragePlugin):
    with Writer(tmp_path / "run", version=9, storage_plugin=storage) as writer:
        connection = writer.add_connection("/text", "std_msgs/msg/String", typestore=STORE)
        writer.write(connection, 2_500_000_000, b"\x00\x01\x00\x00\xff\xff\xff\xff")
    with pytest.raises(RecordingError, match=r"a message on 'text' at 2.500 s cannot be read: "):
        list(Bag(tmp_path / "run").read())


@pytest.mark.parametrize("storage", STORAGES, ids=lambda storage: storage.name)
def test_bags_of_earlier_versions_tell_what_was_latched(tmp_path: Path, storage: StoragePlugin):
    found = list(Bag(write(tmp_path / "run", storage, version=8)).read())
    latched = {each.topic for each in found if each.qos is not None and each.qos.latched}
    assert latched == {"tf_static", "robot_description"}


def test_the_files_of_a_bag_follow_each_other(tmp_path: Path):
    folder = tmp_path / "run"
    folder.mkdir()
    for number in range(2):
        with BagRecorder(tmp_path / "part") as recorder:
            for stamp_ns in range(number * 10, number * 10 + 5):
                recorder.log("clock", Clock(stamp_ns), stamp_ns)
        (tmp_path / "part" / "part_0.mcap").rename(folder / f"run_{number}.mcap")
    lone = Bag(folder)
    assert len(list(lone.read())) == 10
    assert lone.missing == "its metadata.yaml is missing"
    repaired = repair_recording(folder)
    assert repaired is not None
    assert (repaired.messages, repaired.topics, repaired.last_ns) == (10, 1, 14)
    assert repaired.lost == ("metadata.yaml was missing",)
    assert [each.stamp_ns for each in Bag(folder).read()] == [*range(5), *range(10, 15)]
    assert Bag(folder).duration_ns == 14
    with AnyReader([folder]) as reader:
        assert [stamp_ns for _, stamp_ns, _ in reader.messages()] == [*range(5), *range(10, 15)]
