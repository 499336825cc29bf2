"""What is to be done with gripper and cube: reach a point, lift, pick and place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import ALL, Floats, Ids, Rows
from horus_sim.rl.models.arm_model import OPEN
from horus_sim.rl.tasks.manipulation import CUBE_PLACE, Manipulation
from horus_sim.rl.terms.observations import lengths

# How far into the cube fingers are that hold it as hard as they can [m].
_CLENCHED = 0.005
# How high above the table it is carried [m].
_WAY = 0.06


class Reach(Manipulation):
    """The gripper is to come to a point above the table; the cube only lies there."""

    def moved(self) -> Floats:
        """The gripper."""
        return self.tool

    def draw_goals(self, ids: Ids, cube: Floats, is_near: npt.NDArray[np.bool_]) -> Floats:
        """Anywhere above the area."""
        del cube, is_near
        config = self.config
        space = np.array([config.area_x, config.area_y, config.heights])
        return self.random.uniform("goal", ids, 3, *space.T)

    def compute_potential(self, rows: Rows) -> Floats:
        """Nearness."""
        return -5.0 * self._away(rows)

    def is_solved(self) -> npt.NDArray[np.bool_]:
        """Whether the gripper is there."""
        return self._away(ALL) < self.config.tolerance

    def _away(self, rows: Rows) -> Floats:
        return lengths(self.goal[rows] - self.tool[rows])


class Lift(Manipulation):
    """The cube is to be lifted off the table, held."""

    def draw_goals(self, ids: Ids, cube: Floats, is_near: npt.NDArray[np.bool_]) -> Floats:
        """Above the cube."""
        del is_near
        goals = cube.copy()
        goals[:, 2] = self.half_height[ids] + self.config.lift
        return goals

    def compute_potential(self, rows: Rows) -> Floats:
        """Nearness of the gripper, the cube held, its height."""
        above = self.cube[rows, 2] - self.half_height[rows]
        height = np.clip(above / self.config.lift, 0.0, 1.0)
        held = self.is_held[rows]
        return -5.0 * self.reach[rows] + held * (1.0 + 3.0 * height)

    def is_solved(self) -> npt.NDArray[np.bool_]:
        """Whether it is held at the height."""
        return self.is_held & (self.cube[:, 2] > self.half_height + self.config.lift)


class PickAndPlace(Manipulation):
    """The cube is to be carried to a place on the table, put down and let go."""

    def draw_goals(self, ids: Ids, cube: Floats, is_near: npt.NDArray[np.bool_]) -> Floats:
        """On the table, away from the cube: one of some places drawn, the first that is apart."""
        area = np.array([self.config.area_x, self.config.area_y])
        tried = self.random.uniform("goal", ids, 12).reshape(-1, 6, 2)
        tried = area[:, 0] + tried * (area[:, 1] - area[:, 0])
        away = np.hypot(*(tried - cube[:, None, :2]).transpose(2, 0, 1)) >= self.config.apart
        goals = np.empty((len(ids), 3))
        goals[:, 2] = self.half_height[ids]
        goals[:, :2] = tried[np.arange(len(ids)), np.argmax(away, axis=1)]
        goals[is_near, :2] = cube[is_near, :2]
        return goals

    def compute_potential(self, rows: Rows) -> Floats:
        """Nearness, the cube held, its height on the way and distance from the goal, letting go."""
        cube, lifted = self.cube[rows], self.was_lifted[rows]
        offset = self.goal[rows] - cube
        across = np.hypot(offset[:, 0], offset[:, 1])
        height = cube[:, 2] - self.half_height[rows]
        # The way to go: up, across and down again.
        wanted = _WAY * np.clip((across - 0.02) / _WAY, 0.0, 1.0)
        on_way = 1.0 + (1.0 - np.minimum(np.abs(height - wanted) / _WAY, 1.0))
        # Above the goal nothing is lost by letting go.
        there = lifted & (across < self.config.tolerance)
        clenched = self.half_width[rows] - _CLENCHED
        opened = (self.fingers[rows].min(axis=1) - clenched) / (OPEN - clenched)
        freed = 3.0 * np.clip(opened, 0.0, 1.0) * (height < 0.015)
        work = (self.is_held[rows] | there) * on_way + there * freed
        return work + lifted * (4.0 - 8.0 * across) - 5.0 * np.where(there, 0.0, self.reach[rows])

    def is_solved(self) -> npt.NDArray[np.bool_]:
        """Whether it lies at the goal, let go, after it was lifted."""
        free = self.fingers.min(axis=1) > self.half_width + 0.002
        still = np.abs(self.qvel[:, CUBE_PLACE]).max(axis=1) < 0.05
        low = self.cube[:, 2] < self.half_height + 0.01
        return self.was_lifted & free & still & low & (self.to_goal < self.config.tolerance)
