"""The arm as a chain of rigid links, for files of simulators.

The constant parts of a DH transform become links of their own, held by fixed joints: `a` and
`alpha`, `d` and `theta_offset` then stand in the file as they are, without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.description import ArmJoint, Offset, ScrewX, z_to
from horus_sim.files.names import free_name
from horus_sim.robots.description import Capsule as CapsuleShape
from horus_sim.robots.solids import MassProperties, solid_of
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from collections.abc import Iterable

    from horus_sim.arm.arm import Arm

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)
TOOL_LINK = "tool"
BASE_LINK = "base_link"
MOUNT_LINK = "mount"
_DENSITY = 1000.0  # kg/m^3


@dataclass(frozen=True, slots=True)
class Capsule:
    """A capsule between two points of its link [m]; equal points make a ball."""

    start: Vector
    end: Vector
    radius: float

    @property
    def length(self) -> float:
        """Between the points [m]."""
        return float(np.linalg.norm(np.subtract(self.end, self.start)))

    @property
    def center(self) -> Vector:
        """Halfway between the points [m]."""
        x, y, z = (0.5 * (a + b) for a, b in zip(self.start, self.end, strict=True))
        return (x, y, z)

    @property
    def R_link_capsule(self) -> Transform:
        """The rotation that turns z to the direction from start to end; none for a ball."""
        if self.length == 0.0:
            return Transform()
        x, y, z = (float(v) for v in np.subtract(self.end, self.start) / self.length)
        return z_to(x, y, z)

    @property
    def mass_properties(self) -> MassProperties:
        """Mass, centre and inertia at the density of water, in the frame of the link."""
        solid = solid_of(CapsuleShape(self.radius, self.length))
        assert solid is not None  # noqa: S101 - a capsule has a volume
        R = self.R_link_capsule.to_matrix()[:3, :3]
        return _DENSITY * solid[0], np.array(self.center), _DENSITY * R @ solid[2] @ R.T


@dataclass(frozen=True, slots=True)
class ArmLink:
    """A link and what holds it.

    Attributes:
        name: Unique in the file.
        parent: Name of the link above.
        xyz: Origin in the parent [m].
        rpy: Roll, pitch, yaw in the parent [rad].
        joint: What moves it, about or along its z axis; None where it is fixed.
        capsules: Its shape.
    """

    name: str
    parent: str
    xyz: Vector
    rpy: Vector
    joint: ArmJoint | None
    capsules: tuple[Capsule, ...] = ()


def links_of(arm: Arm) -> tuple[ArmLink, ...]:
    """The links of an arm below `base_link`, each after its parent; the last is `tool`."""
    description = arm.description
    radius = description.link_radius
    links: list[ArmLink] = []
    parent = BASE_LINK
    reserved = {BASE_LINK, MOUNT_LINK, TOOL_LINK}

    def hold(name: str, offset: Offset) -> str:
        """Hangs a fixed link from the last one, unless it would be the same."""
        xyz, rpy = _origin(offset)
        if (xyz, rpy) == (ZERO, ZERO) and name != TOOL_LINK:
            return parent
        shape = _capsules((ZERO, xyz), radius)
        for index, link in enumerate(links):
            if link.name == parent:
                links[index] = replace(link, capsules=link.capsules + shape)
        links.append(ArmLink(name, parent, xyz, rpy, None))
        return name

    parent = hold(MOUNT_LINK, description.T_world_base)
    for joint in description.joints:
        parent = hold(f"{joint.name}_axis", joint.before)
        shape = _capsules((_below(joint), ZERO), radius) or (Capsule(ZERO, ZERO, radius),)
        origin, turn = (0.0, 0.0, joint.d), (0.0, 0.0, joint.theta_offset)
        name = free_name(f"{joint.name}_link", reserved)
        links.append(ArmLink(name, parent, origin, turn, joint, shape))
        parent = name
        parent = hold(f"{joint.name}_end", joint.after)
    hold(TOOL_LINK, description.T_flange_tool)
    return tuple(links)


def _below(joint: ArmJoint) -> Vector:
    """Where the link begins, in its own frame: a sliding one is as long as its range."""
    if joint.is_prismatic:
        return (0.0, 0.0, -(joint.upper - joint.lower))
    return (0.0, 0.0, -joint.d)


def _capsules(ends: tuple[Vector, Vector], radius: float) -> tuple[Capsule, ...]:
    capsule = Capsule(*ends, radius)
    return (capsule,) if capsule.length > 1e-9 else ()


def _origin(offset: Offset) -> tuple[Vector, Vector]:
    if isinstance(offset, ScrewX):
        return (offset.a, 0.0, 0.0), (offset.alpha, 0.0, 0.0)
    x, y, z = (float(v) for v in offset.translation)
    roll, pitch, yaw = precise_rpy(offset)
    return (x, y, z), (roll, pitch, yaw)


def numbers(values: Iterable[float]) -> str:
    """Numbers as the text of an attribute, unrounded."""
    return " ".join(map(repr, values))


def precise_rpy(T: Transform) -> Vector:
    """Roll, pitch, yaw [rad] that reproduce the rotation to rounding, also near pitch 90 degrees.

    The arc sine loses half of the digits there; this takes the pitch from an arc tangent and the
    roll from what yaw and pitch leave over.
    """
    R = T.to_matrix()[:3, :3]
    yaw = float(np.arctan2(R[1, 0], R[0, 0])) if np.hypot(R[0, 0], R[1, 0]) > 1e-9 else 0.0
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = float(np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0]))
    roll = float(np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1]))
    return (roll + 0.0, pitch + 0.0, yaw + 0.0)
