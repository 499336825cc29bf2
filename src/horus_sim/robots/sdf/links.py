"""Builds links: what is seen, what touches, mass, and the sensors and lights that they carry."""

from __future__ import annotations

import math
from dataclasses import dataclass

from horus_sim.robots.description import Collision, Link, Visual
from horus_sim.robots.sdf.frames import FrameGraph
from horus_sim.robots.sdf.geometry import geometry_of
from horus_sim.robots.sdf.includes import ignore_plugins
from horus_sim.robots.sdf.inertia import density_of, inertial_of
from horus_sim.robots.sdf.lights import light_of
from horus_sim.robots.sdf.materials import material_of, surface_of
from horus_sim.robots.sdf.nodes import Member
from horus_sim.robots.sdf.values import (
    child_bool,
    child_float,
    name_of,
    plain_value,
    pose_of,
)
from horus_sim.robots.sdf.world import SdfLight, SdfSensor, SdfValue
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import read_text, shown
from horus_sim.tf import Transform


@dataclass(frozen=True, slots=True)
class BuiltLink:
    """A link with what it carries."""

    link: Link
    sensors: tuple[SdfSensor, ...]
    lights: tuple[SdfLight, ...]


def build_link(member: Member, name: str, graph: FrameGraph) -> BuiltLink:
    """A link.

    Args:
        member: The link of the file.
        name: Its name in the description.
        graph: Resolves poses.

    Raises:
        DescriptionError: A number, name or reference is wrong.
    """
    element, file = member.element, member.file
    culprit = f"link '{member.name}'"
    file.loading.check_children(element, culprit)
    ignore_plugins(element, file, culprit)
    visuals = [_visual(child, member, graph) for child in element.find_all("visual")]
    shapes = [
        (shape, density_of(child, culprit))
        for child in element.find_all("collision")
        if (shape := _collision(child, member, graph)) is not None
    ]
    link = Link(
        name,
        inertial_of(element, file, culprit, shapes),
        tuple(visual for visual in visuals if visual is not None),
        tuple(shape for shape, _ in shapes),
        child_bool(element, "gravity", culprit, default=True),
    )
    sensors = tuple(
        build_sensor(child, member, graph, link=name) for child in element.find_all("sensor")
    )
    lights = tuple(
        light_of(
            child,
            file,
            (light := read_text(child, "name", culprit=culprit)),
            _T_link(child, member, graph, f"{culprit}, light {shown(light)}"),
            link=member.name,
        )
        for child in element.find_all("light")
    )
    return BuiltLink(link, sensors, lights)


def build_sensor(
    element: Element, member: Member, graph: FrameGraph, *, link: str, joint: str | None = None
) -> SdfSensor:
    """A sensor on a link, or on the child of a joint.

    Raises:
        DescriptionError: A name, number or reference is wrong.
    """
    name = name_of(element, str(member.frame))
    culprit = f"{member.frame}, sensor {shown(name)}"
    kind = read_text(element, "type", culprit=culprit)
    ignore_plugins(element, member.file, culprit)
    rate = child_float(element, "update_rate", culprit, 0.0)
    if rate < 0:
        raise element.error(f"{culprit}: <update_rate> is {rate:g} Hz and must not be negative")
    parameters: dict[str, SdfValue] = {}
    content = plain_value(element)
    if isinstance(content, dict):
        omitted = ("@name", "@type", "pose", "plugin", "update_rate", "text")
        parameters = {key: value for key, value in content.items() if key not in omitted}
    T = _T_link(element, member, graph, culprit)
    return SdfSensor(link, name, kind, T, rate, parameters, joint)


def _visual(element: Element, member: Member, graph: FrameGraph) -> Visual | None:
    file = member.file
    name = name_of(element, f"link '{member.name}'")
    culprit = f"link '{member.name}', visual {shown(name)}"
    file.loading.spend(element)
    file.loading.check_children(element, culprit)
    ignore_plugins(element, file, culprit)
    geometry = geometry_of(element, file, culprit)
    T = _T_link(element, member, graph, culprit)
    if geometry is None:
        return None
    return Visual(geometry, T, material_of(element, file, culprit), name)


def _collision(element: Element, member: Member, graph: FrameGraph) -> Collision | None:
    file = member.file
    name = name_of(element, f"link '{member.name}'")
    culprit = f"link '{member.name}', collision {shown(name)}"
    file.loading.spend(element)
    file.loading.check_children(element, culprit)
    geometry = geometry_of(element, file, culprit)
    surface = surface_of(element, file, culprit)
    T = _T_link(element, member, graph, culprit)
    if geometry is None or surface is None:
        return None
    return Collision(geometry, T, surface, name)


def _T_link(element: Element, member: Member, graph: FrameGraph, culprit: str) -> Transform:
    """T_link_element; for something on a joint the link is that of the joint's child."""
    pose = pose_of(element, culprit, member.file.version)
    link = graph.link_of(member.frame)
    base = member.frame
    if pose.relative_to:
        pose_element = element.find("pose") or element
        base = graph.find(
            member.frame.scope, member.local(pose.relative_to), pose_element, f"{culprit}, pose"
        )
    T = pose.T if base is link else graph.T_frame(link, base) @ pose.T
    if not all(math.isfinite(value) for value in T.translation):
        raise element.error(f"{culprit}: its pose is beyond all bounds")
    return T
