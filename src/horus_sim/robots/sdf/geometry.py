"""Shapes of SDF: ``<geometry>`` into the shapes of a description."""

from __future__ import annotations

import math
from pathlib import Path

from horus_sim.errors import MissingResourceError
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
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.context import SourceFile
from horus_sim.robots.sdf.includes import is_remote
from horus_sim.robots.sdf.values import (
    child_bool,
    child_float,
    child_floats,
    child_text,
    child_vector,
)
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_floats

_MAX_CORNERS = 100_000


def geometry_of(element: Element, file: SourceFile, culprit: str) -> Geometry | None:
    """The shape of a visual or collision.

    Args:
        element: ``<visual>`` or ``<collision>``.
        file: Where it stands.
        culprit: Whose it is, for errors and remarks.

    Returns:
        None if there is no shape that could be used; the report says why.

    Raises:
        DescriptionError: A number is wrong; or, in a strict import, the shape cannot be used.
    """
    geometry = element.find("geometry")
    if geometry is None:
        file.loading.tolerate(element, culprit, "has no <geometry>", "add one")
        return None
    file.loading.check_children(geometry, culprit)
    for child in geometry.children:
        reader = _READERS.get(child.tag)
        if reader is not None:
            return reader(child, file, culprit)
        if child.tag == "polyline":
            return _polyline(geometry, file, culprit)
        if child.tag == "image":
            file.loading.note(
                NoteKind.IGNORED, child, culprit, "shapes cut out of an <image> are left out"
            )
            return None
        if child.tag == "empty":
            return None
    file.loading.tolerate(geometry, culprit, "<geometry> has no shape", "add one")
    return None


def find_resource(uri: str, element: Element, file: SourceFile, culprit: str) -> Path | None:
    """A mesh or image that the file refers to, or None if it is not there; the report says so.

    Raises:
        DescriptionError: It is not there, and the import is strict.
    """
    if is_remote(uri):
        file.loading.tolerate(
            element,
            culprit,
            f"'{uri}' lies on a server, and nothing is fetched from the network",
            "download it and refer to the copy",
        )
        return None
    try:
        return file.resolver.resolve(uri, culprit)
    except MissingResourceError as error:
        if file.loading.strict:
            raise MissingResourceError(
                f"{element.source}, line {element.line}: {error}", uri, error.tried
            ) from None
        text = str(error).removeprefix(f"{culprit}: ")
        file.loading.note(NoteKind.WARNING, element, culprit, f"is left out: {text}")
        return None


def _are_positive(
    sizes: tuple[float, ...], element: Element, file: SourceFile, culprit: str
) -> bool:
    if all(size > 0 for size in sizes):
        return True
    listed = " ".join(f"{size:g}" for size in sizes)
    file.loading.tolerate(
        element,
        culprit,
        f"<{element.tag}> has a size that is not positive ({listed})",
        "give positive lengths",
    )
    return False


def _box(element: Element, file: SourceFile, culprit: str) -> Box | None:
    size = child_vector(element, "size", culprit, (1.0, 1.0, 1.0))
    return Box(size) if _are_positive(size, element, file, culprit) else None


def _sphere(element: Element, file: SourceFile, culprit: str) -> Sphere | None:
    radius = child_float(element, "radius", culprit, 1.0)
    return Sphere(radius) if _are_positive((radius,), element, file, culprit) else None


def _ellipsoid(element: Element, file: SourceFile, culprit: str) -> Ellipsoid | None:
    radii = child_vector(element, "radii", culprit, (1.0, 1.0, 1.0))
    return Ellipsoid(radii) if _are_positive(radii, element, file, culprit) else None


def _round(element: Element, file: SourceFile, culprit: str) -> Cylinder | Capsule | Cone | None:
    default = (0.5, 1.0) if element.tag in ("capsule", "cone") else (1.0, 1.0)
    radius = child_float(element, "radius", culprit, default[0])
    length = child_float(element, "length", culprit, default[1])
    if not _are_positive((radius, length), element, file, culprit):
        return None
    kind = {"cylinder": Cylinder, "capsule": Capsule, "cone": Cone}[element.tag]
    return kind(radius, length)


def _plane(element: Element, file: SourceFile, culprit: str) -> Plane | None:
    normal = child_vector(element, "normal", culprit, (0.0, 0.0, 1.0))
    length = math.hypot(*normal)
    if not 1e-9 < length < 1e9:
        file.loading.tolerate(
            element, culprit, "<plane> has a <normal> of length 0", "give a unit vector"
        )
        return None
    x, y, z = (value / length for value in normal)
    width, depth = child_floats(element, "size", culprit, (1.0, 1.0))
    if not _are_positive((width, depth), element, file, culprit):
        return None
    return Plane((x, y, z), (width, depth))


def _mesh(element: Element, file: SourceFile, culprit: str) -> Mesh | None:
    uri = child_text(element, "uri")
    if not uri:
        raise element.error(f"{culprit}: <mesh> needs a <uri>, which is missing or blank")
    scale = child_vector(element, "scale", culprit, (1.0, 1.0, 1.0))
    if 0.0 in scale:
        file.loading.tolerate(element, culprit, "<mesh> has a <scale> of 0", "give other factors")
        return None
    path = find_resource(uri, element, file, culprit)
    if path is None:
        return None
    part = element.find("submesh")
    if part is None:
        return Mesh(path, uri, scale)
    name = child_text(part, "name")
    if not name:
        raise part.error(f"{culprit}: <submesh> needs a <name>, which is missing or blank")
    center = child_bool(part, "center", culprit, default=False)
    return Mesh(path, uri, scale, name, center)


def _heightmap(element: Element, file: SourceFile, culprit: str) -> Heightmap | None:
    uri = child_text(element, "uri")
    if not uri:
        raise element.error(f"{culprit}: <heightmap> needs a <uri>, which is missing or blank")
    size = child_vector(element, "size", culprit, (1.0, 1.0, 1.0))
    position = child_vector(element, "pos", culprit, (0.0, 0.0, 0.0))
    if not _are_positive(size, element, file, culprit):
        return None
    path = find_resource(uri, element, file, culprit)
    if path is None:
        return None
    if path.suffix.lower() in (".tif", ".tiff", ".dem", ".nc", ".asc", ".vrt"):
        file.loading.tolerate(
            element,
            culprit,
            f"'{uri}' is a map of real terrain, which is not read",
            "convert it to a grey PNG",
        )
        return None
    return Heightmap(path, uri, size, position)


def _polyline(geometry: Element, file: SourceFile, culprit: str) -> Polyline | None:
    """All outlines of a geometry; those inside others are holes."""
    outlines: list[tuple[tuple[float, float], ...]] = []
    heights: list[float] = []
    for element in geometry.find_all("polyline"):
        heights.append(child_float(element, "height", culprit, 1.0))
        corners: list[tuple[float, float]] = []
        for point in element.find_all("point"):
            x, y = parse_floats(
                point.text, 2, element=point, what="<polyline> <point>", culprit=culprit
            )
            if not corners or corners[-1] != (x, y):
                corners.append((x, y))
        if len(corners) > 1 and corners[0] == corners[-1]:
            corners.pop()
        if not 3 <= len(corners) <= _MAX_CORNERS:
            file.loading.tolerate(
                element, culprit, f"<polyline> has {len(corners)} corners", "give 3 or more"
            )
            return None
        outlines.append(tuple(corners))
    if not _are_positive(tuple(heights), geometry, file, culprit):
        return None
    if len(set(heights)) > 1:
        file.loading.note(
            NoteKind.SUBSTITUTION,
            geometry,
            culprit,
            f"<polyline> outlines of several heights are all made {heights[0]:g} m high",
        )
    return Polyline(tuple(outlines), heights[0])


_READERS = {
    "box": _box,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "cylinder": _round,
    "capsule": _round,
    "cone": _round,
    "plane": _plane,
    "mesh": _mesh,
    "heightmap": _heightmap,
}
