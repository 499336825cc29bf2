"""What a joint has to move: mass and inertia of everything below it, at position zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horus_sim.robots.description import Inertial, Joint, JointType, RobotDescription
from horus_sim.sim3d.compile.mujoco_types import rotation_matrix
from horus_sim.tf import Transform

_ROUNDING = 1 + 1e-6


@dataclass(frozen=True, slots=True)
class Load:
    """What hangs on a joint, at position zero.

    Attributes:
        mass: Of all links below [kg].
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


def inertia_in_link(inertial: Inertial) -> npt.NDArray[np.float64]:
    """The inertia about the centre of mass along the link's axes [kg m^2], shape (3, 3)."""
    ixx, iyy, izz, ixy, ixz, iyz = inertial.inertia
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    R = rotation_matrix(inertial.T_link_inertia)
    return R @ tensor @ R.T


def principal_axes(inertial: Inertial) -> tuple[npt.NDArray[np.float64], Transform]:
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


def _possible(moments: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
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
        inertials: Of each link, None for a link without mass.
    """
    children: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    found: dict[str, Load] = {}
    # From the leaves up: mass, first moment and inertia about the link's origin, in link axes.
    sums: dict[str, tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64]]] = {}
    for link in reversed(_breadth_first(robot.root, children)):
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
        inertials: Of each link, None for a link without mass.
        rates: How fast each of these joints moves for one unit of the drive.
    """
    children: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    # Pose of each link, and its velocities for one unit: of turning, and at the root's origin.
    still = np.zeros(3)
    motion = {robot.root: (Transform.identity(), still, still)}
    total = 0.0
    for link in _breadth_first(robot.root, children):
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


def _breadth_first(root: str, children: Mapping[str, list[Joint]]) -> list[str]:
    order = [root]
    for link in order:
        order += [joint.child for joint in children.get(link, ())]
    return order


def _steiner(offset: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return float(offset @ offset) * np.eye(3) - np.outer(offset, offset)


def _moved(
    T: Transform,
    mass: float,
    moment: npt.NDArray[np.float64],
    inertia: npt.NDArray[np.float64],
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The same sums about another origin and along its axes."""
    R = rotation_matrix(T)
    shift = np.asarray(T.translation)
    turned = R @ moment
    cross = np.outer(turned, shift) + np.outer(shift, turned)
    moved = R @ inertia @ R.T + mass * _steiner(shift)
    moved += 2 * float(turned @ shift) * np.eye(3) - cross
    return mass, turned + mass * shift, moved


def _load(
    joint: Joint,
    mass: float,
    moment: npt.NDArray[np.float64],
    inertia: npt.NDArray[np.float64],
) -> Load:
    if joint.kind is JointType.PRISMATIC:
        return Load(mass, mass, 0.0)
    mass, moment, inertia = _moved(joint.T_joint_child, mass, moment, inertia)
    axis = np.asarray(joint.axis)
    about = float(axis @ inertia @ axis)
    centre = moment / mass if mass > 0 else np.zeros(3)
    offset = float(np.linalg.norm(centre - (centre @ axis) * axis))
    return Load(mass, max(about, 0.0), offset)
