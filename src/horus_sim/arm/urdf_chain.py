"""A serial chain of a robot that `horus_sim.robots` has read."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot, inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.arm.checks import MAX_DOF
from horus_sim.arm.description import IDENTITY, ArmDescription, ArmJoint, JointKind, z_to
from horus_sim.errors import ArmFileError, DescriptionError
from horus_sim.files.names import propose
from horus_sim.robots.description import JointType
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.robots.description import Joint, RobotDescription

_SHOWN = 12
_KINDS = {
    JointType.REVOLUTE: JointKind.REVOLUTE,
    JointType.CONTINUOUS: JointKind.CONTINUOUS,
    JointType.PRISMATIC: JointKind.PRISMATIC,
}


def read_urdf_chain(
    path: str | Path,
    base_link: str | None = None,
    tip_link: str | None = None,
    package_roots: Iterable[str | Path] = (),
) -> ArmDescription:
    """The chain of joints from one link of a URDF or xacro file to another.

    Args:
        path: The file. Shapes and masses do not matter, and meshes may be missing.
        base_link: First link; the root of the tree by default.
        tip_link: Last link; by default the only leaf.
        package_roots: Folders that hold ROS packages, for xacro.

    Raises:
        ArmFileError: The file cannot be read, the links do not exist or are not in line, or a joint
            between them is neither fixed, revolute, continuous nor prismatic.
    """
    from horus_sim.robots.robot import load_robot

    try:
        robot = load_robot(Path(path), package_roots=package_roots, allow_missing=True).description
    except DescriptionError as error:
        raise ArmFileError(str(error)) from error
    names = [link.name for link in robot.links]
    for given in (base_link, tip_link):
        if given is not None and given not in names:
            raise ArmFileError(propose(given, names, f"'{path}'", "link"))
    base = base_link or robot.root
    tip = tip_link or _only_leaf(path, robot, base)
    above = {joint.child: joint for joint in robot.joints}
    chain: list[Joint] = []
    link = tip
    while link != base:
        if link not in above:
            raise ArmFileError(
                f"'{path}': '{tip}' does not hang from '{base}'; choose two links of one branch."
            )
        chain.insert(0, above[link])
        link = above[link].parent
    return _describe(path, robot.name, chain)


def _only_leaf(path: str | Path, robot: RobotDescription, base: str) -> str:
    """The end of the only branch that hangs from a link."""
    below: dict[str, list[str]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint.child)
    found, waiting = set(), [base]
    while waiting:
        link = waiting.pop()
        found.add(link)
        waiting += below.get(link, [])
    leaves = [link.name for link in robot.links if link.name in found and link.name not in below]
    if len(leaves) == 1:
        return leaves[0]
    shown = ", ".join(leaves[:_SHOWN]) + (", ..." if len(leaves) > _SHOWN else "")
    raise ArmFileError(
        f"'{path}' has {len(leaves)} leaf links ({shown}); choose one with tip_link (--tip on the "
        "command line)."
    )


def _describe(path: str | Path, name: str, chain: list[Joint]) -> ArmDescription:
    joints: list[ArmJoint] = []
    T = IDENTITY
    for joint in chain:
        T = T @ joint.T_parent_joint
        if joint.kind is JointType.FIXED:
            T = T @ joint.T_joint_child
            continue
        joints.append(_joint(path, joint, T))
        T = joint.T_joint_child
    if not 1 <= len(joints) <= MAX_DOF:
        raise ArmFileError(
            f"'{path}': the chain has {len(joints)} moving joints; choose links with 1 to "
            f"{MAX_DOF} between them."
        )
    return ArmDescription(
        name=name, joints=tuple(joints), T_flange_tool=T, convention=None, path=Path(path)
    )


def _joint(path: str | Path, joint: Joint, T_above_joint: Transform) -> ArmJoint:
    where = f"'{path}': joint '{joint.name}'"
    if joint.kind not in _KINDS:
        raise ArmFileError(
            f"{where} is {joint.kind}; an arm's joints are revolute, continuous, prismatic or "
            "fixed: choose a chain without it."
        )
    if joint.mimic is not None:
        raise ArmFileError(f"{where} mimics another joint; choose a chain without it.")
    lower, upper = _limits(where, joint)
    velocity = joint.limit.velocity or 0.0
    length = hypot(*joint.axis)
    x, y, z = (value / length for value in joint.axis)
    T_joint_z = z_to(x, y, z)
    return ArmJoint(
        joint.name,
        _KINDS[joint.kind],
        before=T_above_joint @ T_joint_z,
        after=T_joint_z.inverse(),
        lower=lower,
        upper=upper,
        initial=0.0 if lower <= 0.0 <= upper else 0.5 * (lower + upper),
        max_velocity=velocity if isfinite(velocity) and velocity > 0.0 else None,
    )


def _limits(where: str, joint: Joint) -> tuple[float, float]:
    if joint.kind is JointType.CONTINUOUS:
        return -inf, inf
    lower, upper = joint.limit.lower, joint.limit.upper
    if lower is None or upper is None or lower == upper:
        raise ArmFileError(
            f"{where} has no limits between which it moves; give a <limit> with lower and upper, "
            "or make its type 'continuous' or 'fixed'."
        )
    return lower, upper
