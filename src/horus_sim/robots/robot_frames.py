"""The frames of a robot as a transform tree, without physics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real

from horus_sim.errors import CommandError, UnknownNameError
from horus_sim.files.names import propose
from horus_sim.robots.description import JointType, RobotDescription
from horus_sim.robots.frame_name import frame_name
from horus_sim.robots.joint_motion import coordinate_names, joint_transform, takes_transform
from horus_sim.tf import TFTree, Transform


def frame_tree(
    description: RobotDescription,
    positions: Mapping[str, float | Transform],
    stamp_ns: int,
    frame_prefix: str,
) -> TFTree:
    """A tree with every link and further frame of a robot; `Robot.tf_tree` says the rest."""
    values, turned = _sorted_out(description, positions)
    _follow(description, values)
    tree = TFTree()

    def frame(link: str) -> str:
        return frame_name(f"{frame_prefix}{link}")

    for joint in description.joints:
        parent, child = frame(joint.parent), frame(joint.child)
        T_parent_child = joint_transform(joint, values, turned)
        if joint.kind is JointType.FIXED:
            tree.add_static_transform(parent, child, T_parent_child)
        else:
            tree.add_transform(parent, child, T_parent_child, stamp_ns)
    for name, (link, T_link_frame) in description.extra_frames.items():
        tree.add_static_transform(frame(link), frame(name), T_link_frame)
    return tree


def _sorted_out(
    description: RobotDescription, positions: Mapping[str, float | Transform]
) -> tuple[dict[str, float], dict[str, Transform]]:
    """Positions that are numbers, and those of joints that turn freely; both checked."""
    scalars = {name for joint in description.joints for name in coordinate_names(joint)}
    turning = {joint.name for joint in description.joints if takes_transform(joint)}
    culprit = f"robot '{description.name}'"
    values: dict[str, float] = {}
    turned: dict[str, Transform] = {}
    for name, value in positions.items():
        if name not in scalars | turning:
            raise UnknownNameError(propose(name, sorted(scalars | turning), culprit, "joint"))
        if isinstance(value, Transform) and name in turning:
            turned[name] = value
        elif isinstance(value, Transform) or name in turning:
            wanted = "a Transform" if name in turning else "a number [rad] or [m]"
            raise CommandError(f"{culprit}: the position of joint '{name}' is {wanted}")
        elif isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise CommandError(
                f"{culprit}: the position of joint '{name}' is {value!r:.40}; give a finite "
                "number [rad] or [m]"
            )
        else:
            values[name] = float(value)
    return values, turned


def _follow(description: RobotDescription, values: dict[str, float]) -> None:
    """Adds the positions of joints that follow others, except those that were given."""
    followers = {
        joint.name: joint.mimic
        for joint in description.joints
        if joint.mimic is not None and joint.name not in values
    }
    # A follower may follow another one: the chain is no longer than their number.
    for _ in followers:
        for name, mimic in followers.items():
            values[name] = mimic.multiplier * values.get(mimic.joint, 0.0) + mimic.offset
