"""Dead reckoning against geometry."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.sim3d.control.odometry import WheelOdometry
from horus_sim.tf import Transform

steps = st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), min_size=1, max_size=20)


def test_half_a_circle_ends_a_diameter_to_the_left():
    odometry = WheelOdometry()
    for _ in range(10):
        odometry.advance(0.2 * math.pi, 0.1 * math.pi, 0.1)
    assert odometry.x == pytest.approx(0.0, abs=1e-12)
    assert odometry.y == pytest.approx(4.0)
    assert odometry.yaw == pytest.approx(math.pi)
    assert odometry.linear == pytest.approx(2.0 * math.pi)
    assert odometry.angular == pytest.approx(math.pi)


def test_small_turns_lose_no_digits():
    odometry = WheelOdometry()
    odometry.advance(1.0, 0.99e-4 * 2, 0.1)
    turn = 0.99e-4 * 2
    assert odometry.x == pytest.approx(math.sin(turn) / turn, rel=1e-14)
    assert odometry.y == pytest.approx((1.0 - math.cos(turn)) / turn, rel=1e-7)


@given(steps)
def test_each_step_composes_with_the_pose_so_far(moves: list[tuple[float, float]]):
    odometry, T_odom_base = WheelOdometry(), Transform.identity()
    for distance, turn in moves:
        odometry.advance(distance, turn, 0.1)
        single = WheelOdometry()
        single.advance(distance, turn, 0.1)
        T_odom_base = T_odom_base @ single.T_odom_base
    assert odometry.T_odom_base.translation == pytest.approx(T_odom_base.translation, abs=1e-9)


@given(steps)
def test_the_same_way_back_ends_where_it_began(moves: list[tuple[float, float]]):
    odometry = WheelOdometry()
    for distance, turn in moves:
        odometry.advance(distance, turn, 0.1)
    for distance, turn in reversed(moves):
        odometry.advance(-distance, -turn, 0.1)
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_message():
    odometry = WheelOdometry()
    odometry.advance(0.5, 0.2, 0.5)
    message = odometry.message(1_500_000_000, "odom", "base_footprint")
    assert message.stamp_ns == 1_500_000_000
    assert (message.frame_id, message.child_frame_id) == ("odom", "base_footprint")
    assert message.linear == (1.0, 0.0, 0.0)
    assert message.angular == (0.0, 0.0, 0.4)
    assert message.pose.to_euler()[2] == pytest.approx(0.2)


def test_state():
    odometry, twin = WheelOdometry(), WheelOdometry()
    odometry.advance(0.5, 0.2, 0.5)
    twin.set_state(odometry.get_state())
    assert twin.get_state() == odometry.get_state()
    odometry.reset()
    assert odometry.get_state() == (0.0,) * 5
