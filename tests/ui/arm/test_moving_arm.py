"""The arm of the arm page without a browser: moves, recordings, its thread, the drawing."""

from __future__ import annotations

import csv
import io
import json
import time
from dataclasses import replace
from math import degrees, radians

import numpy as np
import pytest

from horus_sim.arm import Arm, DampedLeastSquares, arm_names
from horus_sim.errors import ArmError, SimulationStoppedError, UiError
from horus_sim.running.loop.event_log import EventLog
from horus_sim.tf import Transform
from horus_sim.ui.arm.model.arm_thread import ArmThread
from horus_sim.ui.arm.model.drawing import arm_frame, cloud_frame, describe, parts, path_frame
from horus_sim.ui.arm.model.motions import plan_move, sample
from horus_sim.ui.arm.model.moving_arm import MovingArm
from horus_sim.ui.arm.model.recording import LONGEST_S, Recorder, to_json
from horus_sim.ui.stream.streaming import Stream

DT = 0.02


class Frames(Stream):
    """A stream on which somebody wants everything; it counts what is published."""

    count = 0

    def is_wanted(self, channel: str) -> bool:
        return True

    def publish(self, channel: str, message: bytes | str) -> None:
        self.count += 1


def run(moving: MovingArm, longest_s: float = 60.0) -> float:
    """Lets time pass until all is done; gives how much it was."""
    passed = 0.0
    while moving.is_busy:
        moving.advance(DT)
        passed += DT
        assert passed < longest_s
    return passed


@pytest.fixture
def moving() -> MovingArm:
    return MovingArm(Arm.load("robot_arm"))


@pytest.mark.parametrize("path", ["joints", "line"])
def test_a_reachable_target_is_reached(moving: MovingArm, path):
    target = Transform((0.4, -0.15, 0.3))
    assert moving.move_to(target, "position", path).success
    assert moving.state.is_moving
    run(moving)
    np.testing.assert_allclose(moving.state.T_world_tool.translation, target.translation, atol=2e-6)
    assert not moving.state.is_unreachable


def test_a_straight_line_is_straight(moving: MovingArm):
    start = moving.state.T_world_tool.translation
    end = start + np.array((0.0, 0.2, 0.1))
    moving.move_to(Transform(end), "position", "line")
    direction = (end - start) / np.linalg.norm(end - start)
    while moving.is_busy:
        moving.advance(DT)
        away = moving.state.T_world_tool.translation - start
        assert np.linalg.norm(away - direction * (away @ direction)) < 1e-3


def test_a_pose_is_reached(moving: MovingArm):
    target = Transform.from_euler((0.4, 0.1, 0.35), (np.pi, 0.0, 0.3))
    assert moving.move_to(target, "pose").success
    run(moving)
    np.testing.assert_allclose(moving.state.T_world_tool.to_matrix(), target.to_matrix(), atol=5e-6)
    assert moving.state.mode == "pose"


def test_the_solver_of_the_file_is_used_where_it_is_chosen():
    arm = Arm.load("robot_arm")
    tuned = replace(arm.description, dls=DampedLeastSquares(max_iters=2, damping=0.3))
    moving = MovingArm(Arm(tuned))
    target = Transform((0.4, -0.15, 0.3))
    assert moving.state.method == "robust"
    assert moving.move_to(target).success
    run(moving)
    moving.move_joints(arm.initial)
    run(moving)
    moving.set_method("dls")
    begin = moving.q
    answer = moving.move_to(target)
    assert answer.reason.startswith("not converged after 2 iterations")
    wanted = arm.ik(target, begin, "position", method="dls", max_iters=2, damping=0.3)
    assert np.array_equal(answer.q, wanted.q)
    other = Transform((0.3, 0.2, 0.4))
    followed = arm.ik(other, wanted.q, "position", method="dls", max_iters=2, damping=0.3)
    assert np.array_equal(moving.follow(other, "position", "drag").q, followed.q)
    moving.put(arm)
    assert moving.state.method == "dls"
    assert moving.move_to(target).position_error <= 1e-3
    with pytest.raises(UiError, match="there is no solver 'magic'; choose robust or dls"):
        moving.set_method("magic")  # pyright: ignore[reportArgumentType]


def test_an_unreachable_target_gives_the_closest_and_the_reason(moving: MovingArm):
    target = Transform((1.5, 0.0, 0.3))
    answer = moving.move_to(target, "position", "line")
    assert answer.reason.startswith("out of reach by 0.")
    assert moving.state.is_unreachable
    run(moving)
    distance = np.linalg.norm(moving.state.T_world_tool.translation - target.translation)
    assert distance == pytest.approx(answer.position_error, abs=1e-6)
    np.testing.assert_allclose(moving.state.T_world_target.translation, target.translation)
    # Joints that are commanded have no target to miss.
    moving.move_joints(moving.arm.initial)
    assert not moving.state.is_unreachable


def test_a_line_that_cannot_be_followed_changes_nothing():
    moving = MovingArm(Arm.load("robot_arm"))
    before = moving.state
    with pytest.raises(ArmError, match="the line"):
        moving.move_to(Transform((-0.4549, 0.0, 0.3183)), "position", "line")
    assert moving.state == replace(before, T_world_tool=moving.state.T_world_tool)


def test_joints_outside_of_limits_are_refused(moving: MovingArm):
    before = moving.state.goals
    with pytest.raises(ArmError, match="end has joint_2 at 3 rad, outside"):
        moving.move_joints([0, 3.0, 0, 0, 0, 0])
    with pytest.raises(ArmError, match="has no joint 1 that goes to 9"):
        moving.jog(1, 9.0, "slider 1")
    assert moving.state.goals == before
    assert not moving.is_busy


def test_joints_arrive_exactly(moving: MovingArm):
    goal = np.radians([10.0, 20.0, 30.0, 40.0, 50.0, 60.0])
    moving.move_joints(goal)
    run(moving)
    np.testing.assert_array_equal(moving.q, goal)
    np.testing.assert_allclose(
        moving.state.T_world_target.to_matrix(), moving.arm.fk(goal).to_matrix()
    )


def test_following_stays_within_speeds_and_arrives(moving: MovingArm):
    goal = moving.arm.fk(np.radians([40, 50, -20, 0, 30, 0]))
    moving.follow(goal, "position", "drag")
    before = moving.q
    while moving.is_busy:
        moving.advance(DT)
        assert np.abs(moving.q - before).max() <= radians(180.0) * DT + 1e-9
        before = moving.q
    np.testing.assert_allclose(moving.state.T_world_tool.translation, goal.translation, atol=2e-6)


def test_a_jog_moves_one_joint(moving: MovingArm):
    moving.jog(3, 0.5, "slider 3")
    moving.jog(4, -0.5, "slider 4")
    run(moving)
    expected = moving.arm.initial.copy()
    expected[3:5] = 0.5, -0.5
    np.testing.assert_array_equal(moving.q, expected)
    assert moving.state.goal_by == "slider 4"


def test_stop_stops(moving: MovingArm):
    moving.move_joints(np.zeros(6))
    moving.advance(0.2)
    moving.stop()
    where = moving.q.copy()
    moving.advance(1.0)
    np.testing.assert_array_equal(moving.q, where)
    np.testing.assert_array_equal(moving.state.goal, where)


def test_a_move_of_an_arm_without_speeds_is_planned():
    arm = Arm.load("robot_arm")
    joints = tuple(
        replace(joint, max_velocity=None, max_acceleration=None) for joint in arm.description.joints
    )
    arm = Arm(replace(arm.description, joints=joints))
    move = plan_move(arm, arm.initial, np.zeros(6))
    assert 0.5 < move.duration < 5.0
    assert np.abs(move.qd).max() <= 1.5 + 1e-9
    assert len(plan_move(arm, arm.initial, arm.initial)) == 2


def test_record_and_play(moving: MovingArm):
    with pytest.raises(UiError, match="there is no recording yet; press Record"):
        moving.play()
    with pytest.raises(UiError, match="nothing is being recorded"):
        moving.finish_recording()
    moving.record()
    with pytest.raises(UiError, match="the recording is empty"):
        moving.finish_recording()
    moving.record()
    moving.move_to(Transform((0.35, 0.2, 0.35)))
    while moving.state.is_moving:
        moving.advance(DT)
    recording = moving.finish_recording()
    np.testing.assert_array_equal(recording.q[0], moving.arm.initial)
    np.testing.assert_array_equal(recording.q[-1], moving.q)
    assert not moving.state.is_exported
    moving.move_joints(np.zeros(6))
    run(moving)
    with pytest.raises(UiError, match=r"the speed is 99; choose one from 0\.1 to 10"):
        moving.play(speed=99)
    moving.play(speed=2.0)
    seen = []
    while moving.is_busy:
        moving.advance(DT)
        if moving.state.is_playing and moving.state.played_s > 0:
            at_s = moving.state.played_s
            seen.append(at_s)
            np.testing.assert_allclose(moving.q, sample(recording, at_s))
    np.testing.assert_array_equal(moving.q, recording.q[-1])
    assert len(seen) == pytest.approx(recording.duration / (2 * DT), abs=3)


def test_playback_pauses_seeks_and_loops(moving: MovingArm):
    moving.record()
    moving.move_joints(np.zeros(6))
    for _ in range(100):
        moving.advance(DT)
    recording = moving.finish_recording()
    moving.seek(1.0)
    run(moving)
    np.testing.assert_allclose(moving.q, sample(recording, 1.0))
    moving.play(loop=True)
    for _ in range(500):
        moving.advance(DT)
    assert moving.state.is_playing
    moving.pause()
    where = moving.state.played_s
    assert not moving.is_busy
    moving.play()
    moving.advance(DT)
    assert moving.state.played_s == pytest.approx(where + DT)
    moving.put(Arm.load("scara"))
    assert moving.state.recording is None


def test_a_recording_ends_by_itself():
    recorder = Recorder(Arm.load("robot_arm"))
    for _ in range(11):
        recorder.add(LONGEST_S / 10, np.zeros(6))
    assert recorder.is_full


def test_files_hold_what_was_recorded(moving: MovingArm):
    moving.record()
    moving.jog(0, 0.5, "slider 0")
    for _ in range(30):
        moving.advance(DT)
    recording = moving.finish_recording()
    rows = list(csv.DictReader(io.StringIO(recording.to_csv())))
    assert len(rows) == 31
    assert float(rows[-1]["joint_1"]) == moving.q[0]
    assert int(rows[-1]["stamp_ns"]) == 600_000_000
    found = json.loads(to_json(moving.arm, recording))
    np.testing.assert_array_equal(found["q"], recording.q)
    assert found["units"] == ["rad"] * 6
    np.testing.assert_allclose(found["tool_xyz_m"][-1], moving.state.T_world_tool.translation)


def test_the_thread_obeys_and_ends():
    log = EventLog()
    stream = Frames()
    with ArmThread(Arm.load("robot_arm"), stream, log, "arm1") as thread:
        target = Transform((0.4, 0.1, 0.3))
        assert (
            thread.call(lambda moving: moving.follow(target, "position", "test")).result(20).success
        )
        end = time.monotonic() + 20
        while thread.state.is_moving and time.monotonic() < end:
            time.sleep(0.01)
        tool = thread.state.T_world_tool.translation
        np.testing.assert_allclose(tool, target.translation, atol=2e-6)
        with pytest.raises(ArmError, match="has no joint 17"):
            thread.call(lambda moving: moving.jog(17, 0.0, "")).result(20)
        thread.post("wrong", lambda moving: moving.jog(18, 0.0, ""))
        thread.post("worse", lambda moving: moving.nothing)  # pyright: ignore
        thread.call(lambda moving: moving.stop()).result(20)
        thread.call(lambda moving: moving.stop()).result(20)
    assert stream.count > 3
    texts = " ".join(event.text for event in log.since())
    assert "has no joint 18" in texts
    assert "AttributeError" in texts
    with pytest.raises(SimulationStoppedError):
        thread.call(lambda moving: moving.stop())


@pytest.mark.parametrize("name", arm_names())
def test_what_is_drawn_hangs_together(name: str):
    """Ends of lines meet the axis of the next joint, and the tool, as forward kinematics says."""
    arm = Arm.load(name)
    rng = np.random.default_rng(1)
    low, high = np.maximum(arm.lower, -3), np.minimum(arm.upper, 3)
    q = rng.uniform(low, high)
    drawn = describe(arm, 7)
    poses = np.concatenate((np.eye(4)[np.newaxis], parts(arm, q)))
    for i, joint in enumerate(drawn["joints"]):
        T_world_axis = poses[i] @ np.reshape(joint["axis"], (4, 4))
        at = joint["zero"] + q[i]
        if joint["slides"]:
            move = Transform((0, 0, at)).to_matrix()
        else:
            d = arm.description.joints[i].d
            move = Transform.from_euler((0, 0, d), (0, 0, at)).to_matrix()
            # The mark on the arc points along the x axis of what the joint moves.
        np.testing.assert_allclose(T_world_axis @ move, poses[i + 1], atol=1e-12)
        if drawn["lines"][i]:
            end = poses[i] @ (*drawn["lines"][i][-1][1], 1.0)
            np.testing.assert_allclose(end[:3], T_world_axis[:3, 3], atol=1e-12)
    np.testing.assert_allclose(poses[-1], arm.fk(q).to_matrix(), atol=1e-12)
    if drawn["lines"][-1]:
        end = poses[-2] @ (*drawn["lines"][-1][-1][1], 1.0)
        np.testing.assert_allclose(end[:3], poses[-1][:3, 3], atol=1e-12)


def test_arcs_honour_theta_offset():
    arm = Arm.load("robot_arm")
    first = replace(arm.description.joints[0], theta_offset=0.7)
    arm = Arm(replace(arm.description, joints=(first, *arm.description.joints[1:])))
    joint = describe(arm, 1)["joints"][0]
    assert joint["zero"] == 0.7
    assert degrees(joint["lower"]) == pytest.approx(-170)
    x_axis = parts(arm, np.zeros(6))[0][:3, 0]
    np.testing.assert_allclose(x_axis, (np.cos(0.7), np.sin(0.7), 0), atol=1e-12)


def test_frames_are_as_the_view_reads_them(moving: MovingArm):
    moving.move_to(Transform((1.5, 0.0, 0.3)))
    state = moving.state
    numbers = np.frombuffer(arm_frame(state)[12:], np.float32)
    assert len(numbers) == 5 + 6 + 16 * 7 + 16 + 9
    assert numbers[:3].tolist() == [6.0, 1.0, 0.0]
    assert state.answer is not None
    assert numbers[3] == pytest.approx(state.answer.position_error)
    tool = numbers[11 + 16 * 6 : 11 + 16 * 7].reshape(4, 4)
    np.testing.assert_allclose(tool, state.T_world_tool.to_matrix(), atol=1e-6)
    target = numbers[11 + 16 * 7 : 11 + 16 * 8].reshape(4, 4)
    np.testing.assert_allclose(target[:3, 3], (1.5, 0.0, 0.3), atol=1e-6)
    cloud = np.frombuffer(cloud_frame(moving.arm, 1, 500)[12:], np.float32).reshape(-1, 4)
    assert cloud.shape == (500, 4)
    assert (np.linalg.norm(cloud[:, :3] - (0, 0, 0.3), axis=1) < moving.arm.reach).all()
    assert cloud[:, 3].min() >= 0
    assert cloud[:, 3].max() == 1
    path = np.frombuffer(path_frame(1, np.ones((5000, 3)))[12:], np.float32).reshape(-1, 3)
    assert len(path) <= 2000
