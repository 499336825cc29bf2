import importlib.util
import os
import shutil
import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from horus_sim.errors import HubError, MessageError, MissingExtraError
from horus_sim.hub import TFBroadcaster, connect
from horus_sim.hub.horus import bridge as horus_bridge
from horus_sim.hub.horus import messages as horus_messages
from horus_sim.hub.horus.bridge import HorusBridge
from horus_sim.hub.horus.messages import from_horus, to_horus
from horus_sim.hub.messages import CmdVel, Image, Imu, JointState, LaserScan, Odometry, String
from horus_sim.tf import Transform, TransformStamped

needs_horus = pytest.mark.skipif(
    importlib.util.find_spec("horus") is None,
    reason="horus-robotics is not installed (optional: pip install 'horus-sim[horus]')",
)

PIXELS = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
ODOMETRY = Odometry(
    7, "odom", "base", Transform.from_euler((1.0, 2.0, 0.0), (0.0, 0.0, 0.5)), (0.4, 0.0, 0.0)
)
JOINTS = JointState(7, ("a", "b"), np.ones(2), np.ones(2), np.ones(2))


def scan(rays=360, **changes):
    ranges = np.linspace(1, 9, rays, dtype=np.float32)
    return LaserScan(7, "lidar", -1.5, 0.0078125, 0.125, 16.0, ranges, **changes)


# Refusals: they come before HORUS is touched.


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (scan(720), "720 rays, but HORUS keeps exactly 360 and would cut .* resample .* zenoh"),
        (scan(180), "180 rays, but HORUS keeps exactly 360 and would fill up with 0.0 m"),
        (JointState(0, ("j",) * 17, np.ones(17)), "17 joints, but HORUS keeps 16"),
        (JointState(0, ("é" * 16,), np.ones(1)), "JointState.names 'é+' would be cut.*31 bytes"),
        (JointState(0, ("a\0b",), np.ones(1)), "would be cut"),
        (Image(0, "c" * 32, PIXELS), "Image.frame_id 'c+' would be cut"),
        (Image(0, "", PIXELS[:0]), "3 x 0 pixels cannot go to HORUS"),
        (replace(ODOMETRY, pose=Transform((0, 0, 0.3))), r"height \[m\] of 0.3.*planar"),
        (
            replace(ODOMETRY, pose=Transform.from_euler((0, 0, 0), (0.2, 0, 1))),
            r"tilt \[rad\] of 0.2, but",
        ),
        (replace(ODOMETRY, linear=(0, -0.5, 0)), r"sideways velocity \[m/s\] of -0.5"),
        (replace(ODOMETRY, angular=(0.5, 0, 0)), r"roll rate \[rad/s\] of 0.5"),
        (replace(ODOMETRY, pose_covariance=np.eye(6)), "pose_covariance would be lost"),
        (replace(ODOMETRY, child_frame_id="b" * 32), "Odometry.child_frame_id 'b+' would be cut"),
        (String("a"), "String cannot go to HORUS; use one of CmdVel, .*or zenoh"),
    ],
)
def test_what_would_lose_data_is_refused(message, text):
    with pytest.raises(MessageError, match=text):
        to_horus(message)


def test_unknown_messages_of_horus_are_refused():
    with pytest.raises(MessageError, match="SimpleNamespace of HORUS has no counterpart"):
        from_horus(SimpleNamespace())
    image = type("Image", (), {"encoding": "mono16"})()
    with pytest.raises(MessageError, match="encoding mono16, which is unknown here; convert it to"):
        from_horus(image)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "horus", None)
    with (
        connect(session="horus-bridge") as hub,
        pytest.raises(
            MissingExtraError, match=r"horus-robotics is not installed; run: .* install "
        ),
    ):
        HorusBridge(hub)
    with pytest.raises(MissingExtraError, match="horus-robotics"):
        to_horus(CmdVel())


# With a stand-in for HORUS, which only keeps what it is given.


class FakeTopic:
    rings: dict[str, list] = {}  # noqa: RUF012 - emptied by the fixture

    def __init__(self, kind, endpoint=None):
        # A topic without a type, for dicts, has its name alone.
        name = endpoint or kind
        if name == "refused":
            raise RuntimeError("type mismatch")
        self.ring = self.rings.setdefault(name, [])

    def send(self, message):
        self.ring.append(message)

    def recv(self):
        return self.ring.pop(0) if self.ring else None


class FakeCmdVel(SimpleNamespace):
    def __init__(self, linear, angular, timestamp_ns=0):
        super().__init__(linear=linear, angular=angular, timestamp_ns=timestamp_ns)


FakeCmdVel.__name__ = "CmdVel"


class FakeImage(SimpleNamespace):
    full = ""

    @staticmethod
    def from_bytes(data, height, width, encoding):
        if FakeImage.full:
            raise RuntimeError(FakeImage.full)
        if encoding == "bgr8":
            raise ValueError("Unknown encoding")
        return FakeImage(set_frame_id=lambda _: None, set_timestamp_ns=lambda _: None)


@pytest.fixture
def fake(monkeypatch):
    horus = SimpleNamespace(Topic=FakeTopic, CmdVel=FakeCmdVel, Image=FakeImage)
    horus.Odometry = lambda *args: SimpleNamespace(args=args, set_frames=lambda *_: None)
    for name in ("Imu", "LaserScan", "JointState"):
        setattr(horus, name, lambda *args, **values: SimpleNamespace(args=args, **values))
    monkeypatch.setitem(sys.modules, "horus", horus)
    monkeypatch.setattr(FakeTopic, "rings", {})
    monkeypatch.setattr(FakeImage, "full", "")
    monkeypatch.setattr(HorusBridge, "_images_sent", 0)
    horus_messages.tell_once.cache_clear()
    return horus


@pytest.fixture
def hub():
    with connect(session="horus-bridge") as hub:
        yield hub


def test_messages_are_moved_when_told(fake, hub):
    commands = hub.subscribe("r1/cmd_vel", CmdVel)
    scans = hub.publisher("r1/scan", LaserScan)
    FakeTopic(CmdVel, "r1/cmd_vel").send(FakeCmdVel(9.0, 9.0))
    with HorusBridge(hub) as bridge:
        assert bridge.spin_once() == 0, "commands from before the bridge are not carried"
        FakeTopic(CmdVel, "r1/cmd_vel").send(FakeCmdVel(1.0, 2.0, 3))
        scans.send(scan())
        assert commands.take() is None
        assert bridge.spin_once() == 2
        assert bridge.spin_once() == 0
    assert commands.take() == CmdVel(1.0, 2.0)
    (sent,) = FakeTopic.rings["r1/scan"]
    assert (sent.angle_min, len(sent.ranges), sent.timestamp_ns) == (-1.5, 360, 7)
    assert sent.angle_max == pytest.approx(-1.5 + 359 * 0.0078125)


def test_topics_that_appear_later_are_carried(fake, hub):
    with HorusBridge(hub) as bridge:
        scans = hub.publisher("late/scan", LaserScan)
        bridge.look()
        scans.send(scan())
        assert bridge.spin_once() == 1
        assert len(FakeTopic.rings["late/scan"]) == 1


def test_topics_of_horus_may_have_other_names(fake, hub, caplog):
    scans = hub.publisher("r1/scan", LaserScan)
    with HorusBridge(hub, {"/r1/scan": "front"}) as bridge:
        scans.send(scan())
        assert bridge.spin_once() == 1
    assert len(FakeTopic.rings["front"]) == 1
    assert "r1/scan" not in FakeTopic.rings
    with pytest.raises(HubError, match="'a@host' is no"):
        HorusBridge(hub, {"scan": "a@host"})
    with HorusBridge(hub, {"r1/scan": "refused"}) as bridge:
        assert bridge.refused == 1
    assert "HORUS did not open 'refused' for LaserScan: type mismatch" in caplog.text


def test_transforms_go_out_in_parts_that_fit(fake, hub):
    names = [f"robot/link_{number}_{'x' * 40}" for number in range(100)]
    moving = TFBroadcaster(hub)
    with HorusBridge(hub) as bridge:
        moving.send_static_transform("robot/base", "robot/lidar", (0, 0, 0.5))
        moving.send_transforms(
            [TransformStamped("world", name, 7, Transform((1, 2, 3))) for name in names]
        )
        assert bridge.spin_once() > 2
        bridge.look()
    parts = FakeTopic.rings["tf"]
    assert all(len(msgspec.msgpack.encode(part)) <= 4096 for part in parts)
    entries = [entry for part in parts for entry in part["transforms"]]
    assert [entry["child_frame"] for entry in entries] == names
    assert entries[0] == {
        "parent_frame": "world",
        "child_frame": names[0],
        "stamp_ns": 7,
        "translation": [1.0, 2.0, 3.0],
        "rotation": [0.0, 0.0, 0.0, 1.0],
    }
    fixed = FakeTopic.rings["tf_static"]
    assert len(fixed) == 2, "newcomers of HORUS are told again"
    assert fixed[0] == fixed[1]
    assert "stamp_ns" not in fixed[0]["transforms"][0]


def test_a_bridge_in_its_own_thread(fake, hub):
    commands = hub.subscribe("r1/cmd_vel", CmdVel)
    with HorusBridge(hub) as bridge:
        bridge.start()
        FakeTopic(CmdVel, "r1/cmd_vel").send(FakeCmdVel(1.0, 2.0, 3))
        assert commands.wait(10.0) == CmdVel(1.0, 2.0)


def test_a_closed_bridge(fake, hub):
    bridge = HorusBridge(hub)
    bridge.close()
    bridge.close()
    assert all(info.subscriptions == info.publishers == 0 for info in hub.topics())
    with pytest.raises(HubError, match="this bridge is closed"):
        bridge.spin_once()


def test_a_refusal_does_not_hold_up_the_others(fake, hub, caplog):
    publisher, joints = hub.publisher("scan", LaserScan), hub.publisher("joint_states", JointState)
    with HorusBridge(hub) as bridge:
        for rays in (720, 721, 360):
            publisher.send(scan(rays))
        joints.send(JOINTS)
        assert bridge.spin_once() == 2
        assert bridge.refused == 2
        assert "topic 'scan' is not carried to HORUS: LaserScan has 720 rays" in caplog.text
        assert "721 rays" not in caplog.text, "a topic is told of once"
        assert len(FakeTopic.rings["scan"]) == len(FakeTopic.rings["joint_states"]) == 1


def test_lost_frames_are_told_once(fake, caplog):
    for _ in range(3):
        to_horus(scan())
        to_horus(Imu(0, ""))
    assert caplog.text.count("LaserScan: HORUS hides frame ids") == 1
    for _ in range(2):
        to_horus(scan(intensities=np.ones(360), time_increment=0.1))
    assert caplog.text.count("LaserScan.intensities does not arrive") == 1
    assert caplog.text.count("LaserScan.time_increment does not arrive") == 1
    assert "Imu" not in caplog.text
    to_horus(JointState(0, ("a",), np.ones(1)))
    assert "JointState.efforts is None; readers in HORUS see zeros" in caplog.text


def test_a_robot_may_leave_the_plane_a_little(fake):
    pose = Transform.from_euler((1.0, 2.0, 0.005), (0.003, -0.003, 2.5))
    nearly = replace(ODOMETRY, pose=pose, linear=(0.4, 0.005, -0.005))
    assert to_horus(nearly).args == pytest.approx((1.0, 2.0, 2.5, 0.4, 0.0, 7))


def test_the_limit_of_images(fake, hub, monkeypatch, caplog):
    monkeypatch.setattr(horus_bridge, "MAX_IMAGES", 2)
    publisher = hub.publisher("image", Image)
    with HorusBridge(hub) as bridge, HorusBridge(hub) as other:
        publisher.send(Image(0, "", PIXELS))
        assert (bridge.spin_once(), other.spin_once()) == (1, 1)
        publisher.send(Image(0, "", PIXELS))
        assert bridge.spin_once() == 0
    assert "sent 2 images to HORUS" in caplog.text
    assert len(FakeTopic.rings["image"]) == 2


def test_images_that_horus_refuses(fake, monkeypatch):
    with pytest.raises(MessageError, match="does not take the image encoding bgr8"):
        to_horus(Image(0, "", PIXELS, "bgr8"))
    monkeypatch.setattr(FakeImage, "full", "No free tensor slots available")
    with pytest.raises(MessageError, match=r"no room for an image of 18 bytes.*horus_.*zenoh"):
        to_horus(Image(0, "", PIXELS))


# With the real HORUS, in a process and a namespace of its own.

PROGRAM = """
import math, numpy as np, horus
from horus_sim.errors import HubError, MessageError
from horus_sim.hub import connect
from horus_sim.hub.horus.bridge import HorusBridge
from horus_sim.hub.horus.messages import from_horus, to_horus
from horus_sim.hub.messages import *
from horus_sim.tf import Transform

hub = connect(session="real-horus")
"""


@pytest.fixture
def run_with_horus():
    namespace = f"test_{uuid.uuid4().hex[:12]}"

    def run(program):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM + program + "\nprint('done')"],
            env=os.environ | {"HORUS_NAMESPACE": namespace},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == "done", done.stderr

    yield run
    shutil.rmtree(Path("/dev/shm") / f"horus_{namespace}", ignore_errors=True)  # noqa: S108


@needs_horus
def test_commands_come_in_from_horus(run_with_horus):
    run_with_horus("""
horus_end = horus.Topic(horus.CmdVel, endpoint="r1/cmd_vel")
horus_end.send(horus.CmdVel(9.0, 9.0))
commands = hub.subscribe("r1/cmd_vel", CmdVel)
bridge = HorusBridge(hub)
assert bridge.spin_once() == 0
for i in range(3):
    horus_end.send(horus.CmdVel(i + 0.5, -0.25, i))
assert bridge.spin_once() == 3
assert [commands.take() for _ in range(4)] == [CmdVel(i + 0.5, -0.25) for i in range(3)] + [None]
bridge.close()
""")


@needs_horus
def test_sensors_go_out_to_horus_and_back(run_with_horus):
    run_with_horus("""
angle = 0.5
pixels = {c: np.arange(4 * 6 * c, dtype=np.uint8).reshape(4, 6, c) for c in (1, 3, 4)}
ranges = np.linspace(1, 9, 360)
ranges[5] = math.inf
q = [0.5, 0.5, -0.5, 0.5]
sent = [
    ("odom", Odometry(1, "odom", "base", Transform.from_euler((0.1, 0.2, 0.0), (0.0, 0.0, -2.5)),
                      (0.3, 0.0, 0.0), (0.0, 0.0, 0.7))),
    ("imu", Imu(2, "imu", (0.1, 0.2, 0.3), (0.4, 0.5, 9.81))),
    ("imu", Imu(3, "imu", (0.1, 0.2, 0.3), (0.4, 0.5, 9.81), q)),
    ("scan", LaserScan(4, "lidar", -1.5, 0.0078125, 0.125, 16.0, ranges)),
    ("joint_states", JointState(5, ["é" * 15, *(f"j{i}" for i in range(15))],
                                *(np.linspace(0, k, 16) for k in (1, 2, 3)))),
    ("joint_states", JointState(6, ["a"], [0.1])),
    ("image", Image(7, "o" * 31, pixels[3])),
    ("image", Image(2**63 - 1, "optical", pixels[3], "bgr8")),
    ("image", Image(9, "optical", pixels[4], "rgba8")),
    ("image", Image(10, "optical", pixels[1], "mono8")),
]
ends, publishers = {}, {}
for topic, message in sent:
    if topic not in ends:
        ends[topic] = horus.Topic(getattr(horus, message.NAME), endpoint=f"r1/{topic}")
        publishers[topic] = hub.publisher(f"r1/{topic}", type(message))
bridge = HorusBridge(hub)
for topic, message in sent:
    publishers[topic].send(message)
assert bridge.spin_once() == len(sent)
for topic, message in sent:
    back = from_horus(ends[topic].recv())
    assert type(back) is type(message)
    for name in type(message).__dataclass_fields__:
        got, want = getattr(back, name), getattr(message, name)
        if "frame_id" in name and topic != "image":
            want = ""
        if name in ("velocities", "efforts") and want is None:
            want = [0.0]
        if isinstance(want, Transform):
            assert got.is_close(want), (topic, got, want)
        else:
            assert np.array_equal(got, want), (topic, name, got, want)
""")


@needs_horus
def test_horus_fails_where_we_say_it_does(run_with_horus):
    # If one of these fails with a new release, a refusal may have become needless.
    run_with_horus("""
assert len(horus.LaserScan(ranges=[1.0] * 720).ranges) == 360
assert horus.LaserScan(ranges=[1.0] * 180).ranges[180:] == [0.0] * 180
assert len(horus.JointState(names=["a"] * 17, positions=[0.0] * 17).names) == 16
assert horus.JointState(names=["a" * 32], positions=[0.0]).names == ["a" * 31]
end = horus.Topic(horus.Image, endpoint="image")
sent = 0
try:
    while sent < 3000:
        end.send(horus.Image(2, 3))
        sent += 1
except RuntimeError as error:
    assert "No free tensor slots" in str(error)
assert sent == 1024, sent
try:
    to_horus(Image(0, "", np.zeros((2, 3, 3), np.uint8)))
except MessageError as error:
    assert "HORUS has no room for an image of 18 bytes" in str(error)
else:
    raise AssertionError("the pool is full")
""")


@needs_horus
def test_the_bridge_stops_before_horus_fails(run_with_horus):
    run_with_horus("""
end = horus.Topic(horus.Image, endpoint="image")
images, imus = hub.publisher("image", Image), hub.publisher("imu", Imu)
bridge = HorusBridge(hub)
arrived = 0
for i in range(1023):
    images.send(Image(i, "", np.full((2, 3, 3), i % 256)))
    assert bridge.spin_once() == 1
    arrived += from_horus(end.recv()).stamp_ns == i
assert arrived == 1023
for _ in range(2):
    images.send(Image(0, "", np.zeros((2, 3, 3))))
    assert bridge.spin_once() == 0
assert bridge.refused == 2
imus.send(Imu(0, ""))
assert bridge.spin_once() == 1, "the other topics go on"
""")


@needs_horus
def test_a_topic_of_another_type(run_with_horus):
    run_with_horus("""
other = horus.Topic(horus.Imu, endpoint="cmd_vel")
other.send(horus.Imu(1, 2, 3, 4, 5, 6))
commands = hub.subscribe("cmd_vel", CmdVel)
bridge = HorusBridge(hub)
assert bridge.refused == 1
""")


@needs_horus
def test_transforms_reach_a_tree_of_horus(run_with_horus):
    run_with_horus("""
from horus_sim.hub import TFBroadcaster
from horus_sim.tf import TransformStamped
frames, fixed = horus.Topic("tf"), horus.Topic("tf_static")
sender, bridge = TFBroadcaster(hub), HorusBridge(hub)
sender.send_static_transform("base", "lidar", (0, 0, 0.5))
sender.send_transforms([
    TransformStamped("world", "base", 5, Transform((1, 2, 0))),
    *(TransformStamped("world", f"body_{i}", 5, Transform((i, 0, 0))) for i in range(60)),
])
assert bridge.spin_once() >= 4
tree = horus.TransformFrame()
tree.register_frame("world", None)
for topic in (frames, fixed):
    while (message := topic.recv()) is not None:
        for entry in message["transforms"]:
            child = entry["child_frame"]
            if not tree.has_frame(child):
                tree.register_frame(child, entry["parent_frame"])
            where = horus.Transform(entry["translation"], entry["rotation"])
            tree.update_transform(child, where, entry.get("stamp_ns", 5))
assert np.allclose(tree.tf("lidar", "world").translation, (1, 2, 0.5))
assert np.allclose(tree.tf("body_59", "world").translation, (59, 0, 0))
""")
