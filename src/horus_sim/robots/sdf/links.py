"""Builds links: what is seen, what touches, mass, and the sensors and lights that they carry."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Collision, Geometry, Inertial, Link, Visual
from horus_sim.robots.gazebo.parts import SdfSensor
from horus_sim.robots.gazebo.reading import GazeboTags
from horus_sim.robots.inertia import inertia_problem
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.frames import FrameGraph
from horus_sim.robots.sdf.geometry import geometry_of
from horus_sim.robots.sdf.inertia import density_of, inertial_of
from horus_sim.robots.sdf.lights import light_of
from horus_sim.robots.sdf.materials import material_of, surface_of
from horus_sim.robots.sdf.nodes import Member
from horus_sim.robots.sdf.values import Place, name_of
from horus_sim.robots.sdf.world import SdfLight
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
    place = member.place
    place.check()
    place.ignore_plugins()
    visuals = [_visual(child, member, graph) for child in place.find_all("visual")]
    shapes = [
        (shape, density_of(child))
        for child in place.find_all("collision")
        if (shape := _collision(child, member, graph)) is not None
    ]
    link = Link(
        name,
        _inertial(place, member, shapes),
        tuple(visual for visual in visuals if visual is not None),
        tuple(shape for shape, _ in shapes),
        place.bool("gravity", default=True),
    )
    sensors = tuple(
        sensor
        for child in place.find_all("sensor")
        for sensor in build_sensor(child, member, graph, link=name)
    )
    lights = tuple(
        light_of(
            child,
            (light := read_text(child.element, "name", culprit=place.culprit)),
            _T_link(
                replace(child, culprit=f"{place.culprit}, light {shown(light)}"), member, graph
            ),
            link=member.name,
        )
        for child in place.find_all("light")
    )
    return BuiltLink(link, sensors, lights)


def _inertial(
    place: Place, member: Member, shapes: list[tuple[Collision, float | None]]
) -> Inertial | None:
    """What a link weighs; None for one that never moves and whose inertia is impossible."""
    if not member.is_static:
        return inertial_of(place, shapes)
    try:
        found = inertial_of(place, shapes)
        problem = inertia_problem(found)
    except DescriptionError as error:
        if place.file.loading.strict:
            raise
        found, problem = None, str(error).rsplit(f"{place.culprit}: ", 1)[-1]
    if problem is None:
        return found
    place.note(
        NoteKind.WARNING,
        f"<inertial> is not used: {problem}; what cannot move needs no inertia",
    )
    return None


def build_sensor(
    place: Place, member: Member, graph: FrameGraph, *, link: str, joint: str | None = None
) -> tuple[SdfSensor, ...]:
    """A sensor on a link, or on the child of a joint; several for one with several cameras.

    Raises:
        DescriptionError: A name, number or reference is wrong.
    """
    name = name_of(place.element, str(member.frame))
    place = replace(place, culprit=f"{member.frame}, sensor {shown(name)}")
    read_text(place.element, "type", culprit=place.culprit)
    rate = place.float("update_rate", 0.0)
    if rate < 0:
        raise place.error(f"<update_rate> is {rate:g} Hz and must not be negative")
    tags = GazeboTags(place.file.loading.tell)
    T = _T_link(place, member, graph)
    tags.read_sensor(place.element, place.culprit, link, T, rate, joint)
    return tuple(sensor for sensor, _ in tags.sensors)


def _visual(place: Place, member: Member, graph: FrameGraph) -> Visual | None:
    place, name, geometry, T = _shape(place, member, graph)
    return None if geometry is None else Visual(geometry, T, material_of(place), name)


def _collision(place: Place, member: Member, graph: FrameGraph) -> Collision | None:
    place, name, geometry, T = _shape(place, member, graph)
    surface = surface_of(place)
    if geometry is None or surface is None:
        return None
    return Collision(geometry, T, surface, name)


def _shape(
    place: Place, member: Member, graph: FrameGraph
) -> tuple[Place, str, Geometry | None, Transform]:
    """A visual or collision with its own culprit, its name, its shape and T_link_shape."""
    name = name_of(place.element, place.culprit)
    place = replace(place, culprit=f"{place.culprit}, {place.element.tag} {shown(name)}")
    place.file.loading.spend(place.element)
    place.check()
    if place.element.tag == "visual":
        place.ignore_plugins()
    return place, name, geometry_of(place), _T_link(place, member, graph)


def _T_link(place: Place, member: Member, graph: FrameGraph) -> Transform:
    """T_link_element; for something on a joint the link is that of the joint's child."""
    pose = place.pose()
    link = graph.link_of(member.frame)
    base = member.frame
    if pose.relative_to:
        element = place.element.find("pose") or place.element
        reference, culprit = member.local(pose.relative_to), f"{place.culprit}, pose"
        base = graph.find(member.frame.scope, reference, element, culprit)
    T = pose.T if base is link else graph.T_frame(link, base) @ pose.T
    if not all(math.isfinite(value) for value in T.translation):
        raise place.error("its pose is beyond all bounds")
    return T
