"""Where the joints of a robot are and which way they turn, at position zero."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from horus_sim.robots.description import (
    Capsule,
    Cylinder,
    Geometry,
    Joint,
    JointType,
    Link,
    Mesh,
    RobotDescription,
    Sphere,
)
from horus_sim.tf import Transform


@dataclass(frozen=True, slots=True)
class PlacedJoint:
    """A joint as seen from the root at position zero.

    Attributes:
        joint: The joint.
        link: Its child.
        position: Origin of the joint [m], root frame.
        axis: Unit vector, root frame.
    """

    joint: Joint
    link: Link
    position: tuple[float, float, float]
    axis: tuple[float, float, float]

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.joint.name


class Structure:
    """A robot's tree, placed at position zero.

    Attributes:
        joints: Every joint, by name of its child link.
    """

    def __init__(self, description: RobotDescription) -> None:
        links = {link.name: link for link in description.links}
        by_child = {joint.child: joint for joint in description.joints}
        self._T_root: dict[str, Transform] = {description.root: Transform.identity()}
        self.joints: dict[str, PlacedJoint] = {}
        self._children: dict[str, list[str]] = {}
        for child in by_child:
            self._place(child, by_child, links)

    def _place(self, child: str, by_child: dict[str, Joint], links: dict[str, Link]) -> None:
        chain = []
        at = child
        while at not in self._T_root:
            chain.append(by_child[at])
            at = by_child[at].parent
        for joint in reversed(chain):
            T_root_joint = self._T_root[joint.parent] @ joint.T_parent_joint
            self._T_root[joint.child] = T_root_joint @ joint.T_joint_child
            self._children.setdefault(joint.parent, []).append(joint.child)
            x, y, z = map(float, T_root_joint.translation)
            u, v, w = map(float, T_root_joint.transform_vector(joint.axis))
            placed = PlacedJoint(joint, links[joint.child], (x, y, z), (u, v, w))
            self.joints[joint.child] = placed

    def movable_above(self, placed: PlacedJoint) -> list[PlacedJoint]:
        """The joints that move between the root and a joint, the nearest first."""
        found = []
        link = placed.joint.parent
        while link in self.joints:
            above = self.joints[link]
            if above.joint.kind is not JointType.FIXED:
                found.append(above)
            link = above.joint.parent
        return found

    def rigid_shapes(self, link_name: str) -> list[tuple[Geometry, Transform]]:
        """Collision shapes of a link and of all that is fixed to it, each with T_root_shape."""
        link = self.joints[link_name].link
        T_root_link = self._T_root[link_name]
        shapes = [
            (collision.geometry, T_root_link @ collision.T_link_collision)
            for collision in link.collisions
        ]
        for child in self._children.get(link_name, ()):
            if self.joints[child].joint.kind is JointType.FIXED:
                shapes.extend(self.rigid_shapes(child))
        return shapes

    def has_moving_child(self, link_name: str) -> bool:
        """Whether another joint moves below a link."""
        return any(
            self.joints[child].joint.kind is not JointType.FIXED or self.has_moving_child(child)
            for child in self._children.get(link_name, ())
        )

    def round_radius(self, placed: PlacedJoint) -> float | None:
        """Radius [m] of what turns about a joint, or None if it is not round about the axis."""
        axis = np.array(placed.axis)
        found = []
        for geometry, T_root_shape in self.rigid_shapes(placed.joint.child):
            offset = np.array(T_root_shape.translation) - placed.position
            eccentricity = float(np.linalg.norm(offset - (offset @ axis) * axis))
            radius = _radius_about(geometry, T_root_shape, axis)
            if radius is not None and eccentricity < 0.05 * radius:
                found.append(radius)
        return max(found, default=None)


def turns_freely(joint: Joint) -> bool:
    """Whether a joint turns without end."""
    if joint.kind is JointType.CONTINUOUS:
        return True
    lower, upper = joint.limit.lower, joint.limit.upper
    unbounded = lower is None or upper is None or upper - lower > 20.0 * math.pi
    return joint.kind is JointType.REVOLUTE and unbounded


def _radius_about(geometry: Geometry, T_root_shape: Transform, axis: np.ndarray) -> float | None:
    if isinstance(geometry, Sphere):
        return geometry.radius
    if isinstance(geometry, Cylinder | Capsule):
        along = T_root_shape.transform_vector((0.0, 0.0, 1.0))
        return geometry.radius if abs(float(np.dot(along, axis))) > 0.99 else None
    if not isinstance(geometry, Mesh):
        return None
    # Reading meshes is slow to import, and most wheels are cylinders.
    from horus_sim.robots.mesh.meshes import load_mesh

    points = T_root_shape.transform_points(load_mesh(geometry).vertices.astype(np.float64))
    spokes = points - T_root_shape.translation
    distances = np.linalg.norm(spokes - np.outer(spokes @ axis, axis), axis=1)
    return float(distances.max()) if len(distances) else None
