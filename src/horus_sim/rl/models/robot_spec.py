"""Robots of the 3D simulator as specs for many fast simulations."""

from __future__ import annotations

from pathlib import Path

from horus_sim.robots.description import Joint
from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import Report
from horus_sim.robots.robot import load_robot
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.options import new_spec
from horus_sim.sim3d.compile.robot.coordinates import Base, BuiltRobot, Coordinate
from horus_sim.sim3d.compile.robot.drives import Drive
from horus_sim.sim3d.compile.robot.robot import add_robot
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import PlacedRobot

SHOWN_GROUP = 0


def robot_spec(
    robot: str | Path, base: Base, physics: PhysicsConfig | None = None, *, lean: bool = True
) -> tuple[mujoco.MjSpec, BuiltRobot]:
    """A spec with one robot in it, at the origin, and what the builder made of the robot.

    Args:
        robot: Name of a shipped robot, or path of a description.
        base: 'fixed' or 'floating'.
        physics: 240 steps a second unless told.
        lean: Whether shapes that only look are left out, those that touch are drawn instead, and
            links that do not move against each other are fused: less to compute in every step.
    """
    loaded = load_robot(robot)
    description = loaded.description
    physics = physics or PhysicsConfig()
    spec = new_spec(description.name, physics)
    # A diverged environment is seen by its warning and begins anew.
    spec.option.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    placed = PlacedRobot(description.name, description, base, description.T_world_root)
    built = add_robot(spec, AssetStore(spec, Report()), placed, physics, prefix="")
    if base == "fixed":
        spec.body(built.root_body).mocap = False
    if lean:
        spec.compiler.fusestatic = True
        for geom in list(spec.geoms):
            if "#visual" in geom.name:
                spec.delete(geom)
            else:
                geom.group = SHOWN_GROUP
    return spec, built


def paired_spec(
    robot: str, base: Base, floor: float, *, lean: bool
) -> tuple[mujoco.MjSpec, BuiltRobot]:
    """A robot on a floor, where nothing touches but what `touch` lets touch.

    What is added later does not touch either. Nothing is sought in islands.

    Args:
        robot: Name of a shipped robot.
        base: 'fixed' or 'floating'.
        floor: Half the side of the floor that pictures show [m].
        lean: For physics; otherwise for pictures, with shapes that only look.
    """
    spec, built = robot_spec(robot, base, lean=lean)
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    spec.option.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
    for exclude in list(spec.excludes):
        spec.delete(exclude)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(floor, floor, 1))
    for geom in [*spec.geoms, spec.default.geom]:
        geom.contype = geom.conaffinity = 0
    return spec, built


def add_sphere_wheel(spec: mujoco.MjSpec, built: BuiltRobot, joint: Joint, radius: float) -> None:
    """Makes the wheel of a joint a sphere, which has one contact, driven by its speed."""
    tyre = spec.geom(f"{joint.child}#collision0")
    tyre.type, tyre.size = mujoco.mjtGeom.mjGEOM_SPHERE, (radius, 0, 0)
    touch(spec, tyre, "floor", 3)
    drive_by_speed(spec, built, joint.name)


def touch(spec: mujoco.MjSpec, geom: mujoco.MjsGeom, other: str, dimensions: int) -> None:
    """Lets a shape touch another one by an explicit pair, with its own friction and softness.

    Args:
        spec: The spec of both.
        geom: The shape.
        other: Name of the other one.
        dimensions: Kind of the contact: 1 without friction, 3 with sliding, 4 with spinning too.
    """
    sliding, torsional, rolling = geom.friction
    spec.add_pair(
        name=f"{geom.name}|{other}",
        geomname1=geom.name,
        geomname2=other,
        condim=dimensions,
        friction=(sliding, sliding, torsional, rolling, rolling),
        solref=tuple(geom.solref),
    )


def drive_by_speed(spec: mujoco.MjSpec, built: BuiltRobot, joint: str) -> None:
    """Makes the control of a joint's drive its wanted speed [rad/s] or [m/s], with its own gain."""
    actuator, coordinate, drive = _drive(spec, built, joint)
    actuator.gainprm[0], actuator.biasprm[:3] = drive.kv, (0.0, 0.0, -drive.kv)
    if coordinate.velocity is not None:
        actuator.ctrllimited = True
        actuator.ctrlrange = (-coordinate.velocity, coordinate.velocity)


def drive_by_position(spec: mujoco.MjSpec, built: BuiltRobot, joint: str) -> None:
    """Makes the control of a joint's drive its wanted position [rad] or [m], with its own gains."""
    actuator, coordinate, drive = _drive(spec, built, joint)
    actuator.gainprm[0], actuator.biasprm[:3] = drive.kp, (0.0, -drive.kp, -drive.kv)
    if coordinate.lower is not None and coordinate.upper is not None:
        actuator.ctrllimited = True
        actuator.ctrlrange = (coordinate.lower, coordinate.upper)


def _drive(
    spec: mujoco.MjSpec, built: BuiltRobot, joint: str
) -> tuple[mujoco.MjsActuator, Coordinate, Drive]:
    coordinate = next(item for item in built.coordinates if item.joint == joint)
    if coordinate.drive is None:
        raise ValueError(f"joint '{joint}' has no drive")
    return spec.actuator(coordinate.mujoco_name), coordinate, coordinate.drive
