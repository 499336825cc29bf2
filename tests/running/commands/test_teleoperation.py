"""A node in another process drives a robot over zenoh; when it dies, the robot stops."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import numpy as np
import pytest

from horus_sim.hub import QoS, TFListener, connect
from horus_sim.hub.messages import CmdVel, Imu, Odometry
from horus_sim.running import RunningConfig, RunningWorld
from horus_sim.sim3d import World

if importlib.util.find_spec("zenoh") is None:
    if os.environ.get("CI") == "true":
        pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
    pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'", allow_module_level=True)

# Longer than anything here takes; reached only when a message is lost.
LONG = 60.0
SIDE = 0.3
SIMULATOR = """
import sys
from horus_sim.hub import connect
from horus_sim.running import Loop, RunningWorld
from horus_sim.sim3d import World
with connect("zenoh://", session=sys.argv[1]) as hub:
    world = World.load("empty_world")
    world.spawn("turtlebot3_burger", name="burger")
    with RunningWorld(world, hub) as running:
        Loop(running, speed=2.0).run()
"""
DRIVER = """
import math, sys
from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import CmdVel, Odometry
hub = connect("zenoh://", session=sys.argv[1])
odom = hub.subscribe("burger/odom", Odometry, QoS(depth=1))
drive = hub.publisher("burger/cmd_vel", CmdVel)

def where():
    message = odom.wait(60)
    assert message is not None, "no odometry"
    x, y, _ = message.pose.translation
    return x, y, message.pose.to_euler()[2]

def turn_to(heading):
    while True:
        x, y, yaw = where()
        error = math.remainder(heading - yaw, 2 * math.pi)
        if abs(error) < 0.02:
            return
        drive.send(CmdVel(0.0, max(-1.0, min(1.0, 3.0 * error))))

def go_to(goal_x, goal_y):
    while True:
        x, y, yaw = where()
        ahead = math.hypot(goal_x - x, goal_y - y)
        if ahead < 0.02:
            return
        error = math.remainder(math.atan2(goal_y - y, goal_x - x) - yaw, 2 * math.pi)
        drive.send(CmdVel(min(0.2, 2.0 * ahead) * max(0.0, math.cos(error)), 2.0 * error))
"""
SQUARE = """
side = float(sys.argv[2])
x, y, yaw = where()
for goal in ((side, 0.0), (side, side), (0.0, side), (0.0, 0.0)):
    x, y, _ = where()
    turn_to(math.atan2(goal[1] - y, goal[0] - x))
    go_to(*goal)
print("done", flush=True)
"""
SLEEPER = """
import sys, time
from horus_sim.hub import TFListener, connect
listener = TFListener(connect("zenoh://", session=sys.argv[1]))
print("connected", flush=True)
time.sleep(600)
"""
FOR_EVER = """
while True:
    where()
    drive.send(CmdVel(0.1, 0.5))
"""


@pytest.fixture
def session():
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def process(session):
    """Starts programs in the session and ends them after the test."""
    running = []

    def start(code):
        command = [sys.executable, "-c", code, session, str(SIDE)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        running.append(child)
        return child

    yield start
    for child in running:
        child.kill()
        child.communicate()


@pytest.fixture
def odom(session):
    with connect("zenoh://", session=session) as hub:
        yield hub.subscribe("burger/odom", Odometry, QoS(depth=100_000))


def until(messages, condition, act=lambda: None):
    """The first message for which the condition holds; acts again and again meanwhile."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        act()
        message = messages.wait(1.0)
        if message is not None and condition(message):
            return message
    raise AssertionError("it did not come about")


def is_moving(message):
    return message.linear[0] > 0.08


def is_at_rest(message):
    return abs(message.linear[0]) < 1e-3 and abs(message.angular[2]) < 1e-3


def test_a_node_in_another_process_drives_a_square(process, odom):
    process(SIMULATOR)
    assert odom.wait(LONG) is not None
    driver = process(DRIVER + SQUARE)
    assert driver.communicate(timeout=LONG)[0].split() == ["done"]
    path = []
    while (message := odom.take()) is not None:
        path.append(message.pose.translation[:2])
    path = np.array(path)
    corners = np.array([(0, 0), (SIDE, 0), (SIDE, SIDE), (0, SIDE), (0, 0)])
    for corner in corners:
        assert np.linalg.norm(path - corner, axis=1).min() < 0.04
    assert np.linalg.norm(path[-1] - corners[-1]) < 0.05
    # It stayed near the edges of the square: never inside it.
    assert np.linalg.norm(path - SIDE / 2, axis=1).min() > SIDE / 2 - 0.06
    assert path.min() > -0.06
    assert path.max() < SIDE + 0.06


def test_a_killed_node_stops_the_robot_and_a_new_one_drives_on(process, odom):
    process(SIMULATOR)
    first = process(DRIVER + FOR_EVER)
    until(odom, is_moving)
    first.send_signal(signal.SIGKILL)
    first.wait()
    stopped = until(odom, is_at_rest)
    later = until(odom, lambda message: message.stamp_ns > stopped.stamp_ns + 500_000_000)
    assert is_at_rest(later)
    moved = later.pose.translation - stopped.pose.translation
    assert np.linalg.norm(moved) < 2e-3
    process(DRIVER + FOR_EVER)
    until(odom, is_moving)


def test_a_new_simulator_takes_over_the_session(process, odom):
    first = process(SIMULATOR)
    driver = process(DRIVER + FOR_EVER)
    until(odom, is_moving)
    first.send_signal(signal.SIGKILL)
    first.wait()
    while odom.take() is not None:
        pass
    process(SIMULATOR)
    # The driver goes on with the new one, which began at time 0 with odometry at the origin.
    begun = until(odom, lambda message: True)
    assert np.linalg.norm(begun.pose.translation) < 0.5
    until(odom, is_moving)
    assert driver.poll() is None


def test_a_listener_that_is_stopped_does_not_stop_the_simulation(process, session):
    """Megabytes of transforms for a process that reads none of them."""
    with connect("zenoh://", session=session) as hub:
        world = World.load("warehouse", overrides={"physics.timestep": 0.001})
        with RunningWorld(world, hub, RunningConfig(tf_hz=1000.0)) as running:
            running.start()
            sleeper = process(SLEEPER)
            assert sleeper.stdout is not None
            assert sleeper.stdout.readline() == "connected\n"
            sleeper.send_signal(signal.SIGSTOP)
            try:
                assert running.step(2000) == 2000
            finally:
                sleeper.send_signal(signal.SIGCONT)


def test_late_listeners_get_the_fixed_frames(process, session, odom):
    process(SIMULATOR)
    until(odom, lambda message: True)
    with connect("zenoh://", session=session) as hub:
        listener = TFListener(hub)
        end = time.monotonic() + LONG
        while not listener.tree.has_frame("burger/base_scan"):
            assert time.monotonic() < end
            time.sleep(0.02)


def test_old_commands_are_discarded(session):
    with connect("zenoh://", session=session) as hub, connect("zenoh://", session=session) as far:
        world = World.load("empty_world")
        world.spawn("turtlebot3_burger", name="burger")
        with RunningWorld(world, hub, RunningConfig(command_max_age=0.05)) as running:
            running.start()
            sender = far.publisher("burger/cmd_vel", CmdVel)
            end = time.monotonic() + LONG
            while not running.commands.inputs.received:
                assert time.monotonic() < end
                sender.send(CmdVel(0.2, 0.0))
                time.sleep(0.02)
            time.sleep(0.2)  # nobody steps meanwhile
            running.step(100)
            assert running.expired > 0
            assert np.linalg.norm(world.robots["burger"].velocity[0]) < 1e-3


def test_a_second_simulator_in_a_session_is_told_of(session, caplog):
    with connect("zenoh://", session=session) as one, connect("zenoh://", session=session) as two:
        with RunningWorld(World.load("empty_world"), one) as running:
            running.step(1)
            assert "another program publishes 'clock'" not in caplog.text
            deadline = time.monotonic() + LONG
            while not any(info.name == "clock" and info.publishers for info in two.topics()):
                assert time.monotonic() < deadline
            with RunningWorld(World.load("empty_world"), two) as second:
                second.step(1)
        assert caplog.text.count("another program publishes 'clock'") == 1
        assert session in caplog.text


def test_after_the_answer_a_client_has_the_messages_of_all_steps(session):
    with connect("zenoh://", session=session) as hub, connect("zenoh://", session=session) as far:
        world = World.load("empty_world")
        world.spawn("turtlebot3_burger", name="burger")
        world.sensors.add({"kind": "imu", "name": "imu", "mount": "burger/imu_link", "rate_hz": 60})
        replies = far.subscribe("sim/reply", dict, QoS(depth=1000))
        pause, step = far.publisher("sim/pause", dict), far.publisher("sim/step", dict)
        stamps, is_over = [], threading.Event()
        far.subscribe("burger/imu", Imu, callback=lambda imu: stamps.append(imu.stamp_ns))

        def simulate():
            with RunningWorld(world, hub) as running:
                while not is_over.is_set():
                    running.poll()
                    running.step(5)
                    time.sleep(0.001)

        simulator = threading.Thread(target=simulate)
        simulator.start()
        try:
            reply = until(replies, lambda _: True, lambda: pause.send({"id": "connected"}))
            for number in range(10):
                begin_ns = reply["stamp_ns"]
                step.send({"id": number, "steps": 12})
                reply = until(replies, lambda reply, wanted=number: reply["id"] == wanted)
                assert reply["ok"]
                assert reply["stamp_ns"] - begin_ns == pytest.approx(12e9 / 240, abs=1)
                # Each subscription has a thread of its own; what was sent may be about to arrive.
                end = time.monotonic() + LONG
                while sum(begin_ns < stamp for stamp in stamps) < 3:
                    assert time.monotonic() < end
                    time.sleep(0.001)
                assert reply["messages"]["burger/imu"] == 3
                assert max(stamps) <= reply["stamp_ns"]
        finally:
            is_over.set()
            simulator.join()
