"""The worlds of `bench_sim2d.py`, for us and, with the same shapes and masses, for the peers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from horus_sim.sim2d import RobotConfig, Scenario, WorldConfig

DT = 1.0 / 120.0
TRACK_M = 0.14
PILE_SIZE_M = 2.0
PILE_BODIES = 100
FRICTION = 0.5


@dataclass(frozen=True)
class Shape:
    """A circle (radius > 0) or a square (side), with its pose and mass [m, rad, kg]."""

    x: float
    y: float
    theta: float
    mass: float
    radius: float = 0.0
    side: float = 0.0

    @property
    def inertia(self) -> float:
        """About the center [kg m^2]."""
        if self.radius > 0.0:
            return 0.5 * self.mass * self.radius**2
        return self.mass * self.side**2 / 6.0

    @property
    def floor_force(self) -> float:
        """The most that the floor's friction holds back [N]."""
        return FRICTION * self.mass * 9.81

    @property
    def floor_torque(self) -> float:
        """The most that it brakes turning [N m]."""
        return self.floor_force * math.sqrt(self.inertia / self.mass)


ROBOT = Shape(0.0, 0.0, 0.0, 1.0, side=0.16)


def boxes() -> list[Shape]:
    """Twelve boxes in a ring of 1 m about the robot, which pushes some of them about."""
    angles = [2.0 * math.pi * k / 12 for k in range(12)]
    return [Shape(math.cos(a), math.sin(a), a, 0.2, side=0.1) for a in angles]


def pile_size(bodies: int = PILE_BODIES) -> float:
    """Side of the square that they fall in [m]."""
    return PILE_SIZE_M * math.sqrt(bodies / PILE_BODIES) * (1.0 if bodies == PILE_BODIES else 1.1)


def pile(bodies: int = PILE_BODIES) -> list[Shape]:
    """Circles and squares that fall into a heap; a hundred of them in a box 2 m wide."""
    random = np.random.default_rng(1)
    shapes = []
    columns = round(10 * math.sqrt(bodies / PILE_BODIES))
    for k in range(bodies):
        x, y = -0.09 * (columns - 1) + 0.18 * (k % columns), 0.18 * (k // columns)
        y -= 0.5 * pile_size(bodies) - 0.15
        theta = float(random.uniform(0.0, 3.0))
        round_one = {"radius": 0.05} if k % 2 else {"side": 0.1}
        shapes.append(Shape(x, y, theta, 1.0, **round_one))
    return shapes


def _body(name: str, shape: Shape, friction: float, restitution: float) -> dict[str, object]:
    half = 0.5 * shape.side
    outline = (
        {"radius": shape.radius}
        if shape.radius > 0.0
        else {"points": [[-half, -half], [half, -half], [half, half], [-half, half]]}
    )
    material = {"friction": friction, "restitution": restitution}
    return {
        "name": name,
        "pose": [shape.x, shape.y, shape.theta],
        "mass": shape.mass,
        "inertia": shape.inertia,
        "material": material,
        **outline,
    }


def robot_config(*, with_sensors: bool = False) -> RobotConfig:
    """The robot with two wheels, and the sensors of the single-world case."""
    wheels = [
        {"name": name, "type": "motor", "body": "chassis", "mount_pose": [0, y, 0]}
        for name, y in (("left", 0.5 * TRACK_M), ("right", -0.5 * TRACK_M))
    ]
    sensors = [
        {"name": "imu", "type": "imu", "body": "chassis"},
        {"name": "line", "type": "line_array", "body": "chassis", "mount_pose": [0.07, 0, 0]},
        {"name": "l", "type": "encoder", "body": "chassis", "params": {"motor": "left"}},
        {"name": "r", "type": "encoder", "body": "chassis", "params": {"motor": "right"}},
    ]
    return RobotConfig.model_validate(
        {
            "bodies": [_body("chassis", ROBOT, FRICTION, 0.0)],
            "actuators": wheels,
            "sensors": sensors if with_sensors else [],
        }
    )


def arena_scenario() -> Scenario:
    """Case (a): a robot among twelve boxes inside walls."""
    objects = [
        {"name": f"box_{k}", "body": _body(f"box_{k}", shape, FRICTION, 0.1)}
        for k, shape in enumerate(boxes())
    ]
    bounds = {"min_x": -2, "min_y": -2, "max_x": 2, "max_y": 2}
    world = WorldConfig.model_validate({"shape_objects": objects, "bounds": bounds})
    return Scenario.make(world, robot_config())


def pile_scenario(bodies: int = PILE_BODIES) -> Scenario:
    """Case (b): a hundred bodies in a heap, seen from the side."""
    objects = [
        {"name": f"b{k}", "body": _body(f"b{k}", shape, FRICTION, 0.0)}
        for k, shape in enumerate(pile(bodies))
    ]
    half = 0.5 * pile_size(bodies)
    bounds = {"min_x": -half, "min_y": -half, "max_x": half, "max_y": half}
    world = WorldConfig.model_validate(
        {"shape_objects": objects, "bounds": bounds, "gravity": [0.0, -9.81]}
    )
    return Scenario.make(world)


def empty_scenario(*, with_sensors: bool = False) -> Scenario:
    """Case (c): the robot alone; with sensors and a line for the single-world case."""
    line = {"points": [[-3, 0], [3, 0.5]]}
    world = WorldConfig.model_validate({"drawings": [line] if with_sensors else []})
    return Scenario.make(world, robot_config(with_sensors=with_sensors))
