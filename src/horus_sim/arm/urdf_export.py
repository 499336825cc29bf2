"""An arm as URDF."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np

from horus_sim.arm.links import (
    BASE_LINK,
    ZERO,
    ArmLink,
    Capsule,
    Vector,
    free_name,
    links_of,
    precise_rpy,
)
from horus_sim.tf import Transform

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
            _write_shape(ET.SubElement(element, kind), capsule, capsule.center)
        # URDF has no capsule: a cylinder with a ball at each end that is the link's own.
        ball = ET.SubElement(element, "collision")
        ET.SubElement(ball, "origin", xyz=_text(capsule.end), rpy="0 0 0")
        geometry = ET.SubElement(ball, "geometry")
        ET.SubElement(geometry, "sphere", radius=repr(capsule.radius))


def _write_shape(element: ET.Element, capsule: Capsule, center: Vector) -> None:
    ET.SubElement(element, "origin", xyz=_text(center), rpy=_text(axis_rpy(capsule.axis)))
    geometry = ET.SubElement(element, "geometry")
    if capsule.length > 0.0:
        ET.SubElement(
            geometry, "cylinder", radius=repr(capsule.radius), length=repr(capsule.length)
        )
    else:
        ET.SubElement(geometry, "sphere", radius=repr(capsule.radius))


def _write_inertial(element: ET.Element, capsules: tuple[Capsule, ...]) -> None:
    # Simulators give a link without mass one of their own choice: a mere frame gets next to none.
    mass, center, inertia = combined_inertia(capsules or (_SPECK,))
    inertial = ET.SubElement(element, "inertial")
    ET.SubElement(inertial, "origin", xyz=_text(center), rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=repr(mass))
    names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}
    values = {name: repr(float(inertia[place])) for name, place in names.items()}
    ET.SubElement(inertial, "inertia", {**values, "izz": repr(float(inertia[2, 2]))})


def _write_joint(root: ET.Element, link: ArmLink, moving: tuple[str, ...]) -> None:
    joint = link.joint
    name = joint.name if joint else free_name(f"{link.name}_fixed", moving)
    kind = joint.kind.value if joint else "fixed"
    element = ET.SubElement(root, "joint", name=name, type=kind)
    ET.SubElement(element, "parent", link=link.parent)
    ET.SubElement(element, "child", link=link.name)
    ET.SubElement(element, "origin", xyz=_text(link.xyz), rpy=_text(link.rpy))
    if joint is None:
        return
    ET.SubElement(element, "axis", xyz="0 0 1")
    limit = {"effort": _EFFORT, "velocity": repr(joint.max_velocity or _FREE_VELOCITY)}
    if isfinite(joint.lower):
        limit |= {"lower": repr(joint.lower), "upper": repr(joint.upper)}
    ET.SubElement(element, "limit", limit)


def combined_inertia(capsules: tuple[Capsule, ...]) -> tuple[float, Vector, np.ndarray]:
    """Mass [kg], centre [m] and inertia [kg m^2] about it, of capsules."""
    masses = np.array([capsule.mass for capsule in capsules])
    centers = np.array([capsule.center for capsule in capsules])
    middle = masses @ centers / masses.sum()
    total = np.zeros((3, 3))
    for capsule, mass, center in zip(capsules, masses, centers, strict=True):
        axis = np.array(capsule.axis)
        along, across = capsule.inertia
        away = center - middle
        total += across * np.eye(3) + (along - across) * np.outer(axis, axis)
        total += mass * (away @ away * np.eye(3) - np.outer(away, away))
    x, y, z = (float(v) for v in middle)
    return float(masses.sum()), (x, y, z), total


def axis_rpy(axis: Vector) -> Vector:
    """Roll, pitch, yaw [rad] that turn z to a unit vector."""
    cross = np.array([-axis[1], axis[0], 0.0])
    w = 1.0 + axis[2]
    rotation = (*cross, w) if w > 1e-12 else (1.0, 0.0, 0.0, 0.0)
    return precise_rpy(Transform((0, 0, 0), tuple(float(v) for v in rotation)))


def _text(vector: Vector) -> str:
    return " ".join(map(repr, vector))
