# Messages convert lists and other array types: pyright sees the converted type only.
# pyright: reportArgumentType=false
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from horus_sim.errors import HubError, MessageError
from horus_sim.hub import messages as msgs
from horus_sim.tf import Transform


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: msgs.CmdVel("fast"), "CmdVel.linear must be a number, got 'fast'"),
        (lambda: msgs.Clock(1.5), "Clock.stamp_ns must be an integer, got 1.5"),
        (lambda: msgs.String(3), "String.data must be text, got 3"),
        (lambda: msgs.Twist((1, 2)), r"Twist.linear must be three numbers, got \(1, 2\)"),
        (
            lambda: msgs.LaserScan(1, "l", 0, 0, 0, 0, np.ones((2, 2))),
            r"LaserScan.ranges must be float32 of shape \(N,\), got shape \(2, 2\)",
        ),
        (
            lambda: msgs.LaserScan(1, "l", 0, 0, 0, 0, "abc"),
            r"LaserScan.ranges must be float32 of shape \(N,\), got 'abc'",
        ),
        (
            lambda: msgs.PointCloud(1, "l", np.ones((2, 2))),
            r"PointCloud.points must be float32 of shape \(N, 3\), got shape \(2, 2\)",
        ),
        (
            lambda: msgs.LaserScan(1, "l", 0, 0, 0, 0, None),
            r"LaserScan.ranges must be float32 of shape \(N,\), got",
        ),
        (lambda: msgs.Odometry(1, "a", "b", (1, 2, 3)), "Odometry.pose must be a Transform"),
        (lambda: msgs.JointState(1, "abc", [1]), "JointState.names must be names, got 'abc'"),
        (lambda: msgs.JointState(1, 5, [1]), "JointState.names must be names, got 5"),
        (lambda: msgs.Image(1, "c", [[[300] * 3]]), "Image.data must be uint8 of shape"),
        (
            lambda: msgs.JointState(1, ["a"], [1, 2]),
            "JointState.positions must have one value for each of the 1 names, got 2",
        ),
        (
            lambda: msgs.JointCommand(["a"], [1], "torque"),
            "JointCommand.mode must be one of position, velocity, effort, got 'torque'",
        ),
        (
            lambda: msgs.Image(1, "c", np.zeros((2, 2, 3)), "yuv"),
            "Image.encoding must be one of rgb8, rgba8, bgr8, mono8, got 'yuv'",
        ),
        (
            lambda: msgs.Image(1, "c", np.zeros((2, 2, 3)), "mono8"),
            "Image.data has 3 channels, but mono8 has 1",
        ),
    ],
)
def test_what_a_message_refuses(make, text):
    with pytest.raises(MessageError, match=text):
        make()
    assert issubclass(MessageError, HubError)
    assert issubclass(MessageError, ValueError)


def test_equality_looks_into_arrays():
    scan = msgs.LaserScan(1, "l", 0, 0.1, 0.1, 20, [1, np.nan])
    assert scan == msgs.LaserScan(1, "l", 0, 0.1, 0.1, 20, [1, np.nan])
    assert scan != msgs.LaserScan(1, "l", 0, 0.1, 0.1, 20, [1, 2])
    assert scan != msgs.LaserScan(1, "l", 0, 0.1, 0.1, 20, [1, np.nan], [0, 0])
    assert scan != msgs.Clock(1)


def test_messages_are_frozen():
    with pytest.raises(FrozenInstanceError):
        msgs.Clock(1).stamp_ns = 2  # pyright: ignore[reportAttributeAccessIssue]


def test_one_readable_line():
    assert str(msgs.CmdVel(0.5, -1)) == "CmdVel(linear=0.5, angular=-1)"
    assert str(msgs.Clock(2_500_000_000)) == "Clock(stamp_ns=2.500 s)"
    scan = msgs.LaserScan(0, "lidar", 0, 0.1, 0.1, 20, np.ones(720))
    assert "frame_id=lidar" in str(scan)
    assert "ranges=float32[720]" in str(scan)
    odometry = msgs.Odometry(0, "odom", "base", Transform((1, 2, 3)))
    assert "pose=xyz (1.000, 2.000, 3.000) yaw 0.000" in str(odometry)
    assert "\n" not in str(odometry)
