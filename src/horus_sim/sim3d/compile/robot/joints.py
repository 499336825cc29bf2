"""Joints as MuJoCo joints, one for each degree of freedom; equalities where they close loops."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Joint, JointLimit, JointType, RobotDescription
from horus_sim.robots.engine import mujoco
from horus_sim.robots.joint_motion import Axis, perpendicular
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.compile.robot.coordinates import Coordinate
from horus_sim.sim3d.compile.robot.drives import Drive
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import nearest_within
from horus_sim.tf import Transform

_NARROWEST = 1e-6
_ROUNDING = 1e-3
_LEVER = 0.05
_HINGE = mujoco.mjtJoint.mjJNT_HINGE
_SLIDE = mujoco.mjtJoint.mjJNT_SLIDE
_BALL = mujoco.mjtJoint.mjJNT_BALL


class JointBuilder:
    """Adds the joints of one robot.

    Args:
        spec: The spec, which gets actuators and equalities.
        prefix: What stands before all names.
        physics: The scene's physics.
    """

    def __init__(self, spec: mujoco.MjSpec, prefix: str, physics: PhysicsConfig) -> None:
        self._spec = spec
        self._prefix = prefix
        self._time_constant = max(physics.contact.time_constant, 2 * physics.timestep)

    def add(
        self, body: mujoco.MjsBody, joint: Joint, drive: Drive | None
    ) -> tuple[tuple[Coordinate, ...], str | None]:
        """Adds the degrees of freedom of a joint to its child's body.

        Args:
            body: Body of the child link.
            joint: The joint.
            drive: What moves it, or None.

        Returns:
            Its coordinates, and its MuJoCo ball joint if it has one.
        """
        T_child_joint = joint.T_joint_child.inverse()
        coordinates = tuple(
            self._scalar(body, joint, suffix, kind, axis, T_child_joint, drive)
            for suffix, kind, axis in _axes(joint)
        )
        if joint.kind is JointType.SCREW:
            # The slide of a screw is held to its turn.
            turn = f"{self._prefix}{joint.name}"
            slide = self._joint(body, f"{turn}#thread", _SLIDE, T_child_joint, joint.axis)
            self.couple(slide.name, turn, 0.0, joint.thread_pitch / (2 * math.pi))
        if joint.kind not in (JointType.BALL, JointType.FLOATING):
            return coordinates, None
        ball = self._joint(body, f"{self._prefix}{joint.name}#ball", _BALL, T_child_joint)
        self._resist(ball, joint)
        return coordinates, ball.name

    def _scalar(
        self,
        body: mujoco.MjsBody,
        joint: Joint,
        suffix: str,
        kind: mujoco.mjtJoint,
        axis: Axis,
        T_child_joint: Transform,
        drive: Drive | None,
    ) -> Coordinate:
        name = f"{self._prefix}{joint.name}{suffix}"
        added = self._joint(body, name, kind, T_child_joint, tuple(axis))
        self._resist(added, joint)
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
        T_child_joint: Transform,
        axis: tuple[float, ...] | None = None,
    ) -> mujoco.MjsJoint:
        added = body.add_joint(name=name, type=kind, pos=T_child_joint.translation)
        if axis is not None:
            added.axis = T_child_joint.transform_vector(axis)
        return added

    def _resist(self, added: mujoco.MjsJoint, joint: Joint) -> None:
        added.damping[0] = joint.dynamics.damping
        added.stiffness[0] = joint.dynamics.stiffness

    def couple(self, follower: str, leader: str, offset: float, multiplier: float) -> None:
        """Makes one coordinate follow another.

        Args:
            follower: MuJoCo joint that follows.
            leader: MuJoCo joint that it follows.
            offset: Its value where the leader is zero [rad] or [m].
            multiplier: Its change for one unit of the leader's.
        """
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


def _axes(joint: Joint) -> list[tuple[str, mujoco.mjtJoint, Axis]]:
    """Suffix of the name, kind and axis of each coordinate of a joint."""
    axis = np.asarray(joint.axis, dtype=float)
    match joint.kind:
        case JointType.REVOLUTE | JointType.CONTINUOUS | JointType.SCREW:
            return [("", _HINGE, axis)]
        case JointType.PRISMATIC:
            return [("", _SLIDE, axis)]
        case JointType.UNIVERSAL:
            second = np.asarray(joint.axis2 or perpendicular(axis), dtype=float)
            return [("/1", _HINGE, axis), ("/2", _HINGE, second)]
        case JointType.PLANAR:
            x = perpendicular(axis)
            return [("/x", _SLIDE, x), ("/y", _SLIDE, np.cross(axis, x)), ("/yaw", _HINGE, axis)]
        case JointType.FLOATING:
            return [
                (f"/{name}", _SLIDE, along) for name, along in zip("xyz", np.eye(3), strict=True)
            ]
        case JointType.FIXED | JointType.BALL:
            return []


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


def add_bound_notes(
    robot: RobotDescription, coordinates: Mapping[str, tuple[Coordinate, ...]], report: Report
) -> None:
    """Notes what the builder did about bounds.

    Args:
        robot: The robot.
        coordinates: What each joint became.
        report: Gets the notes.
    """
    joints = {joint.name: joint for joint in robot.joints}
    for joint in robot.joints:
        if joint.mimic is not None:
            leader = joints.get(joint.mimic.joint)
            if leader is not None and _contradicts(joint, leader):
                text = (
                    f"its bounds {_shown(joint)} forbid where '{leader.name}' leads it; they are "
                    "ignored"
                )
                report.add(NoteKind.IGNORED, f"joint '{joint.name}'", text)
            continue
        for coordinate in coordinates[joint.name]:
            stated = joint.initial_position if coordinate.name == joint.name else 0.0
            if coordinate.initial != stated:
                # Nobody states a start at zero: descriptions leave it out.
                kind = NoteKind.WARNING if stated else NoteKind.SUBSTITUTION
                text = (
                    f"{stated:.6g} is outside its bounds {_shown(joint)}; it starts at "
                    f"{coordinate.initial:.6g}"
                )
                report.add(kind, f"joint '{joint.name}'", text)


def _contradicts(follower: Joint, leader: Joint) -> bool:
    """Whether the leader's range takes a follower out of its own bounds."""
    mimic = follower.mimic
    if mimic is None:
        return False
    ends = [
        mimic.multiplier * bound + mimic.offset
        for bound in (leader.limit.lower, leader.limit.upper)
        if bound is not None
    ]
    lower, upper = follower.limit.lower, follower.limit.upper
    too_low = lower is not None and any(end < lower - _ROUNDING for end in ends)
    return too_low or (upper is not None and any(end > upper + _ROUNDING for end in ends))


def _shown(joint: Joint) -> str:
    lower, upper = joint.limit.lower, joint.limit.upper
    low = "-inf" if lower is None else f"{lower:.6g}"
    return f"[{low}, {'inf' if upper is None else f'{upper:.6g}'}]"
