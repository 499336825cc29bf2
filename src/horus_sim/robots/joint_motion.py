"""How a joint moves its child, without physics."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from horus_sim.robots.description import Joint, JointType
from horus_sim.tf import Transform

Axis = npt.NDArray[np.float64]

_SUFFIXES: dict[JointType, tuple[str, ...]] = {
    JointType.FIXED: (),
    JointType.UNIVERSAL: ("/1", "/2"),
    JointType.PLANAR: ("/x", "/y", "/yaw"),
    JointType.BALL: (),
    JointType.FLOATING: ("/x", "/y", "/z"),
}


def coordinate_names(joint: Joint) -> tuple[str, ...]:
    """Names of the numbers that say how far a joint has moved; 'table/x' where it has several."""
    return tuple(f"{joint.name}{suffix}" for suffix in _SUFFIXES.get(joint.kind, ("",)))


def takes_transform(joint: Joint) -> bool:
    """Whether the position of a joint may be given as a `Transform`, by the joint's own name."""
    return joint.kind in (JointType.BALL, JointType.FLOATING)


def joint_transform(
    joint: Joint, positions: Mapping[str, float], turned: Mapping[str, Transform]
) -> Transform:
    """T_parent_child of a joint; what is missing is zero.

    Args:
        joint: The joint.
        positions: Positions by coordinate [rad] or [m].
        turned: Positions by joint, for those that `takes_transform` names.
    """
    values = [positions.get(name, 0.0) for name in coordinate_names(joint)]
    free = turned.get(joint.name, Transform())
    axis = np.asarray(joint.axis, dtype=np.float64)
    match joint.kind:
        case JointType.FIXED:
            moved = Transform()
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            moved = _turn(axis, values[0])
        case JointType.PRISMATIC:
            moved = Transform(values[0] * axis)
        case JointType.SCREW:
            advance = joint.thread_pitch * values[0] / (2.0 * math.pi)
            moved = Transform(advance * axis) @ _turn(axis, values[0])
        case JointType.UNIVERSAL:
            second = np.asarray(joint.axis2 or perpendicular(axis), dtype=np.float64)
            moved = _turn(axis, values[0]) @ _turn(second, values[1])
        case JointType.PLANAR:
            x = perpendicular(axis)
            along = values[0] * x + values[1] * np.cross(axis, x)
            moved = Transform(along) @ _turn(axis, values[2])
        case JointType.BALL:
            moved = Transform(rotation=free.rotation)
        case JointType.FLOATING:
            moved = Transform(np.add(free.translation, values), free.rotation)
    return joint.T_parent_joint @ moved @ joint.T_joint_child


def perpendicular(axis: Axis) -> Axis:
    """A unit vector across another; x for z."""
    across = np.array((1.0, 0.0, 0.0)) if abs(axis[0]) < 0.9 else np.array((0.0, 1.0, 0.0))
    across = across - (across @ axis) * axis
    return across / np.linalg.norm(across)


def _turn(axis: Axis, angle: float) -> Transform:
    x, y, z = math.sin(0.5 * angle) * axis
    return Transform(rotation=(x, y, z, math.cos(0.5 * angle)))
