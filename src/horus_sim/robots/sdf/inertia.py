"""Mass and inertia of links: as written, SDF's defaults, or from the shapes that touch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from horus_sim.robots.description import (
    IDENTITY,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Inertial,
    Mesh,
    Sphere,
)
from horus_sim.robots.inertia import inertia_problem
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.context import SourceFile
from horus_sim.robots.sdf.values import child_float, child_text, pose_of
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_bool
from horus_sim.tf import Transform

WATER = 1000.0
_Matrix = npt.NDArray[np.float64]


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
    parts: list[tuple[float, _Matrix, _Matrix]] = []
    for collision, own in shapes:
        density = usual if own is None else own
        if density <= 0:
            raise element.error(f"{culprit}: <density> is {density:g}; it must be positive")
        body = _body(collision.geometry, culprit)
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
    center = sum((part[0] * part[1] for part in parts), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for part_mass, position, tensor in parts:
        d = position - center
        total += tensor + part_mass * (float(d @ d) * np.eye(3) - np.outer(d, d))
    if child_text(element, "mass"):
        stated = child_float(element, "mass", culprit, 1.0)
        if stated <= 0:
            raise element.error(f"{culprit}: <mass> is {stated:g} kg and must be positive")
        total, mass = total * (stated / mass), stated
    inertia = (total[0, 0], total[1, 1], total[2, 2], total[0, 1], total[0, 2], total[1, 2])
    ixx, iyy, izz, ixy, ixz, iyz = (float(value) for value in inertia)
    return Inertial(mass, Transform(center), (ixx, iyy, izz, ixy, ixz, iyz))


def _body(geometry: Geometry, culprit: str) -> tuple[float, _Matrix, _Matrix] | None:
    """Volume [m^3], centre of mass [m], and inertia about it for a density of 1 kg/m^3."""
    match geometry:
        case Box((x, y, z)):
            return _solid(
                x * y * z, (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12
            )
        case Sphere(r):
            return _solid(4 / 3 * math.pi * r**3, *(3 * (0.4 * r * r,)))
        case Ellipsoid((a, b, c)):
            volume = 4 / 3 * math.pi * a * b * c
            return _solid(volume, (b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)
        case Cylinder(r, h):
            across = r * r / 4 + h * h / 12
            return _solid(math.pi * r * r * h, across, across, r * r / 2)
        case Cone(r, h):
            across = 3 / 20 * r * r + 3 / 80 * h * h
            return _solid(math.pi * r * r * h / 3, across, across, 0.3 * r * r, -h / 4)
        case Capsule(r, h):
            middle, ends = math.pi * r * r * h, 4 / 3 * math.pi * r**3
            along = middle * r * r / 2 + ends * 0.4 * r * r
            across = middle * (h * h / 12 + r * r / 4)
            across += ends * (0.4 * r * r + h * h / 4 + 3 / 8 * h * r)
            volume = middle + ends
            return _solid(volume, across / volume, across / volume, along / volume)
        case Mesh():
            return _mesh_body(geometry, culprit)
        case _:
            return None


def _solid(
    volume: float, xx: float, yy: float, zz: float, height: float = 0.0
) -> tuple[float, _Matrix, _Matrix]:
    """From a volume and the squared radii of gyration; `height` of the centre of mass along z."""
    return volume, np.array([0.0, 0.0, height]), volume * np.diag([xx, yy, zz])


def _mesh_body(mesh: Mesh, culprit: str) -> tuple[float, _Matrix, _Matrix] | None:
    """Of a closed mesh, by the signed tetrahedra between its faces and the origin."""
    from horus_sim.robots.mesh.meshes import load_mesh

    data = load_mesh(mesh, culprit)
    corners = np.asarray(data.vertices, dtype=np.float64)[np.asarray(data.faces)]
    volumes = np.linalg.det(corners) / 6
    volume = float(volumes.sum())
    if not math.isfinite(volume) or abs(volume) < 1e-18:
        return None
    center = np.einsum("i,ijk->k", volumes, corners) / (4 * volume)
    shifted = corners - center
    sums = shifted.sum(axis=1)
    second = np.einsum("i,ijk,ijl->kl", volumes, shifted, shifted)
    second = (second + np.einsum("i,ik,il->kl", volumes, sums, sums)) / 20
    second *= math.copysign(1.0, volume)
    return abs(volume), center, np.trace(second) * np.eye(3) - second


def density_of(collision: Element, culprit: str) -> float | None:
    """The density [kg/m^3] that a collision states, or None."""
    if not child_text(collision, "density"):
        return None
    return child_float(collision, "density", culprit, WATER)
