"""A race car that is to drive a lap between walls without touching them, by its lidar."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.rl.contract.action import ActionPart
from horus_sim.rl.contract.drives.drive import Drive
from horus_sim.rl.contract.drives.velocity import SteeringDrive
from horus_sim.rl.contract.sources.motion import BaseMotion, LastAction
from horus_sim.rl.contract.sources.scan import Scan
from horus_sim.rl.engines.interface import Floats, Ids, Rows
from horus_sim.rl.models.racing_model import (
    BASE_LINK,
    DRIVEN,
    HULL,
    LARGEST_STEERING,
    LASER_LINK,
    LASER_X,
    LASER_Z,
    ROBOT,
    STEERING,
    WALL_GROUP,
    WHEELBASE,
    ackermann,
    racing_spec,
    smooth_circuit,
)
from horus_sim.rl.models.track import Track
from horus_sim.rl.pictures.camera import View
from horus_sim.rl.settings import Config
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.observations import live, nearness
from horus_sim.rl.terms.rewards import gain, outcome, proximity
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.rl.terms.terminations import below, reached
from horus_sim.robots.engine import mujoco

_NEAR = 0.5
_PARTS = 4
# Factor on the rate of turning that is observed [s/rad].
_TURNING = 0.5


class CircuitConfig(Config):
    """A closed circuit.

    Attributes:
        corners: Points that the centre line is drawn towards, x and y [m]; the line is rounder
            than they are and stays inside.
        width: Between the walls [m].
    """

    corners: Annotated[tuple[tuple[float, float], ...], Field(min_length=4)] = (
        (-3.0, -2.6),
        (0.0, -2.6),
        (3.2, -2.8),
        (5.6, -2.0),
        (5.6, 1.6),
        (3.4, 2.6),
        (1.6, 0.2),
        (-0.6, 0.2),
        (-2.0, 2.8),
        (-5.2, 2.8),
        (-6.0, 0.2),
        (-5.4, -2.4),
    )
    width: Annotated[float, Field(gt=0.4)] = 1.4


class ScannerConfig(Config):
    """Rays ahead, from right to left.

    Attributes:
        rays: How many.
        angle: Between the first and the last [rad].
        range: How far they see [m].
    """

    rays: Annotated[int, Field(ge=2, le=720)] = 19
    angle: Annotated[float, Field(gt=0, le=2 * np.pi)] = 1.25 * np.pi
    range: Annotated[float, Field(gt=0)] = 6.0


class RacingConfig(TaskConfig):
    """Settings of racing.

    Attributes:
        circuit: Where is driven; both ways.
        lidar: What is seen.
        laps: Length of an episode that succeeds.
        speed: Largest speed [m/s].
        offset: How far from the centre line it starts [m].
        yaw: How far its heading is off there [rad].
        close: Distance of the hull to a wall below which `proximity` counts [m].
    """

    episode_duration: Annotated[float, Field(gt=0)] = 30.0
    circuit: CircuitConfig = CircuitConfig()
    lidar: ScannerConfig = ScannerConfig()
    laps: Annotated[float, Field(gt=0)] = 1.0
    speed: Annotated[float, Field(gt=0)] = 3.0
    offset: Annotated[float, Field(ge=0)] = 0.2
    yaw: Annotated[float, Field(ge=0)] = 0.3
    close: Annotated[float, Field(gt=0)] = 0.15


class Racing(Task[RacingConfig]):
    """Actions are speed and steering, from -1 to 1; speed -1 is standing still."""

    Config: ClassVar[type[TaskConfig]] = RacingConfig

    def build_model(self) -> mujoco.MjModel:
        """Car and circuit."""
        return self._spec(lean=True).compile()

    def build_picture_model(self) -> mujoco.MjSpec:
        """The car as described."""
        return self._spec(lean=False)

    def _spec(self, *, lean: bool) -> mujoco.MjSpec:
        centre = smooth_circuit(self.config.circuit.corners, _PARTS)
        self.track = Track(centre)
        return racing_spec(centre, self.config.circuit.width / 2, lean=lean)

    def view(self, env: int) -> View:
        """From above behind the car's place, looking along y."""
        x, y, z = self.qpos[env, :3].tolist()
        return View((x, y, z), 4.0, -45.0)

    def action_bounds(self) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """From -1 to 1."""
        return (-1.0, -1.0), (1.0, 1.0)

    def bind(self) -> None:
        """Takes the state and makes the arrays that terms share."""
        sim, lidar = self.sim, self.config.lidar
        self.qpos, self.qvel = sim.bind("qpos"), sim.bind("qvel")
        self._steering = sim.ids("actuator", STEERING)
        self._driven = sim.ids("actuator", DRIVEN)
        self.sense, self.place, self.way = self.array(), self.array(), self.array()
        self.clearance = self.array()
        self.motion_b, self.nearness = self.array(3), self.array(lidar.rays)
        self._collision = below("collision", self.clearance, 0.0)
        self._lap = reached("lap", self.way, self.config.laps * self.track.length)
        self._angles = np.linspace(-lidar.angle / 2, lidar.angle / 2, lidar.rays)
        self._groups = np.zeros(6, np.uint8)
        self._groups[WALL_GROUP] = 1

    def reset(self, ids: Ids) -> None:
        """The car stands anywhere on the circuit and is to drive one way or the other."""
        config = self.config
        drawn = self.random.uniform("start", ids, 4, (0, 0, -1, -1), (self.track.length, 1, 1, 1))
        self.place[ids] = drawn[:, 0]
        self.sense[ids] = sense = np.where(drawn[:, 1] < 0.5, -1.0, 1.0)
        x, y, heading = self.track.pose(drawn[:, 0])
        offset = config.offset * drawn[:, 2]
        self.qpos[ids, 0] = x - offset * np.sin(heading)
        self.qpos[ids, 1] = y + offset * np.cos(heading)
        yaw = heading + np.where(sense < 0, np.pi, 0.0) + config.yaw * drawn[:, 3]
        self.qpos[ids, 3:7] = 0.0
        self.qpos[ids, 3], self.qpos[ids, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
        self.way[ids] = 0.0

    def act(self) -> None:
        """Angles and speeds of the wheels."""
        wanted = np.clip(self.actions, -1.0, 1.0, out=self.actions)
        speed = (wanted[:, 0] + 1.0) * (self.config.speed / 2)
        angles, speeds = ackermann(speed, wanted[:, 1] * LARGEST_STEERING)
        self.ctrl[:, self._steering] = angles
        self.ctrl[:, self._driven] = speeds

    def refresh(self, rows: Rows) -> None:
        """Where on the circuit it is, how near the walls are, and what the lidar sees."""
        qpos, qvel = self.qpos[rows], self.qvel[rows]
        w, x, y, z = qpos[:, 3], qpos[:, 4], qpos[:, 5], qpos[:, 6]
        cos, sin = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
        scale = 1.0 / np.sqrt(cos * cos + sin * sin)
        cos, sin = cos * scale, sin * scale
        place, _ = self.track.nearest(qpos[:, :2])
        self.way[rows] += self.sense[rows] * self.track.way(self.place[rows], place)
        self.place[rows] = place
        turned = np.array([[cos, sin], [-sin, cos]]).transpose(2, 0, 1)
        corners = qpos[:, None, :2] + HULL @ turned
        _, off = self.track.nearest(corners.reshape(-1, 2))
        farthest = off.reshape(-1, len(HULL)).max(axis=1)
        self.clearance[rows] = self.config.circuit.width / 2 - farthest
        ahead = cos * qvel[:, 0] + sin * qvel[:, 1]
        aside = cos * qvel[:, 1] - sin * qvel[:, 0]
        rate = 1.0 / self.config.speed
        self.motion_b[rows] = np.stack([ahead * rate, aside * rate, _TURNING * qvel[:, 5]], axis=1)
        self._see(rows, qpos, cos, sin)

    def _see(self, rows: Rows, qpos: Floats, cos: Floats, sin: Floats) -> None:
        yaw = np.arctan2(sin, cos)[:, None] + self._angles
        directions = np.stack([np.cos(yaw), np.sin(yaw), np.zeros_like(yaw)], axis=2)
        origins = np.stack(
            [qpos[:, 0] + LASER_X * cos, qpos[:, 1] + LASER_X * sin, qpos[:, 2] + LASER_Z], axis=1
        )
        ids = None if isinstance(rows, slice) else rows
        ranges = self.sim.ranges(origins, directions, self.config.lidar.range, self._groups, ids)
        self.nearness[rows] = nearness(ranges, _NEAR)

    def observations(self) -> tuple[Observation, ...]:
        """Lidar (1 at the lidar, 0 where nothing is near), motion and the last action."""
        lidar, rate = self.config.lidar, 1.0 / self.config.speed
        scan = Scan(
            rays=lidar.rays,
            first=-lidar.angle / 2,
            step=lidar.angle / (lidar.rays - 1),
            half=_NEAR,
            range=lidar.range,
            place=(LASER_X, 0.0, LASER_Z),
        )
        motion = BaseMotion(
            axes=("linear.x", "linear.y", "angular.z"), scales=(rate, rate, _TURNING)
        )
        return (
            live("lidar", self.nearness, 0.0, 1.0, frame=LASER_LINK, source=scan),
            live("motion", self.motion_b, frame=BASE_LINK, source=motion),
            live("action", self.actions, -1.0, 1.0, source=LastAction()),
        )

    def action_parts(self) -> tuple[ActionPart, ...]:
        """Speed and steering."""
        speed = ActionPart(
            name="speed",
            unit="m/s",
            low=(0.0,),
            high=(self.config.speed,),
            frame=BASE_LINK,
            meaning="speed of the middle of the rear axle",
        )
        meaning = "angle of a wheel in the middle of the front axle, left positive"
        return speed, ActionPart.even("steering", 1, "rad", LARGEST_STEERING, meaning)

    def drives(self) -> tuple[Drive, ...]:
        """A car."""
        return (SteeringDrive(wheelbase=WHEELBASE),)

    def robot(self) -> str:
        """The car."""
        return ROBOT

    def rewards(self) -> tuple[Reward, ...]:
        """Way made along the circuit [m], the lap, crash and closeness to walls [s]."""
        return (
            gain("progress", self.way),
            outcome(self._lap, 5.0),
            outcome(self._collision, -10.0),
            proximity(self.clearance, self.config.close, self.dt, -2.0),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """A hull that reaches a wall, and the laps driven."""
        return self._collision, self._lap
