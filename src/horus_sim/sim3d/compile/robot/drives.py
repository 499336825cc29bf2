"""The drives of joints: armature where the description gives none, and gains of the servos.

Armature is the inertia of motor and gears as the joint feels it. Few descriptions give it, and
without it light links on strong drives are stiff against a step of 1/240 s: the wheels of a small
robot diverge by many degrees from a reference with fine steps. The rule:

- a joint that gives its armature, a joint without a drive (effort limit 0) and a joint that follows
  another keep what they say, or none;
- the wheels of a robot that moves (continuous joints whose load is balanced about the axis) get
  together twice the robot's mass times the square of the wheel's radius of gyration, which for
  discs is the inertia of the robot's mass at the rim: geared drives are of this size;
- every other hinge gets a tenth of its load's inertia, at most 0.001 kg m^2, every slider a tenth
  of its load's mass, at most 0.1 kg;
- a joint that heavier ones follow gets enough to have half of all inertia itself: constraints are
  solved before a servo's damping is counted in, which tears a light leader off its followers.

The drive of a joint is one general actuator with gain 1: force = ctrl - kp q - kv v. A position
servo sends kp q_wanted + kv v_wanted, a velocity servo has kp = 0, and effort has both 0. The
velocity term is integrated implicitly. The gains are those of a critically damped servo with
`SERVO_RATE` on load and armature at position zero, so that one step is a small part of its period;
a wheel has its share of the robot's mass on top, which it moves too. The load of a joint that
others follow is all that moves with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from horus_sim.robots.description import Inertial, Joint, JointType, RobotDescription
from horus_sim.sim3d.compile.robot.inertia_tree import Load, reflected_inertia

SERVO_RATE = 60.0
HINGE_ARMATURE = 1e-3
SLIDE_ARMATURE = 0.1
_SHARE_OF_LOAD = 0.1
_BALANCED = 0.1
_SLOWEST_STEP = 1 / 240

DRIVEN = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.SCREW})


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
    """

    armature: float
    is_assumed: bool
    inertia: float
    kp: float
    kv: float
    effort: float | None


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
) -> dict[str, Drive]:
    """The drive of each joint that has one.

    Args:
        robot: The robot.
        hanging: What hangs on each joint.
        total_mass: Of the robot [kg].
        timestep: Of the simulation [s]; servos are slower where steps are longer than 1/240 s.
        is_floating: Whether the base is free.
        inertials: Of each link, None for a link without mass; needed where joints follow others.
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
        stated = joint.dynamics.armature
        armature = stated
        if armature is None:
            most = SLIDE_ARMATURE if joint.kind is JointType.PRISMATIC else HINGE_ARMATURE
            assumed = min(most, _SHARE_OF_LOAD * weight)
            armature = carried or max(assumed, weight - 2 * load.inertia)
        inertia = weight + armature
        moved = inertia + carried
        effort = joint.limit.effort
        found[joint.name] = Drive(
            armature,
            stated is None,
            inertia,
            moved * rate**2,
            2 * moved * rate,
            None if effort is None or effort < 0 else effort,
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
