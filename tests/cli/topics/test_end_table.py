"""When the ends of a topic do not understand each other."""

from __future__ import annotations

import pytest

from horus_sim.cli.topics.end_table import disagreement
from horus_sim.hub import EndInfo, QoS

TWIST, STAMPED = "geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped"


def end(role, node, ros_type, type_hash="a"):
    return EndInfo("cmd_vel", role, node, ros_type, type_hash, QoS())


BOTH = [end("subscription", "/world", TWIST, "a"), end("subscription", "/world", STAMPED, "b")]


@pytest.mark.parametrize(
    "ends",
    [
        BOTH,
        [*BOTH, end("publisher", "/teleop", TWIST, "a")],
        [*BOTH, end("publisher", "/nav", STAMPED, "b"), end("publisher", "/teleop", TWIST, "a")],
        [end("publisher", "/teleop", TWIST)],
    ],
)
def test_one_that_takes_several_types_is_no_disagreement(ends):
    assert disagreement(ends) == ""


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ([*BOTH, end("publisher", "/x", "std_msgs/msg/String")], "those of another type hear no"),
        ([*BOTH[:1], end("publisher", "/nav", STAMPED)], "they have several types"),
        ([*BOTH, end("subscription", "/old", TWIST), end("publisher", "/n", STAMPED)], "several t"),
        ([end("publisher", "/a", TWIST), end("publisher", "/b", STAMPED)], "several types"),
        ([BOTH[0], end("subscription", "/nav", STAMPED)], "several types"),
        ([*BOTH, end("publisher", "/old", TWIST, "c")], f"several definitions of {TWIST}"),
        ([end("server", "/a", TWIST), end("client", "/b", STAMPED)], "several types"),
    ],
)
def test_what_is_not_heard_is_told(ends, text):
    assert text in disagreement(ends)
