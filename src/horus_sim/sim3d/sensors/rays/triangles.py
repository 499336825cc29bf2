"""Where rays meet triangles: Embree finds the triangle, double precision the distance."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Triangles = tuple[Floats, Indices]

_Geom = mujoco.mjtGeom
BOX, HEIGHT_FIELD = int(_Geom.mjGEOM_BOX), int(_Geom.mjGEOM_HFIELD)
MESHES = int(_Geom.mjGEOM_MESH), int(_Geom.mjGEOM_SDF)
"""Kinds of geoms with triangles; a signed distance field is met as the mesh it is drawn with."""

_TINY = 1e-12
_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
_BOX = (
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
)  # fmt: skip


class TriangleScene:
    """Triangles in one frame.

    Args:
        vertices: Corners of the triangles [m], shape (n, 3).
        faces: Corners of each triangle, shape (m, 3).
        owners: A number for each triangle, such as its geom, shape (m,).
    """

    def __init__(
        self, vertices: Floats, faces: Indices, owners: npt.NDArray[np.integer] | None = None
    ) -> None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        corners = vertices[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        # A triangle without an area cannot be hit, and its normal would not be a number.
        kept = lengths > 0.0
        faces, lengths = faces[kept], lengths[kept, None]
        # The last row stands for no triangle, which Embree gives the number -1.
        self._planes = np.zeros((len(faces) + 1, 4))
        self._planes[:-1, :3] = normals[kept] / lengths
        self._planes[:-1, 3] = np.einsum("ij,ij->i", self._planes[:-1, :3], corners[kept, 0])
        self._owners = np.full(len(faces) + 1, -1, np.int32)
        self._owners[:-1] = 0 if owners is None else owners[kept]
        # Embree counts in single precision, which is finest near zero.
        self._middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
        # robust: no ray slips through between two triangles.
        self._scene = EmbreeScene(robust=True)
        centred = (vertices - self._middle).astype(np.float32)
        TriangleMesh(self._scene, centred, np.ascontiguousarray(faces, dtype=np.int32))

    def cast(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats, Indices]:
        """The nearest triangles.

        Args:
            origins: Start of all rays [m], shape (3,), or of each, shape (n, 3).
            directions: Unit vectors, shape (n, 3).

        Returns:
            Distances [m], cosines of incidence and owners, shape (n,) each; infinite, 0 and -1 for
            rays that meet nothing.
        """
        starts = np.empty(directions.shape, np.float32)
        starts[:] = origins - self._middle
        triangles = self._scene.run(starts, directions.astype(np.float32))
        # take is several times as fast as an index in brackets.
        planes = np.take(self._planes, triangles, axis=0)
        slopes = _dot(planes, directions)
        if origins.ndim == 1:
            heights = planes[:, 3] - planes[:, :3] @ origins
        else:
            heights = planes[:, 3] - _dot(planes, origins)
        cosines = np.abs(slopes)
        # A ray within the plane of its triangle has no distance to it: leave it out.
        missed = cosines < _TINY
        slopes[missed] = 1.0
        # A hit of single precision may lie a little behind the start.
        distances = np.maximum(heights / slopes, 0.0)
        distances[missed] = np.inf
        owners = np.take(self._owners, triangles)
        owners[missed] = -1
        return distances, cosines, owners


class ModelTriangles:
    """Triangles of a model's boxes, meshes and height fields, each mesh and field taken once.

    Args:
        model: The model.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = model
        self._triangles: dict[tuple[int, int], Triangles] = {}
        self._scenes: dict[tuple[int, int], TriangleScene] = {}

    def of(self, geom: int) -> Triangles:
        """Vertices and triangles of a box, mesh or height field, in the frame of the geom."""
        kind, asset = self._asset(geom)
        if kind == BOX:
            return box_triangles(self.model.geom_size[geom])
        if (kind, asset) not in self._triangles:
            extract = mesh_triangles if kind in MESHES else height_field_triangles
            self._triangles[kind, asset] = extract(self.model, asset)
        return self._triangles[kind, asset]

    def scene(self, geom: int) -> TriangleScene:
        """The mesh or height field of a geom, in the frame of its geoms."""
        asset = self._asset(geom)
        if asset not in self._scenes:
            self._scenes[asset] = TriangleScene(*self.of(geom))
        return self._scenes[asset]

    def _asset(self, geom: int) -> tuple[int, int]:
        return int(self.model.geom_type[geom]), int(self.model.geom_dataid[geom])


def _dot(a: Floats, b: Floats) -> Floats:
    """Of the first three columns, shape (n,)."""
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]


def box_triangles(size: Floats) -> Triangles:
    """A box of half edges `size` [m] as vertices, shape (8, 3), and triangles, shape (12, 3)."""
    return _CORNERS * size, np.array(_BOX, dtype=np.int32)


def mesh_triangles(model: mujoco.MjModel, mesh: int) -> Triangles:
    """A mesh of a model, in the frame of its geoms, as MuJoCo holds it (single precision)."""
    start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    first, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    vertices = model.mesh_vert[start : start + count].astype(np.float64)
    return vertices, model.mesh_face[first : first + faces].astype(np.int32)


def height_field_triangles(model: mujoco.MjModel, hfield: int) -> Triangles:
    """A height field of a model, in the frame of its geoms: surface, sides and bottom."""
    rows, columns = int(model.hfield_nrow[hfield]), int(model.hfield_ncol[hfield])
    size_x, size_y, height, base = model.hfield_size[hfield]
    start = int(model.hfield_adr[hfield])
    heights = model.hfield_data[start : start + rows * columns].astype(np.float64) * height
    x = np.linspace(-size_x, size_x, columns)
    y = np.linspace(-size_y, size_y, rows)
    surface = np.column_stack((np.tile(x, rows), np.repeat(y, columns), heights))
    index = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    a, b = index[:-1, :-1].ravel(), index[:-1, 1:].ravel()
    c, d = index[1:, :-1].ravel(), index[1:, 1:].ravel()
    faces = [np.column_stack((a, b, d)), np.column_stack((a, d, c))]
    rim = np.concatenate((index[0, :-1], index[:-1, -1], index[-1, :0:-1], index[:0:-1, 0]))
    count = len(surface)
    below = surface[rim] * (1.0, 1.0, 0.0) - (0.0, 0.0, base)
    here = np.arange(len(rim), dtype=np.int32)
    after = np.roll(here, -1)
    faces.append(np.column_stack((rim, count + here, count + after)))
    faces.append(np.column_stack((rim, count + after, rim[after])))
    corners = count + np.array((0, columns - 1, columns + rows - 2, 2 * columns + rows - 3))
    p, q, r, s = corners
    faces.append(np.array(((p, r, q), (p, s, r))))
    return np.vstack((surface, below)), np.vstack(faces).astype(np.int32)
