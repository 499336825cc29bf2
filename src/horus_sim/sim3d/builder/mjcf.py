"""A robot that is described in MuJoCo's own format, attached to a scene."""

from __future__ import annotations

from pathlib import Path

from horus_sim.errors import DescriptionError
from horus_sim.sim3d.builder.coordinates import Base, BuiltRobot, Coordinate, free_joint_name
from horus_sim.sim3d.builder.mujoco_types import quat_wxyz
from horus_sim.sim3d.engine import mujoco
from horus_sim.tf import Transform

_SCALAR = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def add_mjcf_robot(
    spec: mujoco.MjSpec, path: Path, name: str, T_world_root: Transform
) -> BuiltRobot:
    """Adds a robot from an MJCF file; its first body below the world is the root.

    Raises:
        DescriptionError: MuJoCo cannot read the file, or it holds no body.
    """
    try:
        child = mujoco.MjSpec.from_file(str(path))
    except (ValueError, RuntimeError) as error:
        raise DescriptionError(f"{path}: MuJoCo cannot read it: {error}") from error
    roots = list(child.worldbody.bodies)
    if not roots:
        raise DescriptionError(f"{path}: there is no body below the world; add one")
    _name_all(child)
    root = roots[0]
    free = [joint for joint in root.joints if joint.type == mujoco.mjtJoint.mjJNT_FREE]
    base: Base = "floating" if free else "fixed"
    prefix = f"{name}/"
    if free:
        free[0].name = free_joint_name(root.name)
        root.pos, root.quat = T_world_root.translation, quat_wxyz(T_world_root)
        T_world_root = Transform.identity()
    elif not root.joints and len(roots) == 1:
        root.mocap = True
        root.pos, root.quat = T_world_root.translation, quat_wxyz(T_world_root)
        T_world_root = Transform.identity()
    bodies = {body.name: prefix + body.name for body in child.bodies if body.name != "world"}
    driven = {actuator.target for actuator in child.actuators}
    coordinates = tuple(
        _coordinate(joint, prefix) for joint in child.joints if joint.type in _SCALAR
    )
    spherical = {
        joint.name: prefix + joint.name
        for joint in child.joints
        if joint.type == mujoco.mjtJoint.mjJNT_BALL
    }
    for joint in child.joints:
        if joint.type in _SCALAR and joint.name not in driven:
            actuator = child.add_actuator(
                name=joint.name,
                target=joint.name,
                trntype=mujoco.mjtTrn.mjTRN_JOINT,
                biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            )
            actuator.gainprm[0] = 1.0
    root_body = prefix + root.name
    frame = spec.worldbody.add_frame(pos=T_world_root.translation, quat=quat_wxyz(T_world_root))
    spec.attach(child, frame=frame, prefix=prefix)
    return BuiltRobot(name, prefix, base, root_body, bodies, coordinates, spherical)


def _name_all(child: mujoco.MjSpec) -> None:
    """MuJoCo allows elements without names; here each has one."""
    for kind, elements in (("body", child.bodies), ("joint", child.joints)):
        for i, element in enumerate(elements):
            if not element.name:
                element.name = f"{kind}_{i}"


def _coordinate(joint: mujoco.MjsJoint, prefix: str) -> Coordinate:
    limited = joint.limited == mujoco.mjtLimited.mjLIMITED_TRUE or (
        joint.limited == mujoco.mjtLimited.mjLIMITED_AUTO and joint.range[0] != joint.range[1]
    )
    is_angle = joint.type == mujoco.mjtJoint.mjJNT_HINGE
    lower, upper = (float(joint.range[0]), float(joint.range[1])) if limited else (None, None)
    return Coordinate(joint.name, joint.name, prefix + joint.name, is_angle, lower, upper)
