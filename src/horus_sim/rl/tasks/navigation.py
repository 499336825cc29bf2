"""A TurtleBot3 that is to reach a goal among obstacles, by its lidar."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim._native import RlRover
from horus_sim.rl.contract.action import ActionPart
from horus_sim.rl.contract.drives.drive import Drive
from horus_sim.rl.contract.drives.velocity import VelocityDrive
from horus_sim.rl.contract.sources.motion import BaseMotion, GoalDirection, LastAction
from horus_sim.rl.contract.sources.scan import Scan
from horus_sim.rl.engines.interface import Floats, Ids, Rows
from horus_sim.rl.models.navigation_layout import ObstacleConfig, Range, make_layout
from horus_sim.rl.models.navigation_model import (
    BASE_LINK,
    HULL_CENTRE,
    HULL_RADIUS,
    LIDAR_LINK,
    LIDAR_PLACE,
    LIDAR_X,
    ROBOT,
    dress_obstacles,
    lidar_range,
    navigation_spec,
    scrub,
    wheel_speeds,
)
from horus_sim.rl.models.plane_shapes import Plane
from horus_sim.rl.pictures.camera import View
from horus_sim.rl.settings import Config
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.observations import live
from horus_sim.rl.terms.rewards import approach, outcome, proximity, time_spent
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.rl.terms.terminations import below
from horus_sim.robots.engine import mujoco

_HALF = 0.3
_OPEN_SPACE = 10.0


class LidarConfig(Config):
    """Rays about the robot, the first ahead, turning left.

    Attributes:
        rays: How many.
        range: How far they see [m]; as the lidar of the robot unless given.
    """

    rays: Annotated[int, Field(ge=1, le=720)] = 24
    range: Annotated[float, Field(gt=0)] = Field(default_factory=lidar_range)


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
    lidar: LidarConfig = Field(default_factory=LidarConfig)
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
        """Robot and floor."""
        return navigation_spec().compile()

    def build_picture_model(self) -> mujoco.MjSpec:
        """Robot, floor and obstacles."""
        obstacles = self.config.obstacles
        return navigation_spec((obstacles.count, obstacles.boxes))

    def view(self, env: int) -> View:
        """From above on robot and goal."""
        x, y = ((self.qpos[env, :2] + self.goal[env]) / 2).tolist()
        return View((x, y, 0.1), 1.0 + 1.5 * self.config.goal_distance[1], -60.0)

    def action_bounds(self) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """From -1 to 1."""
        return (-1.0, -1.0), (1.0, 1.0)

    def bind(self) -> None:
        """Takes the state and makes the arrays that terms share."""
        sim, config = self.sim, self.config
        rays, count = config.lidar.rays, config.obstacles.count
        self.qpos, self.qvel = sim.bind("qpos"), sim.bind("qvel")
        self.goal, self.goal_b, self.distance = self.array(2), self.array(3), self.array()
        self.motion_b = self.array(2)
        self.clearance = self.array()
        self.nearness = self.array(rays)
        self._collision = below("collision", self.clearance, 0.0)
        self._goal = below("goal", self.distance, config.goal_radius, success=True)
        self.plane = Plane(
            sim.num_envs, circles=count, boxes=config.obstacles.boxes, threads=sim.threads
        )
        self.places, self.radii = self.plane.circles[..., :2], self.plane.circles[..., 2]
        angles = np.arange(rays) * (2 * np.pi / rays)
        self._rover = RlRover(
            self.plane.native,
            self.qpos,
            self.qvel,
            self.goal,
            np.stack([np.cos(angles), np.sin(angles)], axis=1),
            self.distance,
            self.goal_b,
            self.motion_b,
            self.clearance,
            self.nearness,
            lidar_x=LIDAR_X,
            max_range=config.lidar.range,
            half=_HALF,
            hull_x=HULL_CENTRE,
            hull_radius=HULL_RADIUS,
            open_space=_OPEN_SPACE + HULL_RADIUS,
            far=config.goal_distance[1],
            speed=config.speed,
            turn_rate=config.turn_rate,
        )
        self._layout = make_layout(
            self.plane, self.qpos, self.goal, config.goal_distance, config.obstacles
        )
        self._yaw_torque = sim.bind("qfrc_applied")[:, 5]

    def reset(self, ids: Ids) -> None:
        """The robot stands at the origin and looks anywhere; goal and obstacles are about it."""
        levels = self.curriculum.levels(ids)
        self._layout.begin(ids, self.random.seeds, self.random.episodes, levels)

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Puts the obstacles where they are."""
        dress_obstacles(model, self.plane.circles[env], self.plane.boxes[env])

    def act(self) -> None:
        """Speeds of the wheels."""
        config = self.config
        wanted = np.clip(self.actions, -1.0, 1.0, out=self.actions)
        forward = (wanted[:, 0] + 1.0) * (config.speed / 2)
        turning = wanted[:, 1] * config.turn_rate
        self.ctrl[:] = wheel_speeds(forward, turning)
        self._yaw_torque[:] = scrub(turning)

    def refresh(self, rows: Rows) -> None:
        """Goal and motion in the robot's frame, what the lidar sees and what the hull is near."""
        self._rover.look(None if isinstance(rows, slice) else rows)

    def observations(self) -> tuple[Observation, ...]:
        """Lidar (1 at the lidar, 0 where nothing is near), goal, motion and the last action."""
        config, rays = self.config, self.config.lidar.rays
        scan = Scan(
            rays=rays,
            first=0.0,
            step=2 * np.pi / rays,
            half=_HALF,
            range=config.lidar.range,
            place=LIDAR_PLACE,
        )
        goal = GoalDirection(scale=1.0 / config.goal_distance[1])
        motion = BaseMotion(
            axes=("linear.x", "angular.z"), scales=(1.0 / config.speed, 1.0 / config.turn_rate)
        )
        return (
            live("lidar", self.nearness, 0.0, 1.0, frame=LIDAR_LINK, source=scan),
            live("goal", self.goal_b, frame=BASE_LINK, source=goal),
            live("motion", self.motion_b, frame=BASE_LINK, source=motion),
            live("action", self.actions, -1.0, 1.0, source=LastAction()),
        )

    def action_parts(self) -> tuple[ActionPart, ...]:
        """Speed ahead and rate of turning."""
        forward = ActionPart(
            name="forward",
            unit="m/s",
            low=(0.0,),
            high=(self.config.speed,),
            frame=BASE_LINK,
            meaning="speed ahead",
        )
        turning = ActionPart.even(
            "turning", 1, "rad/s", self.config.turn_rate, "rate of turning left", BASE_LINK
        )
        return forward, turning

    def drives(self) -> tuple[Drive, ...]:
        """A base that drives at a velocity."""
        return (VelocityDrive(),)

    def arrival(self) -> float:
        """Within the goal's radius."""
        return self.config.goal_radius

    def robot(self) -> str:
        """The TurtleBot3."""
        return ROBOT

    def rewards(self) -> tuple[Reward, ...]:
        """Way made to the goal [m], arrival, crash, time [s] and closeness to obstacles [s]."""
        return (
            approach("progress", self.distance, 5.0),
            outcome(self._goal, 5.0),
            outcome(self._collision, -5.0),
            time_spent(self.sim.num_envs, self.dt, -0.1),
            proximity(self.clearance, self.config.close, self.dt, -1.0),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """A hull that touches an obstacle, and arrival."""
        return self._collision, self._goal

    def goals(self) -> Floats:
        """On the floor."""
        return self.goal
