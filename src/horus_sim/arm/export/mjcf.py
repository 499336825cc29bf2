"""An arm as MJCF, with position actuators."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from horus_sim.arm.description import ArmJoint
from horus_sim.arm.export.links import BASE_LINK, TOOL_LINK, ArmLink, links_of, numbers
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.arm.arm import Arm

# A drive: its inertia as the joint feels it, and the natural frequency of its servo.
_ARMATURE = 1.0
_SERVO_RAD_S = 100.0


def to_mjcf(arm: Arm, *, self_collision: bool = True) -> str:
    """The arm as the text of an MJCF file, the site ``tool`` at its end.

    The numbers of the arm's file stand in it unrounded. Links are capsules of `link_radius` with
    the mass of water; each joint has a position actuator of its name and a geared drive that
    carries the link's weight.

    Args:
        arm: The arm.
        self_collision: Whether links touch each other; neighbours and links that meet in a point,
            as in a wrist, never do.
    """
    root = ET.Element("mujoco", model=arm.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    ET.SubElement(root, "option", timestep="0.001", integrator="implicitfast")
    world = ET.SubElement(root, "worldbody")
    bodies = {BASE_LINK: ET.SubElement(world, "body", name=BASE_LINK)}
    links = links_of(arm)
    for link in links:
        bodies[link.name] = _write_body(bodies[link.parent], link, touches=self_collision)
    ET.SubElement(bodies[TOOL_LINK], "site", name="tool", size="0.01")
    if self_collision:
        contact = ET.SubElement(root, "contact")
        for one, other in _neighbours(links, arm.description.link_radius):
            ET.SubElement(contact, "exclude", body1=one, body2=other)
    actuators = ET.SubElement(root, "actuator")
    for joint in arm.description.joints:
        _write_actuator(actuators, joint)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _write_body(parent: ET.Element, link: ArmLink, *, touches: bool) -> ET.Element:
    x, y, z, w = Transform.from_euler((0, 0, 0), link.rpy).rotation.tolist()
    body = ET.SubElement(
        parent,
        "body",
        name=link.name,
        pos=numbers(link.xyz),
        quat=numbers((w, x, y, z)),
        gravcomp="1",
    )
    joint = link.joint
    if joint is not None:
        kind = "slide" if joint.is_prismatic else "hinge"
        fields = {"name": joint.name, "type": kind, "axis": "0 0 1", "armature": repr(_ARMATURE)}
        if isfinite(joint.lower):
            fields["range"] = numbers((joint.lower, joint.upper))
        ET.SubElement(body, "joint", fields)
    for capsule in link.capsules:
        fields = {"density": "1000", "size": repr(capsule.radius)}
        if not touches:
            fields |= {"contype": "0", "conaffinity": "0"}
        if capsule.length > 0.0:
            fields |= {"type": "capsule", "fromto": numbers((*capsule.start, *capsule.end))}
        else:
            fields |= {"type": "sphere", "pos": numbers(capsule.start)}
        ET.SubElement(body, "geom", fields)
    return body


def _write_actuator(actuators: ET.Element, joint: ArmJoint) -> None:
    gain = _ARMATURE * _SERVO_RAD_S**2
    fields = {"name": joint.name, "joint": joint.name, "kp": repr(gain), "dampratio": "1"}
    if isfinite(joint.lower):
        fields["ctrlrange"] = numbers((joint.lower, joint.upper))
    ET.SubElement(actuators, "position", fields)


def _neighbours(links: tuple[ArmLink, ...], radius: float) -> list[tuple[str, str]]:
    """Pairs of links with shapes that touch by construction."""
    shaped = [link for link in links if link.capsules]
    pairs = [(BASE_LINK, shaped[0].name)] if shaped else []
    for index, link in enumerate(shaped):
        # As long as what lies between is hidden inside the capsules, the next one is near too.
        for other in shaped[index + 1 :]:
            pairs.append((link.name, other.name))
            slides = other.joint is not None and other.joint.is_prismatic
            if not slides and max(capsule.length for capsule in other.capsules) > 2 * radius:
                break
    return pairs
