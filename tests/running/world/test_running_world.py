"""A world on topics inside one process: what is published, taken in, refused and repeated."""

from __future__ import annotations

import uuid

import numpy as np
import pytest

from horus_sim.errors import CommandError, UnknownNameError
from horus_sim.hub import QoS, TFListener, connect
from horus_sim.hub.messages import Clock, CmdVel, Imu, JointCommand, JointState, Odometry, Twist
from horus_sim.running import COMMAND_LOG_TOPIC, RunningConfig, RunningWorld
from horus_sim.sim3d import RobotConfig, Scene, World
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.shapes import BoxShape, PlaneShape
from horus_sim.sim3d.sensors import Sensors
from horus_sim.tf import Transform

MANY = QoS(depth=100_000)
START = Transform.from_euler((1.0, 2.0, 0.01), (0.0, 0.0, 0.5))


def make_world(**options) -> World:
    """A burger on a plane, stepped at 1 kHz."""
    return World.load(
        Scene(
            name="plane",
            physics=PhysicsConfig(timestep=0.001),
            objects=(ObjectConfig(name="ground", shape=PlaneShape()),),
            robots=(
                RobotConfig(name="burger", model="turtlebot3_burger", pose=PoseConfig.of(START)),
            ),
        ),
        **options,
    )


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


@pytest.fixture
def running(hub):
    with RunningWorld(make_world(), hub) as running:
        yield running


class Tape:
    """A sink that keeps everything."""

    def __init__(self):
        self.runs = 0
        self.logged = []

    def begin_run(self, world):
        self.runs += 1

    def log(self, topic, message, stamp_ns):
        self.logged.append((topic, message, stamp_ns))

    def close(self):
        self.logged.append(("closed", None, 0))

    def of(self, topic):
        return [message for name, message, _ in self.logged if name == topic]


def test_rates_are_exact_in_simulated_time(running, hub):
    clock = hub.subscribe("clock", Clock, MANY)
    odom = hub.subscribe("burger/odom", Odometry, MANY)
    assert running.step(1000) == 1000
    stamps = []
    while (message := clock.take()) is not None:
        stamps.append(message.stamp_ns)
    assert stamps == [10_000_000 * i for i in range(101)]
    assert odom.received == 51


def test_joint_states_are_those_of_the_robot(running, hub):
    states = hub.subscribe("burger/joint_states", JointState, MANY)
    running.command("burger", CmdVel(0.2, 0.1))
    running.step(20)
    state = states.latest()
    robot = running.world.robots["burger"]
    assert state.names == robot.joint_names
    assert state.stamp_ns == 20_000_000
    np.testing.assert_array_equal(state.positions, robot.joint_positions())
    np.testing.assert_array_equal(state.velocities, robot.joint_velocities())
    np.testing.assert_array_equal(state.efforts, robot.joint_efforts())


def test_a_listener_has_the_same_tree_as_the_world(running, hub):
    running.start()
    listener = TFListener(hub)
    running.command("burger", CmdVel(0.2, 0.5))
    running.step(400)
    tree = running.world.tf
    for frame in tree.get_all_frames():
        found = listener.tree.lookup_transform(frame, "world")
        np.testing.assert_allclose(
            found.to_matrix(), tree.lookup_transform(frame, "world").to_matrix(), atol=1e-12
        )
    assert listener.tree.lookup_transform("burger/odom", "world").translation[0] == pytest.approx(1)


def test_odometry_counts_wheels_from_where_the_robot_started(running, hub):
    odom = hub.subscribe("burger/odom", Odometry, MANY)
    for _ in range(20):
        running.command("burger", CmdVel(0.2, 0.0))
        running.step(100)
    message = odom.latest()
    assert (message.frame_id, message.child_frame_id) == ("burger/odom", "burger/base_footprint")
    x, y, _ = message.pose.translation
    assert x == pytest.approx(0.2 * (2.0 - 0.2 / 2.5 / 2), abs=0.01)
    assert abs(y) < 1e-3
    assert message.linear[0] == pytest.approx(0.2, abs=0.01)
    # In the world it went along its heading.
    wanted = START.transform_point((x, 0.0, 0.0))
    np.testing.assert_allclose(
        running.world.robots["burger"].pose.translation[:2], wanted[:2], atol=0.02
    )


def test_true_odometry_is_the_pose_relative_to_the_start(hub):
    world = make_world()
    start = world.robots["burger"].pose
    with RunningWorld(world, hub, RunningConfig(odometry="ground_truth")) as running:
        odom = hub.subscribe("burger/odom", Odometry, MANY)
        running.command("burger", CmdVel(0.2, 1.0))
        running.step(400)
        message = odom.latest()
        robot = world.robots["burger"]
        np.testing.assert_allclose(
            (start @ message.pose).to_matrix(), robot.pose.to_matrix(), atol=1e-12
        )
        linear, angular = robot.velocity
        np.testing.assert_allclose(robot.pose.transform_vector(message.linear), linear, atol=1e-12)
        np.testing.assert_allclose(
            robot.pose.transform_vector(message.angular), angular, atol=1e-12
        )


def test_none_publishes_nothing(hub):
    config = RunningConfig(
        clock_hz=None, tf_hz=None, odom_hz=None, joint_states_hz=None, robot_descriptions=False
    )
    with RunningWorld(make_world(), hub, config) as running:
        running.step(10)
        published = {info.name for info in hub.topics() if info.publishers}
        published -= {"simulate_steps/_action/feedback", "simulate_steps/_action/status"}
    assert published <= {"sim/reply", "sim/status", "tf", "tf_static"}


@pytest.mark.parametrize(
    ("topic", "command"),
    [("cmd_vel", CmdVel(0.2, 0.0)), ("cmd_twist", Twist((0.2, 0.0, 0.0), (0.0, 0.0, 0.0)))],
)
def test_commands_on_topics_drive_and_the_watchdog_stops(running, hub, topic, command):
    sender = hub.publisher(f"burger/{topic}", type(command))
    running.start()
    robot = running.world.robots["burger"]
    for _ in range(10):
        sender.send(command)
        running.step(100)
    assert np.linalg.norm(robot.velocity[0]) == pytest.approx(0.2, abs=0.02)
    running.step(1000)  # nobody commands any more
    assert np.linalg.norm(robot.velocity[0]) < 1e-3
    assert running.refused == 0


def test_joint_commands_move_an_arm(hub):
    world = World.load(Scene(robots=(RobotConfig(name="arm", model="arm6"),)))
    with RunningWorld(world, hub) as running:
        joint = world.robots["arm"].joint_names[0]
        sender = hub.publisher("arm/joint_command", JointCommand)
        running.start()
        sender.send(JointCommand((joint,), np.array([0.3])))
        running.step(round(2.0 / world.timestep))
        assert world.robots["arm"].joint_positions()[0] == pytest.approx(0.3, abs=0.01)
        # A fixed robot has no odometry.
        assert not any(info.name == "arm/odom" for info in hub.topics())


def test_a_wrong_command_is_refused_and_the_world_goes_on(running, hub, caplog):
    sender = hub.publisher("burger/joint_command", JointCommand)
    running.start()
    for _ in range(3):
        sender.send(JointCommand(("wheel_left_jont",), np.array([1.0])))
    for _ in range(2):
        sender.send(JointCommand(("wheel_left_joint",), np.array([float("nan")])))
        sender.send(JointCommand(("wheel_left_jont",), np.array([1.0])))
    assert running.step(5) == 5
    assert running.refused == 7
    # Each reason once, whatever comes between.
    assert len(caplog.records) == 2
    assert sum("wheel_left_jont" in record.message for record in caplog.records) == 1
    assert all("command for 'burger' was refused" in record.message for record in caplog.records)


def test_a_command_by_hand_is_checked(running):
    with pytest.raises(UnknownNameError, match="did you mean 'burger'"):
        running.command("burgr", CmdVel(0.1, 0.0))
    with pytest.raises(CommandError, match="got a Clock; give it a CmdVel"):
        running.command("burger", Clock(0))


def test_commands_of_an_earlier_run_are_discarded(running, hub):
    sender = hub.publisher("burger/cmd_vel", CmdVel)
    sender.send(CmdVel(0.2, 0.0))  # before the start
    running.step(200)
    assert np.linalg.norm(running.world.robots["burger"].velocity[0]) < 1e-3
    sender.send(CmdVel(0.2, 0.0))
    epoch = hub.epoch
    running.reset()
    assert hub.epoch == epoch + 1
    running.step(200)
    assert np.linalg.norm(running.world.robots["burger"].velocity[0]) < 1e-3


def test_the_same_messages_give_the_same_bits():
    def run():
        name = f"test-{uuid.uuid4().hex[:12]}"
        with connect(session=name) as hub, RunningWorld(make_world(seed=3), hub) as running:
            sender = hub.publisher("burger/cmd_vel", CmdVel)
            running.start()
            for i in range(10):
                sender.send(CmdVel(0.02 * i, 0.3 - 0.05 * i))
                running.step(37)
            return running.exchange.digest()

    assert run() == run()


def test_sinks_get_what_goes_out_and_what_comes_in(running, hub):
    tape = Tape()
    running.add_outlet(tape)
    sender = hub.publisher("burger/cmd_vel", CmdVel)
    running.start()
    running.step(5)
    sender.send(CmdVel(0.1, 0.0))
    running.step(5)
    assert tape.runs == 1
    assert tape.of("burger/cmd_vel") == [CmdVel(0.1, 0.0)]
    assert {item.child_frame for item in tape.of("tf_static")[0]} >= {"burger/base_scan", "ground"}
    kinds = [(entry["kind"], entry["step"]) for entry in tape.of(COMMAND_LOG_TOPIC)]
    assert kinds == [("start", 0), ("state", 0), ("command", 5)]
    running.reset(seed=9)
    assert tape.runs == 2
    assert tape.of(COMMAND_LOG_TOPIC)[-2]["seed"] == 9
    late = Tape()
    running.add_outlet(late)
    assert late.of("tf_static")
    running.close()
    assert tape.of(COMMAND_LOG_TOPIC)[-1]["kind"] == "end"
    assert tape.logged[-1][0] == "closed"


def test_sensors_publish_on_their_topics(hub):
    world = make_world()
    if not hasattr(world, "sensors"):
        world.sensors = Sensors(world)  # pyright: ignore[reportAttributeAccessIssue]
    world.sensors.add({"kind": "imu", "name": "imu", "mount": "burger/imu_link", "rate_hz": 100})
    with RunningWorld(world, hub) as running:
        running.observers.append(world.sensors.after_step)
        imu = hub.subscribe("burger/imu", Imu, MANY)
        running.step(1000)
        assert imu.received == 100
        assert imu.latest().linear_acceleration[2] == pytest.approx(9.81, abs=0.01)


def test_a_box_that_comes_and_goes_is_in_the_tree_while_it_is_there(running, hub):
    running.step(10)
    running.spawn(ObjectConfig(name="box", shape=BoxShape(size=(1.0, 1.0, 1.0))))
    running.step(100)
    assert TFListener(hub).tree.has_frame("box")
    running.remove("box")
    running.step(100)
    assert not TFListener(hub).tree.has_frame("box")
    assert TFListener(hub).tree.has_frame("ground")


def test_without_a_hub_there_are_outlets_alone():
    with RunningWorld(make_world()) as running:
        tape = Tape()
        running.add_outlet(tape)
        assert running.step(10) == 10
        assert running.hub is None
    assert tape.of("clock")


def test_observers_see_every_step(running):
    seen = []
    running.observers.append(lambda world: seen.append(world.steps))
    running.step(3)
    assert seen == [1, 2, 3]


def test_a_configuration_builds_a_bridge(hub):
    with RunningConfig(clock_hz=10.0).build(make_world(), hub) as running:
        assert running.config.clock_hz == 10.0
    with pytest.raises(ValueError, match="did you mean 'clock_hz'"):
        RunningConfig.model_validate({"clok_hz": 10.0})


def test_simulated_time_counts_all_runs(running):
    running.step(30)
    running.reset()
    running.step(20)
    assert running.world.time == pytest.approx(0.02)
    assert running.simulated_time == pytest.approx(0.05)


def test_nothing_is_recorded_before_the_run_begins(running):
    tape = Tape()
    running.add_outlet(tape)
    running.pause()
    running.resume()
    assert tape.logged == []
    running.step()
    assert tape.runs == 1
    assert [topic for topic, *_ in tape.logged].count("sim/status") == 1


def test_topics_of_what_left_end_with_it(hub):
    with RunningWorld(make_world(), hub) as running:
        running.step(10)
        robot = next(iter(running.world.robots))
        assert f"{robot}/odom" in {info.name for info in hub.topics()}
        running.remove(robot)
        running.step(1)
        assert not [info.name for info in hub.topics() if info.name.startswith(f"{robot}/")]
        running.replace(make_world())
        running.step(10)
        assert f"{robot}/odom" in {info.name for info in hub.topics()}
