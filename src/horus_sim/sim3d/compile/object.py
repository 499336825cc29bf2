"""Objects of a scene in a MuJoCo spec."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from horus_sim.errors import SceneError
from horus_sim.robots.description import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Material,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Surface,
)
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.geoms import add_collision, add_visual
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.compile.robot.coordinates import free_joint_name
from horus_sim.sim3d.compile.solids import Terrain, noise_terrain, prism_meshes
from horus_sim.sim3d.compile.surface import contact_parameters
from horus_sim.sim3d.scene import shapes
from horus_sim.sim3d.scene.objects import DENSITY
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import PlacedObject

_EVERY_GROUP = 0x7FFFFFFF
_GEOMETRIES: dict[str, type[Geometry]] = {
    "box": Box,
    "sphere": Sphere,
    "cylinder": Cylinder,
    "capsule": Capsule,
    "cone": Cone,
    "ellipsoid": Ellipsoid,
    "plane": Plane,
    "mesh": Mesh,
    "heightmap": Heightmap,
    "polyline": Polyline,
}
"""What robots are made of, too; the fields of a scene's shape have the same names."""


def add_object(
    spec: mujoco.MjSpec, assets: AssetStore, placed: PlacedObject, physics: PhysicsConfig
) -> None:
    """Adds an object: free if it is dynamic, else a body that the world can place at any time.

    Args:
        spec: The scene's spec.
        assets: Its assets.
        placed: The object.
        physics: The scene's physics.
    """
    name, item = placed.name, placed.config
    body = spec.worldbody.add_body(
        name=name,
        pos=placed.pose.translation,
        quat=quat_wxyz(placed.pose),
        mocap=not item.dynamic,
    )
    if item.dynamic:
        body.add_freejoint(name=free_joint_name(name))
    culprit = f"object '{name}'"
    parts = [(part, geometry_of(part.shape, placed.files)) for part in item.all_parts()]
    density = 0.0
    mass = 0.0
    if item.dynamic:
        volume = sum(_volume(geometry, assets, culprit) for _, geometry in parts)
        density = item.density or DENSITY
        if item.mass is not None:
            density = item.mass / volume
        mass = density * volume
    contact = contact_parameters(Surface(**item.surface.model_dump()), physics, mass)
    for i, (part, geometry) in enumerate(parts):
        T_object_part = part.pose.transform()
        if item.visible:
            chosen = part.material if part.material is not None else item.material
            material = assets.material(_material(chosen, placed))
            add_visual(
                body, assets, geometry, T_object_part, material, f"{name}#visual{i}", culprit
            )
        if item.collides or item.dynamic:
            add_collision(
                body,
                assets,
                geometry,
                T_object_part,
                contact,
                physics.contact.margin if item.collides else 0.0,
                f"{name}#collision{i}",
                density,
                culprit,
            )
    for geom in body.geoms:
        if not item.collides:
            geom.contype = geom.conaffinity = 0
        elif geom.conaffinity:
            # Robots in MJCF may be in other groups than the first, which only concern themselves.
            geom.conaffinity = _EVERY_GROUP


def geometry_of(shape: shapes.Shape, files: Mapping[str, Path]) -> Geometry | Terrain:
    """A scene's shape as those of robots.

    Args:
        shape: The shape.
        files: Where each file is that it may name.
    """
    if isinstance(shape, shapes.HeightmapShape) and shape.noise is not None:
        return noise_terrain(shape, shape.noise)
    fields = shape.model_dump(exclude={"kind", "file", "noise"})
    if isinstance(shape, shapes.MeshShape | shapes.HeightmapShape) and shape.file is not None:
        fields |= {"path": files[shape.file], "uri": shape.file}
    return _GEOMETRIES[shape.kind](**fields)


def _material(chosen: str | shapes.MaterialConfig | None, placed: PlacedObject) -> Material:
    if chosen is None:
        return Material()
    config = placed.materials[chosen] if isinstance(chosen, str) else chosen
    texture = None if config.texture is None else placed.files[config.texture]
    name = chosen if isinstance(chosen, str) else ""
    return Material(name, config.rgba, texture, config.metallic, config.roughness, config.emission)


def _volume(geometry: Geometry | Terrain, assets: AssetStore, culprit: str) -> float:
    """Volume [m^3], by which an object's mass is spread over its parts."""
    match geometry:
        case Box((x, y, z)):
            return x * y * z
        case Sphere(radius):
            return 4 / 3 * math.pi * radius**3
        case Cylinder(radius, length):
            return math.pi * radius**2 * length
        case Capsule(radius, length):
            return math.pi * radius**2 * (length + 4 / 3 * radius)
        case Cone(radius, length):
            return math.pi * radius**2 * length / 3
        case Ellipsoid((a, b, c)):
            return 4 / 3 * math.pi * a * b * c
        case Polyline():
            corners = (vertices[:3, :2] for vertices, _ in prism_meshes(geometry))
            doubled = (np.linalg.det(np.array((b - a, c - a))) for a, b, c in corners)
            return float(sum(doubled)) / 2 * geometry.height
        case Mesh():
            return assets.hull_volume(geometry, culprit)
        case _:
            raise SceneError(f"{culprit}: its shape has no volume; make it static")
