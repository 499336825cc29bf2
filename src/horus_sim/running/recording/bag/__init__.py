"""Recordings as ROS 2 bags: written, read and repaired."""
