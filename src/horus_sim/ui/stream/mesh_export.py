"""Triangles, height fields and images of a MuJoCo model in the form that WebGL draws."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from horus_sim.sim3d.sensors.rays.triangles import height_field_triangles

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
    vertices = _rows(model.mesh_vert, model.mesh_vertadr, model.mesh_vertnum, mesh)
    normals = _rows(model.mesh_normal, model.mesh_normaladr, model.mesh_normalnum, mesh)
    uvs = _rows(model.mesh_texcoord, model.mesh_texcoordadr, model.mesh_texcoordnum, mesh)
    tables = (model.mesh_face, model.mesh_facenormal, model.mesh_facetexcoord)
    columns = [
        _rows(table, model.mesh_faceadr, model.mesh_facenum, mesh).reshape(-1)
        for table in tables[: 3 if len(uvs) else 2]
    ]
    corners, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return MeshArrays(
        vertices[corners[:, 0]].astype(np.float32),
        inverse.reshape(-1, 3).astype(np.uint32),
        normals[corners[:, 1]].astype(np.float32),
        uvs[corners[:, 2]].astype(np.float32) if len(uvs) else None,
    )


def field_mesh(model: mujoco.MjModel, field: int) -> MeshArrays:
    """The top of a height field."""
    vertices, faces = height_field_triangles(model, field)
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    # The top comes first, then sides and bottom.
    top, corners = vertices[: rows * columns], faces[: 2 * (rows - 1) * (columns - 1)]
    uvs = 0.5 + 0.5 * top[:, :2] / model.hfield_size[field, :2]
    return MeshArrays(
        top.astype(np.float32), corners.astype(np.uint32), None, uvs.astype(np.float32)
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
