"""A recording tells where its world came from, so that every file of it can be done again."""

from __future__ import annotations

import math

import pytest

from horus_sim.errors import RecordingError
from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import Clock, CmdVel, Odometry
from horus_sim.robots import load_robot
from horus_sim.running import RunningWorld
from horus_sim.running.recording import CommandLog, McapFile, McapRecorder, replay_commands
from horus_sim.sim3d import RobotConfig, World, recorded_world
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import BoxShape, SphereShape

BALL = ObjectConfig(
    name="ball",
    shape=SphereShape(radius=0.1),
    dynamic=True,
    pose=PoseConfig(xyz=(0.5, 0.3, 0.7), rpy_deg=(10.0, 20.0, 33.0)),
)
LYING = ObjectConfig(name="lying", shape=BoxShape(size=(0.2, 0.3, 0.1)), dynamic=True)
SECOND = RobotConfig(name="second", model="turtlebot3_waffle")
SCENE = """
name: yard
physics: {timestep: 0.004}
objects:
  - {name: ground, shape: {kind: plane}}
robots:
  - {name: burger, model: turtlebot3_burger, pose: {xyz: [0, 0, 0.01]}}
"""


def verify(path, **options):
    log = CommandLog.load(path)
    return replay_commands(recorded_world(log, **options), log)


def test_objects_and_robots_that_came_and_went_before_and_after_resets(tmp_path):
    world = World.load("warehouse", seed=1)
    with RunningWorld(world) as running:
        recorder, log = McapRecorder(tmp_path / "run.mcap"), CommandLog()
        running.add_outlet(recorder)
        running.add_outlet(log)
        running.step(30)
        running.spawn(BALL)
        running.command("burger", CmdVel(0.2, 0.0))
        running.step(60)
        # Where these are put down depends on what stands where by now.
        running.spawn(LYING)
        running.spawn(SECOND)
        running.remove("carton_5")
        running.command("second", CmdVel(0.2, 0.1))
        running.step(120)
        running.reset(5)
        running.command("burger", CmdVel(0.2, 0.0))
        running.step(120)
        running.remove("ball")
        running.step(30)
        running.reset()
        running.step(60)
    assert len(recorder.paths) == 3
    for path in recorder.paths:
        assert verify(path).states >= 3
    done = replay_commands(recorded_world(log), log)
    assert done.steps == 30 + 60 + 120 + 120 + 30 + 60


def test_what_was_overridden_is_in_the_record(tmp_path):
    file = tmp_path / "yard.yaml"
    file.write_text(SCENE)
    overrides = {"physics.gravity": [0.0, 0.0, -1.6], "robots.0.pose.xyz": [0.0, 0.0, 0.3]}
    world = World.load(file, seed=3, overrides=overrides)
    with RunningWorld(world) as running:
        running.add_outlet(McapRecorder(tmp_path / "run.mcap"))
        running.spawn("turtlebot3_waffle")
        running.step(200)
    assert verify(tmp_path / "run.mcap").steps == 200
    # The folder may move.
    (tmp_path / "there").mkdir()
    moved = file.rename(tmp_path / "there" / "yard.yaml")
    assert verify(tmp_path / "run.mcap", scene=moved).steps == 200
    with pytest.raises(RecordingError, match="was made of scene 'yard', but 'warehouse' is 'wareh"):
        verify(tmp_path / "run.mcap", scene="warehouse")
    log = CommandLog.load(tmp_path / "run.mcap")
    text = (
        r"at step 0 the state differs from the recorded one: physics.gravity of the scene is "
        r"'not set', was \[0.0, 0.0, -1.6\]; robots.0.pose.xyz of the scene is \[0.0, 0.0, 0.01\]"
    )
    with pytest.raises(RecordingError, match=text):
        replay_commands(World.load(moved, seed=3), log)


def test_files_that_changed_are_named(tmp_path):
    mesh = tmp_path / "wedge.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    file = tmp_path / "yard.yaml"
    wedge = (
        "{name: wedge, shape: {kind: mesh, file: wedge.obj}, dynamic: true, pose: {xyz: [3, 0, 1]}}"
    )
    file.write_text(SCENE.replace("robots:", f"  - {wedge}\nrobots:"))
    with RunningWorld(World.load(file)) as running:
        running.add_outlet(McapRecorder(tmp_path / "run.mcap"))
        running.step(150)
    assert verify(tmp_path / "run.mcap").steps == 150
    mesh.write_text(mesh.read_text().replace("v 0 0 1", "v 0 0 2"))
    with pytest.raises(RecordingError, match=r"differs .*the file 'wedge.obj' is not that of the"):
        verify(tmp_path / "run.mcap")
    mesh.unlink()
    with pytest.raises(
        RecordingError, match=r"scene 'yard' of '.*' cannot be built again: .*wedge"
    ):
        verify(tmp_path / "run.mcap")


def test_a_world_that_no_file_describes_is_named_by_its_parts(tmp_path):
    def make():
        return World.from_robot(load_robot("turtlebot3_burger"), ground=True)

    with RunningWorld(make()) as running:
        running.add_outlet(McapRecorder(tmp_path / "run.mcap"))
        running.step(50)
    text = "not made of the parts of the record: the record has also turtlebot3_burger"
    with pytest.raises(RecordingError, match=text):
        verify(tmp_path / "run.mcap")
    assert replay_commands(make(), CommandLog.load(tmp_path / "run.mcap")).steps == 50


def test_a_state_that_is_loaded_begins_a_new_run(tmp_path):
    world = World.load("warehouse")
    name = f"jump-{tmp_path.name}"
    with connect(session=name) as hub, RunningWorld(world, hub) as running:
        recorder, log = McapRecorder(tmp_path / "run.mcap"), CommandLog()
        running.add_outlet(recorder)
        running.add_outlet(log)
        clock = hub.subscribe("clock", Clock, QoS(depth=10_000))
        odom = hub.subscribe("burger/odom", Odometry, QoS(depth=10_000))
        for _ in range(4):
            running.command("burger", CmdVel(0.2, 0.1))
            running.step(25)
        saved, epoch, then = world.snapshot(), hub.epoch, odom.latest()
        running.step(100)
        world.apply_snapshot(saved)
        running.command("burger", CmdVel(0.1, -0.2))
        assert hub.epoch == epoch + 1
        # The odometry goes on from the same origin.
        again = odom.latest()
        assert again is not None
        assert then is not None
        assert math.dist(again.pose.translation, then.pose.translation) < 0.01
        running.step(24)
        stamps = []
        while (message := clock.take()) is not None:
            stamps.append(message.stamp_ns)
        assert stamps[0] == round(saved.steps * world.timestep * 1e9)
        assert len(stamps) >= 10
        world.reset()
        running.step(30)
    assert [path.name for path in recorder.paths] == ["run.mcap", "run_2.mcap", "run_3.mcap"]
    for path, steps in zip(recorder.paths, (200, 24, 30), strict=True):
        found = [message.stamp_ns for message in McapFile(path).read()]
        assert found == sorted(found)
        assert verify(path).steps == steps
    assert replay_commands(recorded_world(log), log).states >= 6


def test_a_recording_that_begins_in_the_middle_can_be_done_again(tmp_path):
    with RunningWorld(World.load("warehouse")) as running:
        running.command("burger", CmdVel(0.2, 0.1))
        running.step(100)
        running.add_outlet(McapRecorder(tmp_path / "mid.mcap"))
        running.command("burger", CmdVel(0.1, 0.1))
        running.step(100)
    assert verify(tmp_path / "mid.mcap").steps == 100
