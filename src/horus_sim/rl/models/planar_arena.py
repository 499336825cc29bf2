"""The place of navigation in the plane: a square in walls, boxes, and a robot with two wheels."""

from __future__ import annotations

import numpy as np

from horus_sim.rl.engines.interface import Floats, Ids
from horus_sim.rl.randomization.random_streams import RandomStreams
from horus_sim.sim2d import RobotConfig, Scenario, WorldConfig

SIZE = 4.0
"""Inner side of the walls' square [m]."""
TIMESTEP = 1.0 / 240.0
"""[s]."""
TRACK = 0.14
"""Distance between the wheels [m]."""
RIM_SPEED = 1.2
"""Speed of the wheels' rims at full command [m/s]: 40 rad/s, radius 3 cm."""

_ROBOT_SIDE = 0.16
_BOX_SIDE = 0.2
_BLUE, _GREY = (70, 130, 180), (180, 180, 180)
_COLUMNS = 5
CELLS = _COLUMNS * _COLUMNS
"""Robot, goal and boxes have a cell each."""
# What is moved this far within its cell of 0.8 m leaves the robot's diagonal, and a bit, between
# the corners of two boxes in neighbouring cells.
_SHIFT = 0.12


def scenario(boxes: int) -> Scenario:
    """The scenario with that many boxes, called box_0, box_1, ..."""
    objects = [
        {"name": f"box_{k}", "body": _square(f"box_{k}", _BOX_SIDE, 1.0, _GREY)}
        for k in range(boxes)
    ]
    half = 0.5 * SIZE
    world = WorldConfig.model_validate(
        {
            "timestep": TIMESTEP,
            "shape_objects": objects,
            "bounds": {"min_x": -half, "min_y": -half, "max_x": half, "max_y": half},
        }
    )
    wheels = [
        {"name": name, "type": "motor", "body": "chassis", "mount_pose": [0.0, y, 0.0]}
        for name, y in (("left", 0.5 * TRACK), ("right", -0.5 * TRACK))
    ]
    robot = RobotConfig.model_validate(
        {"bodies": [_square("chassis", _ROBOT_SIDE, 1.0, _BLUE)], "actuators": wheels}
    )
    return Scenario.make(world, robot, name="navigation")


def _square(name: str, side: float, mass: float, color: tuple[int, int, int]) -> dict[str, object]:
    half = 0.5 * side
    return {
        "name": name,
        "points": [[-half, -half], [half, -half], [half, half], [-half, half]],
        "mass": mass,
        "inertia": mass * side**2 / 6.0,
        "material": {"friction": 0.5, "restitution": 0.0, "color": color},
    }


def draw_layout(random: RandomStreams, ids: Ids, boxes: int) -> tuple[Floats, Floats]:
    """Where things stand in new episodes.

    Returns:
        x, y [m] of robot, goal and boxes, shape (len(ids), 2 + boxes, 2), and the yaws [rad] of
        robot and boxes, shape (len(ids), 1 + boxes).
    """
    count = 2 + boxes
    cells = np.argsort(random.uniform("cells", ids, CELLS), axis=1)[:, :count]
    corner = np.stack([cells % _COLUMNS, cells // _COLUMNS], axis=2)
    middle = (corner + 0.5) * (SIZE / _COLUMNS) - 0.5 * SIZE
    shift = random.uniform("shift", ids, 2 * count, -_SHIFT, _SHIFT)
    yaws = random.uniform("yaw", ids, 1 + boxes, -np.pi, np.pi)
    return middle + shift.reshape(len(ids), count, 2), yaws
