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
from horus_sim.sim3d.compile.solids import prism_meshes
from horus_sim.sim3d.compile.surface import contact_parameters
from horus_sim.sim3d.compile.terrain import Terrain, noise_terrain
from horus_sim.sim3d.scene import shapes
from horus_sim.sim3d.scene.objects import DENSITY, ObjectConfig
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.tf import Transform

Files = Mapping[str, Path]


def add_object(
    spec: mujoco.MjSpec,
    assets: AssetStore,
    item: ObjectConfig,
    T_world_object: Transform,
    materials: Mapping[str, shapes.MaterialConfig],
    files: Files,
    physics: PhysicsConfig,
) -> None:
    """Adds an object: free if it is dynamic, else a body that the world can place at any time.

    Args:
        spec: The scene's spec.
        assets: Its assets.
        item: The object.
        T_world_object: Where it starts.
        materials: Of the scene, by name.
        files: Where each file that the object names is.
        physics: The scene's physics.
    """
    body = spec.worldbody.add_body(
        name=item.name,
        pos=T_world_object.translation,
        quat=quat_wxyz(T_world_object),
        mocap=not item.dynamic,
    )
    if item.dynamic:
        body.add_freejoint(name=free_joint_name(item.name))
    parts = [
        (part, geometry_of(part.shape, files), part.pose.transform()) for part in item.all_parts()
    ]
    density = 0.0
    mass = 0.0
    if item.dynamic:
        volume = sum(_volume(geometry, assets, item.name) for _, geometry, _ in parts)
        density = item.density or DENSITY
        if item.mass is not None:
            density = item.mass / volume
        mass = density * volume
    surface = Surface(**item.surface.model_dump())
    contact = contact_parameters(surface, physics, mass)
    for i, (part, geometry, T_object_part) in enumerate(parts):
        if item.visible:
            chosen = part.material if part.material is not None else item.material
            material = assets.material(_material(chosen, materials, files))
            add_visual(
                body,
                assets,
                geometry,
                T_object_part,
                material,
                f"{item.name}#visual{i}",
                f"object '{item.name}'",
            )
        if item.collides or item.dynamic:
            add_collision(
                body,
                assets,
                geometry,
                T_object_part,
                contact,
                physics.contact.margin if item.collides else 0.0,
                f"{item.name}#collision{i}",
                density,
                f"object '{item.name}'",
            )
    if not item.collides:
        for geom in body.geoms:
            geom.contype = geom.conaffinity = 0


def geometry_of(shape: shapes.Shape, files: Files) -> Geometry | Terrain:
    """A scene's shape as the builder's."""
    match shape:
        case shapes.BoxShape():
            return Box(shape.size)
        case shapes.SphereShape():
            return Sphere(shape.radius)
        case shapes.CylinderShape():
            return Cylinder(shape.radius, shape.length)
        case shapes.CapsuleShape():
            return Capsule(shape.radius, shape.length)
        case shapes.ConeShape():
            return Cone(shape.radius, shape.length)
        case shapes.EllipsoidShape():
            return Ellipsoid(shape.radii)
        case shapes.PlaneShape():
            return Plane((0.0, 0.0, 1.0), shape.size)
        case shapes.MeshShape():
            return Mesh(files[shape.file], shape.file, shape.scale)
        case shapes.PolylineShape():
            return Polyline(shape.outlines, shape.height)
        case shapes.HeightmapShape():
            if shape.noise is not None:
                return noise_terrain(shape, shape.noise)
            if shape.file is None:  # the shape's own check makes this impossible
                raise SceneError("a heightmap takes either 'file' or 'noise'")
            return Heightmap(files[shape.file], shape.file, shape.size)


def _material(
    chosen: str | shapes.MaterialConfig | None,
    materials: Mapping[str, shapes.MaterialConfig],
    files: Files,
) -> Material:
    if chosen is None:
        return Material()
    config = materials[chosen] if isinstance(chosen, str) else chosen
    texture = None if config.texture is None else files[config.texture]
    name = chosen if isinstance(chosen, str) else ""
    return Material(name, config.rgba, texture, config.metallic, config.roughness, config.emission)


def _volume(geometry: Geometry | Terrain, assets: AssetStore, name: str) -> float:
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
            return assets.hull_volume(geometry, f"object '{name}'")
        case _:
            raise SceneError(f"object '{name}': its shape has no volume; make it static")
