"""Commands that are done again give the same states, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.errors import RecordingError
from horus_sim.hub.messages import CmdVel, JointCommand, JointState
from horus_sim.running import RunningWorld
from horus_sim.running.recording import CommandLog, McapFile, McapRecorder, replay_commands
from horus_sim.sim3d import RobotConfig, World, recorded_world
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.tf import Transform

SECOND = RobotConfig(
    name="second", model="turtlebot3_waffle", pose=PoseConfig(xyz=(2.0, -1.0, 0.02))
)


def drive(running, rng, count):
    for _ in range(count):
        running.command("burger", CmdVel(*(rng.uniform(-0.2, 0.2, 2))))
        running.step(int(rng.integers(1, 60)))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A run with commands at odd times, a robot that comes, and one reset."""
    folder = tmp_path_factory.mktemp("recorded")
    world = World.load("warehouse", seed=4)
    states = {}
    rng = np.random.default_rng(0)
    with RunningWorld(world) as running:
        recorder, log = McapRecorder(folder / "run.mcap"), CommandLog()
        running.add_outlet(recorder)
        running.add_outlet(log)
        running.observers.append(
            lambda world: states.setdefault(len(states), world.snapshot().physics.tobytes())
        )
        drive(running, rng, 10)
        running.spawn(SECOND)
        running.command("second", CmdVel(0.1, 0.1))
        drive(running, rng, 5)
        running.reset(seed=8)
        running.command("second", CmdVel(0.1, -0.1))
        drive(running, rng, 5)
        log.save(folder / "run.jsonl")
    return recorder, log, states


def test_every_step_is_the_same_bit_by_bit(recorded):
    _, log, states = recorded
    world = World.load("warehouse", seed=4)
    found = {}
    done = replay_commands(
        world, log, lambda world: found.setdefault(len(found), world.snapshot().physics.tobytes())
    )
    assert found == states
    assert done.steps == len(states)
    assert done.commands == 22
    assert done.states > 4


def test_each_file_of_a_recording_can_be_done_again(recorded):
    recorder, _, _ = recorded
    for path, seed in zip(recorder.paths, (4, 8), strict=True):
        world = World.load("warehouse", seed=seed)
        seen = {}

        def keep(world, seen=seen):
            robot = world.robots["burger"]
            seen[world.stamp_ns] = (robot.joint_positions(), robot.joint_velocities())

        done = replay_commands(world, CommandLog.load(path), keep)
        assert done.steps > 0
        # What was recorded on topics is what the world does now.
        compared = 0
        for message in McapFile(path).read(("burger/joint_states",)):
            state = message.value
            assert isinstance(state, JointState)
            if state.stamp_ns in seen:
                positions, velocities = seen[state.stamp_ns]
                assert state.positions.tobytes() == positions.tobytes()
                assert state.velocities is not None
                assert state.velocities.tobytes() == velocities.tobytes()
                compared += 1
        assert compared > 20


def test_a_saved_log_is_the_log(recorded, tmp_path):
    _, log, _ = recorded
    log.save(tmp_path / "log.jsonl")
    assert CommandLog.load(tmp_path / "log.jsonl") == log


def test_commands_for_joints_come_back_exactly(tmp_path):
    log = CommandLog()
    command = JointCommand(("a",), np.array([1 / 3]), "effort")
    log.log("sim/command_log", {"kind": "command", "step": 1, "robot": "r", "message": command}, 0)
    log.save(tmp_path / "log.jsonl")
    (entry,) = CommandLog.load(tmp_path / "log.jsonl").entries
    assert entry == {
        "kind": "command", "step": 1, "robot": "r", "type": "JointCommand",
        "fields": {"names": ["a"], "values": [1 / 3], "mode": "effort", "stamp_ns": 0},
    }  # fmt: skip


def test_another_world_is_refused(recorded):
    _, log, _ = recorded
    with pytest.raises(
        RecordingError, match=r"with seed 4 .* but the world has 'warehouse', 1 and"
    ):
        replay_commands(World.load("warehouse", seed=1), log)
    stepped = World.load("warehouse", seed=4)
    stepped.step(5)
    with pytest.raises(RecordingError, match="replay into a world that was just loaded"):
        replay_commands(stepped, log)
    heavier = World.load("warehouse", seed=4, overrides={"physics.gravity": [0.0, 0.0, -9.0]})
    with pytest.raises(RecordingError, match=r"at step \d+ the state differs from the recorded"):
        replay_commands(heavier, log)


def test_files_without_commands_are_named(tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(RecordingError, match="holds no commands; record with"):
        CommandLog.load(tmp_path / "empty.jsonl")
    (tmp_path / "list.jsonl").write_text("[1]\n")
    with pytest.raises(RecordingError, match=r"is not a log of commands: .* is not an entry"):
        CommandLog.load(tmp_path / "list.jsonl")
    with pytest.raises(RecordingError, match="is not a log of commands"):
        CommandLog.load(tmp_path / "absent.jsonl")
    log = CommandLog(
        [{"kind": "command", "step": 0, "robot": "burger", "type": "Speed", "fields": {}}]
    )
    with pytest.raises(RecordingError, match="a command of type 'Speed' at step 0"):
        replay_commands(World.load("warehouse"), log)


@pytest.fixture(scope="module")
def states():
    """Of a world that was driven another way, by their steps."""
    world = World.load("warehouse", seed=4)
    found = {}
    with RunningWorld(world) as running:
        running.command("burger", CmdVel(0.2, -0.5))
        for step in (0, 60, 120):
            running.step(step - world.steps)
            found[step] = world.snapshot()
    return found


@pytest.mark.parametrize("to", [0, 60, 120])
def test_a_state_that_is_set_is_followed(states, tmp_path, to):
    """To an earlier step, to the same one, to a later one."""
    world = World.load("warehouse", seed=4)
    with RunningWorld(world) as running:
        recorder, log = McapRecorder(tmp_path / "run.mcap"), CommandLog()
        running.add_outlet(recorder)
        running.add_outlet(log)
        running.command("burger", CmdVel(0.1, 0.1))
        running.step(60)
        world.apply_snapshot(states[to])
        running.step(30)
    kinds = [entry["kind"] for entry in log.entries]
    assert kinds.count("state set") == 1
    assert kinds.count("start") == 2
    done = replay_commands(recorded_world(log), log)
    assert done.steps == 90
    assert len(recorder.paths) == 2
    for path, steps in zip(recorder.paths, (60, 30), strict=True):
        part = CommandLog.load(path)
        assert part.has_end
        assert replay_commands(recorded_world(part), part).steps == steps


def test_a_state_that_was_set_before_the_record_began_is_followed(states):
    """Also one at the first step: it is not that of the scene."""
    world = World.load("warehouse", seed=4)
    world.move("burger", world.robots["burger"].pose @ Transform((0.5, 0.0, 0.0)))
    moved = world.snapshot()
    world.reset()
    world.apply_snapshot(moved)
    with RunningWorld(world) as running:
        log = CommandLog()
        running.add_outlet(log)
        running.step(10)
    assert replay_commands(recorded_world(log), log).steps == 10


def test_a_reset_at_the_first_step_is_followed():
    world = World.load("warehouse", seed=4)
    with RunningWorld(world) as running:
        log = CommandLog()
        running.add_outlet(log)
        running.start()
        world.reset(seed=5)
        running.step(10)
    assert replay_commands(recorded_world(log), log).steps == 10


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"kind": "command"}, "entry 1 of the log, a 'command' at step 1, cannot be done: KeyErr"),
        ({"kind": "spawn", "object": {"name": 3}}, "a 'spawn' at step 1, cannot be done: "),
        ({"kind": "spawn", "robot": None, "pose": 3}, "a 'spawn' at step 1, cannot be done: "),
        ({"kind": "reset", "seed": "x"}, "a 'reset' at step 1, cannot be done: "),
    ],
)
def test_entries_that_make_no_sense_are_named(entry, text):
    world = World.load("empty_world")
    start = {"kind": "start", "step": 0, "scene": "empty_world", "seed": 0}
    log = CommandLog([start | {"timestep": world.timestep}, {"step": 1} | entry])
    with pytest.raises(RecordingError, match=text):
        replay_commands(world, log)


@pytest.mark.parametrize("step", [-1, 1.5, None, "x", True, 10**12])
def test_a_step_that_is_no_number_of_a_step_is_named(tmp_path, step):
    path = tmp_path / "log.jsonl"
    CommandLog([{"kind": "end", "step": step}]).save(path)
    with pytest.raises(RecordingError, match=r"is not a log of commands: .* is not an entry"):
        CommandLog.load(path)


def test_a_start_that_lacks_something_is_named():
    log = CommandLog([{"kind": "start", "step": 0, "described": {}}])
    with pytest.raises(RecordingError, match="a 'start' at step 0, cannot be done: KeyError: 'sou"):
        recorded_world(log)
