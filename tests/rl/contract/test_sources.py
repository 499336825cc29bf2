"""Sources read from messages what tasks observe."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.errors import DeployError
from horus_sim.hub.messages import Imu, JointState, LaserScan, Odometry, PoseStamped, Twist
from horus_sim.rl.contract.sources.joints import JointPositions, JointSpeeds
from horus_sim.rl.contract.sources.motion import BaseMotion, GoalDirection
from horus_sim.rl.contract.sources.scan import Scan
from horus_sim.rl.contract.sources.source import Inputs
from horus_sim.rl.contract.sources.walking import ImuRate, ImuUp, VelocityCommand
from horus_sim.tf import Transform

QUARTERS = Scan(rays=4, first=0.0, step=np.pi / 2, half=0.5, range=3.0, place=(0.0, 0.0, 0.0))


def inputs(**messages) -> Inputs:
    def pose(frame: str, reference: str) -> Transform:
        assert (frame, reference) == ("map", "odom")
        return Transform((10.0, 0.0, 0.0))

    return Inputs(messages, pose, np.zeros(2))


def scan(ranges, first: float, step: float, least: float = 0.1) -> LaserScan:
    return LaserScan(0, "base_scan", first, step, least, 4.0, np.array(ranges, np.float32))


@pytest.mark.parametrize("first", [-np.pi, 0.0, np.pi / 2, -np.pi / 2])
@pytest.mark.parametrize("turn", [1, -1])
def test_a_scan_may_begin_anywhere_and_turn_either_way(first, turn):
    step = turn * np.radians(15)
    angles = first + step * np.arange(24)
    ranges = 1.0 + 0.1 * np.cos(angles) + 0.05 * np.sin(angles)
    wanted = 1.0 + np.array([0.1, 0.05, -0.1, -0.05])
    seen = QUARTERS.read(inputs(scan=scan(ranges, first, step)))
    np.testing.assert_allclose(seen, 0.5 / (0.5 + wanted), atol=1e-6)


def test_what_a_scan_did_not_see_is_not_near():
    ranges = [np.inf, -np.inf, 0.0, 3.5]
    seen = QUARTERS.read(inputs(scan=scan(ranges, 0.0, np.pi / 2)))
    np.testing.assert_allclose(seen, [0.0, 0.5 / 0.6, 0.0, 0.0], atol=1e-6)


def test_a_scan_that_sees_less_is_refused():
    for ranges, first, step in (([1.0] * 90, -np.pi / 4, np.pi / 180), ([1.0] * 3, 0.0, 2.1)):
        with pytest.raises(DeployError, match=r"the policy observes 4 from 0\.0 to 270\.0 deg"):
            QUARTERS.read(inputs(scan=scan(ranges, first, step)))
    with pytest.raises(DeployError, match="has scans of 1 rays"):
        QUARTERS.read(inputs(scan=scan([1.0], 0.0, 0.0)))
    with pytest.raises(DeployError, match="no LaserScan has come on topic 'scan'"):
        QUARTERS.read(inputs())


def test_a_goal_is_seen_from_the_robot_in_any_frame():
    pose = Transform.from_euler((1.0, 2.0, 0.0), (0.0, 0.0, np.pi / 2))
    odometry = Odometry(0, "odom", "base_footprint", pose)
    source = GoalDirection(scale=0.5)
    for frame, x in (("odom", 1.0), ("map", -9.0)):
        goal = PoseStamped(0, frame, Transform((x, 5.0, 0.0)))
        seen = inputs(odom=odometry, goal_pose=goal)
        np.testing.assert_allclose(source.read(seen), [1.0, 0.0, 1.5], atol=1e-9)
        assert source.distance_to_goal(seen) == pytest.approx(3.0)


def test_motion_and_joints_are_picked_by_name():
    odometry = Odometry(0, "odom", "base", Transform(), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    motion = BaseMotion(axes=("angular.z", "linear.y"), scales=(0.5, 1.0))
    np.testing.assert_allclose(motion.read(inputs(odom=odometry)), [3.0, 2.0])
    state = JointState(0, ("a", "b", "c"), np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0]))
    chosen = JointPositions(joints=("c", "a"), offsets=(1.0, 1.0), scale=2.0)
    np.testing.assert_allclose(chosen.read(inputs(joint_states=state)), [4.0, 0.0])
    speeds = JointSpeeds(joints=("b",))
    np.testing.assert_allclose(speeds.read(inputs(joint_states=state)), [20.0])
    with pytest.raises(DeployError, match=r"has no joint 'elbow'.*known: a, b, c"):
        JointPositions(joints=("elbow",)).read(inputs(joint_states=state))
    with pytest.raises(DeployError, match="tells no velocities"):
        speeds.read(inputs(joint_states=JointState(0, ("b",), np.zeros(1))))


def test_an_inertial_sensor_tells_rate_and_which_way_is_up():
    # Rolled to the right by 30 degrees: up is to the left of the robot.
    turn = Transform.from_euler((0.0, 0.0, 0.0), (np.radians(30), 0.0, 1.0))
    imu = Imu(1, "imu_link", (0.1, 0.2, 0.3), (0.0, 0.0, 9.81), np.array(turn.rotation))
    np.testing.assert_allclose(ImuRate(scale=2.0).read(inputs(imu=imu)), [0.2, 0.4, 0.6])
    np.testing.assert_allclose(ImuUp().read(inputs(imu=imu)), [0.0, 0.5, np.sqrt(0.75)], atol=1e-9)
    blind = Imu(1, "imu_link", (0.0, 0.0, 0.0), (0.0, 0.0, 9.81))
    with pytest.raises(DeployError, match="tells no orientation"):
        ImuUp().read(inputs(imu=blind))


def test_a_velocity_is_wanted_in_three_directions():
    wanted = Twist((0.5, -0.2, 9.0), (9.0, 9.0, 0.7))
    seen = VelocityCommand(scales=(2.0, 2.0, 0.25)).read(inputs(cmd_vel=wanted))
    np.testing.assert_allclose(seen, [1.0, -0.4, 0.175])
