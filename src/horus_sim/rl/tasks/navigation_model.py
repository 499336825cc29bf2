"""The TurtleBot3 and its obstacles as a model that steps fast.

Against the robot as described: wheels are spheres (one contact each at the same place), only wheels
and caster touch, and only the floor, by explicit pairs; the caster has no friction; nothing is
sought in islands. A test compares the motion with that of the robot as described in fine steps.

Obstacles are seen by rays and touch nothing: an episode ends where the robot reaches one.
"""

from __future__ import annotations

from horus_sim.rl.robot_spec import drive_by_speed, robot_spec
from horus_sim.sim3d.engine import mujoco

ROBOT = "turtlebot3_burger"
WHEELS = ("wheel_left_joint", "wheel_right_joint")
WHEEL_RADIUS = 0.033
WHEEL_SEPARATION = 0.160
WHEEL_SPEED = 6.885
# The circle about hull and wheels, centre ahead of base_footprint [m].
HULL_CENTRE = -0.02
HULL_RADIUS = 0.107
LIDAR_X, LIDAR_Z = -0.032, 0.182
OBSTACLE_GROUP = 1
OBSTACLE_HEIGHT = 0.4


def navigation_spec(obstacles: int, largest_radius: float) -> mujoco.MjSpec:
    """Robot, floor and cylinders, which every environment places for itself.

    Args:
        obstacles: How many.
        largest_radius: Of an obstacle [m]; bounds of shapes follow from it.
    """
    spec, built = robot_spec(ROBOT, "floating")
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    spec.option.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
    for exclude in list(spec.excludes):
        spec.delete(exclude)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(20, 20, 1))
    for side in ("left", "right"):
        tyre = spec.geom(f"wheel_{side}_link#collision0")
        tyre.type = mujoco.mjtGeom.mjGEOM_SPHERE
        tyre.size = (WHEEL_RADIUS, 0, 0)
        _touch_floor(spec, tyre, 3)
    _touch_floor(spec, spec.geom("caster_back_link#collision0"), 1)
    for index in range(obstacles):
        spec.worldbody.add_geom(
            name=f"obstacle_{index}",
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=(largest_radius, OBSTACLE_HEIGHT / 2, 0),
            # Off the origin, so that the place is not compiled away.
            pos=(10.0 + index, 10.0, OBSTACLE_HEIGHT / 2),
            group=OBSTACLE_GROUP,
            rgba=(0.75, 0.35, 0.2, 1.0),
        )
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    for joint in WHEELS:
        drive_by_speed(spec, built, joint)
    return spec


def _touch_floor(spec: mujoco.MjSpec, geom: mujoco.MjsGeom, dimensions: int) -> None:
    sliding, torsional, rolling = geom.friction
    spec.add_pair(
        name=f"{geom.name}|floor",
        geomname1=geom.name,
        geomname2="floor",
        condim=dimensions,
        friction=(sliding, sliding, torsional, rolling, rolling),
        solref=tuple(geom.solref),
    )
