"""A triangle mesh in memory, for the engine and for drawing alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

MESH_SUFFIXES = (".stl", ".obj", ".dae", ".gltf", ".glb", ".ply")

STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
STL_HEADER_BYTES = 84

Vertices = npt.NDArray[np.float32]
Faces = npt.NDArray[np.int32]


class UnreadableMeshError(Exception):
    """A file that holds no usable triangles; the text is the cause.

    Attributes:
        has_remedy: Whether the text says what to do.
    """

    def __init__(self, cause: str, *, has_remedy: bool = False) -> None:
        super().__init__(cause)
        self.has_remedy = has_remedy


@dataclass(frozen=True, slots=True)
class MeshPart:
    """A run of faces with one look.

    Attributes:
        names: What the file calls it: identifier, and name where that differs.
        start: Its first face.
        stop: The face after its last.
        rgba: Colour and opacity, 0 to 1, or None where the file gives none.
        texture: Image file for `MeshData.texcoords`, or None.
    """

    names: tuple[str, ...]
    start: int
    stop: int
    rgba: tuple[float, float, float, float] | None = None
    texture: Path | None = None


@dataclass(frozen=True, slots=True)
class MeshData:
    """Triangles, counter-clockwise seen from outside.

    Attributes:
        vertices: [m] in the frame of the shape, shape (n, 3).
        faces: Indices of corners, shape (m, 3).
        parts: Runs of faces that cover all of them, in order; at least one.
        texcoords: Texture coordinates of the vertices, origin at the lower left, shape (n, 2); None
            where no part has any.
        faces_in_file: Triangles of the file, more than `faces` where it was simplified.
    """

    vertices: Vertices
    faces: Faces
    parts: tuple[MeshPart, ...]
    texcoords: npt.NDArray[np.float32] | None = None
    faces_in_file: int = 0

    def scaled(self, scale: tuple[float, float, float]) -> MeshData:
        """The mesh with its axes scaled; a mirrored one keeps its outside outside."""
        if scale == (1.0, 1.0, 1.0):
            return self
        vertices = (self.vertices * np.asarray(scale, dtype=np.float64)).astype(np.float32)
        faces = self.faces
        if scale[0] * scale[1] * scale[2] < 0.0:
            faces = np.ascontiguousarray(faces[:, ::-1])
        return replace(self, vertices=vertices, faces=faces)

    def part(self, name: str) -> MeshData | None:
        """The parts of that name alone, or None where there are none."""
        chosen = [part for part in self.parts if name in part.names]
        if not chosen:
            return None
        faces = np.concatenate([self.faces[part.start : part.stop] for part in chosen])
        used, renumbered = np.unique(faces, return_inverse=True)
        parts: list[MeshPart] = []
        start = 0
        for part in chosen:
            stop = start + part.stop - part.start
            parts.append(replace(part, start=start, stop=stop))
            start = stop
        return MeshData(
            self.vertices[used],
            renumbered.reshape(-1, 3).astype(np.int32),
            tuple(parts),
            None if self.texcoords is None else self.texcoords[used],
            len(faces),
        )

    def centred(self) -> MeshData:
        """The mesh with the centre of its bounding box at the origin."""
        middle = (self.vertices.min(axis=0) + self.vertices.max(axis=0)) / 2
        return replace(self, vertices=self.vertices - middle)


def merge_vertices(mesh: MeshData) -> MeshData:
    """The mesh with equal vertices shared and faces without extent left out."""
    table = mesh.vertices
    if mesh.texcoords is not None:
        table = np.concatenate([table, mesh.texcoords], axis=1)
    # Adding zero turns -0.0 into 0.0, which compare equal but differ in their bytes.
    rows = np.ascontiguousarray(table + np.float32(0.0))
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    faces = rank[inverse.ravel()][mesh.faces]
    kept = (
        (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    )
    before = np.concatenate([[0], np.cumsum(kept)])
    parts = tuple(
        replace(part, start=int(before[part.start]), stop=int(before[part.stop]))
        for part in mesh.parts
    )
    chosen = first[order]
    return MeshData(
        mesh.vertices[chosen],
        np.ascontiguousarray(faces[kept], dtype=np.int32),
        tuple(part for part in parts if part.stop > part.start),
        None if mesh.texcoords is None else mesh.texcoords[chosen],
        mesh.faces_in_file,
    )


def join_parts(pieces: list[MeshData]) -> MeshData:
    """One mesh from pieces of one part each.

    Raises:
        UnreadableMeshError: There are none.
    """
    if not pieces:
        raise UnreadableMeshError("it holds no triangles")
    vertices = np.concatenate([piece.vertices for piece in pieces])
    texcoords = None
    if any(piece.texcoords is not None for piece in pieces):
        texcoords = np.concatenate(
            [
                np.zeros((len(piece.vertices), 2), np.float32)
                if piece.texcoords is None
                else piece.texcoords
                for piece in pieces
            ]
        )
    faces: list[np.ndarray] = []
    parts: list[MeshPart] = []
    first_vertex = first_face = 0
    for piece in pieces:
        look = piece.parts[0]
        stop = first_face + len(piece.faces)
        parts.append(MeshPart(look.names, first_face, stop, look.rgba, look.texture))
        faces.append(piece.faces + np.int32(first_vertex))
        first_vertex += len(piece.vertices)
        first_face = stop
    return MeshData(vertices, np.concatenate(faces), tuple(parts), texcoords, first_face)


def to_binary_stl(mesh: MeshData) -> bytes:
    """The triangles as a binary STL file."""
    facets = np.zeros(len(mesh.faces), dtype=STL_FACET)
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    facets["corners"] = corners
    facets["normal"] = np.divide(normals, lengths, where=lengths > 0, out=np.zeros_like(normals))
    header = b"horus-sim".ljust(STL_HEADER_BYTES - 4, b"\0")
    return header + len(facets).to_bytes(4, "little") + facets.tobytes()
