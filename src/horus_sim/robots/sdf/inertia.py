"""Mass and inertia of links: as written, SDF's defaults, or from the shapes that touch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from horus_sim.robots.description import IDENTITY, Collision, Inertial
from horus_sim.robots.inertia import inertia_problem
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.context import SourceFile
from horus_sim.robots.sdf.values import child_float, child_text, pose_of
from horus_sim.robots.solids import MassProperties, joined, solid_of
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_bool
from horus_sim.tf import Transform

WATER = 1000.0


def inertial_of(
    link: Element,
    file: SourceFile,
    culprit: str,
    shapes: Sequence[tuple[Collision, float | None]],
) -> Inertial:
    """The inertial of a link.

    Args:
        link: The element.
        file: Where it stands.
        culprit: Whose it is, for errors and remarks.
        shapes: The link's collisions, each with its own density [kg/m^3] or None.

    Returns:
        What the file says; SDF's 1 kg and 1 kg m^2 where it says nothing.

    Raises:
        DescriptionError: A number is wrong or the mass is not positive.
    """
    element = link.find("inertial")
    if element is None:
        return Inertial(1.0, IDENTITY, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    file.loading.check_children(element, culprit)
    is_automatic = parse_bool(
        element.get("auto") or "false", element=element, what="<inertial> auto", culprit=culprit
    )
    if is_automatic:
        found = _automatic(element, file, culprit, shapes)
        if found is not None:
            return found
    mass = child_float(element, "mass", culprit, 1.0)
    if mass < 0:
        text = f"<mass> is {mass:g} kg and must not be negative; give the link's real mass"
        raise (element.find("mass") or element).error(f"{culprit}: {text}")
    pose = pose_of(element, f"{culprit}, <inertial>", file.version)
    if pose.relative_to:
        file.loading.tolerate(
            element,
            culprit,
            "<inertial> <pose> is always relative to the link",
            "remove relative_to",
            done="relative_to is ignored",
        )
    tensor = element.find("inertia")
    if tensor is None:
        return Inertial(mass, pose.T, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    ixx, iyy, izz = (child_float(tensor, tag, culprit, 1.0) for tag in ("ixx", "iyy", "izz"))
    ixy, ixz, iyz = (child_float(tensor, tag, culprit, 0.0) for tag in ("ixy", "ixz", "iyz"))
    inertial = Inertial(mass, pose.T, (ixx, iyy, izz, ixy, ixz, iyz))
    # Otherwise the builder repairs it and says so.
    problem = inertia_problem(inertial) if file.loading.strict else None
    if problem is not None:
        raise tensor.error(f"{culprit}: {problem}; correct <mass> and <inertia>")
    return inertial


def _automatic(
    element: Element,
    file: SourceFile,
    culprit: str,
    shapes: Sequence[tuple[Collision, float | None]],
) -> Inertial | None:
    usual = child_float(element, "density", culprit, WATER)
    parts: list[MassProperties] = []
    for collision, own in shapes:
        density = usual if own is None else own
        if density <= 0:
            raise element.error(f"{culprit}: <density> is {density:g}; it must be positive")
        body = solid_of(collision.geometry, culprit)
        if body is None:
            file.loading.note(
                NoteKind.WARNING,
                element,
                culprit,
                f"a {type(collision.geometry).__name__.lower()} adds nothing to an automatic "
                "inertia",
            )
            continue
        volume, center, tensor = body
        T = collision.T_link_collision
        R = T.to_matrix()[:3, :3]
        parts.append(
            (density * volume, np.asarray(T.transform_point(center)), density * R @ tensor @ R.T)
        )
    mass = sum(part[0] for part in parts)
    if not 0 < mass < math.inf:
        file.loading.tolerate(
            element,
            culprit,
            "<inertial auto='true'> finds no solid shape to take a mass from",
            "add a <collision>, or <mass> and <inertia>",
            done="what <mass> and <inertia> say is taken, or SDF's 1 kg",
        )
        return None
    _, center, total = joined(parts)
    if child_text(element, "mass"):
        stated = child_float(element, "mass", culprit, 1.0)
        if stated <= 0:
            raise element.error(f"{culprit}: <mass> is {stated:g} kg and must be positive")
        total, mass = total * (stated / mass), stated
    inertia = (total[0, 0], total[1, 1], total[2, 2], total[0, 1], total[0, 2], total[1, 2])
    ixx, iyy, izz, ixy, ixz, iyz = (float(value) for value in inertia)
    return Inertial(mass, Transform(center), (ixx, iyy, izz, ixy, ixz, iyz))


def density_of(collision: Element, culprit: str) -> float | None:
    """The density [kg/m^3] that a collision states, or None."""
    if not child_text(collision, "density"):
        return None
    return child_float(collision, "density", culprit, WATER)
