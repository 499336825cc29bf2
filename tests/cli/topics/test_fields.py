"""Messages typed on a command line: by our fields, or as a tutorial of ROS writes them."""

from __future__ import annotations

import pytest

from horus_sim.cli.topics.fields import message_of
from horus_sim.errors import MessageError
from horus_sim.hub.messages import CmdVel, JointTrajectory, String, Twist, TwistStamped
from horus_sim.hub.ros.binding import ros_message


@pytest.mark.parametrize(
    "text",
    [
        '{"linear": [0.5, 0, 0], "angular": [0, 0, 0.25]}',
        '{"linear": {"x": 0.5}, "angular": {"z": 0.25}}',
        "{linear: {x: 0.5}, angular: {z: 0.25}}",
        "linear: {x: 0.5}\nangular:\n  z: 0.25",
    ],
)
def test_a_twist_is_typed_in_four_ways(text: str):
    assert message_of(Twist, text) == Twist((0.5, 0, 0), (0, 0, 0.25))


def test_what_is_left_out_has_its_default():
    assert message_of(Twist, "{}") == Twist()
    assert message_of(CmdVel, "{linear: {x: 0.5}}") == CmdVel(0.5, 0.0)
    text = "{header: {frame_id: base_link}, twist: {linear: {x: 0.5}}}"
    assert message_of(TwistStamped, text) == TwistStamped(0, "base_link", (0.5, 0, 0))


def test_nested_messages_are_those_of_ros():
    found = message_of(
        JointTrajectory,
        "{joint_names: [a], points: [{positions: [0.5], time_from_start: {sec: 2}}]}",
    )
    assert (found.names, found.times_ns.tolist()) == (("a",), [2_000_000_000])
    assert found.positions.tolist() == [[0.5]]


def test_types_without_a_class_and_dicts():
    Int32 = ros_message("std_msgs/msg/Int32")
    assert message_of(Int32, "{data: 5}")["data"] == 5
    assert message_of(dict, "{paused: true}") == {"paused": True}


@pytest.mark.parametrize(
    ("kind", "text", "cause"),
    [
        (Twist, "{linear: [", "are neither JSON nor YAML"),
        (Twist, "5", "takes a JSON object of fields, got 5"),
        (Twist, "{liner: 1}", r"no field 'liner'; .*by the fields of ROS: .*linear"),
        (Twist, "{linear: {x: fast}}", "of ROS: geometry_msgs/msg/Twist: linear.x: give a number"),
        (String, "{data: 5}", "of ROS: std_msgs/msg/String: data: give a text, got 5"),
        (dict, "[1]", "takes a JSON object"),
    ],
)
def test_what_does_not_fit_is_told_for_both(kind: type, text: str, cause: str):
    with pytest.raises(MessageError, match=cause):
        message_of(kind, text)
