"""Solids that MuJoCo has no primitive for, as triangle meshes, and hills from a seed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Cone, Polyline
from horus_sim.sim3d.scene.shapes import HeightmapShape, TerrainNoiseConfig

Vertices = npt.NDArray[np.float64]
Faces = npt.NDArray[np.int32]
_CONE_EDGES = 32


def cone_mesh(cone: Cone) -> tuple[Vertices, Faces]:
    """A cone with its tip up, centred on its frame.

    Returns:
        Vertices [m], shape (n, 3), and triangles, shape (m, 3), facing outwards.
    """
    half = cone.length / 2
    angles = np.arange(_CONE_EDGES) * (2 * math.pi / _CONE_EDGES)
    rim = np.column_stack(
        (cone.radius * np.cos(angles), cone.radius * np.sin(angles), np.full(_CONE_EDGES, -half))
    )
    vertices = np.vstack((rim, [(0.0, 0.0, half)], [(0.0, 0.0, -half)]))
    here = np.arange(_CONE_EDGES)
    ahead = (here + 1) % _CONE_EDGES
    side = np.column_stack((here, ahead, np.full(_CONE_EDGES, _CONE_EDGES)))
    base = np.column_stack((ahead, here, np.full(_CONE_EDGES, _CONE_EDGES + 1)))
    return vertices, np.vstack((side, base)).astype(np.int32)


def prism_meshes(polyline: Polyline) -> list[tuple[Vertices, Faces]]:
    """A prism over outlines with holes, cut into convex prisms over triangles.

    MuJoCo collides with the convex hull of a mesh, so that one mesh would fill holes and notches.

    Returns:
        Vertices [m], shape (6, 3), and triangles, shape (8, 3), of each part.
    """
    import mapbox_earcut

    parts: list[tuple[Vertices, Faces]] = []
    faces = np.array(
        [(2, 1, 0), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5)],
        dtype=np.int32,
    )
    for rings in _outlines_with_holes(polyline):
        corners = np.vstack(rings)
        ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
        indices = mapbox_earcut.triangulate_float64(corners, ends)
        for triangle in np.asarray(indices).reshape(-1, 3):
            flat = corners[triangle]
            a, b = flat[1] - flat[0], flat[2] - flat[0]
            area = a[0] * b[1] - a[1] * b[0]
            if abs(area) < 1e-12:
                continue
            if area < 0:
                flat = flat[::-1]
            low = np.column_stack((flat, np.zeros(3)))
            high = np.column_stack((flat, np.full(3, polyline.height)))
            parts.append((np.vstack((low, high)), faces))
    if not parts:
        raise DescriptionError(
            "a polyline encloses no area; give each outline at least three corners that are not "
            "in a line"
        )
    return parts


def _outlines_with_holes(polyline: Polyline) -> list[list[npt.NDArray[np.float64]]]:
    """Groups of rings: an outer one, then its holes, by how many others each lies in."""
    rings = [_open_ring(np.asarray(outline, dtype=float)) for outline in polyline.outlines]
    rings = [ring for ring in rings if len(ring) >= 3]
    # A ring lies in larger ones only; equal ones must not lie in each other.
    rings.sort(key=lambda ring: -abs(_area(ring)))
    groups: list[list[npt.NDArray[np.float64]]] = []
    for i, ring in enumerate(rings):
        depth = sum(_contains(larger, ring[0]) for larger in rings[:i])
        owners = [group for group in groups if _contains(group[0], ring[0])]
        if depth % 2 and owners:
            owners[-1].append(ring)
        else:
            groups.append([ring])
    return groups


def _open_ring(ring: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return ring[:-1] if len(ring) > 1 and np.array_equal(ring[0], ring[-1]) else ring


def _area(ring: npt.NDArray[np.float64]) -> float:
    x, y = ring.T
    return 0.5 * float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def _contains(ring: npt.NDArray[np.float64], point: npt.NDArray[np.float64]) -> bool:
    """Whether a point lies inside, by the number of edges that a ray crosses."""
    inside = False
    for (x1, y1), (x2, y2) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        if (y1 > point[1]) != (y2 > point[1]):
            crossing = x1 + (point[1] - y1) * (x2 - x1) / (y2 - y1)
            inside ^= bool(point[0] < crossing)
    return inside


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """Heights on a grid.

    Attributes:
        grey: From 0 to 1, the first row at +y, shape (rows, columns).
        size: Extent along x and y, and height of 1 [m].
    """

    grey: npt.NDArray[np.float64]
    size: tuple[float, float, float]


def noise_terrain(shape: HeightmapShape, noise: TerrainNoiseConfig) -> Terrain:
    """Hills of several sizes: random values on ever finer grids, smoothly interpolated.

    The same seed gives the same heights at any resolution's own points; the ground within
    `flat_radius` of the middle is level.
    """
    rng = np.random.default_rng(noise.seed)
    count = noise.resolution
    x = np.linspace(-shape.size[0] / 2, shape.size[0] / 2, count)
    y = np.linspace(shape.size[1] / 2, -shape.size[1] / 2, count)
    heights = np.zeros((count, count))
    for octave in range(noise.octaves):
        cell = noise.feature_size / 2**octave
        heights += _smooth_noise(rng, x, y, cell, shape.size) / 2**octave
    heights -= heights.min()
    heights /= max(float(heights.max()), 1e-12)
    if noise.flat_radius > 0:
        distance = np.hypot(x[None, :], y[:, None])
        share = np.clip((distance - noise.flat_radius) / noise.feature_size, 0.0, 1.0)
        share = share * share * (3 - 2 * share)
        heights *= share
    return Terrain(heights, shape.size)


def _smooth_noise(
    rng: np.random.Generator,
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    cell: float,
    size: tuple[float, float, float],
) -> npt.NDArray[np.float64]:
    most = 2048
    columns = min(int(size[0] / cell) + 2, most)
    rows = min(int(size[1] / cell) + 2, most)
    values = rng.random((rows, columns))
    u = (x + size[0] / 2) / size[0] * (columns - 1)
    v = (size[1] / 2 - y) / size[1] * (rows - 1)
    column, row = np.minimum(u.astype(int), columns - 2), np.minimum(v.astype(int), rows - 2)
    a, b = u - column, v - row
    a, b = (a * a * (3 - 2 * a))[None, :], (b * b * (3 - 2 * b))[:, None]
    top = values[np.ix_(row, column)] * (1 - a) + values[np.ix_(row, column + 1)] * a
    bottom = values[np.ix_(row + 1, column)] * (1 - a) + values[np.ix_(row + 1, column + 1)] * a
    return top * (1 - b) + bottom * b
