"""Hills from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horus_sim.sim3d.scene.shapes import HeightmapShape, TerrainNoiseConfig


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
