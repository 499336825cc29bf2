"""Shapes of SDF: ``<geometry>`` into the shapes of a description."""

from __future__ import annotations

from dataclasses import astuple
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
from horus_sim.robots.sdf.includes import is_remote
from horus_sim.robots.sdf.values import Place
from horus_sim.robots.xml_values import parse_floats, unit_vector

_MAX_CORNERS = 100_000
_ONE = (1.0, 1.0, 1.0)
_USUAL: dict[str, Geometry] = {
    "box": Box(_ONE),
    "sphere": Sphere(1.0),
    "ellipsoid": Ellipsoid(_ONE),
    "cylinder": Cylinder(1.0, 1.0),
    "capsule": Capsule(0.5, 1.0),
    "cone": Cone(0.5, 1.0),
}


def geometry_of(place: Place) -> Geometry | None:
    """The shape of a ``<visual>`` or ``<collision>``.

    Returns:
        None if there is no shape that could be used; the report says why.

    Raises:
        DescriptionError: A number is wrong; or, in a strict import, the shape cannot be used.
    """
    geometry = place.find("geometry")
    if geometry is None:
        place.tolerate("has no <geometry>", "add one")
        return None
    geometry.check()
    for child in geometry.element.children:
        shape = Place(child, place.file, place.culprit)
        if child.tag in _USUAL:
            found = shape.filled(_USUAL[child.tag])
            sizes = astuple(found)
            return found if _are_positive(sizes, shape) else None
        if child.tag in _READERS:
            return _READERS[child.tag](shape)
        if child.tag == "polyline":
            return _polyline(geometry)
        if child.tag == "image":
            shape.note(NoteKind.IGNORED, "shapes cut out of an <image> are left out")
            return None
        if child.tag == "empty":
            return None
    geometry.tolerate("<geometry> has no shape", "add one")
    return None


def find_resource(uri: str, place: Place) -> Path | None:
    """A mesh or image that the file refers to, or None if it is not there; the report says so.

    Raises:
        DescriptionError: It is not there, and the import is strict.
    """
    if is_remote(uri):
        place.tolerate(
            f"'{uri}' lies on a server, and nothing is fetched from the network",
            "download it and refer to the copy",
        )
        return None
    try:
        return place.file.resolver.resolve(uri, place.culprit)
    except MissingResourceError as error:
        if place.file.loading.strict:
            text = str(place.element.error(str(error)))
            raise MissingResourceError(text, uri, error.tried) from None
        package = place.file.resolver.missing_package(uri)
        text = f"is left out: {str(error).removeprefix(f'{place.culprit}: ')}"
        if package is None or ".." in uri:
            place.note(NoteKind.WARNING, text)
        else:
            place.file.loading.note_missing(package, place.element, place.culprit, text)
        return None


def _are_positive(sizes: tuple[float | tuple[float, ...], ...], place: Place) -> bool:
    numbers = [n for size in sizes for n in (size if isinstance(size, tuple) else (size,))]
    if all(number > 0 for number in numbers):
        return True
    listed = " ".join(f"{number:g}" for number in numbers)
    place.tolerate(
        f"<{place.element.tag}> has a size that is not positive ({listed})", "give positive lengths"
    )
    return False


def _plane(place: Place) -> Plane | None:
    normal = unit_vector(place.vector("normal", (0.0, 0.0, 1.0)))
    if normal is None:
        place.tolerate("<plane> has a <normal> of length 0", "give a unit vector")
        return None
    width, depth = place.floats("size", (1.0, 1.0))
    return Plane(normal, (width, depth)) if _are_positive((width, depth), place) else None


def _mesh(place: Place) -> Mesh | None:
    uri = place.required("uri")
    scale = place.vector("scale", _ONE)
    if 0.0 in scale:
        place.tolerate("<mesh> has a <scale> of 0", "give other factors")
        return None
    path = find_resource(uri, place)
    if path is None:
        return None
    part = place.find("submesh")
    if part is None:
        return Mesh(path, uri, scale)
    return Mesh(path, uri, scale, part.required("name"), part.bool("center", default=False))


def _heightmap(place: Place) -> Heightmap | None:
    uri = place.required("uri")
    size = place.vector("size", _ONE)
    position = place.vector("pos", (0.0, 0.0, 0.0))
    path = find_resource(uri, place) if _are_positive(size, place) else None
    if path is None:
        return None
    if path.suffix.lower() in (".tif", ".tiff", ".dem", ".nc", ".asc", ".vrt"):
        place.tolerate(
            f"'{uri}' is a map of real terrain, which is not read", "convert it to a grey PNG"
        )
        return None
    return Heightmap(path, uri, size, position)


def _polyline(geometry: Place) -> Polyline | None:
    """All outlines of a geometry; those inside others are holes."""
    outlines: list[tuple[tuple[float, float], ...]] = []
    heights: list[float] = []
    for place in geometry.find_all("polyline"):
        heights.append(place.float("height", 1.0))
        corners: list[tuple[float, float]] = []
        for point in place.element.find_all("point"):
            x, y = parse_floats(
                point.text, 2, element=point, what="<polyline> <point>", culprit=place.culprit
            )
            if not corners or corners[-1] != (x, y):
                corners.append((x, y))
        if len(corners) > 1 and corners[0] == corners[-1]:
            corners.pop()
        if not 3 <= len(corners) <= _MAX_CORNERS:
            place.tolerate(f"<polyline> has {len(corners)} corners", "give 3 or more")
            return None
        outlines.append(tuple(corners))
    if not _are_positive(tuple(heights), geometry):
        return None
    if len(set(heights)) > 1:
        geometry.note(
            NoteKind.SUBSTITUTION,
            f"<polyline> outlines of several heights are all made {heights[0]:g} m high",
        )
    return Polyline(tuple(outlines), heights[0])


_READERS = {"plane": _plane, "mesh": _mesh, "heightmap": _heightmap}
