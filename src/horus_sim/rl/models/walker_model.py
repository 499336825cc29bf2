"""A robot on four legs as a model that steps fast.

Against the robot as described: feet are balls, the trunk is the box about it, knees are balls too,
and nothing else touches; these touch the ground alone, by explicit pairs. Links that do not move
against each other are fused. Contacts have pyramidal friction, and drives hold positions with the
gains of `LeggedRobot`, within the joints' efforts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from horus_sim.rl.models.legs import LeggedRobot, legged_spec
from horus_sim.rl.models.robot_spec import SHOWN_GROUP, touch
from horus_sim.rl.models.scenery import add_scenery
from horus_sim.rl.models.terrain import TERRAIN, Terrain
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.scene.physics import PhysicsConfig

FOOT, KNEE, TRUNK, FLOOR = "foot", "knee", "trunk", "floor"
FRICTION = 0.8
_TIME_CONSTANT = 0.015
_KNEE_RADIUS = 1.2  # of the foot's
# What the model has none of, and would be looked for in every step.
_ABSENT = ("FRICTIONLOSS", "EQUALITY", "SPRING", "MIDPHASE", "ISLAND")


def walker_spec(
    robot: str | Path,
    timestep: float,
    terrain: Terrain | None = None,
    *,
    gains: tuple[float | None, float | None] = (None, None),
    lean: bool = True,
) -> tuple[mujoco.MjSpec, LeggedRobot]:
    """Robot and ground.

    Args:
        robot: Name of a shipped robot, or path of a description.
        timestep: [s].
        terrain: The ground; level unless given.
        gains: Stiffness [N m/rad] and damping [N m s/rad] of the drives, where not the robot's.
        lean: For physics; otherwise for pictures, with what only looks.

    Raises:
        TaskError: The robot does not have four legs.
    """
    physics = PhysicsConfig(
        timestep=timestep, cone="pyramidal", impratio=1.0, tolerance=1e-6, iterations=20
    )
    spec, _, legged = legged_spec(robot, physics, lean=lean)
    option = spec.option
    for name in _ABSENT:
        option.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    option.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
    for part in list(spec.excludes):
        spec.delete(part)
    if lean:
        for geom in list(spec.geoms):
            spec.delete(geom)
    for geom in [*spec.geoms, spec.default.geom]:
        geom.contype = geom.conaffinity = 0
    _add_ground(spec, terrain)
    if lean:
        _add_touching(spec, legged)
    else:
        add_scenery(spec, 2.0, 0.5)
    _drive(spec, legged, gains)
    return spec, legged


def _add_ground(spec: mujoco.MjSpec, terrain: Terrain | None) -> None:
    if terrain is None:
        spec.worldbody.add_geom(
            name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=(40, 40, 1), friction=(FRICTION,) * 3
        )
        return
    terrain.add_to(spec)
    spec.worldbody.add_geom(
        name=FLOOR,
        type=mujoco.mjtGeom.mjGEOM_HFIELD,
        hfieldname=TERRAIN,
        pos=(0.0, 0.0, terrain.lowest),
        friction=(FRICTION,) * 3,
    )


def _add_touching(spec: mujoco.MjSpec, legged: LeggedRobot) -> None:
    sphere = mujoco.mjtGeom.mjGEOM_SPHERE
    for place, leg in enumerate(legged.legs):
        parts = (
            (FOOT, leg.foot_body, leg.foot, leg.foot_radius),
            (KNEE, leg.knee_body, leg.knee, _KNEE_RADIUS * leg.foot_radius),
        )
        for what, body, centre, radius in parts:
            geom = spec.body(body).add_geom(
                name=f"{what}{place}",
                type=sphere,
                pos=centre,
                size=(radius, 0, 0),
                group=SHOWN_GROUP,
            )
            _touch_floor(spec, geom)
    middle, half = legged.trunk
    trunk = spec.body(legged.root).add_geom(
        name=TRUNK, type=mujoco.mjtGeom.mjGEOM_BOX, pos=middle, size=half, group=SHOWN_GROUP
    )
    _touch_floor(spec, trunk)


def _touch_floor(spec: mujoco.MjSpec, geom: mujoco.MjsGeom) -> None:
    geom.friction = (FRICTION, 0.0, 0.0)
    geom.solref = (_TIME_CONSTANT, 1.0)
    touch(spec, geom, FLOOR, 3)


def _drive(
    spec: mujoco.MjSpec, legged: LeggedRobot, gains: tuple[float | None, float | None]
) -> None:
    """Makes controls of legs wanted positions; other drives hold where they are."""
    count = len(legged.joints)
    given = (
        np.full(count, own) if own is not None else found
        for own, found in zip(gains, (legged.stiffness, legged.damping), strict=True)
    )
    own = dict(zip(legged.joints, zip(*given, strict=True), strict=True))
    for actuator in spec.actuators:
        kp, kv = own.get(actuator.name, (None, None))
        if kp is None:
            spec.delete(actuator)
            continue
        actuator.gainprm[0], actuator.biasprm[:3] = kp, (0.0, -kp, -kv)
