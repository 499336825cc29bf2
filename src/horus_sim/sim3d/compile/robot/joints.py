"""Joints as MuJoCo joints, one for each degree of freedom; equalities where they close loops."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Joint, JointLimit, JointType
from horus_sim.robots.engine import mujoco
from horus_sim.robots.joint_motion import Axis, perpendicular
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.compile.robot.coordinates import Coordinate
from horus_sim.sim3d.compile.robot.drives import Drive
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import nearest_within
from horus_sim.tf import Transform

_NARROWEST = 1e-6
_LEVER = 0.05
_HINGE = mujoco.mjtJoint.mjJNT_HINGE
_SLIDE = mujoco.mjtJoint.mjJNT_SLIDE
_BALL = mujoco.mjtJoint.mjJNT_BALL


@dataclass(frozen=True, slots=True)
class BuiltJoint:
    """What a joint became: its coordinates, and its MuJoCo ball joint if it has one."""

    coordinates: tuple[Coordinate, ...]
    spherical: str | None = None


class JointBuilder:
    """Adds the joints of one robot.

    Args:
        spec: The spec, which gets actuators and equalities.
        prefix: Before all names.
        physics: The scene's physics.
    """

    def __init__(self, spec: mujoco.MjSpec, prefix: str, physics: PhysicsConfig) -> None:
        self._spec = spec
        self._prefix = prefix
        self._time_constant = max(physics.contact.time_constant, 2 * physics.timestep)

    def add(self, body: mujoco.MjsBody, joint: Joint, drive: Drive | None) -> BuiltJoint:
        """Adds the degrees of freedom of a joint to its child's body.

        Args:
            body: Body of the child link.
            joint: The joint.
            drive: What moves it, or None.
        """
        T_child_joint = joint.T_joint_child.inverse()
        axis = np.asarray(joint.axis, dtype=float)
        match joint.kind:
            case JointType.FIXED:
                return BuiltJoint(())
            case JointType.REVOLUTE | JointType.CONTINUOUS:
                added = self._scalar(body, joint, "", _HINGE, axis, T_child_joint, drive)
                return BuiltJoint((added,))
            case JointType.PRISMATIC:
                added = self._scalar(body, joint, "", _SLIDE, axis, T_child_joint, drive)
                return BuiltJoint((added,))
            case JointType.UNIVERSAL:
                second = np.asarray(joint.axis2 or perpendicular(axis), dtype=float)
                return BuiltJoint(
                    (
                        self._scalar(body, joint, "/1", _HINGE, axis, T_child_joint),
                        self._scalar(body, joint, "/2", _HINGE, second, T_child_joint),
                    )
                )
            case JointType.SCREW:
                turn = self._scalar(body, joint, "", _HINGE, axis, T_child_joint, drive)
                self._thread(body, joint, axis, T_child_joint)
                return BuiltJoint((turn,))
            case JointType.PLANAR:
                x = perpendicular(axis)
                y = np.cross(axis, x)
                return BuiltJoint(
                    (
                        self._scalar(body, joint, "/x", _SLIDE, x, T_child_joint),
                        self._scalar(body, joint, "/y", _SLIDE, y, T_child_joint),
                        self._scalar(body, joint, "/yaw", _HINGE, axis, T_child_joint),
                    )
                )
            case JointType.BALL:
                return BuiltJoint((), self._ball(body, joint, T_child_joint))
            case JointType.FLOATING:
                axes = zip(("/x", "/y", "/z"), np.eye(3), strict=True)
                slides = tuple(
                    self._scalar(body, joint, suffix, _SLIDE, along, T_child_joint)
                    for suffix, along in axes
                )
                return BuiltJoint(slides, self._ball(body, joint, T_child_joint))

    def _scalar(
        self,
        body: mujoco.MjsBody,
        joint: Joint,
        suffix: str,
        kind: mujoco.mjtJoint,
        axis: Axis,
        T_child_joint: Transform,
        drive: Drive | None = None,
    ) -> Coordinate:
        name = f"{self._prefix}{joint.name}{suffix}"
        added = self._joint(body, name, kind, joint, T_child_joint)
        added.axis = T_child_joint.transform_vector(tuple(axis))
        added.frictionloss = joint.dynamics.friction
        added.springref = joint.dynamics.spring_reference
        stated = joint.dynamics.armature or 0.0
        added.armature = stated if drive is None else drive.armature
        # Limits of a joint with several axes speak of its first one.
        limit = joint.limit if suffix in ("", "/1") else JointLimit()
        lower, upper = limit.lower, limit.upper
        mimic = joint.mimic if suffix == "" else None
        # A joint that follows another goes where that one leads it, whatever its own bounds.
        if joint.kind is JointType.CONTINUOUS or mimic is not None:
            lower, upper = None, None
        if lower is not None or upper is not None:
            low = -math.inf if lower is None else lower
            high = math.inf if upper is None else upper
            added.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            added.range = _finite_range(low, high)
            added.solref_limit = (self._time_constant, 1.0)
        if drive is not None:
            add_drive(self._spec, name, drive)
        is_angle = kind == _HINGE
        initial = joint.initial_position if suffix == "" else 0.0
        if mimic is None:
            initial = nearest_within(initial, lower, upper)
        return Coordinate(
            f"{joint.name}{suffix}",
            joint.name,
            name,
            is_angle,
            lower,
            upper,
            limit.velocity,
            limit.effort,
            initial,
            mimic,
            drive,
        )

    def _joint(
        self,
        body: mujoco.MjsBody,
        name: str,
        kind: mujoco.mjtJoint,
        joint: Joint,
        T_child_joint: Transform,
    ) -> mujoco.MjsJoint:
        added = body.add_joint(name=name, type=kind, pos=T_child_joint.translation)
        added.damping[0] = joint.dynamics.damping
        added.stiffness[0] = joint.dynamics.stiffness
        return added

    def _ball(self, body: mujoco.MjsBody, joint: Joint, T_child_joint: Transform) -> str:
        name = f"{self._prefix}{joint.name}#ball"
        self._joint(body, name, _BALL, joint, T_child_joint)
        return name

    def _thread(
        self, body: mujoco.MjsBody, joint: Joint, axis: Axis, T_child_joint: Transform
    ) -> None:
        """The slide of a screw, held to its turn."""
        name = f"{self._prefix}{joint.name}#thread"
        slide = body.add_joint(name=name, type=_SLIDE, pos=T_child_joint.translation)
        slide.axis = T_child_joint.transform_vector(tuple(axis))
        advance = joint.thread_pitch / (2 * math.pi)
        self._couple(name, f"{self._prefix}{joint.name}", 0.0, advance)

    def follow(self, follower: str, leader: str, offset: float, multiplier: float) -> None:
        """Makes one coordinate follow another.

        Args:
            follower: Coordinate that follows.
            leader: Coordinate that it follows.
            offset: Its value where the leader is zero [rad] or [m].
            multiplier: Its change for one unit of the leader's.
        """
        self._couple(f"{self._prefix}{follower}", f"{self._prefix}{leader}", offset, multiplier)

    def _couple(self, follower: str, leader: str, offset: float, multiplier: float) -> None:
        equality = self._spec.add_equality(
            name=f"{follower}#follows",
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=follower,
            name2=leader,
        )
        equality.data[:5] = (offset, multiplier, 0.0, 0.0, 0.0)
        equality.solref = (self._time_constant, 1.0)
        equality.solimp[:3] = (0.999, 0.9999, 0.001)


def add_drive(spec: mujoco.MjSpec, name: str, drive: Drive) -> None:
    """Adds the actuator of a joint, which has its name."""
    actuator = spec.add_actuator(
        name=name,
        target=name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
    )
    actuator.gainprm[0] = 1.0
    if drive.effort is not None:
        actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        actuator.forcerange = (-drive.effort, drive.effort)


def add_loop(
    spec: mujoco.MjSpec,
    joint: Joint,
    prefix: str,
    bodies: dict[str, mujoco.MjsBody],
    physics: PhysicsConfig,
) -> None:
    """Holds two links together as a joint does that closes a loop.

    A hinge is two points on its axis that stay together, a ball one, and a fixed joint a weld.

    Raises:
        DescriptionError: The joint is of a kind that cannot close a loop.
    """
    parent, child = bodies[joint.parent], bodies[joint.child]
    T_child_joint = joint.T_joint_child.inverse()
    axis = np.asarray(joint.axis)
    match joint.kind:
        case JointType.FIXED:
            kind, offsets = mujoco.mjtEq.mjEQ_WELD, [np.zeros(3)]
        case JointType.BALL:
            kind, offsets = mujoco.mjtEq.mjEQ_CONNECT, [np.zeros(3)]
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            kind, offsets = mujoco.mjtEq.mjEQ_CONNECT, [-_LEVER * axis, _LEVER * axis]
        case _:
            raise DescriptionError(
                f"joint '{joint.name}' of kind '{joint.kind}' closes a loop; only fixed, revolute, "
                "continuous and ball joints can: open the loop at another joint"
            )
    for i, offset in enumerate(offsets):
        T_offset = Transform(tuple(offset))
        names = [f"{prefix}{joint.name}#{side}{i}" for side in ("parent", "child")]
        frames = (joint.T_parent_joint @ T_offset, T_child_joint @ T_offset)
        for body, T_body_site, name in zip((parent, child), frames, names, strict=True):
            body.add_site(
                name=name,
                pos=T_body_site.translation,
                quat=quat_wxyz(T_body_site),
                size=[1e-3, 1e-3, 1e-3],
                group=5,
            )
        equality = spec.add_equality(
            name=f"{prefix}{joint.name}#{i}",
            type=kind,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=names[0],
            name2=names[1],
        )
        equality.solref = (max(physics.contact.time_constant, 2 * physics.timestep), 1.0)


def _finite_range(lower: float, upper: float) -> tuple[float, float]:
    """MuJoCo needs both ends, and the upper one above the lower."""
    unbounded = 1e6
    low, high = max(lower, -unbounded), min(upper, unbounded)
    return (low, high) if high - low > _NARROWEST else (low - _NARROWEST, low + _NARROWEST)
