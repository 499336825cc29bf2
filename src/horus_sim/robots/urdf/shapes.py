"""Shapes and materials of URDF: ``<visual>``, ``<collision>``, ``<geometry>``, ``<material>``."""

from __future__ import annotations

from collections.abc import Callable

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.robots.description import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Material,
    Mesh,
    Plane,
    Sphere,
    Surface,
    Visual,
)
from horus_sim.robots.mesh.data import MESH_SUFFIXES
from horus_sim.robots.report import NoteKind
from horus_sim.robots.urdf.context import UrdfContext, read_origin, require_child
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import read_float, read_floats, read_text, shown, unit_vector

_PRIMITIVES: dict[str, tuple[Callable[..., Geometry], tuple[str, ...]]] = {
    "box": (Box, ("size",)),
    "sphere": (Sphere, ("radius",)),
    "cylinder": (Cylinder, ("radius", "length")),
    "capsule": (Capsule, ("radius", "length")),
    "cone": (Cone, ("radius", "length")),
    "ellipsoid": (Ellipsoid, ("radii",)),
}
_COUNTS = {"size": 3, "radii": 3}
_SHAPES = (*_PRIMITIVES, "plane", "mesh")


class EmptyShapeError(DescriptionError):
    """A primitive without extent, which can be left out."""


def read_visual(element: Element, link: str, context: UrdfContext) -> Visual | None:
    """A visual; None with a warning when it cannot be drawn: only the picture suffers."""
    culprit = f"link '{link}', visual"
    T_link_visual = read_origin(element, culprit)
    try:
        geometry = _read_geometry(element, culprit, context)
    except MissingResourceError as error:
        context.warn_missing(culprit, f"left out: {_cause(error, culprit)}", element, error)
        return None
    except DescriptionError as error:
        context.warn(culprit, f"left out: {_cause(error, culprit)}", element)
        return None
    material = _material_of(element, culprit, context)
    return Visual(geometry, T_link_visual, material, element.get("name") or "")


def read_collision(
    element: Element, link: str, surface: Surface, context: UrdfContext
) -> Collision | None:
    """A collision shape; None with a warning when it has no extent.

    Raises:
        MissingResourceError: Its mesh is missing, unless the context allows that.
    """
    culprit = f"link '{link}', collision"
    T_link_collision = read_origin(element, culprit)
    try:
        geometry = _read_geometry(element, culprit, context)
    except EmptyShapeError as error:
        context.warn(culprit, f"left out: {_cause(error, culprit)}", element)
        return None
    except MissingResourceError as error:
        if not context.allow_missing:
            raise MissingResourceError(
                f"{error}; to load the robot without this collision shape, pass "
                "allow_missing=True (--allow-missing)",
                error.uri,
                error.tried,
            ) from error
        context.warn_missing(culprit, f"left out: {_cause(error, culprit)}", element, error)
        return None
    return Collision(geometry, T_link_collision, surface, element.get("name") or "")


def read_materials(robot: Element, context: UrdfContext) -> None:
    """Gathers the named materials of the file: those of the robot, then those inside visuals."""
    for element in robot.find_all("material"):
        name = read_text(element, "name")
        if name in context.materials:
            context.warn(f"material '{name}'", "defined twice; the first definition holds", element)
            continue
        context.materials[name] = _read_material(element, f"material '{name}'", context)
    for link in robot.find_all("link"):
        for visual in link.find_all("visual"):
            element = visual.find("material")
            name = (element.get("name") or "").strip() if element is not None else ""
            if element is not None and name and name not in context.materials and element.children:
                culprit = f"link '{link.get('name')}', material '{name}'"
                context.materials[name] = _read_material(element, culprit, context)


def _material_of(visual: Element, culprit: str, context: UrdfContext) -> Material:
    element = visual.find("material")
    if element is None:
        return Material()
    name = (element.get("name") or "").strip()
    if element.find("color") is not None or element.find("texture") is not None:
        return _read_material(element, culprit, context)
    known = context.materials.get(name)
    if known is None:
        context.warn(
            culprit, f"the material {shown(name)} is defined nowhere; grey is used", element
        )
        return Material(name)
    return known


def _read_material(element: Element, culprit: str, context: UrdfContext) -> Material:
    known = context.materials_read.get(id(element))
    if known is None:
        known = _parse_material(element, culprit, context)
        context.materials_read[id(element)] = known
    return known


def _parse_material(element: Element, culprit: str, context: UrdfContext) -> Material:
    name = (element.get("name") or "").strip()
    color, texture = element.find("color"), element.find("texture")
    rgba = (0.8, 0.8, 0.8, 1.0) if texture is None else (1.0, 1.0, 1.0, 1.0)
    if color is not None:
        values = read_floats(color, "rgba", (3, 4), culprit=culprit)
        red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in (*values, 1.0)[:4])
        rgba = (red, green, blue, alpha)
        if rgba[: len(values)] != values:
            text = f"the colour {shown(color.get('rgba') or '')} was brought into 0 to 1"
            context.report.add(NoteKind.REPAIR, culprit, text, color.line)
    image = None
    if texture is not None:
        try:
            image = context.find_file(
                read_text(texture, "filename", culprit=culprit), texture, culprit
            )
        except MissingResourceError as error:
            text = f"drawn without texture: {_cause(error, culprit)}"
            context.warn_missing(culprit, text, texture, error)
        except DescriptionError as error:
            context.warn(culprit, f"drawn without texture: {_cause(error, culprit)}", texture)
    return Material(name, rgba, image)


def _read_geometry(parent: Element, culprit: str, context: UrdfContext) -> Geometry:
    geometry = require_child(parent, "geometry", culprit)
    for shape in geometry.children:
        kind = shape.tag.removeprefix("drake:")
        if kind == "mesh":
            return _read_mesh(shape, culprit, context)
        if kind in _SHAPES:
            return _read_primitive(kind, shape, culprit)
    found = ", ".join(f"<{shape.tag}>" for shape in geometry.children[:5]) or "nothing"
    raise geometry.error(f"{culprit}: <geometry> holds {found}; known shapes: {', '.join(_SHAPES)}")


def _read_primitive(kind: str, shape: Element, culprit: str) -> Geometry:
    if kind == "plane":
        normal = unit_vector(
            read_floats(shape, "normal", 3, culprit=culprit, default=(0.0, 0.0, 1.0))
        )
        if normal is None:
            text = shown(shape.get("normal") or "")
            raise shape.error(f"{culprit}: <plane> normal = {text} is zero")
        return Plane(normal)
    if kind == "ellipsoid" and shape.get("radii") is None:  # Drake's spelling
        a, b, c = (_positive(shape, axis, 1, culprit)[0] for axis in "abc")
        return Ellipsoid((a, b, c))
    make, attributes = _PRIMITIVES[kind]
    sizes = [_positive(shape, name, _COUNTS.get(name, 1), culprit) for name in attributes]
    return make(*(size if len(size) == 3 else size[0] for size in sizes))


def _positive(shape: Element, attribute: str, count: int, culprit: str) -> tuple[float, ...]:
    values = read_floats(shape, attribute, count, culprit=culprit)
    text = shown(shape.get(attribute) or "")
    if min(values) < 0.0:
        raise shape.error(f"{culprit}: <{shape.tag}> {attribute} = {text}: a size is negative")
    if min(values) == 0.0:
        raise EmptyShapeError(f"<{shape.tag}> {attribute} = {text} has no extent")
    return values


def _read_mesh(shape: Element, culprit: str, context: UrdfContext) -> Mesh:
    uri = (shape.get("filename") or "").strip()
    if not uri:
        raise EmptyShapeError("<mesh> names no file")
    scale = read_floats(shape, "scale", (1, 3), culprit=culprit, default=(1.0, 1.0, 1.0))
    if 0.0 in scale:
        raise shape.error(
            f"{culprit}: <mesh> scale = {shown(shape.get('scale') or '')}: a factor is zero"
        )
    path = context.find_file(uri, shape, culprit)
    if path.suffix.lower() not in MESH_SUFFIXES:
        text = (
            f"{culprit}: '{uri}' is not a mesh that can be read; known: {', '.join(MESH_SUFFIXES)}"
        )
        raise MissingResourceError(str(shape.error(text)), uri, (str(path),))
    x, y, z = scale if len(scale) == 3 else scale * 3
    return Mesh(path, uri, (x, y, z))


def _cause(error: DescriptionError, culprit: str) -> str:
    """The text of an error without file, line and culprit, which a remark has already."""
    return str(error).rsplit(f"{culprit}: ", 1)[-1]


def read_number(parent: Element, tag: str, culprit: str) -> float | None:
    """The number of a child that holds it as ``value`` or as text; None where there is none."""
    child = parent.find(tag)
    if child is None:
        return None
    if child.get("value") is None:
        child = Element(child.tag, {"value": child.text.strip()}, child.line, child.source)
    return read_float(child, "value", culprit=culprit)
