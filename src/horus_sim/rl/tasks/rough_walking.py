"""A robot on four legs that is to walk over steps, slopes and rubble that it sees around it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from horus_sim.rl.engines.interface import Floats, Ids, Rows
from horus_sim.rl.models.terrain import TerrainConfig
from horus_sim.rl.models.walker_model import walker_spec
from horus_sim.rl.settings import Config, Range
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.tasks.walking import TIMESTEP, LeggedTask, WalkingConfig
from horus_sim.rl.terms.mirror import Flip, MirrorImage
from horus_sim.rl.terms.observations import live
from horus_sim.rl.terms.term import Observation
from horus_sim.robots.engine import mujoco


class ScanConfig(Config):
    """Heights of the ground that are seen, at the points of a grid about the root.

    Attributes:
        length: Of the grid, along the heading [m].
        width: Of the grid [m].
        rows: Points along the heading.
        columns: Points across it.
        most: Heights are within plus and minus this [m].
    """

    length: Annotated[float, Field(gt=0)] = 1.0
    width: Annotated[float, Field(gt=0)] = 0.5
    rows: Annotated[int, Field(ge=1)] = 9
    columns: Annotated[int, Field(ge=1)] = 5
    most: Annotated[float, Field(gt=0)] = 0.3

    def points(self) -> Floats:
        """Where, ahead and to the left along the heading [m], shape (rows * columns, 2)."""
        ahead = np.linspace(-self.length / 2, self.length / 2, self.rows)
        aside = np.linspace(self.width / 2, -self.width / 2, self.columns)
        return np.stack(np.meshgrid(ahead, aside, indexing="ij"), axis=-1).reshape(-1, 2)


class RoughWalkingConfig(WalkingConfig):
    """Settings of walking over rough ground.

    Attributes:
        terrain: The ground.
        scan: What is seen of it.
        difficulty: Least and largest difficulty of fields, from 0 to 1; a curriculum's level
            takes the place of the largest while it is less.
        start: How far from the middle of a field it starts [m].
    """

    terrain: TerrainConfig = TerrainConfig()
    scan: ScanConfig = ScanConfig()
    difficulty: Range = (1.0, 1.0)
    start: Annotated[float, Field(ge=0)] = 0.5

    @model_validator(mode="after")
    def _check(self) -> Self:
        low, high = self.difficulty
        if not 0 <= low <= high <= 1:
            raise ValueError(f"difficulty is {low, high}; give numbers from 0 to 1")
        return self


class RoughWalking(LeggedTask[RoughWalkingConfig]):
    """Walking where the ground is rough; heights of the ground are seen too."""

    Config: ClassVar[type[TaskConfig]] = RoughWalkingConfig

    def build_model(self) -> mujoco.MjModel:
        """The robot on the ground that all environments share."""
        config = self.config
        self.terrain = config.terrain.build()
        gains = (config.stiffness, config.damping)
        spec, self.legged = walker_spec(config.robot, TIMESTEP, self.terrain, gains=gains)
        return spec.compile()

    def build_picture_model(self) -> mujoco.MjModel:
        """The robot as described, on the same ground."""
        return walker_spec(self.config.robot, TIMESTEP, self.terrain, lean=False)[0].compile()

    def bind(self) -> None:
        """Makes the arrays of what is seen, too."""
        super().bind()
        scan = self.config.scan
        self._grid = scan.points()
        self.scan = self.array(len(self._grid))
        self._corners = np.array([(x, y) for x in (-0.3, 0.0, 0.3) for y in (-0.2, 0.0, 0.2)])

    def reset(self, ids: Ids) -> None:
        """The robot starts near the middle of a field."""
        super().reset(ids)
        config, random = self.config, self.random
        drawn = random.uniform("field", ids, 4)
        levels = self.terrain.config.levels
        low, high = config.difficulty
        high = np.minimum(high, np.maximum(low, self.curriculum.level(ids)))
        share = low + (high - low) * drawn[:, 0]
        row = np.minimum((share * levels).astype(np.int64), levels - 1)
        column = (drawn[:, 1] * self.terrain.columns).astype(np.int64)
        away = config.start * (2.0 * drawn[:, 2:] - 1.0)
        at = self.terrain.middle(row, column) + away
        self.qpos[ids, :2] = at
        reach = self.legged.height
        under = self.ground(at[:, None] + self._corners * (reach / 0.3))
        self.qpos[ids, 2] += under.max(axis=1)

    def ground(self, points: Floats) -> Floats:
        """Heights of the ground at places x, y [m]."""
        return self.terrain.height(points)

    def refresh(self, rows: Rows) -> None:
        """What is seen of the ground, too."""
        super().refresh(rows)
        qpos = self.qpos[rows]
        w, x, y, z = qpos[:, 3], qpos[:, 4], qpos[:, 5], qpos[:, 6]
        cos, sin = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z)
        scale = 1.0 / np.maximum(np.hypot(cos, sin), 1e-9)
        turn = np.stack([cos, -sin, sin, cos], axis=1).reshape(-1, 2, 2) * scale[:, None, None]
        points = qpos[:, None, :2] + np.einsum("nij,kj->nki", turn, self._grid)
        seen = self.ground(points) - (qpos[:, 2:3] - self.legged.height)
        most = self.config.scan.most
        self.scan[rows] = np.clip(seen, -most, most)

    def observations(self) -> tuple[Observation, ...]:
        """Heights of the ground against where it would be if the robot stood on it, too."""
        most = self.config.scan.most
        return (*super().observations(), live("scan", self.scan, -most, most, unit="m"))

    def mirror(self) -> MirrorImage | None:
        """Left and right exchanged, of what is seen too."""
        image = super().mirror()
        if image is None:
            return None
        rows, columns = self.config.scan.rows, self.config.scan.columns
        places = np.arange(rows * columns).reshape(rows, columns)[:, ::-1].ravel()
        scan = Flip.of([1.0] * len(places), places.tolist())
        return MirrorImage({**image.observations, "scan": scan}, image.actions)
