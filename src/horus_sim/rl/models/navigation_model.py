"""The TurtleBot3 and its obstacles as a model that steps fast.

Against the robot as described: wheels are spheres (one contact each at the same place), only wheels
and caster touch, and only the floor, by explicit pairs; the caster has no friction; nothing is
sought in islands. A sphere turns on its spot without resistance, where the tyre, 2 mm wide, scrubs:
that torque is applied to the robot instead. The speed of the wheels is integrated explicitly, which
is stable up to twice the motors' gain, and contacts are solved less stiffly against sliding: wheels
that jump to another speed take the solver half the iterations. A test compares the motion with that
of the robot as described, in fine steps.

The base keeps its six degrees of freedom: pitching shifts the load between wheels and caster, so
that the wheels slip when it starts. On a base that cannot pitch it ends 9 cm elsewhere after 10 s.

Obstacles are circles and boxes in the plane (`plane_shapes`): an episode ends where the robot
reaches one. Only the model for pictures has them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.robot_facts import RobotFacts
from horus_sim.rl.models.robot_spec import add_sphere_wheel, paired_spec, touch
from horus_sim.rl.models.scenery import add_sky
from horus_sim.robots.description import JointType
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d import load_scene

ROBOT = "turtlebot3_burger"
_FACTS = RobotFacts(ROBOT)
WHEELS = _FACTS.names(JointType.CONTINUOUS)
WHEEL_RADIUS = _FACTS.wheel_radius(WHEELS[0])
WHEEL_SEPARATION = _FACTS.place_of(WHEELS[0])[1] - _FACTS.place_of(WHEELS[1])[1]
WHEEL_SPEED = _FACTS.joints[WHEELS[0]].limit.velocity or np.inf
# The circle about hull and wheels, centre ahead of base_footprint [m].
HULL_CENTRE = -0.02
HULL_RADIUS = 0.107
BASE_LINK, LIDAR_LINK = "base_footprint", "base_scan"
LIDAR_PLACE = _FACTS.place(LIDAR_LINK)
LIDAR_X = LIDAR_PLACE[0]
# About 6 N on the wheels at a lever of not quite 1 mm [N m].
SCRUB_TORQUE = 0.005
OBSTACLE_HEIGHT = 0.4
_CYLINDER, _BOX = "obstacle_", "box_"


# What the model has none of, and would be looked for in every step.
_ABSENT = ("FRICTIONLOSS", "LIMIT", "EQUALITY", "SPRING", "MIDPHASE")
# Where wheels jump, the last step's solution is no better a start than none, and trying both costs;
# damping is far too small to need an implicit step.
_IN_VAIN = ("WARMSTART", "EULERDAMP")


@cache
def lidar_range() -> float:
    """How far the lidar of the robot sees in the shipped scenes [m]."""
    sensors = load_scene("warehouse").sensors
    scanner = next(sensor for sensor in sensors if sensor.mount.endswith(f"/{LIDAR_LINK}"))
    return float(scanner.model_dump()["range_max"])


def navigation_spec(obstacles: tuple[int, int] | None = None) -> mujoco.MjSpec:
    """Robot and floor; for pictures also obstacles, light and the camera 'front'.

    Args:
        obstacles: How many cylinders and boxes, which every environment places for itself; None for
            physics, without shapes of the robot that only look.
    """
    spec, built = paired_spec(ROBOT, "floating", 20.0, lean=obstacles is None)
    for name in (*_ABSENT, *_IN_VAIN):
        spec.option.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.impratio, spec.option.tolerance = 0.7, 1e-4
    for joint in WHEELS:
        add_sphere_wheel(spec, built, _FACTS.joints[joint], WHEEL_RADIUS)
    touch(spec, spec.geom("caster_back_link#collision0"), "floor", 1)
    kinds = (mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_BOX)
    for kind, name, count in zip(kinds, (_CYLINDER, _BOX), obstacles or (0, 0), strict=True):
        for index in range(count):
            # Tops of those that overlap are not to lie in one plane.
            half = OBSTACLE_HEIGHT / 2 + 0.0005 * index
            is_box = name == _BOX
            spec.worldbody.add_geom(
                name=f"{name}{index}",
                type=kind,
                size=(0.1, 0.1, half - 0.00025) if is_box else (0.1, half, 0),
                # Off the origin, so that the place is not compiled away.
                pos=(10.0 + index, 10.0, OBSTACLE_HEIGHT / 2),
                quat=(0.8, 0, 0, 0.6) if is_box else (1, 0, 0, 0),
                rgba=(0.3, 0.45, 0.6, 1.0) if is_box else (0.75, 0.35, 0.2, 1.0),
            )
    if obstacles is not None:
        _add_looks(spec)
    return spec


def dress_obstacles(model: mujoco.MjModel, circles: Floats, boxes: Floats) -> None:
    """Puts the obstacles of the model of pictures where they are.

    Args:
        model: What `navigation_spec` gave, compiled.
        circles: x, y, radius [m], shape (cylinders, 3).
        boxes: x, y [m], yaw [rad], half length, half width [m], shape (boxes, 5).
    """
    if len(circles):
        first = model.geom(f"{_CYLINDER}0").id
        shapes = slice(first, first + len(circles))
        model.geom_pos[shapes, :2], model.geom_size[shapes, 0] = circles[:, :2], circles[:, 2]
    if len(boxes):
        first = model.geom(f"{_BOX}0").id
        shapes = slice(first, first + len(boxes))
        model.geom_pos[shapes, :2], model.geom_size[shapes, :2] = boxes[:, :2], boxes[:, 3:]
        half = boxes[:, 2] / 2
        model.geom_quat[shapes, 0], model.geom_quat[shapes, 3] = np.cos(half), np.sin(half)


def _add_looks(spec: mujoco.MjSpec) -> None:
    add_sky(spec, 4.0, (0.0, 0.0, 0.1))
    # A lamp and no sun, so that it matters where it is.
    spec.worldbody.add_light(name="sun", pos=(0, 0, 4), dir=(0, 0, -1), diffuse=(0.6, 0.6, 0.6))
    # Ahead of the hull, looking along x; a camera looks along its -z, with y up.
    spec.body("base_footprint").add_camera(
        name="front", pos=(0.06, 0, 0.15), quat=(0.5, 0.5, -0.5, -0.5), fovy=60
    )


def wheel_speeds(forward: npt.NDArray[Any], turning: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Speeds of left and right wheel [rad/s] for a motion, shape (n, 2).

    Wheels that would have to turn faster than they can slow down together: the curve stays.

    Args:
        forward: Speed ahead [m/s], shape (n,).
        turning: Rate of turning left [rad/s], shape (n,).
    """
    wheels = np.empty((len(forward), 2))
    np.subtract(forward, (WHEEL_SEPARATION / 2) * turning, out=wheels[:, 0])
    np.add(forward, (WHEEL_SEPARATION / 2) * turning, out=wheels[:, 1])
    fastest = np.maximum(np.abs(wheels[:, 0]), np.abs(wheels[:, 1]))
    wheels *= (1.0 / np.maximum(WHEEL_RADIUS, fastest * (1.0 / WHEEL_SPEED)))[:, None]
    return wheels


def scrub(turning: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Torque of the tyres against turning [N m], about the robot's z, shape (n,)."""
    return -SCRUB_TORQUE * np.tanh(20.0 * turning)
