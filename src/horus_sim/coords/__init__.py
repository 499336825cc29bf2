"""Coordinate conventions and the conversions between them.

``convert(CAD, BABYLON)`` gives an object that converts points, directions, rotations, poses and
inertia. This package itself works in `URDF` axes, metres and radians; conversions belong at its
edges: files that come in, viewers and devices that data goes out to.
"""

from horus_sim.coords.convention import Convention, load_conventions
from horus_sim.coords.conversion import Conversion, convert
from horus_sim.coords.kineticore import (
    KINETICORE_URDF,
    babylon_rotation_to_user,
    babylon_to_urdf_axis,
    babylon_to_urdf_position,
    babylon_to_urdf_rpy,
    babylon_to_user,
    babylon_vector_to_user,
    urdf_rpy_to_babylon,
    urdf_to_babylon_axis,
    urdf_to_babylon_position,
    user_rotation_to_babylon,
    user_to_babylon,
    user_vector_to_babylon,
)
from horus_sim.coords.presets import BABYLON, CAD, JT, MUJOCO, PRESETS, RAPIER, ROS, THREE, URDF
from horus_sim.errors import ConventionError

__all__ = [
    "BABYLON",
    "CAD",
    "JT",
    "KINETICORE_URDF",
    "MUJOCO",
    "PRESETS",
    "RAPIER",
    "ROS",
    "THREE",
    "URDF",
    "Convention",
    "ConventionError",
    "Conversion",
    "babylon_rotation_to_user",
    "babylon_to_urdf_axis",
    "babylon_to_urdf_position",
    "babylon_to_urdf_rpy",
    "babylon_to_user",
    "babylon_vector_to_user",
    "convert",
    "load_conventions",
    "urdf_rpy_to_babylon",
    "urdf_to_babylon_axis",
    "urdf_to_babylon_position",
    "user_rotation_to_babylon",
    "user_to_babylon",
    "user_vector_to_babylon",
]
