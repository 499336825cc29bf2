"""The names of ROS: a robot that is alone has none before its topics, and stands below odom."""

from __future__ import annotations

import uuid

import numpy as np
import pytest

from horus_sim.errors import SceneError
from horus_sim.hub import QoS, TFListener, connect
from horus_sim.hub.messages import CmdVel, LaserScan, Odometry, String
from horus_sim.running import RunningConfig, RunningWorld
from horus_sim.running.naming import Naming
from horus_sim.sim2d import Simulator
from horus_sim.sim3d import RobotConfig, Scene, World
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import BoxShape, PlaneShape
from horus_sim.tf import Transform, TransformStamped

ROS = RunningConfig(ros_names=True)
LATCHED = QoS(depth=1, latched=True)
GROUND = ObjectConfig(name="ground", shape=PlaneShape())
SCAN = {"kind": "laser_scan", "name": "scan", "mount": "burger/base_scan", "rate_hz": 20.0}


def burger(name, y=0.0):
    pose = PoseConfig(xyz=(0.0, y, 0.01))
    return RobotConfig(name=name, model="turtlebot3_burger", pose=pose)


def make_world(*names, objects=()):
    robots = tuple(burger(name, float(i)) for i, name in enumerate(names))
    return World.load(Scene(name="plane", objects=(GROUND, *objects), robots=robots))


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


def topics(hub):
    return {info.name for info in hub.topics()}


def test_a_robot_alone_has_the_topics_and_frames_of_a_ros_robot(hub):
    world = make_world("burger")
    world.sensors.add(SCAN)
    heard = {
        topic: hub.subscribe(topic, kind, qos)
        for topic, kind, qos in (
            ("scan", LaserScan, QoS()),
            ("odom", Odometry, QoS()),
            ("robot_description", String, LATCHED),
        )
    }
    listener = TFListener(hub)
    with RunningWorld(world, hub, ROS) as running:
        drive = hub.publisher("cmd_vel", CmdVel)
        for _ in range(20):
            drive.send(CmdVel(0.2, 0.5))
            running.step(24)
        assert {"cmd_vel", "cmd_twist", "joint_command", "joint_states"} < topics(hub)
        assert not any(name.startswith("burger/") for name in topics(hub))
        assert running.drivers() == {"burger": hub.name}
    odometry = heard["odom"].latest()
    assert (odometry.frame_id, odometry.child_frame_id) == ("odom", "base_footprint")
    assert heard["scan"].latest().frame_id == "scan"
    assert 'link name="base_footprint"' in heard["robot_description"].take().data
    tree = listener.tree
    # odom stands above the robot, and the world knows nothing of it, as REP 105 has it.
    assert tree.frame("base_footprint").parent == "odom"
    assert tree.frame("odom").parent is None
    assert not tree.can_transform("odom", "world")
    at = odometry.stamp_ns
    seen = tree.frame_pose("base_footprint", "odom", at)
    np.testing.assert_allclose(seen.translation, odometry.pose.translation, atol=1e-12)
    assert odometry.pose.translation[0] > 0.2
    T_base_scan = world.tf.frame_pose("burger/scan", "burger/base_footprint")
    assert tree.frame_pose("scan", "base_footprint", at) == T_base_scan


def test_odom_stands_where_the_wheels_say_and_not_where_the_robot_is(hub):
    # Against a wall the wheels turn, and the robot stays.
    wall = ObjectConfig(
        name="wall", shape=BoxShape(size=(0.1, 4, 1)), pose=PoseConfig(xyz=(0.3, 0, 0.5))
    )
    world = make_world("burger", objects=(wall,))
    listener = TFListener(hub)
    with RunningWorld(world, hub, ROS) as running:
        for _ in range(40):
            running.command("burger", CmdVel(0.2))
            running.step(24)
    believed = listener.tree.frame_pose("base_footprint", "odom").translation[0]
    assert believed > world.robots["burger"].pose.translation[0] + 0.1


def test_a_sensor_that_takes_odom_over_places_the_robot(hub):
    world = make_world("burger")
    noise = {"bias_std": 0.5}  # of this seed: more than a hundredth off
    world.sensors.add(
        {
            "kind": "odometry",
            "name": "odometry",
            "mount": "burger",
            "topic": "burger/odom",
            "rate_hz": 50.0,
            "linear_scale_noise": noise,
        }
    )
    listener = TFListener(hub)
    odometry = hub.subscribe("odom", Odometry)
    with RunningWorld(world, hub, ROS) as running:
        for _ in range(20):
            running.command("burger", CmdVel(0.2))
            running.step(24)
    message = odometry.latest()
    seen = listener.tree.frame_pose("base_footprint", "odom", message.stamp_ns)
    assert seen == message.pose
    truth = world.robots["burger"].pose.translation[0]
    assert abs(seen.translation[0] - truth) > 0.01 * truth


def test_several_robots_keep_their_names_and_have_an_odom_each(hub):
    listener = TFListener(hub)
    with RunningWorld(make_world("a", "b"), hub, ROS) as running:
        running.step(24)
        assert {"a/odom", "b/odom", "a/cmd_vel"} < topics(hub)
    tree = listener.tree
    assert tree.frame("a/base_footprint").parent == "a/odom"
    assert not tree.can_transform("a/odom", "b/odom")


def test_a_robot_that_comes_later_has_its_name(hub):
    with RunningWorld(make_world("burger"), hub, ROS) as running:
        running.step(1)
        running.spawn(burger("second", 1.0))
        running.step(24)
        assert {"cmd_vel", "odom", "second/cmd_vel", "second/odom"} < topics(hub)


def test_frames_that_would_be_called_alike_are_refused(hub):
    box = ObjectConfig(
        name="base_link", shape=BoxShape(size=(0.1, 0.1, 0.1)), pose=PoseConfig(xyz=(2, 0, 0.1))
    )
    text = "'base_link' and 'burger/base_link' are both called 'base_link'|'burger/base_link' and "
    with pytest.raises(SceneError, match=text):
        RunningWorld(make_world("burger", objects=(box,)), hub, ROS)
    with RunningWorld(make_world("burger"), hub, ROS) as running:
        running.step(1)
        with pytest.raises(SceneError, match=text):
            running.spawn(box)
        assert "base_link" not in running.world.objects
        running.step(1)


def test_a_sensor_on_a_topic_of_the_simulator_is_refused_by_its_bare_name(hub):
    world = make_world("burger")
    world.sensors.add({"kind": "imu", "name": "tf", "mount": "burger/imu_link"})
    with pytest.raises(SceneError, match="has the topic 'tf', which carries transforms"):
        RunningWorld(world, hub, ROS)


def test_a_2d_robot_stands_below_odom_with_all_its_parts(hub):
    sim = Simulator.load("line_follower", seed=0)
    robot = next(iter(sim.robots))
    listener = TFListener(hub)
    with RunningWorld(sim, hub, ROS) as running:
        running.step(200)
        assert {"cmd_vel", "odom"} < topics(hub)
    tree = listener.tree
    body = sim.robots[robot].bodies
    frame = Naming(robot).frame(next(iter(body.values())).name)
    assert tree.frame(frame).parent == "odom"
    assert not tree.can_transform("world", "odom")


def test_a_trailer_stays_where_it_is_beside_its_robot():
    from horus_sim.running.outlets.transforms import _below_odom
    from horus_sim.tf import StaticTransformStamped

    T_world_base, T_world_trailer = Transform((3, 1, 0)), Transform((2, 1, 0))
    moving = [
        TransformStamped("world", "r/base", 5, T_world_base),
        TransformStamped("world", "r/trailer", 5, T_world_trailer),
        TransformStamped("world", "ball", 5, Transform((9, 9, 0))),
    ]
    fixed = {"r/odom": StaticTransformStamped("world", "r/odom", Transform())}
    message = Odometry(5, "r/odom", "r/base", Transform((2.5, 0, 0)))
    found = {each.child_frame: each for each in _below_odom("r", message, fixed, moving)}
    assert not fixed
    assert found["r/base"].transform == message.pose
    assert found["r/trailer"].parent_frame == "r/base"
    assert found["r/trailer"].transform.translation.tolist() == [-1, 0, 0]
    assert found["ball"].parent_frame == "world"
