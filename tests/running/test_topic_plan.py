"""Topics that clash are refused before anything is sent, and never out of a step."""

from __future__ import annotations

import logging
import uuid

import pytest

from horus_sim.errors import SceneError
from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import Imu, Odometry
from horus_sim.running import RunningWorld
from horus_sim.running.recording import McapFile, McapRecorder
from horus_sim.sim3d import RobotConfig, Scene, World
from horus_sim.sim3d.exchange.sensor_topics import message_type_of
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import PlaneShape

MANY = QoS(depth=100_000)
GROUND = ObjectConfig(name="ground", shape=PlaneShape())


def burger(name, y=0.0):
    pose = PoseConfig(xyz=(0.0, y, 0.01))
    return RobotConfig(name=name, model="turtlebot3_burger", pose=pose)


def make_world(*names):
    robots = tuple(burger(name, float(i)) for i, name in enumerate(names or ("burger",)))
    return World.load(Scene(name="plane", objects=(GROUND,), robots=robots))


def imu(**fields):
    return {"kind": "imu", "name": "x", "mount": "burger/imu_link", "rate_hz": 50.0, **fields}


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


TAKEN = [
    ("clock", "has the topic 'clock', which carries the simulated time"),
    ("/clock", "has the topic 'clock', which carries the simulated time"),
    ("tf", "has the topic 'tf', which carries transforms"),
    ("tf_static", "has the topic 'tf_static', which carries fixed transforms"),
    ("sim/status", "has the topic 'sim/status', which carries the state"),
    ("sim/command_log", "has the topic 'sim/command_log', which carries the log"),
    ("sim/reset", "has the topic 'sim/reset', which carries requests"),
    ("burger/odom", "has the topic 'burger/odom' of robot 'burger', which carries Odometry"),
    ("burger/cmd_vel", "has the topic 'burger/cmd_vel' of robot 'burger', which carries CmdVel"),
    ("a//b", "cannot have topics: 'a//b' is not a topic name"),
]


@pytest.mark.parametrize(("topic", "text"), TAKEN)
def test_a_topic_of_the_bridge_is_refused_when_it_is_made(topic, text):
    world = make_world()
    world.sensors.add(imu(topic=topic))
    with pytest.raises(SceneError, match=f"sensor 'burger/x' {text}.*give it another 'topic'"):
        RunningWorld(world)
    world.sensors.remove("burger/x")
    with RunningWorld(world) as running:
        assert running.step(3) == 3


@pytest.mark.parametrize(("topic", "text"), TAKEN)
def test_a_sensor_that_is_added_under_a_bridge_is_refused(hub, topic, text):
    world = make_world()
    frames = set(world.tf.get_all_frames())
    with RunningWorld(world, hub) as running:
        running.step(1)
        with pytest.raises(SceneError, match=f"sensor 'burger/x' {text}"):
            world.sensors.add(imu(topic=topic))
        assert not list(world.sensors)
        assert set(world.tf.get_all_frames()) == frames
        assert running.step(3) == 3
    world.sensors.add(imu(topic=topic))  # without a running nobody minds


def test_two_kinds_on_one_topic_are_refused_and_two_of_a_kind_share_it(hub):
    world = make_world()
    world.sensors.add(imu(name="a", topic="both"))
    world.sensors.add(imu(name="b", topic="both"))
    with RunningWorld(world, hub) as running:
        heard = hub.subscribe("both", Imu, MANY)
        running.step(round(0.1 / world.timestep))
        assert heard.received == 2 * 5
        with pytest.raises(SceneError, match=r"'burger/c' has the topic 'both' of sensor 'burger/"):
            world.sensors.add({"kind": "gps", "name": "c", "mount": "burger", "topic": "both"})


def test_names_that_become_one_topic_are_refused(hub):
    world = make_world()
    world.sensors.add(imu(name="zz a"))
    world.sensors.add(imu(name="zz_a"))
    with pytest.raises(SceneError, match="'burger/zz_a' has the topic 'burger/zz_a' of sensor 'b"):
        RunningWorld(world, hub)
    with pytest.raises(SceneError, match=r"robot 'r_1' has the topic 'r_1/odom' of robot 'r 1'"):
        RunningWorld(make_world("r 1", "r_1"), hub)
    with pytest.raises(SceneError, match="robot 'sim' has the topic 'sim/odom', and 'sim/' is kep"):
        RunningWorld(make_world("sim"), hub)
    with pytest.raises(SceneError, match="robot 'a//b' cannot have topics"):
        RunningWorld(make_world("a//b"), hub)


def test_a_robot_whose_topics_clash_is_not_spawned(hub):
    world = make_world("r 1")
    with RunningWorld(world, hub) as running:
        running.step(2)
        with pytest.raises(SceneError, match="robot 'r_1' has the topic"):
            running.spawn(burger("r_1", 2.0))
        assert list(world.robots) == ["r 1"]
        assert running.step(2) == 2


def test_what_slips_past_is_counted_and_told_once(hub, caplog):
    world = make_world("r 1")
    with RunningWorld(world, hub) as running, caplog.at_level(logging.WARNING):
        world.spawn(burger("r_1", 2.0))  # not by the running
        world.sensors.guards.clear()
        world.sensors.add(imu(name="x", mount="r 1/imu_link", topic="clock"))
        assert running.step(round(0.5 / world.timestep)) > 0
        assert running.unsent >= 20
    told = [record.message for record in caplog.records if "not published" in record.message]
    assert len(told) == 2


def test_odometry_of_a_sensor_is_the_only_one_from_the_start(hub):
    world = make_world()
    world.sensors.add({"kind": "odometry", "name": "odom", "mount": "burger", "rate_hz": 10.0})
    with RunningWorld(world, hub) as running:
        odom = hub.subscribe("burger/odom", Odometry, MANY)
        running.start()
        running.step(round(0.05 / world.timestep))
        assert odom.received == 0  # the sensor's first comes after 0.1 s
        running.step(round(0.2 / world.timestep))
        assert odom.received == 2
        world.sensors.remove("burger/odom")
        running.step(round(0.1 / world.timestep))
        assert odom.received == 2 + 5  # the running's own again


def test_a_leading_slash_makes_no_other_topic(hub, tmp_path):
    world = make_world()
    world.sensors.add(imu(topic="/imu"))
    with RunningWorld(world, hub) as running:
        running.add_outlet(McapRecorder(tmp_path / "run.mcap"))
        heard = hub.subscribe("imu", Imu, MANY)
        running.step(round(0.1 / world.timestep))
        assert heard.received == 5
    assert len(list(McapFile(tmp_path / "run.mcap").read(["imu"]))) == 5


def test_the_type_of_each_sensor_is_known_without_measuring():
    world = World.load("warehouse")
    kinds = ["camera", "depth_camera", "rgbd_camera", "segmentation_camera", "lidar", "laser_scan"]
    kinds += ["imu", "gps", "joint_state", "contact", "range", "magnetometer", "ground_truth"]
    for i, kind in enumerate(kinds):
        sensor = world.sensors.add({"kind": kind, "name": f"t{i}", "mount": "burger"})
        assert message_type_of(sensor) is not None, kind
