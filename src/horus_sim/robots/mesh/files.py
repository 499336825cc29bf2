"""Mesh files into memory: STL directly, COLLADA through pycollada, the rest through trimesh.

The import of trimesh takes longer than most robots; the two kinds that most robots use do without.
Of a binary STL file with 5,000 facets trimesh makes a scene in 1.2 ms, the reader here in 0.04 ms;
with 100,000 facets it is 50 ms and 0.7 ms. ASCII takes both the same time. glTF is Y up by its
standard and is turned to Z up, except where every root node already turns by +90 degrees about x:
so looks a Z-up file that went through a Y-up editor and back, and its coordinates are Z up already.
"""

from __future__ import annotations

import io
import json
import logging
import re
import struct
from pathlib import Path
from typing import Any, cast

import numpy as np

from horus_sim.robots.mesh.collada import read_collada
from horus_sim.robots.mesh.data import (
    STL_FACET,
    STL_HEADER_BYTES,
    MeshData,
    MeshPart,
    UnreadableMeshError,
    join_parts,
)
from horus_sim.robots.mesh.neighbours import Neighbours

_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)
# Maps glTF's Y up into our Z up: +90 degrees about x.
_R_zup_yup = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def parse_mesh(data: bytes, suffix: str, neighbours: Neighbours) -> MeshData:
    """The triangles of a file, in metres and Z up, before any scale of the description.

    Args:
        data: Content of the file.
        suffix: Kind of the file, in lower case, with its dot.
        neighbours: Gives the files that it refers to.

    Raises:
        UnreadableMeshError: The file is broken.
    """
    if suffix == ".stl":
        count = _binary_stl_facets(data)
        return _read_ascii_stl(data) if count is None else _read_binary_stl(data, count)
    if suffix == ".dae":
        return read_collada(data, neighbours)
    return _read_with_trimesh(data, suffix, neighbours)


def _binary_stl_facets(data: bytes) -> int | None:
    """Number of facets of a binary STL file, or None for the ASCII form."""
    if len(data) < STL_HEADER_BYTES:
        return None
    (count,) = struct.unpack_from("<I", data, 80)
    expected = STL_HEADER_BYTES + count * STL_FACET.itemsize
    if len(data) == expected:
        return count
    looks_ascii = data[:256].lstrip()[:5].lower() == b"solid" and b"facet" in data[:4096]
    if looks_ascii:
        return None
    if len(data) < expected:
        raise UnreadableMeshError(
            f"it is cut off: {count} facets need {expected} bytes, it has {len(data)}"
        )
    return count


def _read_binary_stl(data: bytes, count: int) -> MeshData:
    facets = np.frombuffer(data, dtype=STL_FACET, count=count, offset=STL_HEADER_BYTES)
    vertices = facets["corners"].reshape(-1, 3).astype(np.float32)
    faces = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    return MeshData(vertices, faces, (MeshPart(("",), 0, count),), None, count)


def _read_ascii_stl(data: bytes) -> MeshData:
    words = _VERTEX.findall(data)
    try:
        vertices = np.array(words, dtype=np.float64).reshape(-1, 3).astype(np.float32)
    except ValueError as error:
        raise UnreadableMeshError(f"a vertex is not three numbers: {error}") from error
    count, rest = divmod(len(vertices), 3)
    if rest or count == 0:
        raise UnreadableMeshError("it holds no triangles" if count == 0 else "a facet is cut off")
    faces = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    return MeshData(vertices, faces, (MeshPart(("",), 0, count),), None, count)


def _read_with_trimesh(data: bytes, suffix: str, neighbours: Neighbours) -> MeshData:
    import trimesh

    T = np.eye(4)
    if suffix in (".gltf", ".glb") and not _is_zup_gltf(data):
        T[:3, :3] = _R_zup_yup
    logging.getLogger("trimesh").setLevel(logging.ERROR)
    try:
        scene = trimesh.load_scene(
            io.BytesIO(data),
            file_type=suffix[1:],
            resolver=cast(Any, neighbours),  # what it asks for by name, `get` answers
            process=False,
        )
        parts = [
            _part(scene.geometry[geometry], T @ T_scene_part, str(geometry), neighbours)
            for node in sorted(scene.graph.nodes_geometry, key=str)  # its own order varies
            for T_scene_part, geometry in [scene.graph[node]]
        ]
    except Exception as error:  # whatever trimesh raises on broken files
        cause = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise UnreadableMeshError(
            f"it is not a sound {suffix[1:].upper()} file ({cause})"
        ) from error
    return join_parts([part for part in parts if part is not None])


def _part(
    geometry: Any,  # noqa: ANN401 - trimesh's classes
    T: np.ndarray,
    name: str,
    neighbours: Neighbours,
) -> MeshData | None:
    faces = getattr(geometry, "faces", None)
    if faces is None or len(faces) == 0:
        return None
    vertices = np.asarray(geometry.vertices, dtype=np.float64) @ T[:3, :3].T + T[:3, 3]
    faces = np.asarray(faces, dtype=np.int32)
    if np.linalg.det(T[:3, :3]) < 0.0:
        faces = faces[:, ::-1]
    rgba, texture, texcoords = _look(geometry.visual, len(vertices), neighbours)
    part = MeshPart((name,), 0, len(faces), rgba, texture)
    return MeshData(vertices.astype(np.float32), faces, (part,), texcoords, len(faces))


def _look(
    visual: Any,  # noqa: ANN401 - trimesh's classes
    count: int,
    neighbours: Neighbours,
) -> tuple[tuple[float, float, float, float] | None, Path | None, np.ndarray | None]:
    """Colour, texture and texture coordinates of a part."""
    if not visual.defined:
        return None, None, None
    if visual.kind != "texture":
        return _colour(visual.main_color), None, None
    material = visual.material
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    texture = neighbours.path_of(image) if image is not None else None
    factor = getattr(material, "baseColorFactor", None)
    rgba = _colour(factor if factor is not None else getattr(material, "diffuse", None))
    texcoords = visual.uv
    if texture is None or texcoords is None or np.shape(texcoords) != (count, 2):
        return rgba, None, None
    return rgba, texture, np.asarray(texcoords, dtype=np.float32)


def _colour(value: Any) -> tuple[float, float, float, float] | None:  # noqa: ANN401 - an array
    if value is None or np.size(value) not in (3, 4):
        return None
    numbers = np.asarray(value, dtype=np.float64).ravel()
    if np.asarray(value).dtype.kind in "ui":
        numbers = numbers / 255.0
    red, green, blue, alpha = (float(v) for v in np.clip([*numbers, 1.0][:4], 0.0, 1.0))
    return red, green, blue, alpha


def _is_zup_gltf(data: bytes) -> bool:
    """Whether every root node turns by +90 degrees about x."""
    try:
        text = data
        if data[:4] == b"glTF":
            (length,) = struct.unpack_from("<I", data, 12)
            text = data[20 : 20 + length]
        tree = json.loads(text)
        nodes = tree.get("nodes", [])
        scenes = tree.get("scenes") or [{"nodes": list(range(len(nodes)))}]
        roots = scenes[tree.get("scene", 0)].get("nodes", [])
        half = 0.5**0.5
        return bool(roots) and all(
            np.allclose(nodes[root].get("rotation", (0, 0, 0, 1)), (half, 0, 0, half), atol=1e-4)
            for root in roots
        )
    except (ValueError, TypeError, LookupError, AttributeError, struct.error) as error:
        raise UnreadableMeshError(f"its glTF header is broken: {error}") from error
    except RecursionError as error:
        raise UnreadableMeshError("its glTF header is nested too deeply") from error
