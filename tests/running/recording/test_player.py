"""Recordings played back onto topics."""

from __future__ import annotations

import uuid

import numpy as np
import pytest

from horus_sim.errors import RecordingError
from horus_sim.hub import QoS, TFListener, connect
from horus_sim.hub.messages import Clock, CmdVel, JointState, Odometry
from horus_sim.running import RunningWorld
from horus_sim.running.recording import McapFile, McapRecorder, Player
from horus_sim.sim3d import World

MANY = QoS(depth=100_000)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A file, and the world as it was at its end."""
    path = tmp_path_factory.mktemp("player") / "run.mcap"
    world = World.load("warehouse")
    with RunningWorld(world) as running:
        running.add_outlet(McapRecorder(path))
        running.command("burger", CmdVel(0.2, 0.5))
        running.step(120)
    return path, world


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


def test_topics_and_transforms_are_those_of_the_record(recorded, hub):
    path, world = recorded
    clock = hub.subscribe("clock", Clock, MANY)
    odom = hub.subscribe("burger/odom", Odometry, MANY)
    states = hub.subscribe("burger/joint_states", JointState, MANY)
    listener = TFListener(hub)
    played = Player(McapFile(path), hub, speed=None).play()
    assert played.messages["clock"] == clock.received == 51
    assert odom.received == 26
    assert not played.unknown
    state = states.latest()
    assert state is not None
    np.testing.assert_array_equal(state.positions, world.robots["burger"].joint_positions())
    for frame in world.tf.get_all_frames():
        np.testing.assert_allclose(
            listener.tree.lookup_transform(frame, "world").to_matrix(),
            world.tf.lookup_transform(frame, "world").to_matrix(),
            atol=1e-12,
        )


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_the_original_timing_is_kept(recorded, hub, speed):
    path, _ = recorded
    now = [100.0]
    sent = []
    hub.subscribe("clock", Clock, callback=lambda message: sent.append((now[0], message.stamp_ns)))

    def sleep(seconds):
        now[0] += seconds

    Player(McapFile(path), hub, speed=speed, clock=lambda: now[0], sleep=sleep).play()
    for moment, stamp_ns in sent:
        assert moment - 100.0 == pytest.approx(stamp_ns * 1e-9 / speed, abs=1e-9)


def test_a_replay_again_is_a_new_run_for_listeners(recorded, hub):
    path, _ = recorded
    listener = TFListener(hub)
    player = Player(McapFile(path), hub, speed=None)
    for _ in range(2):
        player.play()
        assert listener.refused == 0
    player.close()
    assert listener.tree.frame("burger/base_footprint").newest_ns == 500_000_000


def test_only_some_topics(recorded, hub):
    path, _ = recorded
    played = Player(McapFile(path), hub, ["/clock", "burger/odom"], None).play()
    assert set(played.messages) == {"clock", "burger/odom"}


def test_wrong_wishes_are_named(recorded, hub):
    path, _ = recorded
    with pytest.raises(RecordingError, match="has no topic 'clok'; did you mean 'clock'"):
        Player(McapFile(path), hub, ["clok"])
    with pytest.raises(RecordingError, match="speed of a replay must be positive, got 0"):
        Player(McapFile(path), hub, speed=0.0)
