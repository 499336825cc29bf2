"""What a robot is, read from URDF, xacro, SDF, MJCF and meshes, and written again."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horus_sim.robots.description import RobotDescription as RobotDescription
    from horus_sim.robots.robot import Robot as Robot
    from horus_sim.robots.robot import load_robot as load_robot
    from horus_sim.robots.robot import robot_names as robot_names

_HOMES = {
    "Robot": "robot",
    "RobotDescription": "description",
    "load_robot": "robot",
    "robot_names": "robot",
}

__all__ = [*_HOMES]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes
    if name in _HOMES:
        return getattr(import_module(f"horus_sim.robots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'horus_sim.robots' has no attribute '{name}'")
