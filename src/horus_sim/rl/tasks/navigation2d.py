"""A robot with two wheels that is to reach a goal among boxes, by its lidar, seen from above."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from horus_sim.rl.engines.interface import Floats, Ids, Rows
from horus_sim.rl.models import planar_arena
from horus_sim.rl.tasks.planar_task import PlanarTask
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.observations import lengths, live, nearness
from horus_sim.rl.terms.rewards import approach, outcome, time_spent
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.rl.terms.terminations import below
from horus_sim.sim2d import Scenario, SolverConfig

_NEAR = 0.3
MAX_SPEED = SolverConfig().max_linear_speed
MAX_TURN_RATE = SolverConfig().max_angular_speed


class Navigation2DConfig(TaskConfig):
    """Settings of navigation in the plane.

    Attributes:
        boxes: How many boxes are in the way; they can be pushed, but touching one is a crash.
        rays: Rays of the lidar, the first ahead, turning left.
        range: How far they see [m].
        goal_radius: A goal is reached within this distance [m].
        speed: Largest speed ahead [m/s].
        turn_rate: Largest speed of turning [rad/s].
    """

    boxes: Annotated[int, Field(ge=0, le=planar_arena.CELLS - 2)] = 12
    rays: Annotated[int, Field(ge=1, le=720)] = 24
    range: Annotated[float, Field(gt=0)] = 3.0
    goal_radius: Annotated[float, Field(gt=0)] = 0.15
    speed: Annotated[float, Field(gt=0, le=1.0)] = 0.6
    turn_rate: Annotated[float, Field(gt=0, le=10.0)] = 4.0


class Navigation2D(PlanarTask[Navigation2DConfig]):
    """Actions are speed ahead and rate of turning, from -1 to 1; -1 ahead is standing still."""

    Config: ClassVar[type[TaskConfig]] = Navigation2DConfig

    def scenario(self) -> Scenario:
        """Walls, boxes and the robot, at 240 Hz."""
        return planar_arena.scenario(self.config.boxes)

    def bind(self) -> None:
        """Makes the arrays that terms share."""
        config, layout = self.config, self.sim.layout
        self._bodies = np.array(
            [self.sim.robot, *(layout.bodies[f"box_{k}"] for k in range(config.boxes))], np.int64
        )
        self.goal, self.distance = self.array(2), self.array()
        self.goal_b, self.motion_b = self.array(3), self.array(2)
        self._collision = Termination("collision", lambda: self.sim.touched != 0)
        self._goal = below("goal", self.distance, config.goal_radius, success=True)
        self.ranges = self.array(config.rays)

    def reset(self, ids: Ids) -> None:
        """Robot, goal and boxes stand in different cells of a grid, so that a way is left."""
        places, yaws = planar_arena.draw_layout(self.random, ids, self.config.boxes)
        self.goal[ids] = places[:, 1]
        places = np.delete(places, 1, axis=1)
        self.begin_worlds(ids, self._bodies, np.concatenate([places, yaws[..., None]], axis=2))

    def act(self) -> None:
        """Commands of the wheels, which slow down together where one cannot turn fast enough."""
        config = self.config
        wanted = np.clip(self.actions, -1.0, 1.0, out=self.actions).astype(np.float64)
        ahead = (wanted[:, 0] + 1.0) * (0.5 * config.speed / planar_arena.RIM_SPEED)
        turn = wanted[:, 1] * (config.turn_rate * 0.5 * planar_arena.TRACK / planar_arena.RIM_SPEED)
        fastest = np.maximum(1.0, np.abs(ahead) + np.abs(turn))
        self.ctrl[:, 0] = (ahead - turn) / fastest
        self.ctrl[:, 1] = (ahead + turn) / fastest

    def refresh(self, rows: Rows) -> None:
        """Goal and motion in the robot's frame, and what the lidar sees."""
        states = self.sim.states[rows]
        cos, sin = np.cos(states[:, 2]), np.sin(states[:, 2])
        to_goal = self.goal[rows] - states[:, :2]
        self.distance[rows] = distance = lengths(to_goal)
        # The floor keeps the direction finite where robot and goal are at one place.
        inverse = 1.0 / np.maximum(distance, 1e-9)
        self.goal_b[rows, 0] = (cos * to_goal[:, 0] + sin * to_goal[:, 1]) * inverse
        self.goal_b[rows, 1] = (cos * to_goal[:, 1] - sin * to_goal[:, 0]) * inverse
        self.goal_b[rows, 2] = distance * (1.0 / planar_arena.SIZE)
        ahead = cos * states[:, 3] + sin * states[:, 4]
        self.motion_b[rows, 0] = ahead * (1.0 / self.config.speed)
        self.motion_b[rows, 1] = states[:, 5] * (1.0 / self.config.turn_rate)
        self.sim.scan(rows, self.config.range, self.ranges)

    def observations(self) -> tuple[Observation, ...]:
        """Lidar (1 at its center, less the farther away), goal, motion and the last action."""
        # Guards of the engine cap speeds.
        fastest = max(MAX_SPEED / self.config.speed, MAX_TURN_RATE / self.config.turn_rate)
        return (
            Observation("lidar", self.config.rays, self._nearness, 0.0, 1.0),
            live("goal", self.goal_b, -1.0, 2.0),
            live("motion", self.motion_b, -fastest, fastest),
            live("action", self.actions, -1.0, 1.0),
        )

    def _nearness(self, rows: Rows) -> Floats:
        return nearness(self.ranges[rows], _NEAR)

    def rewards(self) -> tuple[Reward, ...]:
        """Way made towards the goal [m], arrival, crash and time [s]."""
        return (
            approach("progress", self.distance, 5.0),
            outcome(self._goal, 5.0),
            outcome(self._collision, -5.0),
            time_spent(self.sim.num_envs, self.dt, -0.1),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """A robot that touched a box or a wall in this step, and arrival."""
        return self._collision, self._goal

    def goals(self) -> Floats:
        """x, y of the goals [m], world frame, shape (num_envs, 2)."""
        return self.goal
