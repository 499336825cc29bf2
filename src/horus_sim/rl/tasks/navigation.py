"""A TurtleBot3 that is to reach a goal among obstacles, by its lidar."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.rl.backend import Floats, Ids
from horus_sim.rl.config import TaskConfig
from horus_sim.rl.settings import Config
from horus_sim.rl.task import Task
from horus_sim.rl.tasks.navigation_layout import (
    ObstacleConfig,
    Range,
    draw_goals,
    draw_obstacles,
)
from horus_sim.rl.tasks.navigation_model import (
    HULL_CENTRE,
    HULL_RADIUS,
    LIDAR_X,
    LIDAR_Z,
    OBSTACLE_GROUP,
    navigation_spec,
    scrub,
    wheel_speeds,
)
from horus_sim.rl.terms import Observation, Reward, Rows, Termination
from horus_sim.sim3d.engine import mujoco

_NEAR = 0.3
_OPEN_SPACE = 10.0
# Beyond what is ever observed; Gymnasium asks for finite bounds.
_FAR = 100.0


class LidarConfig(Config):
    """Rays about the robot, the first ahead, turning left.

    Attributes:
        rays: How many.
        range: How far they see [m].
    """

    rays: Annotated[int, Field(ge=1, le=720)] = 24
    range: Annotated[float, Field(gt=0)] = 3.5


class NavigationConfig(TaskConfig):
    """Settings of navigation.

    Attributes:
        goal_distance: Least and largest distance of goals from the start [m].
        goal_radius: A goal is reached within this distance [m].
        obstacles: What is in the way.
        lidar: What is seen.
        speed: Largest speed ahead [m/s].
        turn_rate: Largest speed of turning [rad/s].
        close: Distance of the hull to an obstacle below which `proximity` counts [m].
    """

    goal_distance: Range = (0.5, 2.0)
    goal_radius: Annotated[float, Field(gt=0)] = 0.2
    obstacles: ObstacleConfig = ObstacleConfig()
    lidar: LidarConfig = LidarConfig()
    speed: Annotated[float, Field(gt=0)] = 0.22
    turn_rate: Annotated[float, Field(gt=0)] = 2.0
    close: Annotated[float, Field(gt=0)] = 0.15

    @model_validator(mode="after")
    def _check(self) -> Self:
        low, high = self.goal_distance
        if not self.goal_radius < low <= high:
            raise ValueError(f"goal_distance is {low, high}; give (least, largest) > goal_radius")
        return self


class Navigation(Task[NavigationConfig]):
    """Actions are speed ahead and rate of turning, from -1 to 1; -1 ahead is standing still."""

    Config: ClassVar[type[TaskConfig]] = NavigationConfig

    def build_model(self) -> mujoco.MjModel:
        """Robot, floor and obstacles."""
        obstacles = self.config.obstacles
        return navigation_spec(obstacles.count, obstacles.radius[1]).compile()

    def action_bounds(self, model: mujoco.MjModel) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """From -1 to 1."""
        del model
        return (-1.0, -1.0), (1.0, 1.0)

    def bind(self) -> None:
        """Takes the state and makes the arrays that terms share."""
        sim, rays, count = self.sim, self.config.lidar.rays, self.config.obstacles.count
        self.qpos, self.qvel = sim.bind("qpos"), sim.bind("qvel")
        self.goal, self.goal_b, self.distance = self.array(2), self.array(3), self.array()
        self.motion_b = self.array(2)
        self._distance_before = self.array()
        self.clearance = self.array()
        self.clearance[:] = _OPEN_SPACE
        self.nearness = self.array(rays)
        self.places, self.radii = self.array(count, 2), self.array(count)
        angles = np.arange(rays) * (2 * np.pi / rays)
        self._ray_cos, self._ray_sin = np.cos(angles), np.sin(angles)
        self._directions = self.array(rays, 3)
        self._groups = np.zeros(6, np.uint8)
        self._groups[OBSTACLE_GROUP] = 1
        if count:
            first = sim.model.geom("obstacle_0").id
            self._geom_pos = sim.expand("geom_pos")[:, first : first + count]
            self._geom_size = sim.expand("geom_size")[:, first : first + count]
        self._yaw_torque = sim.bind("qfrc_applied")[:, 5]

    def reset(self, ids: Ids) -> None:
        """The robot stands at the origin and looks anywhere; goal and obstacles are about it."""
        config = self.config
        yaw = self.random.uniform("yaw", ids, 1, -np.pi, np.pi)[:, 0]
        self.qpos[ids, 3], self.qpos[ids, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
        level = self.curriculum.level(ids)
        self.goal[ids] = goals = draw_goals(self.random, ids, config.goal_distance, level)
        if config.obstacles.count:
            farthest = config.goal_distance[1]
            places, radii = draw_obstacles(self.random, ids, goals, config.obstacles, farthest)
            self.places[ids], self.radii[ids] = places, radii
            self._geom_pos[ids, :, :2] = places
            self._geom_size[ids, :, 0] = radii

    def before_step(self) -> None:
        """Keeps how far the goal was."""
        self._distance_before[:] = self.distance

    def act(self) -> None:
        """Speeds of the wheels."""
        config = self.config
        wanted = np.clip(self.actions, -1.0, 1.0, out=self.actions)
        forward = (wanted[:, 0] + 1.0) * (config.speed / 2)
        turning = wanted[:, 1] * config.turn_rate
        self.ctrl[:] = wheel_speeds(forward, turning)
        self._yaw_torque[:] = scrub(turning)

    def refresh(self, rows: Rows) -> None:
        """Heading, goal in the robot's frame, and what the lidar sees."""
        qpos, qvel = self.qpos[rows], self.qvel[rows]
        w, x, y, z = qpos[:, 3], qpos[:, 4], qpos[:, 5], qpos[:, 6]
        cos, sin = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
        scale = 1.0 / np.sqrt(cos * cos + sin * sin)
        cos, sin = cos * scale, sin * scale
        to_goal = self.goal[rows] - qpos[:, :2]
        distance = np.sqrt(np.einsum("ij,ij->i", to_goal, to_goal))
        self.distance[rows] = distance
        goal_b = np.empty((len(qpos), 3))
        # The floor keeps the direction finite where robot and goal are at one place.
        inverse = 1.0 / np.maximum(distance, 1e-9)
        goal_b[:, 0] = (cos * to_goal[:, 0] + sin * to_goal[:, 1]) * inverse
        goal_b[:, 1] = (cos * to_goal[:, 1] - sin * to_goal[:, 0]) * inverse
        goal_b[:, 2] = distance * (1.0 / self.config.goal_distance[1])
        self.goal_b[rows] = goal_b
        motion_b = np.empty((len(qpos), 2))
        motion_b[:, 0] = (cos * qvel[:, 0] + sin * qvel[:, 1]) * (1.0 / self.config.speed)
        motion_b[:, 1] = qvel[:, 5] * (1.0 / self.config.turn_rate)
        self.motion_b[rows] = motion_b
        if self.config.obstacles.count:
            self._see(rows, qpos, cos, sin)

    def _see(self, rows: Rows, qpos: Floats, cos: Floats, sin: Floats) -> None:
        heading = np.stack([cos, sin], axis=1)
        offset = self.places[rows] - (qpos[:, :2] + HULL_CENTRE * heading)[:, None]
        gaps = np.sqrt(np.einsum("ijk,ijk->ij", offset, offset)) - self.radii[rows]
        self.clearance[rows] = gaps.min(axis=1) - HULL_RADIUS
        directions = self._directions[rows]
        cos, sin = cos[:, None], sin[:, None]
        np.subtract(cos * self._ray_cos, sin * self._ray_sin, out=directions[..., 0])
        np.add(sin * self._ray_cos, cos * self._ray_sin, out=directions[..., 1])
        origins = qpos[:, :3] + (0.0, 0.0, LIDAR_Z)
        origins[:, :2] += LIDAR_X * heading
        ids = None if isinstance(rows, slice) else rows
        ranges = self.sim.ray(origins[:, None], directions, self._groups, ids)
        seen = (ranges >= 0.0) & (ranges <= self.config.lidar.range)
        self.nearness[rows] = np.where(seen, _NEAR / (_NEAR + ranges), 0.0)

    def observations(self) -> tuple[Observation, ...]:
        """Lidar (1 at the lidar, 0 where nothing is near), goal, motion and the last action."""
        return (
            Observation(
                "lidar", self.config.lidar.rays, lambda rows: self.nearness[rows], 0.0, 1.0
            ),
            Observation("goal", 3, lambda rows: self.goal_b[rows], -_FAR, _FAR),
            Observation("motion", 2, lambda rows: self.motion_b[rows], -_FAR, _FAR),
            Observation("action", 2, lambda rows: self.actions[rows], -1.0, 1.0),
        )

    def rewards(self) -> tuple[Reward, ...]:
        """Way made to the goal [m], arrival, crash, time [s] and closeness to obstacles [s]."""
        return (
            Reward("progress", lambda: self._distance_before - self.distance, 5.0),
            Reward("goal", lambda: self.has_arrived().astype(np.float64), 5.0),
            Reward("collision", lambda: self.has_collided().astype(np.float64), -5.0),
            Reward("time", lambda: np.full(self.sim.num_envs, self.dt), -0.1),
            Reward("proximity", self._proximity, -1.0),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """Arrival and crash."""
        return (
            Termination("collision", self.has_collided),
            Termination("goal", self.has_arrived, success=True),
        )

    def look(self) -> mujoco.MjModel:
        """The robot as described."""
        obstacles = self.config.obstacles
        return navigation_spec(obstacles.count, obstacles.radius[1], lean=False).compile()

    def goals(self) -> Floats:
        """On the floor."""
        return self.goal

    def has_arrived(self) -> npt.NDArray[np.bool_]:
        """Whether the goal is reached, shape (num_envs,)."""
        return self.distance < self.config.goal_radius

    def has_collided(self) -> npt.NDArray[np.bool_]:
        """Whether the hull touches an obstacle, shape (num_envs,)."""
        return self.clearance < 0.0

    def _proximity(self) -> npt.NDArray[Any]:
        return np.maximum(0.0, 1.0 - self.clearance / self.config.close) * self.dt
