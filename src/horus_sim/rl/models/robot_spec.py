"""Robots of the 3D simulator as specs for many fast simulations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from horus_sim.errors import UnknownTaskError
from horus_sim.files.names import propose
from horus_sim.robots.description import Joint
from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import Report
from horus_sim.robots.robot import load_robot
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.options import new_spec
from horus_sim.sim3d.compile.robot.coordinates import Base, BuiltRobot, Coordinate
from horus_sim.sim3d.compile.robot.drives import Drive
from horus_sim.sim3d.compile.robot.robot import add_robot
from horus_sim.sim3d.compile.standing import with_stance
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import PlacedRobot

SHOWN_GROUP = 0
_VISUAL = "#visual"
MeshStandIn = Literal["hull", "box", "capsule", "cylinder", "ellipsoid", "sphere"]


def robot_spec(
    robot: str | Path,
    base: Base,
    physics: PhysicsConfig | None = None,
    *,
    lean: bool = True,
    contacts: Sequence[str] | None = None,
    self_collision: bool = True,
    meshes: MeshStandIn = "hull",
    stands: bool = False,
) -> tuple[mujoco.MjSpec, BuiltRobot]:
    """A spec with one robot in it, at the origin, and what the builder made of the robot.

    Args:
        robot: Name of a shipped robot, or path of a description.
        base: 'fixed' or 'floating'.
        physics: 240 steps a second unless told.
        lean: Whether shapes that only look are left out, those that touch are drawn instead, and
            links that do not move against each other are fused: less to compute in every step.
        contacts: Links that touch, such as the feet; all unless given.
        self_collision: Whether links of the robot touch each other; otherwise only what is added
            to the spec.
        meshes: What touches in the place of meshes: their convex hulls, or the solid of this kind
            that fits each best, which has fewer contacts that are found sooner.
        stands: Whether drives are those of a robot that stands on legs, as in a world, and joints
            are initially in its stance.

    Raises:
        UnknownTaskError: There is no such link.
    """
    loaded = load_robot(robot, base="floating" if stands else "auto")
    description = loaded.description
    physics = physics or PhysicsConfig()
    spec = new_spec(description.name, physics)
    # A diverged environment is seen by its warning and begins anew.
    spec.option.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    placed = PlacedRobot(description.name, description, base, description.T_world_root)
    if stands:
        placed = with_stance(placed)
    built = add_robot(spec, AssetStore(spec, Report()), placed, physics, prefix="")
    if stands and placed.stance is not None:
        built = replace(
            built,
            coordinates=tuple(
                replace(each, initial=placed.stance.positions.get(each.name, each.initial))
                for each in built.coordinates
            ),
        )
    if base == "fixed":
        spec.body(built.root_body).mocap = False
    _limit_contacts(spec, built, contacts, self_collision=self_collision)
    if meshes != "hull":
        _replace_meshes(spec, meshes)
    if lean:
        spec.compiler.fusestatic = True
        for geom in list(spec.geoms):
            if _VISUAL in geom.name:
                spec.delete(geom)
            else:
                geom.group = SHOWN_GROUP
    return spec, built


def _limit_contacts(
    spec: mujoco.MjSpec,
    built: BuiltRobot,
    links: Sequence[str] | None,
    *,
    self_collision: bool,
) -> None:
    for link in links or ():
        if link not in built.bodies:
            raise UnknownTaskError(propose(link, built.bodies, f"robot '{built.name}'", "link"))
    kept = None if links is None else {built.bodies[link] for link in links}
    for body in spec.bodies:
        for geom in body.geoms:
            if _VISUAL in geom.name:
                continue
            if kept is not None and body.name not in kept:
                geom.contype = geom.conaffinity = 0
            elif not self_collision:
                # Others find it, and it looks for none: shapes of one robot miss each other.
                geom.contype = 0
    if not self_collision:
        for exclude in list(spec.excludes):
            spec.delete(exclude)


def _replace_meshes(spec: mujoco.MjSpec, kind: MeshStandIn) -> None:
    for geom in spec.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH and _VISUAL not in geom.name:
            # With a mesh named beside its type, a shape is fitted to that mesh.
            geom.type = getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}")


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


def drive_by_position(
    spec: mujoco.MjSpec,
    built: BuiltRobot,
    joint: str,
    stiffness: float | None = None,
    damping: float | None = None,
) -> None:
    """Makes the control of a joint's drive its wanted position [rad] or [m].

    Args:
        spec: The spec of the robot.
        built: What the builder made of it.
        joint: Name of the joint.
        stiffness: Force by error [N m/rad] or [N/m]; as the drive has it in a world unless given.
        damping: Force by speed [N m s/rad] or [N s/m]; likewise.

    Raises:
        UnknownTaskError: There is no such joint, or it has no drive.
    """
    actuator, coordinate, drive = _drive(spec, built, joint)
    kp = drive.kp if stiffness is None else stiffness
    kv = drive.kv if damping is None else damping
    actuator.gainprm[0], actuator.biasprm[:3] = kp, (0.0, -kp, -kv)
    if coordinate.lower is not None and coordinate.upper is not None:
        actuator.ctrllimited = True
        actuator.ctrlrange = (coordinate.lower, coordinate.upper)


def _drive(
    spec: mujoco.MjSpec, built: BuiltRobot, joint: str
) -> tuple[mujoco.MjsActuator, Coordinate, Drive]:
    driven = {each.joint: each for each in built.coordinates if each.drive is not None}
    coordinate = driven.get(joint)
    if coordinate is None or coordinate.drive is None:
        where = f"robot '{built.name}'"
        raise UnknownTaskError(propose(joint, driven, where, "joint with a drive"))
    return spec.actuator(coordinate.mujoco_name), coordinate, coordinate.drive
