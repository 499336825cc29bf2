"""An arm as URDF."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np

from horus_sim.arm.export.links import (
    BASE_LINK,
    ZERO,
    ArmLink,
    Capsule,
    links_of,
    numbers,
    precise_rpy,
)
from horus_sim.files.names import free_name
from horus_sim.robots.solids import joined

if TYPE_CHECKING:
    from horus_sim.arm.arm import Arm

_EFFORT = "1000.0"
_FREE_VELOCITY = 10.0
_SPECK = Capsule(ZERO, ZERO, radius=0.003)


def to_urdf(arm: Arm) -> str:
    """The arm as the text of a URDF file.

    The numbers of the arm's file stand in it unrounded: a reader that computes in double precision
    finds the tool, link ``tool``, where `Arm.fk` says. Links are capsules of `link_radius` with the
    mass of water.
    """
    root = ET.Element("robot", name=arm.name)
    # MuJoCo would otherwise merge links that are fixed to each other, and lose their names.
    extension = ET.SubElement(root, "mujoco")
    ET.SubElement(extension, "compiler", fusestatic="false", discardvisual="false")
    _write_inertial(ET.SubElement(root, "link", name=BASE_LINK), ())
    for link in links_of(arm):
        _write_link(root, link)
        _write_joint(root, link, arm.joint_names)
    ET.indent(root)
    return '<?xml version="1.0"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _write_link(root: ET.Element, link: ArmLink) -> None:
    element = ET.SubElement(root, "link", name=link.name)
    _write_inertial(element, link.capsules)
    for capsule in link.capsules:
        for kind in ("visual", "collision"):
            _write_shape(ET.SubElement(element, kind), capsule)
        # URDF has no capsule: a cylinder with a ball at each end that is the link's own.
        ball = ET.SubElement(element, "collision")
        ET.SubElement(ball, "origin", xyz=numbers(capsule.end), rpy="0 0 0")
        geometry = ET.SubElement(ball, "geometry")
        ET.SubElement(geometry, "sphere", radius=repr(capsule.radius))


def _write_shape(element: ET.Element, capsule: Capsule) -> None:
    rpy = numbers(precise_rpy(capsule.R_link_capsule))
    ET.SubElement(element, "origin", xyz=numbers(capsule.center), rpy=rpy)
    geometry = ET.SubElement(element, "geometry")
    if capsule.length > 0.0:
        ET.SubElement(
            geometry, "cylinder", radius=repr(capsule.radius), length=repr(capsule.length)
        )
    else:
        ET.SubElement(geometry, "sphere", radius=repr(capsule.radius))


def _write_inertial(element: ET.Element, capsules: tuple[Capsule, ...]) -> None:
    # Simulators give a link without mass one of their own choice: a mere frame gets next to none.
    parts = [capsule.mass_properties for capsule in capsules or (_SPECK,)]
    mass, center, inertia = joined(parts)
    inertial = ET.SubElement(element, "inertial")
    ET.SubElement(inertial, "origin", xyz=numbers(center.tolist()), rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=repr(mass))
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = map(repr, inertia[np.triu_indices(3)].tolist())
    ET.SubElement(inertial, "inertia", dict(zip(names, values, strict=True)))


def _write_joint(root: ET.Element, link: ArmLink, moving: tuple[str, ...]) -> None:
    joint = link.joint
    name = joint.name if joint else free_name(f"{link.name}_fixed", moving)
    kind = joint.kind.value if joint else "fixed"
    element = ET.SubElement(root, "joint", name=name, type=kind)
    ET.SubElement(element, "parent", link=link.parent)
    ET.SubElement(element, "child", link=link.name)
    ET.SubElement(element, "origin", xyz=numbers(link.xyz), rpy=numbers(link.rpy))
    if joint is None:
        return
    ET.SubElement(element, "axis", xyz="0 0 1")
    limit = {"effort": _EFFORT, "velocity": repr(joint.max_velocity or _FREE_VELOCITY)}
    if isfinite(joint.lower):
        limit |= {"lower": repr(joint.lower), "upper": repr(joint.upper)}
    ET.SubElement(element, "limit", limit)
