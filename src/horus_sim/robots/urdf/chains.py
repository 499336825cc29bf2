"""Joints as URDF has them.

URDF has six kinds of joints and puts a child's frame on its joint. What does not fit becomes a
chain of joints and links without mass that moves in the same way: a universal joint two hinges, a
ball joint three, a screw a slider that follows a hinge, an offset from joint to child a fixed
joint.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from horus_sim.robots.description import (
    Joint,
    JointLimit,
    JointType,
    Link,
    Mimic,
    RobotDescription,
)
from horus_sim.tf import Transform

FAR = 1e9
"""A bound [rad] or [m] that stands for none."""


def plain_tree(description: RobotDescription) -> tuple[list[Link], list[Joint]]:
    """Links and joints with everything that URDF cannot say replaced by chains."""
    links = list(description.links)
    joints: list[Joint] = []
    for joint in description.joints:
        chain = list(_chain(joint))
        joints += chain
        links += [Link(link.child) for link in chain[:-1]]
    return links, joints


def _chain(joint: Joint) -> Iterator[Joint]:
    """Joints from the parent to the child that move like the one given."""
    steps = list(_steps(joint))
    has_offset = not is_identity(joint.T_joint_child)
    last = f"{joint.child}_joint_frame" if has_offset else joint.child
    parent = joint.parent
    for k, step in enumerate(steps):
        child = last if k == len(steps) - 1 else f"{joint.child}_{step.name}"
        yield replace(step, parent=parent, child=child)
        parent = child
    if has_offset:
        yield Joint(f"{joint.name}_offset", JointType.FIXED, last, joint.child, joint.T_joint_child)


def _steps(joint: Joint) -> Iterator[Joint]:
    plain = replace(joint, T_joint_child=Transform.identity())
    if joint.kind is JointType.UNIVERSAL:
        second = joint.axis2 or (0.0, 1.0, 0.0)
        free = JointLimit(effort=joint.limit.effort, velocity=joint.limit.velocity)
        yield replace(plain, name=f"{joint.name}_1", kind=JointType.CONTINUOUS, limit=free)
        yield Joint(
            f"{joint.name}_2",
            JointType.CONTINUOUS,
            "",
            "",
            axis=second,
            limit=free,
            dynamics=joint.dynamics,
        )
    elif joint.kind is JointType.BALL:
        for k, axis in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
            yield Joint(
                f"{joint.name}_{'xyz'[k]}",
                JointType.CONTINUOUS,
                "",
                "",
                joint.T_parent_joint if k == 0 else Transform.identity(),
                axis,
                dynamics=joint.dynamics,
            )
    elif joint.kind is JointType.SCREW:
        bounded = joint.limit.lower is not None and joint.limit.upper is not None
        yield replace(plain, kind=JointType.REVOLUTE if bounded else JointType.CONTINUOUS)
        yield Joint(
            f"{joint.name}_advance",
            JointType.PRISMATIC,
            "",
            "",
            axis=joint.axis,
            limit=JointLimit(-FAR, FAR),
            mimic=Mimic(joint.name, joint.thread_pitch / math.tau),
        )
    elif joint.kind in (JointType.REVOLUTE, JointType.PRISMATIC):
        yield _bounded(plain)
    else:
        yield plain


def _bounded(joint: Joint) -> Joint:
    """The joint with a bound far away where only one of the two is given."""
    if joint.limit.lower is None and joint.limit.upper is None:
        return joint
    lower = -FAR if joint.limit.lower is None else joint.limit.lower
    upper = FAR if joint.limit.upper is None else joint.limit.upper
    return replace(joint, limit=replace(joint.limit, lower=lower, upper=upper))


def is_identity(T: Transform) -> bool:
    """Whether a transform is exactly the identity."""
    return not any(T.translation) and abs(float(T.rotation[3])) == 1.0
