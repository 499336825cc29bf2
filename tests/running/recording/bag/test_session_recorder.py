"""The topics of a session in a bag: with all fields, also of topics that come later."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from horus_sim.hub import Hub, StaticTFBroadcaster, TopicInfo, connect
from horus_sim.hub.messages import Clock, Odometry, String
from horus_sim.hub.ros.binding import binding_of, ros_message
from horus_sim.running.recording import Bag, BagRecorder, SessionRecorder
from horus_sim.tf import Transform


@pytest.fixture
def hub() -> Iterator[Hub]:
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


def test_every_field_is_kept_and_later_topics_are_found(tmp_path: Path, hub: Hub):
    kind = ros_message("nav_msgs/msg/Odometry")
    fields = binding_of(kind).decode(
        binding_of(Odometry).encode(Odometry(1, "odom", "base", Transform((1.0, 2.0, 3.0))))
    )
    fields["pose"]["covariance"] = np.arange(36.0)
    StaticTFBroadcaster(hub).send_transform("base", "laser", Transform((0.0, 0.0, 0.1)))
    odom = hub.publisher("odom", kind)
    now_ns = iter([30, 20, 40, 50])
    with (
        BagRecorder(tmp_path / "run") as recorder,
        SessionRecorder(hub, recorder, now_ns=lambda: next(now_ns)) as session,
    ):
        assert session.look() == ["odom", "tf_static"]
        odom.send(kind(fields))
        text = hub.publisher("text", String)
        assert session.write() == 2
        assert session.look() == ["text"]
        text.send(String("hello"))
        assert session.topics == ["odom", "text", "tf_static"]
    found = list(Bag(tmp_path / "run").read())
    assert [(each.topic, each.stamp_ns) for each in found] == [
        ("tf_static", 30),
        ("odom", 30),  # the clock was set back
        ("text", 40),
    ]
    assert found[0].value[0].child_frame == "laser"
    assert isinstance(found[1].value, Odometry)
    assert found[1].cdr is not None
    assert binding_of(kind).decode(found[1].cdr)["pose"]["covariance"].tolist() == list(range(36))
    assert found[2].value == String("hello")


def test_only_the_topics_that_were_asked_for(tmp_path: Path, hub: Hub):
    clock = hub.publisher("clock", Clock)
    hub.publisher("text", String).send(String("no"))
    with (
        BagRecorder(tmp_path / "run") as recorder,
        SessionRecorder(hub, recorder, ["/clock", "odom"]) as session,
    ):
        session.look()
        clock.send(Clock(7))
        assert session.absent == ["odom"]
    assert [each.value for each in Bag(tmp_path / "run").read()] == [Clock(7)]
    assert recorder.messages == 1


def test_types_that_are_not_known_are_told_and_left_out(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
):
    odd = TopicInfo.of("odd", ["odd_msgs/msg/Thing"], [])
    monkeypatch.setattr(hub, "topics", lambda: [odd])
    with (
        BagRecorder(tmp_path / "run") as recorder,
        SessionRecorder(hub, recorder) as session,
    ):
        assert session.look() == session.look() == []
        assert session.left_out["odd"].startswith("'odd_msgs/msg/Thing' is not a known ROS type")
