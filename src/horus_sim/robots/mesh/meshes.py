"""Meshes of descriptions: read once, kept on disk, scaled and cut as the description asks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from horus_sim.errors import DescriptionError
from horus_sim.files.document import read_bytes
from horus_sim.robots.description import Mesh
from horus_sim.robots.mesh.cache import load_entry, store_entry
from horus_sim.robots.mesh.data import (
    MESH_SUFFIXES,
    MeshData,
    MeshPart,
    UnreadableMeshError,
    join_parts,
    merge_vertices,
)
from horus_sim.robots.mesh.files import parse_mesh
from horus_sim.robots.mesh.neighbours import (
    LFS_POINTER,
    MAX_MESH_BYTES,
    Neighbours,
    digest,
    is_lfs_pointer,
)
from horus_sim.robots.report import NoteKind, Report

__all__ = ["MAX_FACES", "MESH_SUFFIXES", "MeshData", "MeshPart", "load_mesh"]

MAX_FACES = 200_000
"""Most faces of a mesh, close to the engine's own limit; larger ones are simplified."""


def load_mesh(
    mesh: Mesh, culprit: str = "", report: Report | None = None, max_faces: int = MAX_FACES
) -> MeshData:
    """The triangles that a description asks for.

    Args:
        mesh: File, scale and part.
        culprit: Whose it is, such as "link 'arm'", for errors and remarks.
        report: Gets a remark when the mesh is simplified.
        max_faces: Most faces; a larger mesh is simplified to about as many.

    Returns:
        The mesh in metres, in the frame of the shape, Z up.

    Raises:
        DescriptionError: The file is broken, or has no such part; names link and file.
    """
    prefix = f"{culprit}: " if culprit else ""
    try:
        data = _load_file(mesh, max_faces)
    except UnreadableMeshError as error:
        remedy = "" if error.has_remedy else "; export it anew, or replace it by a primitive shape"
        text = f"{prefix}the mesh file '{mesh.path}' cannot be used: {error}{remedy}"
        raise DescriptionError(text) from error
    if report is not None and data.faces_in_file > max_faces:
        text = f"simplified from {data.faces_in_file} to {len(data.faces)} faces"
        report.add(NoteKind.SUBSTITUTION, f"{prefix}mesh '{mesh.uri}'", text)
    if mesh.submesh is not None:
        part = data.part(mesh.submesh)
        if part is None:
            names = ", ".join(f"'{part.names[-1]}'" for part in data.parts[:10])
            raise DescriptionError(
                f"{prefix}the mesh file '{mesh.path}' has no part '{mesh.submesh}'; its parts: "
                f"{names}"
            )
        data = part.centred() if mesh.center_submesh else part
    return data.scaled(mesh.scale)


def _load_file(mesh: Mesh, max_faces: int) -> MeshData:
    content = read_bytes(mesh.path, MAX_MESH_BYTES, DescriptionError)
    suffix = mesh.path.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        known = ", ".join(MESH_SUFFIXES)
        raise UnreadableMeshError(f"'{suffix}' is not a known kind of mesh; known: {known}")
    if is_lfs_pointer(content):
        raise UnreadableMeshError(LFS_POINTER, has_remedy=True)
    neighbours = Neighbours(mesh.path)
    # Those that refer to other files may differ though their content is equal.
    folder = "" if suffix in (".stl", ".ply", ".glb") else mesh.path.parent
    key = digest(f"{digest(content)} {suffix} {max_faces} {folder}".encode())
    known = load_entry(key, neighbours.current_digest)
    if known is not None:
        return known
    data = parse_mesh(content, suffix, neighbours)
    _check(data)
    data = merge_vertices(data)
    if len(data.faces) == 0:
        raise UnreadableMeshError("none of its triangles has any extent")
    if len(data.faces) > max_faces:
        data = _simplify(data, max_faces)
    store_entry(key, data, neighbours.read)
    return data


def _check(data: MeshData) -> None:
    if len(data.faces) == 0:
        raise UnreadableMeshError("it holds no triangles")
    if not np.isfinite(data.vertices).all():
        raise UnreadableMeshError("a vertex is not finite")
    if data.faces.min() < 0 or data.faces.max() >= len(data.vertices):
        raise UnreadableMeshError("a triangle refers to a vertex that does not exist")


def _simplify(data: MeshData, max_faces: int) -> MeshData:
    """Each part with its share of the faces; texture coordinates are lost."""
    import fast_simplification

    share = max_faces / len(data.faces)
    pieces: list[MeshData] = []
    for part in data.parts:
        used, numbered = np.unique(data.faces[part.start : part.stop], return_inverse=True)
        points, triangles = data.vertices[used], numbered.reshape(-1, 3).astype(np.int32)
        if len(triangles) > 100:
            simpler = fast_simplification.simplify(
                points.astype(np.float64),
                triangles,
                target_count=max(int(share * len(triangles)), 50),
            )
            points, triangles = simpler[0], simpler[1]
        if len(triangles) > 0:
            look = replace(part, texture=None)
            vertices, faces = np.asarray(points, np.float32), np.asarray(triangles, np.int32)
            pieces.append(MeshData(vertices, faces, (look,)))
    return replace(join_parts(pieces), faces_in_file=data.faces_in_file)
