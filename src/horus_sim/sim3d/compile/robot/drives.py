"""What joints have to move, and their drives: armature where none is given, gains of the servos.

Armature is the inertia of motor and gears as the joint feels it. Few descriptions give it, and
without it light links on strong drives are stiff against a step of 1/240 s: the wheels of a small
robot diverge by many degrees from a reference with fine steps. The rule:

- a joint that gives its armature, a joint without a drive (effort limit 0) and a joint that follows
  another keep what they say, or none;
- the wheels of a robot that moves (continuous joints whose load is balanced about the axis) get
  together twice the robot's mass times the square of the wheel's radius of gyration, which for
  discs is the inertia of the robot's mass at the rim: geared drives are of this size;
- the joints between a body and the feet on which it stands get a tenth of what they turn of the
  rest of the robot, where that is more than by the next rule: their drives are built for it;
- every other hinge gets a tenth of its load's inertia, at most 0.001 kg m^2, every slider a tenth
  of its load's mass, at most 0.1 kg;
- a joint that heavier ones follow gets enough to have half of all inertia itself: constraints are
  solved before a servo's damping is counted in, which tears a light leader off its followers.

The drive of a joint is one general actuator with gain 1: force = ctrl - kp q - kv v. A position
servo sends kp q_wanted + kv v_wanted, a velocity servo has kp = 0, and effort has both 0. The
velocity term is integrated implicitly. The gains are those of a critically damped servo with
`SERVO_RATE` on load and armature at position zero, so that one step is a small part of its period;
a wheel has its share of the robot's mass on top, which it moves too, and a joint between the body
and a foot on the ground what it turns of the rest of the robot. The load of a joint that others
follow is all that moves with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horus_sim.robots.description import Inertial, Joint, JointType, RobotDescription
from horus_sim.robots.inertia import inertia_matrix
from horus_sim.sim3d.compile.mujoco_types import rotation_matrix
from horus_sim.tf import Transform

SERVO_RATE = 60.0
HINGE_ARMATURE = 1e-3
SLIDE_ARMATURE = 0.1
_SHARE_OF_LOAD = 0.1
_SHARE_OF_STANDING = 0.1
_BALANCED = 0.1
_SLOWEST_STEP = 1 / 240
_ROUNDING = 1 + 1e-6

Floats = npt.NDArray[np.float64]

DRIVEN = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.SCREW})


@dataclass(frozen=True, slots=True)
class Load:
    """What hangs on a joint, at position zero.

    Attributes:
        mass: Mass of all links below [kg].
        inertia: About the joint's axis [kg m^2], for a sliding joint the mass [kg].
        offset: Distance of the common centre of mass from the axis [m].
    """

    mass: float
    inertia: float
    offset: float

    @property
    def gyration_squared(self) -> float:
        """Square of the radius of gyration about the axis [m^2]."""
        return self.inertia / self.mass if self.mass > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Drive:
    """What moves a joint.

    Attributes:
        armature: Inertia of the drive as the joint feels it [kg m^2] or [kg].
        is_assumed: Whether the rule gave the armature, not the description.
        inertia: Load and armature together [kg m^2] or [kg].
        kp: Stiffness of a position servo [N m/rad] or [N/m].
        kv: Damping of a position or velocity servo [N m s/rad] or [N s/m].
        effort: Largest torque [N m] or force [N], or None.
        holds: Whether it holds at rest whatever its bounds, as all drives but wheels do of a robot
            that stands on legs.
    """

    armature: float
    is_assumed: bool
    inertia: float
    kp: float
    kv: float
    effort: float | None
    holds: bool = False


def has_drive(joint: Joint) -> bool:
    """Whether a joint gets an actuator: one axis, no master, and an effort limit other than 0."""
    return joint.kind in DRIVEN and joint.mimic is None and joint.limit.effort != 0.0


def drives(
    robot: RobotDescription,
    hanging: Mapping[str, Load],
    total_mass: float,
    timestep: float,
    *,
    is_floating: bool,
    inertials: Mapping[str, Inertial | None] | None = None,
    standing: Mapping[str, float] | None = None,
) -> dict[str, Drive]:
    """The drive of each joint that has one.

    Args:
        robot: The robot.
        hanging: What hangs on each joint.
        total_mass: Mass of the robot [kg].
        timestep: Time of a step [s]; servos are slower where steps are longer than 1/240 s.
        is_floating: Whether the base is free.
        inertials: Mass properties of each link, None for a link without mass; needed where joints
            follow others.
        standing: What joints of legs move of the rest of a robot that stands [kg m^2] or [kg].
    """
    driven = [joint for joint in robot.joints if has_drive(joint)]
    wheels = {
        joint.name for joint in driven if is_floating and _is_wheel(joint, hanging[joint.name])
    }
    led = _followers(robot)
    rate = SERVO_RATE * min(1.0, _SLOWEST_STEP / timestep)
    found: dict[str, Drive] = {}
    for joint in driven:
        load = hanging[joint.name]
        weight = load.inertia
        if inertials is not None and joint.name in led:
            weight = reflected_inertia(robot, inertials, led[joint.name] | {joint.name: 1.0})
        carried = 0.0
        if joint.name in wheels:
            carried = 2 * total_mass * load.gyration_squared / len(wheels)
        stood = 0.0 if joint.name in wheels else (standing or {}).get(joint.name, 0.0)
        stated = joint.dynamics.armature
        armature = stated
        if armature is None:
            most = SLIDE_ARMATURE if joint.kind is JointType.PRISMATIC else HINGE_ARMATURE
            assumed = min(most, _SHARE_OF_LOAD * weight)
            assumed = max(assumed, _SHARE_OF_STANDING * stood)
            armature = carried or max(assumed, weight - 2 * load.inertia)
        inertia = weight + armature
        moved = inertia + carried + stood
        effort = joint.limit.effort
        found[joint.name] = Drive(
            armature,
            stated is None,
            inertia,
            moved * rate**2,
            2 * moved * rate,
            None if effort is None or effort < 0 else effort,
            bool(standing) and joint.name not in wheels,
        )
    return found


def _followers(robot: RobotDescription) -> dict[str, dict[str, float]]:
    """For each joint that others follow: how fast each of them moves for one unit of it."""
    mimics = {joint.name: joint.mimic for joint in robot.joints if joint.mimic is not None}
    found: dict[str, dict[str, float]] = {}
    for follower in mimics:
        leader, rate = follower, 1.0
        # Followers of followers; a chain is no longer than their number.
        for _ in mimics:
            if leader in mimics:
                rate *= mimics[leader].multiplier
                leader = mimics[leader].joint
        found.setdefault(leader, {})[follower] = rate
    return found


def _is_wheel(joint: Joint, load: Load) -> bool:
    if joint.kind is not JointType.CONTINUOUS or load.inertia <= 0:
        return False
    return load.offset**2 <= _BALANCED**2 * load.gyration_squared


def inertia_in_link(inertial: Inertial) -> Floats:
    """The inertia about the centre of mass along the link's axes [kg m^2], shape (3, 3)."""
    R = rotation_matrix(inertial.T_link_inertia)
    return R @ inertia_matrix(inertial) @ R.T


def principal_axes(inertial: Inertial) -> tuple[Floats, Transform]:
    """Principal moments [kg m^2], shape (3,), and the frame of their axes in the link.

    MuJoCo's own search for the axes gives up on very small links.
    """
    inertia = inertia_in_link(inertial)
    centre = inertial.T_link_inertia.translation
    if not np.any(inertia - np.diag(np.diagonal(inertia))):
        return _possible(np.diagonal(inertia)), Transform(tuple(centre))
    moments, axes = np.linalg.eigh(inertia)
    matrix = np.eye(4)
    matrix[:3, :3] = axes * np.sign(np.linalg.det(axes))
    matrix[:3, 3] = centre
    return _possible(moments), Transform.from_matrix(matrix)


def _possible(moments: Floats) -> Floats:
    """The moments, the largest lowered to the sum of the others where rounding put it above."""
    moments = np.array(moments)
    largest = int(np.argmax(moments))
    others = float(moments.sum() - moments[largest])
    if others < moments[largest] <= others * _ROUNDING:
        moments[largest] = others * (1 - 1e-12)
    return moments


def loads(robot: RobotDescription, inertials: Mapping[str, Inertial | None]) -> dict[str, Load]:
    """What hangs on each joint.

    Args:
        robot: The robot.
        inertials: Mass properties of each link, None for a link without mass.
    """
    children = joints_below(robot)
    found: dict[str, Load] = {}
    # From the leaves up: mass, first moment and inertia about the link's origin, in link axes.
    sums: dict[str, tuple[float, Floats, Floats]] = {}
    for link in reversed(outwards(robot.root, children)):
        inertial = inertials[link]
        mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        if inertial is not None:
            centre = np.asarray(inertial.T_link_inertia.translation)
            mass = inertial.mass
            moment = mass * centre
            inertia = inertia_in_link(inertial) + mass * _steiner(centre)
        for joint in children.get(link, ()):
            child_sums = sums[joint.child]
            found[joint.name] = _load(joint, *child_sums)
            T_link_child = joint.T_parent_joint @ joint.T_joint_child
            child = _moved(T_link_child, *child_sums)
            mass, moment, inertia = mass + child[0], moment + child[1], inertia + child[2]
        sums[link] = (mass, moment, inertia)
    return found


def reflected_inertia(
    robot: RobotDescription,
    inertials: Mapping[str, Inertial | None],
    rates: Mapping[str, float],
) -> float:
    """Inertia [kg m^2] or [kg] that a drive feels which moves several joints, at position zero.

    Args:
        robot: The robot.
        inertials: Mass properties of each link, None for a link without mass.
        rates: How fast each of these joints moves for one unit of the drive.
    """
    children = joints_below(robot)
    # Pose of each link, and its velocities for one unit: of turning, and at the root's origin.
    still = np.zeros(3)
    motion = {robot.root: (Transform.identity(), still, still)}
    total = 0.0
    for link in outwards(robot.root, children):
        T_root_link, turning, moving = motion[link]
        inertial = inertials[link]
        if inertial is not None:
            R = rotation_matrix(T_root_link)
            centre = np.asarray(T_root_link.transform_point(inertial.T_link_inertia.translation))
            turning_link = R.T @ turning
            speed = moving + np.cross(turning, centre)
            total += inertial.mass * float(speed @ speed)
            total += float(turning_link @ inertia_in_link(inertial) @ turning_link)
        for joint in children.get(link, ()):
            T_root_joint = T_root_link @ joint.T_parent_joint
            axis = rates.get(joint.name, 0.0) * np.asarray(
                T_root_joint.transform_vector(joint.axis)
            )
            turns, slides = axis, np.cross(T_root_joint.translation, axis)
            if joint.kind is JointType.PRISMATIC:
                turns, slides = still, axis
            T_root_child = T_root_joint @ joint.T_joint_child
            motion[joint.child] = (T_root_child, turning + turns, moving + slides)
    return total


def joints_below(robot: RobotDescription) -> dict[str, list[Joint]]:
    """The joints that hang on each link."""
    children: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    return children


def outwards(root: str, children: Mapping[str, list[Joint]]) -> list[str]:
    """The links that joints lead to from the root, those nearest to it first."""
    order = [root]
    for link in order:
        order += [joint.child for joint in children.get(link, ())]
    return order


def _steiner(offset: Floats) -> Floats:
    return float(offset @ offset) * np.eye(3) - np.outer(offset, offset)


def _moved(
    T: Transform, mass: float, moment: Floats, inertia: Floats
) -> tuple[float, Floats, Floats]:
    """The same sums about another origin and along its axes."""
    R = rotation_matrix(T)
    shift = np.asarray(T.translation)
    turned = R @ moment
    cross = np.outer(turned, shift) + np.outer(shift, turned)
    moved = R @ inertia @ R.T + mass * _steiner(shift)
    moved += 2 * float(turned @ shift) * np.eye(3) - cross
    return mass, turned + mass * shift, moved


def _load(joint: Joint, mass: float, moment: Floats, inertia: Floats) -> Load:
    if joint.kind is JointType.PRISMATIC:
        return Load(mass, mass, 0.0)
    mass, moment, inertia = _moved(joint.T_joint_child, mass, moment, inertia)
    axis = np.asarray(joint.axis)
    about = float(axis @ inertia @ axis)
    centre = moment / mass if mass > 0 else np.zeros(3)
    offset = float(np.linalg.norm(centre - (centre @ axis) * axis))
    return Load(mass, max(about, 0.0), offset)
