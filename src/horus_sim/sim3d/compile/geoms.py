"""Shapes as MuJoCo geoms: what is seen in group 2, what touches in group 3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from horus_sim.robots.description import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz, rotation_from_z
from horus_sim.sim3d.compile.solids import Terrain, cone_mesh, prism_meshes
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.compile.assets import AssetStore
    from horus_sim.sim3d.compile.surface import ContactParameters

VISUAL_GROUP = 2
COLLISION_GROUP = 3
_GRID_SPACING = 1.0

_Geom = mujoco.mjtGeom


def add_visual(
    body: mujoco.MjsBody,
    assets: AssetStore,
    geometry: Geometry | Terrain,
    T_body_shape: Transform,
    material: str,
    name: str,
    culprit: str = "",
) -> None:
    """Adds a shape that is seen and neither touches nor weighs anything.

    Args:
        body: The body that carries it.
        assets: Where meshes go.
        geometry: The shape.
        T_body_shape: Where it is.
        material: Name of the material asset.
        name: Name of the geom.
        culprit: Who has it, for errors.
    """
    for part_name, attributes in _parts(assets, geometry, T_body_shape, name, culprit):
        body.add_geom(
            name=part_name,
            group=VISUAL_GROUP,
            contype=0,
            conaffinity=0,
            density=0.0,
            material=material,
            **attributes,
        )


def add_collision(
    body: mujoco.MjsBody,
    assets: AssetStore,
    geometry: Geometry | Terrain,
    T_body_shape: Transform,
    contact: ContactParameters,
    margin: float,
    name: str,
    density: float = 0.0,
    culprit: str = "",
) -> None:
    """Adds a shape that touches.

    Args:
        body: The body that carries it.
        assets: Where meshes go.
        geometry: The shape.
        T_body_shape: Where it is.
        contact: How it touches.
        margin: Distance [m] below which contacts are looked for.
        name: Name of the geom.
        density: [kg/m^3]; 0 where the body's mass is given elsewhere.
        culprit: Who has it, for errors.
    """
    for part_name, attributes in _parts(assets, geometry, T_body_shape, name, culprit):
        geom = body.add_geom(
            name=part_name,
            group=COLLISION_GROUP,
            density=density,
            friction=contact.friction,
            condim=contact.condim,
            priority=contact.priority,
            solmix=contact.solmix,
            margin=margin,
            gap=margin,
            rgba=(0.7, 0.7, 0.7, 0.5),
            **attributes,
        )
        geom.solref[:2] = contact.solref
        if contact.solimp is not None:
            geom.solimp[:3] = contact.solimp


def _parts(
    assets: AssetStore, geometry: Geometry | Terrain, T: Transform, name: str, culprit: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and attributes of each geom that makes up a shape."""
    own: dict[str, Any]
    meshes: list[str] = []
    match geometry:
        case Box(size):
            own = {"type": _Geom.mjGEOM_BOX, "size": [edge / 2 for edge in size]}
        case Sphere(radius):
            own = {"type": _Geom.mjGEOM_SPHERE, "size": [radius, 0, 0]}
        case Cylinder(radius, length):
            own = {"type": _Geom.mjGEOM_CYLINDER, "size": [radius, length / 2, 0]}
        case Capsule(radius, length):
            own = {"type": _Geom.mjGEOM_CAPSULE, "size": [radius, length / 2, 0]}
        case Ellipsoid(radii):
            own = {"type": _Geom.mjGEOM_ELLIPSOID, "size": list(radii)}
        case Plane(normal, (size_x, size_y)):
            T = T @ rotation_from_z(normal)
            own = {"type": _Geom.mjGEOM_PLANE, "size": [size_x / 2, size_y / 2, _GRID_SPACING]}
        case Terrain(grey, size):
            hfield, lowest = assets.height_field(grey, size)
            T = T @ Transform((0.0, 0.0, lowest))
            own = {"type": _Geom.mjGEOM_HFIELD, "hfieldname": hfield}
        case Heightmap(position=(x, y, z)):
            hfield, lowest = assets.heightmap(geometry)
            T = T @ Transform((x, y, z + lowest))
            own = {"type": _Geom.mjGEOM_HFIELD, "hfieldname": hfield}
        case Mesh() | Cone() | Polyline():
            own = {"type": _Geom.mjGEOM_MESH}
            meshes = _meshes(assets, geometry, culprit)
    own |= {"pos": T.translation, "quat": quat_wxyz(T)}
    if not meshes:
        yield name, own
    for i, mesh in enumerate(meshes):
        part_name = f"{name}.{i}" if isinstance(geometry, Polyline) else name
        assets.users.setdefault(mesh, part_name)
        yield part_name, own | {"meshname": mesh}


def _meshes(assets: AssetStore, solid: Mesh | Cone | Polyline, culprit: str) -> list[str]:
    if isinstance(solid, Mesh):
        return [assets.mesh_file(solid, culprit)]
    parts = [cone_mesh(solid)] if isinstance(solid, Cone) else prism_meshes(solid)
    return [assets.mesh(vertices, faces) for vertices, faces in parts]
