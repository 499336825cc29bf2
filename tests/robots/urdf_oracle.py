"""Forward kinematics of a description in plain matrices, written without the package's own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from horus_sim.robots.description import Joint, JointType, RobotDescription


def skew(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)


def motion(joint: Joint, q: float) -> np.ndarray:
    """The child's frame in the joint's, before T_joint_child, shape (4, 4)."""
    T = np.eye(4)
    axis = np.array(joint.axis)
    if joint.kind in (JointType.REVOLUTE, JointType.CONTINUOUS):
        K = skew(axis)
        T[:3, :3] = np.eye(3) + np.sin(q) * K + (1 - np.cos(q)) * K @ K
    elif joint.kind is JointType.PRISMATIC:
        T[:3, 3] = q * axis
    elif joint.kind is not JointType.FIXED:
        raise NotImplementedError(joint.kind)
    return T


def position(description: RobotDescription, name: str, q: Mapping[str, float]) -> float:
    joint = next(joint for joint in description.joints if joint.name == name)
    if joint.mimic is not None:
        master = position(description, joint.mimic.joint, q)
        return joint.mimic.multiplier * master + joint.mimic.offset
    return q.get(name, 0.0)


def link_poses(description: RobotDescription, q: Mapping[str, float]) -> dict[str, np.ndarray]:
    """T_root_link of every link."""
    poses = {description.root: np.eye(4)}
    pending = list(description.joints)
    while pending:
        left = []
        for joint in pending:
            if joint.parent not in poses:
                left.append(joint)
                continue
            poses[joint.child] = (
                poses[joint.parent]
                @ joint.T_parent_joint.to_matrix()
                @ motion(joint, position(description, joint.name, q))
                @ joint.T_joint_child.to_matrix()
            )
        assert len(left) < len(pending)
        pending = left
    return poses


def quaternion_matrix(xyzw) -> np.ndarray:
    x, y, z, w = xyzw
    K = skew((x, y, z))
    return np.eye(3) + 2 * w * K + 2 * K @ K
