"""A 2D world on topics: what it publishes and obeys, recorded and done again."""

from __future__ import annotations

import math
import uuid
from pathlib import Path

import numpy as np
import pytest

from horus_sim.errors import RecordingError, Sim2dError
from horus_sim.files.whole_folder import copy_folder
from horus_sim.hub import QoS, TFListener, connect
from horus_sim.hub.messages import (
    Clock,
    CmdVel,
    JointCommand,
    JointState,
    LaserScan,
    Odometry,
    Range,
    Reflectance,
    Twist,
)
from horus_sim.running import RunningWorld
from horus_sim.running.recording import CommandLog, McapFile, McapRecorder, replay_commands
from horus_sim.sim2d import Simulator
from horus_sim.sim2d.exchange.origin import recorded_simulator
from horus_sim.sim2d.scenario.scenario import scenario_folder

MANY = QoS(depth=100_000)


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


@pytest.fixture
def running(hub):
    with RunningWorld(Simulator.load("line_follower", seed=3), hub) as running:
        yield running


def messages(subscription) -> list:
    found = []
    while (message := subscription.take()) is not None:
        found.append(message)
    return found


def test_clock_odometry_and_wheels_are_those_of_the_simulator(running, hub):
    clock = hub.subscribe("clock", Clock, MANY)
    odom = hub.subscribe("robot/odom", Odometry, MANY)
    joints = hub.subscribe("robot/joint_states", JointState, MANY)
    sim = running.world
    start = sim.robots["robot"].pose
    assert running.step(120) == 120
    stamps = [message.stamp_ns for message in messages(clock)]
    assert stamps[0] == 0
    assert len(stamps) == 101
    last = messages(odom)[-1]
    x, y, theta = start.inverse().compose(sim.robots["robot"].pose)
    assert last.pose.translation == pytest.approx([x, y, 0.0], abs=1e-12)
    assert last.pose.to_euler()[2] == pytest.approx(theta, abs=1e-12)
    vx, vy, turn = next(iter(sim.robots["robot"].bodies.values())).velocity
    heading = sim.robots["robot"].pose.theta
    ahead = vx * math.cos(heading) + vy * math.sin(heading)
    assert last.linear[0] == pytest.approx(ahead, abs=1e-12)
    assert last.angular[2] == turn
    state = messages(joints)[-1]
    assert state.names == tuple(sim.robots["robot"].motors)
    assert state.velocities == pytest.approx(sim.wheels()[:, 1])


def test_frames_are_those_that_the_simulator_publishes_itself(running, hub):
    tree = running.world.publish_frames()
    running.start()
    listener = TFListener(hub)
    running.step(119)
    running.step(1)
    for frame in tree.get_all_frames():
        np.testing.assert_allclose(
            listener.tree.lookup_transform(frame, "world").to_matrix(),
            tree.lookup_transform(frame, "world").to_matrix(),
            atol=1e-12,
        )
    assert listener.tree.has_frame("robot/odom")


def test_readings_go_out_once_each_at_their_own_rate(hub):
    with RunningWorld(Simulator.load("maze", seed=0), hub) as running:
        sim = running.world
        kinds = {"distance": (Range, LaserScan), "line_array": (Reflectance,)}
        sensor = next(
            name for name, slot in sim.layout.sensors.items() if slot.config.type == "distance"
        )
        slot = sim.layout.sensors[sensor]
        kind = kinds["distance"][slot.params.count > 1]
        heard = hub.subscribe(sensor, kind, MANY)
        running.step(240)
        found = messages(heard)
        assert len(found) == pytest.approx(2.0 * slot.params.rate_hz, abs=1)
        assert len({message.stamp_ns for message in found}) == len(found)
        value = np.atleast_1d(sim.sensors[sim.layout.short(sensor)].read().value)
        told = np.atleast_1d(getattr(found[-1], "ranges", None) or found[-1].range)
        near = value < slot.params.range_max
        assert told[near] == pytest.approx(value[near], rel=1e-6)
        assert np.isinf(told[~near]).all()


@pytest.mark.parametrize("command", [CmdVel(0.2, 0.5), Twist((0.2, 0.0, 0.0), (0.0, 0.0, 0.5))])
def test_a_node_drives_while_the_controller_waits(running, hub, command):
    sim = running.world
    robot = sim.robots["robot"]
    topic = "cmd_vel" if isinstance(command, CmdVel) else "cmd_twist"
    node = hub.publisher(f"robot/{topic}", type(command))
    running.start()
    for _ in range(120):
        node.send(command)
        running.step()
    left, right = robot.drive.left, robot.drive.right
    half = 0.25 * robot.drive.track
    assert left.command * left.max_omega * left.radius == pytest.approx(0.2 - half)
    assert right.command * right.max_omega * right.radius == pytest.approx(0.2 + half)
    assert sim.held == {"robot"}
    assert running.drivers()["robot"] == hub.name
    # Half a second of silence later the controller has it again.
    running.step(62)
    assert sim.held == set()
    assert running.drivers()["robot"] == ""


def test_wheels_are_commanded_by_name(running, hub):
    node = hub.publisher("robot/joint_command", JointCommand)
    running.start()
    motors = running.world.robots["robot"].motors
    name = next(iter(motors))
    node.send(JointCommand((name,), np.array([5.0]), "velocity"))
    running.step()
    assert motors[name].command == pytest.approx(5.0 / motors[name].max_omega)
    node.send(JointCommand(("lefft",), np.array([5.0]), "velocity"))
    node.send(JointCommand((name,), np.array([5.0])))
    running.step()
    assert running.refused == 2
    assert "wheels take 'velocity'" in str(running.commands.last_error)


def test_too_fast_is_slowed_down_on_the_same_curve(running):
    robot = running.world.robots["robot"]
    running.command("robot", CmdVel(1000.0, 1000.0))
    slow, fast = (abs(motor.command) for motor in (robot.drive.left, robot.drive.right))
    assert fast == pytest.approx(1.0)
    half = 500.0 * robot.drive.track
    assert slow / fast == pytest.approx(abs(1000.0 - half) / (1000.0 + half))


def test_nothing_comes_or_goes(running):
    with pytest.raises(Sim2dError, match="nothing comes or goes while the 2D scenario"):
        running.spawn("turtlebot3_burger")
    with pytest.raises(Sim2dError, match="change its files"):
        running.remove("robot")


def recorded(folder: Path, path: Path, *, begins_late: bool = False) -> None:
    """Half a second of driving by commands between stretches of the controller, and a reset."""
    sim = Simulator.load(folder, seed=5)
    with RunningWorld(sim) as running:
        if begins_late:
            running.step(50)
        running.add_outlet(McapRecorder(path))
        running.step(100)
        for i in range(60):
            running.command("robot", CmdVel(0.2, 0.01 * i))
            running.step()
        running.step(200)


@pytest.mark.parametrize("begins_late", [False, True])
def test_a_record_is_done_again_bit_by_bit(tmp_path, begins_late):
    path = tmp_path / "run.mcap"
    recorded(scenario_folder("line_follower"), path, begins_late=begins_late)
    assert {message.topic for message in McapFile(path).read()} >= {
        "clock", "tf", "tf_static", "robot/odom", "robot/cmd_vel", "sim/command_log", "scene"
    }  # fmt: skip
    log = CommandLog.load(path)
    assert log.simulator == "sim2d"
    done = replay_commands(recorded_simulator(log), log)
    assert done.commands == 60
    assert done.steps == 360
    assert done.states >= 4


def test_another_controller_is_found_out(tmp_path):
    folder = tmp_path / "mine"
    copy_folder(scenario_folder("line_follower"), folder, Sim2dError)
    path = tmp_path / "run.mcap"
    recorded(folder, path)
    controller = next(folder.glob("controller*.py"))
    controller.write_text(controller.read_text().replace("0.", "0.01", 1) + "\n# another\n")
    log = CommandLog.load(path)
    with pytest.raises(RecordingError, match=f"the file '{controller.name}' is not that"):
        replay_commands(recorded_simulator(log), log)


def test_commands_are_obeyed_all_or_none():
    sim = Simulator.load("maze")
    with RunningWorld(sim) as running:
        robot = next(iter(sim.robots))
        held = set(sim.held)
        with pytest.raises(Sim2dError, match="none"):
            running.commands.obey([(robot, CmdVel(0.1, 0.0)), ("none", CmdVel(0.1, 0.0))], "me")
        assert sim.held == held
        assert running.drivers()[robot] == ""
        running.commands.obey([(robot, CmdVel(0.1, 0.0))], "me")
        assert robot in sim.held
