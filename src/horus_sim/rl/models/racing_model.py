"""A 1/10 race car between the walls of a circuit, as a model that steps fast.

Against the car as described: wheels are spheres (one contact each at the same place) that touch the
ground by explicit pairs, and nothing else touches. Walls are seen by rays: an episode ends where
the hull reaches one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.robot_facts import RobotFacts
from horus_sim.rl.models.robot_spec import add_sphere_wheel, drive_by_position, paired_spec
from horus_sim.rl.models.scenery import add_scenery
from horus_sim.robots.description import JointType
from horus_sim.robots.engine import mujoco

ROBOT = "racecar"
_FACTS = RobotFacts(ROBOT)
STEERING = _FACTS.names(JointType.REVOLUTE)
DRIVEN = _FACTS.names(JointType.CONTINUOUS)
WHEELBASE, _PIVOT_Y = _FACTS.place_of(STEERING[0])[:2]
WHEEL_RADIUS = _FACTS.wheel_radius(DRIVEN[0])
BASE_LINK, LASER_LINK = "base_footprint", "laser"
LASER_X, _, LASER_Z = _FACTS.place(LASER_LINK)
# Of a wheel in the middle of the front axle [rad]; the inner wheel turns farther.
LARGEST_STEERING = 0.4189
# Corners of the hull about base_footprint, tyres included, x and y [m].
HULL = np.array([(-0.1335, -0.155), (-0.1335, 0.155), (0.4465, -0.155), (0.4465, 0.155)])
# Places of `DRIVEN`, x and y [m].
_WHEELS = np.array([_FACTS.place_of(joint)[:2] for joint in DRIVEN])
WALL_GROUP = 1
WALL_HEIGHT, _WALL_THICKNESS = 0.3, 0.04


def smooth_circuit(corners: npt.ArrayLike, parts: int) -> Floats:
    """Points of a closed cubic B-spline that is drawn towards corners.

    Args:
        corners: x and y [m], shape (n, 2).
        parts: Points for each corner.

    Returns:
        The points, shape (n * parts, 2).
    """
    t = np.arange(parts)[:, None] / parts
    weights = (
        (1 - t) ** 3 / 6,
        (3 * t**3 - 6 * t**2 + 4) / 6,
        (-3 * t**3 + 3 * t**2 + 3 * t + 1) / 6,
        t**3 / 6,
    )
    points = np.asarray(corners, np.float64)
    parted = [w * np.roll(points, 1 - k, axis=0)[:, None] for k, w in enumerate(weights)]
    return np.sum(parted, axis=0).reshape(-1, 2)


def racing_spec(centre: Floats, half_width: float, *, lean: bool = True) -> mujoco.MjSpec:
    """Car, ground and walls.

    Args:
        centre: Points of the centre line [m], shape (n, 2); the last is joined to the first.
        half_width: From the centre line to a wall [m].
        lean: Whether shapes of the car that only look are left out.
    """
    spec, built = paired_spec(ROBOT, "floating", 20.0, lean=lean)
    # Half the time of elliptic cones; ten centimetres apart after four metres of a circle.
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    for joint in DRIVEN:
        add_sphere_wheel(spec, built, _FACTS.joints[joint], WHEEL_RADIUS)
    for joint in STEERING:
        drive_by_position(spec, built, joint)
    for k, (x, y, yaw, length, thickness) in enumerate(wall_pieces(centre, half_width)):
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=(length / 2, thickness / 2, WALL_HEIGHT / 2),
            pos=(x, y, WALL_HEIGHT / 2),
            quat=(np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)),
            group=WALL_GROUP,
            rgba=(0.85, 0.2, 0.15, 1.0) if k % len(centre) % 2 else (0.9, 0.9, 0.92, 1.0),
        )
    if not lean:
        add_scenery(spec, 3.0, 0.5)
    return spec


def wall_pieces(
    centre: Floats, half_width: float
) -> list[tuple[float, float, float, float, float]]:
    """Boxes that are the walls: x, y of the middle [m], yaw [rad], length and thickness [m].

    Args:
        centre: As in `racing_spec`.
        half_width: As in `racing_spec`.
    """
    ahead = np.roll(centre, -1, axis=0) - np.roll(centre, 1, axis=0)
    normal = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1) / np.hypot(*ahead.T)[:, None]
    pieces = []
    for side in (-1.0, 1.0):
        line = centre + side * (half_width + _WALL_THICKNESS / 2) * normal
        for start, edge in zip(line, np.roll(line, -1, axis=0) - line, strict=True):
            length, yaw = float(np.hypot(*edge)), float(np.arctan2(edge[1], edge[0]))
            x, y = (start + edge / 2).tolist()
            pieces.append((x, y, yaw, length, _WALL_THICKNESS))
    return pieces


def ackermann(
    speed: npt.NDArray[Any], steering: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """What wheels do so that all of them turn about one point.

    Args:
        speed: Speed of the middle of the rear axle [m/s], shape (n,).
        steering: Angle of a wheel in the middle of the front axle [rad], left positive, shape (n,).

    Returns:
        Angles of `STEERING` [rad], shape (n, 2), and speeds of `DRIVEN` [rad/s], shape (n, 4).
    """
    curvature = np.tan(steering)[:, None] / WHEELBASE
    angles = np.arctan(curvature * WHEELBASE / (1.0 - curvature * (_PIVOT_Y, -_PIVOT_Y)))
    reach = np.hypot(1.0 - curvature * _WHEELS[:, 1], curvature * _WHEELS[:, 0])
    return angles, speed[:, None] * reach / WHEEL_RADIUS
