"""Mass properties of solid shapes, and of bodies that are made of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from horus_sim.robots.description import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Sphere,
)

_Array = npt.NDArray[np.float64]
MassProperties: TypeAlias = tuple[float, _Array, _Array]
"""Mass [kg], centre of mass [m], shape (3,), and inertia about it [kg m^2], shape (3, 3)."""


def joined(parts: Sequence[MassProperties]) -> MassProperties:
    """The mass properties of several bodies together, in one frame."""
    mass = sum(part[0] for part in parts)
    center = sum((part[0] * part[1] for part in parts), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for part_mass, position, tensor in parts:
        d = position - center
        total += tensor + part_mass * (float(d @ d) * np.eye(3) - np.outer(d, d))
    return mass, center, total


def solid_of(geometry: Geometry, culprit: str = "") -> MassProperties | None:
    """The mass properties of a shape at a density of 1 kg/m^3; None for one without a volume.

    Args:
        geometry: The shape.
        culprit: Whose it is, for the error of a mesh that cannot be read.
    """
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


def _solid(volume: float, xx: float, yy: float, zz: float, height: float = 0.0) -> MassProperties:
    """From a volume and the squared radii of gyration; `height` of the centre of mass along z."""
    return volume, np.array([0.0, 0.0, height]), volume * np.diag([xx, yy, zz])


def _mesh_body(mesh: Mesh, culprit: str) -> MassProperties | None:
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
