"""Mass and inertia of links: as written, SDF's defaults, or from the shapes that touch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import IDENTITY, Collision, Inertial
from horus_sim.robots.inertia import inertia_problem
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.values import Place
from horus_sim.robots.solids import MassProperties, joined, solid_of
from horus_sim.tf import Transform

WATER = 1000.0


def inertial_of(link: Place, shapes: Sequence[tuple[Collision, float | None]]) -> Inertial:
    """The inertial of a link.

    Args:
        link: The link.
        shapes: The link's collisions, each with its own density [kg/m^3] or None.

    Returns:
        What the file says; SDF's 1 kg and 1 kg m^2 where it says nothing.

    Raises:
        DescriptionError: A number is wrong or the mass is not positive.
    """
    place = link.find("inertial")
    if place is None:
        return Inertial(1.0, IDENTITY, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    place.check()
    found = _automatic(place, shapes) if place.flag("auto") else None
    if found is not None:
        return found
    mass = place.float("mass", 1.0)
    if mass < 0:
        text = f"<mass> is {mass:g} kg and must not be negative; give the link's real mass"
        raise (place.find("mass") or place).error(text)
    pose = replace(place, culprit=f"{place.culprit}, <inertial>").pose()
    if pose.relative_to:
        place.tolerate(
            "<inertial> <pose> is always relative to the link",
            "remove relative_to",
            done="relative_to is ignored",
        )
    tensor = place.find("inertia")
    if tensor is None:
        return Inertial(mass, pose.T, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    ixx, iyy, izz = (tensor.float(tag, 1.0) for tag in ("ixx", "iyy", "izz"))
    ixy, ixz, iyz = (tensor.float(tag, 0.0) for tag in ("ixy", "ixz", "iyz"))
    inertial = Inertial(mass, pose.T, (ixx, iyy, izz, ixy, ixz, iyz))
    # Otherwise the builder repairs it and says so.
    problem = inertia_problem(inertial) if place.file.loading.strict else None
    if problem is not None:
        raise tensor.error(f"{problem}; correct <mass> and <inertia>")
    return inertial


def _automatic(place: Place, shapes: Sequence[tuple[Collision, float | None]]) -> Inertial | None:
    usual = place.float("density", WATER)
    parts: list[MassProperties] = []
    for collision, own in shapes:
        density = usual if own is None else own
        if density <= 0:
            raise place.error(f"<density> is {density:g}; it must be positive")
        try:
            body = solid_of(collision.geometry, place.culprit)
        except DescriptionError as error:
            cause = str(error).removeprefix(f"{place.culprit}: ")
            place.tolerate(f"an automatic inertia needs all shapes: {cause}", "or give <mass>")
            continue
        if body is None:
            kind = type(collision.geometry).__name__.lower()
            place.note(NoteKind.WARNING, f"a {kind} adds nothing to an automatic inertia")
            continue
        volume, center, tensor = body
        T = collision.T_link_collision
        R = T.to_matrix()[:3, :3]
        parts.append(
            (density * volume, np.asarray(T.transform_point(center)), density * R @ tensor @ R.T)
        )
    mass = sum(part[0] for part in parts)
    if not 0 < mass < math.inf:
        place.tolerate(
            "<inertial auto='true'> finds no solid shape to take a mass from",
            "add a <collision>, or <mass> and <inertia>",
            done="what <mass> and <inertia> say is taken, or SDF's 1 kg",
        )
        return None
    _, center, total = joined(parts)
    if place.text("mass"):
        stated = place.float("mass", 1.0)
        if stated <= 0:
            raise place.error(f"<mass> is {stated:g} kg and must be positive")
        total, mass = total * (stated / mass), stated
    ixx, ixy, ixz, iyy, iyz, izz = total[np.triu_indices(3)].tolist()
    return Inertial(mass, Transform(center), (ixx, iyy, izz, ixy, ixz, iyz))


def density_of(collision: Place) -> float | None:
    """The density [kg/m^3] that a collision states, or None."""
    return collision.float("density", WATER) if collision.text("density") else None
