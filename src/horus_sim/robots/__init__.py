"""What a robot is, read from URDF, xacro, SDF, MJCF and meshes, and written again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.lazy_names import lazy_names

if TYPE_CHECKING:
    from horus_sim.robots.description import RobotDescription as RobotDescription
    from horus_sim.robots.finding.catalog import known_robots as known_robots
    from horus_sim.robots.finding.robot_file import NamedRobot as NamedRobot
    from horus_sim.robots.robot import Robot as Robot
    from horus_sim.robots.robot import load_robot as load_robot
    from horus_sim.robots.robot import robot_names as robot_names

_HOMES = {
    "NamedRobot": "finding.robot_file",
    "Robot": "robot",
    "RobotDescription": "description",
    "known_robots": "finding.catalog",
    "load_robot": "robot",
    "robot_names": "robot",
}

__all__ = [*_HOMES]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]

__getattr__ = lazy_names(__name__, _HOMES)
