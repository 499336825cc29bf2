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
from horus_sim.sim3d.compile.solids import cone_mesh, prism_meshes
from horus_sim.sim3d.compile.terrain import Terrain
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
        culprit: Whose it is, for errors.
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
        culprit: Whose it is, for errors.
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
    assets: AssetStore,
    geometry: Geometry | Terrain,
    T_body_shape: Transform,
    name: str,
    culprit: str,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and attributes of each geom that makes up a shape."""
    for part_name, attributes in _raw_parts(assets, geometry, T_body_shape, name, culprit):
        if "meshname" in attributes:
            assets.users.setdefault(attributes["meshname"], part_name)
        yield part_name, attributes


def _raw_parts(
    assets: AssetStore, geometry: Geometry | Terrain, T: Transform, name: str, culprit: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    match geometry:
        case Box(size):
            yield name, _placed(T, _Geom.mjGEOM_BOX, [edge / 2 for edge in size])
        case Sphere(radius):
            yield name, _placed(T, _Geom.mjGEOM_SPHERE, [radius, 0, 0])
        case Cylinder(radius, length):
            yield name, _placed(T, _Geom.mjGEOM_CYLINDER, [radius, length / 2, 0])
        case Capsule(radius, length):
            yield name, _placed(T, _Geom.mjGEOM_CAPSULE, [radius, length / 2, 0])
        case Ellipsoid(radii):
            yield name, _placed(T, _Geom.mjGEOM_ELLIPSOID, list(radii))
        case Plane(normal, (size_x, size_y)):
            T_plane = T @ rotation_from_z(normal)
            size = [size_x / 2, size_y / 2, _GRID_SPACING]
            yield name, _placed(T_plane, _Geom.mjGEOM_PLANE, size)
        case Mesh():
            mesh = assets.mesh_file(geometry, culprit)
            yield name, _placed(T, _Geom.mjGEOM_MESH, None) | {"meshname": mesh}
        case Cone():
            mesh = assets.mesh(*cone_mesh(geometry))
            yield name, _placed(T, _Geom.mjGEOM_MESH, None) | {"meshname": mesh}
        case Polyline():
            for i, (vertices, faces) in enumerate(prism_meshes(geometry)):
                mesh = assets.mesh(vertices, faces)
                yield f"{name}.{i}", _placed(T, _Geom.mjGEOM_MESH, None) | {"meshname": mesh}
        case Terrain(grey, size):
            hfield, lowest = assets.height_field(grey, size)
            T_field = T @ Transform((0.0, 0.0, lowest))
            yield name, _placed(T_field, _Geom.mjGEOM_HFIELD, None) | {"hfieldname": hfield}
        case Heightmap(position=(x, y, z)):
            hfield, lowest = assets.heightmap(geometry)
            T_field = T @ Transform((x, y, z + lowest))
            yield name, _placed(T_field, _Geom.mjGEOM_HFIELD, None) | {"hfieldname": hfield}


def _placed(T: Transform, kind: mujoco.mjtGeom, size: list[float] | None) -> dict[str, Any]:
    attributes: dict[str, Any] = {"type": kind, "pos": T.translation, "quat": quat_wxyz(T)}
    if size is not None:
        attributes["size"] = size
    return attributes
