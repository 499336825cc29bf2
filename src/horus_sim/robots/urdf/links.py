"""Links of URDF."""

from __future__ import annotations

import dataclasses

from horus_sim.robots.description import Inertial, Link, Material, Surface
from horus_sim.robots.urdf.context import (
    UrdfContext,
    duplicate,
    read_origin,
    require_child,
)
from horus_sim.robots.urdf.extensions import LinkSettings
from horus_sim.robots.urdf.shapes import read_collision, read_number, read_visual
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import read_float, read_text, shown


def read_links(
    robot: Element, settings: dict[str, LinkSettings], context: UrdfContext
) -> dict[str, tuple[Link, Element]]:
    """The links by name, in order, each with its element.

    Raises:
        DescriptionError: A name is missing or used twice, or a link is wrong.
    """
    links: dict[str, tuple[Link, Element]] = {}
    for element in robot.find_all("link"):
        name = read_text(element, "name")
        if name in links:
            raise duplicate(element, "link", name, links[name][1])
        links[name] = (_read_link(element, name, settings.get(name), context), element)
    return links


def _read_link(
    element: Element, name: str, settings: LinkSettings | None, context: UrdfContext
) -> Link:
    settings = settings or LinkSettings()
    culprit = f"link '{name}'"
    surface = _read_contact(element, settings.surface, culprit)
    visuals = [read_visual(visual, name, context) for visual in element.find_all("visual")]
    if settings.color is not None:
        look = Material(rgba=settings.color)
        visuals = [visual and dataclasses.replace(visual, material=look) for visual in visuals]
    collisions = [
        read_collision(shape, name, surface, context) for shape in element.find_all("collision")
    ]
    inertials = element.find_all("inertial")
    if len(inertials) > 1:
        context.warn(culprit, "has several <inertial>; the first holds", inertials[1])
    return Link(
        name,
        _read_inertial(inertials[0], culprit) if inertials else None,
        tuple(visual for visual in visuals if visual is not None),
        tuple(shape for shape in collisions if shape is not None),
        settings.has_gravity,
    )


def _read_inertial(element: Element, culprit: str) -> Inertial:
    mass_element = require_child(element, "mass", culprit)
    mass = read_float(mass_element, "value", culprit=culprit)
    if mass < 0.0:
        text = shown(mass_element.get("value") or "")
        raise mass_element.error(f"{culprit}: <mass> value = {text}: a mass must not be negative")
    inertia = element.find("inertia")
    moments = (0.0,) * 6
    if inertia is not None:
        diagonal = (read_float(inertia, key, culprit=culprit) for key in ("ixx", "iyy", "izz"))
        products = (
            read_float(inertia, key, culprit=culprit, default=0.0) for key in ("ixy", "ixz", "iyz")
        )
        moments = (*diagonal, *products)
    ixx, iyy, izz, ixy, ixz, iyz = moments
    return Inertial(mass, read_origin(element, culprit), (ixx, iyy, izz, ixy, ixz, iyz))


def _read_contact(link: Element, surface: Surface, culprit: str) -> Surface:
    """The surface with ``<contact>`` of Bullet applied."""
    contact = link.find("contact")
    if contact is None:
        return surface
    fields = {
        "friction": "lateral_friction",
        "torsional": "spinning_friction",
        "rolling": "rolling_friction",
        "restitution": "restitution",
        "stiffness": "stiffness",
        "damping": "damping",
    }
    found = {
        field: value
        for field, tag in fields.items()
        if (value := _at_least_zero(contact, tag, culprit)) is not None
    }
    if not found:
        return surface
    return dataclasses.replace(surface, priority=1, **found)


def _at_least_zero(parent: Element, tag: str, culprit: str) -> float | None:
    value = read_number(parent, tag, culprit)
    if value is not None and value < 0.0:
        raise parent.error(f"{culprit}: <{tag}> {value:g} must not be negative")
    return value
