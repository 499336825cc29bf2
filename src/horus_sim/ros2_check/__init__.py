"""Proves on a machine with ROS 2 that its programs and a running world understand each other."""

from horus_sim.ros2_check.check import run_ros2_check
from horus_sim.ros2_check.report import Report, Result

__all__ = ["Report", "Result", "run_ros2_check"]
