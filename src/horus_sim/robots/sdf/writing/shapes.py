"""What is seen of a link and what touches, as elements of SDF."""

from __future__ import annotations

import math
from dataclasses import asdict
from xml.etree import ElementTree as ET

from horus_sim.robots.description import (
    Collision,
    Geometry,
    Heightmap,
    Material,
    Mesh,
    Plane,
    Polyline,
    Surface,
    Visual,
)
from horus_sim.robots.mesh.copying import MeshUri
from horus_sim.robots.xml_writing import add, add_pose

# Gazebo's torque of spinning is this times patch radius, coefficient and normal force.
_PATCH = 3.0 * math.pi / 16.0


def add_visual(link: ET.Element, visual: Visual, name: str, mesh_uri: MeshUri) -> None:
    """Adds a ``<visual>``."""
    element = add(link, "visual", name=name)
    add_pose(element, visual.T_link_visual)
    _add_geometry(element, visual.geometry, mesh_uri)
    if visual.material != Material():
        _add_material(element, visual.material)


def add_collision(link: ET.Element, collision: Collision, name: str, mesh_uri: MeshUri) -> None:
    """Adds a ``<collision>``."""
    element = add(link, "collision", name=name)
    add_pose(element, collision.T_link_collision)
    _add_geometry(element, collision.geometry, mesh_uri)
    _add_surface(element, collision.surface)


def _add_geometry(parent: ET.Element, geometry: Geometry, mesh_uri: MeshUri) -> None:
    holder = add(parent, "geometry")
    if isinstance(geometry, Polyline):
        for outline in geometry.outlines:
            element = add(holder, "polyline")
            for point in outline:
                add(element, "point", point)
            add(element, "height", geometry.height)
        return
    element = add(holder, type(geometry).__name__.lower())
    match geometry:
        case Mesh():
            uri = mesh_uri(geometry)
            add(element, "uri", uri)
            if geometry.scale != (1.0, 1.0, 1.0):
                add(element, "scale", geometry.scale)
            # A copy holds the part alone.
            if geometry.submesh is not None and uri.startswith("file:"):
                part = add(element, "submesh")
                add(part, "name", geometry.submesh)
                add(part, "center", geometry.center_submesh)
        case Heightmap():
            add(element, "uri", geometry.path.resolve().as_uri())
            add(element, "size", geometry.size)
            add(element, "pos", geometry.position)
        case Plane():
            add(element, "normal", geometry.normal)
            add(element, "size", geometry.size)
        case _:
            for tag, value in asdict(geometry).items():
                add(element, tag, value)


def _add_material(visual: ET.Element, material: Material) -> None:
    element = add(visual, "material")
    for tag in ("ambient", "diffuse"):
        add(element, tag, material.rgba)
    if material.emission:
        add(element, "emissive", (material.emission,) * 3 + (1.0,))
    usual = Material()
    texture = material.texture
    look = (material.metallic, material.roughness)
    if texture is not None or look != (usual.metallic, usual.roughness):
        metal = add(add(element, "pbr"), "metal")
        if texture is not None:
            add(metal, "albedo_map", texture.resolve().as_uri())
        add(metal, "metalness", material.metallic)
        add(metal, "roughness", material.roughness)


def _add_surface(collision: ET.Element, surface: Surface) -> None:
    if surface == Surface():
        return
    element = add(collision, "surface")
    frictions = (surface.friction, surface.torsional, surface.rolling)
    if any(value is not None for value in frictions):
        friction = add(element, "friction")
        if surface.friction is not None:
            ode = add(friction, "ode")
            add(ode, "mu", surface.friction)
            add(ode, "mu2", surface.friction)
        if surface.torsional is not None:
            torsional = add(friction, "torsional")
            add(torsional, "coefficient", 1.0)
            add(torsional, "use_patch_radius", value=True)
            add(torsional, "patch_radius", surface.torsional / _PATCH)
        if surface.rolling is not None:
            add(add(friction, "bullet"), "rolling_friction", surface.rolling)
    if surface.restitution is not None:
        add(add(element, "bounce"), "restitution_coefficient", surface.restitution)
    if surface.stiffness is not None or surface.damping is not None:
        ode = add(add(element, "contact"), "ode")
        if surface.stiffness is not None:
            add(ode, "kp", surface.stiffness)
        if surface.damping is not None:
            add(ode, "kd", surface.damping)
