"""COLLADA through pycollada: ``<unit>`` is applied, ``<up_axis>`` is ignored, as ROS does."""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from horus_sim.robots.mesh.data import MeshData, MeshPart, UnreadableMeshError, join_parts
from horus_sim.robots.mesh.neighbours import Neighbours

_MATERIALS = re.compile(rb"<bind_material\b.*?</bind_material>", re.DOTALL)


def read_collada(data: bytes, neighbours: Neighbours) -> MeshData:
    """The triangles of a COLLADA file in metres.

    Raises:
        UnreadableMeshError: The file is broken.
    """
    unit, names = _scan(data)
    try:
        pieces, is_whole = _pieces(data, names, unit, neighbours)
        if not pieces and not is_whole:
            # Shapes whose colours cannot be read are left out by pycollada.
            pieces, _ = _pieces(_MATERIALS.sub(b"", data), names, unit, neighbours)
    except Exception as error:  # whatever pycollada raises on broken files
        cause = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise UnreadableMeshError(f"it is not a sound COLLADA file ({cause})") from error
    return join_parts(pieces)


def _pieces(
    data: bytes, names: dict[str, str], unit: float, neighbours: Neighbours
) -> tuple[list[MeshData], bool]:
    """What the scene of a document shows, and whether pycollada read all of it."""
    import collada
    from collada.common import DaeError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Broken references, such as to a missing image, are common and harmless.
        document = collada.Collada(io.BytesIO(data), ignore=[DaeError])
        pieces = [
            piece
            for geometry in (document.scene.objects("geometry") if document.scene else ())
            for primitive in geometry.primitives()
            if (piece := _piece(primitive, geometry.original.id, names, unit, neighbours))
        ]
    return pieces, not document.errors


def _piece(
    primitive: Any,  # noqa: ANN401 - pycollada's classes
    identifier: str,
    names: dict[str, str],
    unit: float,
    neighbours: Neighbours,
) -> MeshData | None:
    """The faces of a primitive, or None for lines and for what is empty."""
    if hasattr(primitive, "triangleset"):
        primitive = primitive.triangleset()
    corners = getattr(primitive, "vertex_index", None)
    if corners is None or np.ndim(corners) != 2 or np.shape(corners)[1] != 3 or len(corners) == 0:
        return None
    vertices = np.asarray(primitive.vertex, dtype=np.float64)[np.ravel(corners)] * unit
    faces = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
    rgba, texture = _look(primitive.material, neighbours)
    texcoords = None
    if texture is not None and len(primitive.texcoordset) > 0:
        table, indices = primitive.texcoordset[0], primitive.texcoord_indexset[0]
        texcoords = np.asarray(table, dtype=np.float32)[np.ravel(indices)][:, :2]
    title = (identifier,) if identifier not in names else (identifier, names[identifier])
    part = MeshPart(title, 0, len(faces), rgba, texture if texcoords is not None else None)
    return MeshData(vertices.astype(np.float32), faces, (part,), texcoords, len(faces))


def _look(
    material: Any,  # noqa: ANN401 - pycollada's class
    neighbours: Neighbours,
) -> tuple[tuple[float, float, float, float] | None, Path | None]:
    effect = getattr(material, "effect", None)
    diffuse = getattr(effect, "diffuse", None)
    if effect is None or diffuse is None:
        return None, None
    sampler = getattr(diffuse, "sampler", None)
    if sampler is not None:
        return None, neighbours.image(sampler.surface.image.path)
    values = np.clip(np.asarray([*diffuse, 1.0][:4], dtype=np.float64), 0.0, 1.0)
    red, green, blue, alpha = map(float, values)
    return (red, green, blue, alpha), None


def _scan(data: bytes) -> tuple[float, dict[str, str]]:
    """Metres per unit, and the names of geometries by identifier; refuses a document type."""
    units: list[float] = []
    names: dict[str, str] = {}

    def refuse(*_: object) -> None:
        raise UnreadableMeshError("DTD and entity declarations are not allowed in it")

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "unit" and not units:
            units.append(float(attributes.get("meter", "1")))
        elif tag == "geometry" and "id" in attributes and "name" in attributes:
            names[attributes["id"]] = attributes["name"]

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    try:
        parser.Parse(data, True)  # noqa: FBT003 - positional only
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise UnreadableMeshError(f"not well-formed COLLADA: {error}") from error
    unit = units[0] if units else 1.0
    if not 0.0 < unit < 1e6:
        raise UnreadableMeshError(f"its <unit> is {unit:g} metres")
    return unit, names
