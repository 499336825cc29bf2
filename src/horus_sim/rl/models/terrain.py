"""Rough ground: steps, slopes and rubble in fields that grow harder, as one height field.

The fields lie in a grid: a row for each difficulty, a column for each kind. Each is level at its
edge and rises, or falls, towards a level place in its middle, where a robot starts. What is random
about them follows from a seed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.settings import Config
from horus_sim.robots.engine import mujoco

TERRAIN = "terrain"
Kind = Literal["steps", "slopes", "rubble"]
_EDGE, _MIDDLE = 0.5, 1.0
_DEPTH = 0.5


class TerrainConfig(Config):
    """The ground.

    Attributes:
        kinds: What its columns are; half of each kind's fields rise to the middle, half fall.
        levels: Number of difficulties; the hardest has the numbers that follow.
        step: Height of a step [m].
        tread: Depth of a step [m].
        slope: Angle of a slope [rad].
        rubble: Height of blocks above and below the mean [m].
        block: Side of a block [m].
        field: Side of a field [m].
        border: Level ground around all fields [m].
        cell: Distance of the points of the height field [m].
        seed: Seed of what is random.
    """

    kinds: Annotated[tuple[Kind, ...], Field(min_length=1)] = ("steps", "slopes", "rubble")
    levels: Annotated[int, Field(ge=1, le=50)] = 5
    step: Annotated[float, Field(ge=0)] = 0.05
    tread: Annotated[float, Field(gt=0)] = 0.35
    slope: Annotated[float, Field(ge=0, lt=1.2)] = 0.2618
    rubble: Annotated[float, Field(ge=0)] = 0.04
    block: Annotated[float, Field(gt=0)] = 0.25
    field: Annotated[float, Field(ge=4)] = 8.0
    border: Annotated[float, Field(ge=1)] = 8.0
    cell: Annotated[float, Field(ge=0.01, le=0.5)] = 0.05
    seed: Annotated[int, Field(ge=0)] = 0

    def build(self) -> Terrain:
        """The ground with these settings."""
        return Terrain(self)


class Terrain:
    """The ground as heights at the points of a grid.

    Args:
        config: Settings.

    Attributes:
        columns: Number of columns of fields, two for each kind.
        lowest: Least height [m].
    """

    def __init__(self, config: TerrainConfig) -> None:
        self.config = config
        self.columns = 2 * len(config.kinds)
        across = self.columns * config.field / 2 + config.border
        along = config.levels * config.field / 2 + config.border
        cell = config.cell
        counts = 2 * round(along / cell) + 1, 2 * round(across / cell) + 1
        self._half = np.array([(count - 1) * cell / 2 for count in counts])
        self._heights: npt.NDArray[np.float32] = np.zeros(counts, np.float32)
        xs, ys = (np.linspace(-half, half, n) for half, n in zip(self._half, counts, strict=True))
        for level in range(config.levels):
            for column in range(self.columns):
                x, y = self.middle(np.array([level]), np.array([column]))[0]
                half = config.field / 2
                rows = np.flatnonzero(np.abs(xs - x) <= half + cell / 4)
                places = np.flatnonzero(np.abs(ys - y) <= half + cell / 4)
                grid = np.meshgrid(xs[rows] - x, ys[places] - y, indexing="ij")
                self._heights[np.ix_(rows, places)] = self._field(level, column, *grid)
        self.lowest = float(self._heights.min())

    def middle(
        self, levels: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]
    ) -> npt.NDArray[Any]:
        """Middles of fields, x and y [m], shape (n, 2)."""
        config = self.config
        x = (levels - (config.levels - 1) / 2) * config.field
        y = (columns - (self.columns - 1) / 2) * config.field
        return np.stack([x, y], axis=1)

    def _field(self, level: int, column: int, x: Floats, y: Floats) -> Floats:
        """Heights of a field [m] at points about its middle."""
        config = self.config
        kind = config.kinds[column // 2]
        sense = -1.0 if column % 2 else 1.0
        share = (level + 1) / config.levels
        # How far it is from the edge, and how far that counts.
        inward = config.field / 2 - np.maximum(np.abs(x), np.abs(y)) - _EDGE
        inward = np.clip(inward, 0.0, config.field / 2 - _EDGE - _MIDDLE)
        if kind == "slopes":
            return sense * np.tan(share * config.slope) * inward
        if kind == "steps":
            return sense * share * config.step * np.floor(inward / config.tread + 1e-6)
        random = np.random.default_rng((config.seed, level, column))
        blocks = round(config.field / config.block) + 1
        heights = random.uniform(-1.0, 1.0, (blocks, blocks)) * share * config.rubble
        places = [
            np.clip(((v + config.field / 2) / config.block).astype(int), 0, blocks - 1)
            for v in (x, y)
        ]
        is_inside = (inward > 0) & (np.maximum(np.abs(x), np.abs(y)) > _MIDDLE / 2)
        return heights[places[0], places[1]] * is_inside

    def height(self, points: Floats) -> Floats:
        """Heights of the ground [m], shape (...), as its triangles have them.

        Args:
            points: x and y [m], shape (..., 2); outside, the ground is as at its end.
        """
        scaled = (points + self._half) * (1.0 / self.config.cell)
        most = np.array(self._heights.shape) - 1
        scaled = np.minimum(np.maximum(scaled, 0.0), most)
        first = np.minimum(scaled.astype(np.int64), most - 1)
        along, across = (scaled - first)[..., 0], (scaled - first)[..., 1]
        start = first[..., 0] * self._heights.shape[1] + first[..., 1]
        flat, width = self._heights.ravel(), self._heights.shape[1]
        here, ahead = flat[start], flat[start + width]
        aside, beyond = flat[start + 1], flat[start + width + 1]
        # Each cell is two triangles that share the diagonal between `here` and `beyond`.
        first_half = here + along * (ahead - here) + across * (beyond - ahead)
        second_half = here + across * (aside - here) + along * (beyond - aside)
        return np.where(along >= across, first_half, second_half)

    def add_to(self, spec: mujoco.MjSpec) -> None:
        """Adds the height field `TERRAIN`; its shape is to be `lowest` above z = 0."""
        heights = self._heights - self.lowest
        highest = max(float(heights.max()), 1e-3)
        rows, columns = heights.shape
        # MuJoCo's columns go along x.
        spec.add_hfield(
            name=TERRAIN,
            nrow=columns,
            ncol=rows,
            size=(self._half[0], self._half[1], highest, _DEPTH),
            userdata=heights.T.ravel().tolist(),
        )
