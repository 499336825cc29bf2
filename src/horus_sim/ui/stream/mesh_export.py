"""Triangles, height fields and images of a MuJoCo model in the form that WebGL draws."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import mujoco

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MeshArrays:
    """A mesh with one normal and one texture coordinate a vertex.

    Attributes:
        vertices: [m], frame of the geom, shape (n, 3).
        faces: Indices of the corners, shape (m, 3).
        normals: Unit vectors, shape (n, 3); None for flat faces to be computed.
        uvs: Texture coordinates, shape (n, 2), or None.
    """

    vertices: Floats
    faces: npt.NDArray[np.uint32]
    normals: Floats | None
    uvs: Floats | None


def triangle_mesh(model: mujoco.MjModel, mesh: int) -> MeshArrays:
    """A mesh of the model.

    MuJoCo indexes positions, normals and texture coordinates apart; here each combination that
    occurs becomes one vertex.
    """
    faces = _rows(model.mesh_face, model.mesh_faceadr, model.mesh_facenum, mesh)
    vertices = _rows(model.mesh_vert, model.mesh_vertadr, model.mesh_vertnum, mesh)
    normals = _rows(model.mesh_normal, model.mesh_normaladr, model.mesh_normalnum, mesh)
    corner_normals = _rows(model.mesh_facenormal, model.mesh_faceadr, model.mesh_facenum, mesh)
    columns = [faces.reshape(-1), corner_normals.reshape(-1)]
    has_uvs = int(model.mesh_texcoordnum[mesh]) > 0
    if has_uvs:
        corner_uvs = _rows(model.mesh_facetexcoord, model.mesh_faceadr, model.mesh_facenum, mesh)
        columns.append(corner_uvs.reshape(-1))
    corners, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    uvs = None
    if has_uvs:
        table = _rows(model.mesh_texcoord, model.mesh_texcoordadr, model.mesh_texcoordnum, mesh)
        uvs = np.ascontiguousarray(table[corners[:, 2]], dtype=np.float32)
    return MeshArrays(
        np.ascontiguousarray(vertices[corners[:, 0]], dtype=np.float32),
        np.ascontiguousarray(inverse.reshape(-1, 3), dtype=np.uint32),
        np.ascontiguousarray(normals[corners[:, 1]], dtype=np.float32),
        uvs,
    )


def field_mesh(model: mujoco.MjModel, field: int) -> MeshArrays:
    """The top of a height field."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    start = int(model.hfield_adr[field])
    heights = model.hfield_data[start : start + rows * columns].reshape(rows, columns)
    half_x, half_y, top, _ = model.hfield_size[field]
    x, y = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
    vertices = np.stack((x, y, heights * top), axis=-1).reshape(-1, 3)
    corner = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]
    faces = np.concatenate(
        (np.stack((a, b, c), -1).reshape(-1, 3), np.stack((a, c, d), -1).reshape(-1, 3))
    )
    u, v = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    return MeshArrays(
        np.ascontiguousarray(vertices, dtype=np.float32),
        np.ascontiguousarray(faces, dtype=np.uint32),
        None,
        np.ascontiguousarray(np.stack((u, v), -1).reshape(-1, 2), dtype=np.float32),
    )


def texture_png(model: mujoco.MjModel, texture: int) -> bytes:
    """An image of the model as PNG."""
    from PIL import Image

    height, width = int(model.tex_height[texture]), int(model.tex_width[texture])
    channels = int(model.tex_nchannel[texture])
    start = int(model.tex_adr[texture])
    pixels = model.tex_data[start : start + height * width * channels]
    image = np.asarray(pixels, dtype=np.uint8).reshape(height, width, channels)
    target = io.BytesIO()
    Image.fromarray(image[:, :, 0] if channels == 1 else image).save(target, format="PNG")
    return target.getvalue()


def _rows(
    table: npt.NDArray[np.generic], starts: npt.NDArray, counts: npt.NDArray, index: int
) -> npt.NDArray:
    start = int(starts[index])
    return table[start : start + int(counts[index])]
