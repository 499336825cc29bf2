"""A quadrotor that is to hover at one waypoint after the other, in wind."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.rl.contract.action import ActionPart
from horus_sim.rl.contract.sources.motion import LastAction
from horus_sim.rl.engines.interface import Bools, Floats, Ids, Rows
from horus_sim.rl.models.quadrotor_model import AIR_DRAG, RATES, ROBOT, THRUST, quadrotor_spec
from horus_sim.rl.pictures.camera import View
from horus_sim.rl.settings import Config, NotNegativeRange
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.observations import lengths, live
from horus_sim.rl.terms.rewards import outcome
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.rl.terms.walking import closeness, squares
from horus_sim.robots.engine import mujoco

_GRAVITY = 9.81
_FRAME = "base_link"


class WindConfig(Config):
    """The air.

    Attributes:
        speed: Least and largest mean speed of an episode's wind, level, from anywhere [m/s].
        gusts: Deviation of the speed along each axis about that [m/s].
        gust_time: How long gusts last [s].
    """

    speed: NotNegativeRange = (0.0, 4.0)
    gusts: Annotated[float, Field(ge=0)] = 0.7
    gust_time: Annotated[float, Field(gt=0)] = 0.8


class HoveringConfig(TaskConfig):
    """Settings of hovering.

    Attributes:
        waypoints: How many, one after the other.
        hold: Time for each of them [s].
        settling: It counts whether the craft is there from this time on [s].
        tolerance: It is there within this distance [m].
        distance: Least and largest distance of a waypoint from the one before [m].
        heights: Least and largest height of waypoints [m].
        wind: The air.
        rates: Largest rates of roll, pitch and yaw that are told [rad/s].
        far: Farther than this from its waypoint it is lost [m].
    """

    physics_steps: Annotated[int, Field(ge=1)] = 4
    waypoints: Annotated[int, Field(ge=1)] = 3
    hold: Annotated[float, Field(gt=0)] = 4.0
    settling: Annotated[float, Field(ge=0)] = 2.5
    tolerance: Annotated[float, Field(gt=0)] = 0.1
    distance: NotNegativeRange = (0.0, 2.0)
    heights: NotNegativeRange = (1.0, 3.0)
    wind: WindConfig = WindConfig()
    rates: tuple[float, float, float] = (6.0, 6.0, 2.0)
    far: Annotated[float, Field(gt=0)] = 5.0
    episode_duration: Annotated[float, Field(gt=0)] = 12.0

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.settling < self.hold:
            raise ValueError(f"settling is {self.settling} and hold {self.hold}; settle earlier")
        return self


class Hovering(Task[HoveringConfig]):
    """Actions are thrust (-1 is none, 0 carries the weight, 1 is all) and rates of turning."""

    Config: ClassVar[type[TaskConfig]] = HoveringConfig

    def build_model(self) -> mujoco.MjModel:
        """The craft."""
        spec, self._craft = quadrotor_spec()
        return spec.compile()

    def build_picture_model(self) -> mujoco.MjModel:
        """The craft as described."""
        return quadrotor_spec(lean=False)[0].compile()

    def view(self, env: int) -> View:
        """From the side on craft and waypoint."""
        x, y, z = ((self.qpos[env, :3] + self.goal[env]) / 2).tolist()
        return View((x, y, z), 4.0, -20.0)

    def goals(self) -> Floats:
        """The waypoints."""
        return self.goal

    def action_bounds(self) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """From -1 to 1."""
        return -np.ones(4), np.ones(4)

    def robot(self) -> str:
        """The shipped quadrotor."""
        return ROBOT

    def action_parts(self) -> tuple[ActionPart, ...]:
        """Thrust as a share of what there is below and above the weight, and rates of turning."""
        lift = ActionPart.even("thrust", 1, "1", 1.0, "thrust: -1 none, 0 the weight, 1 all")
        meaning = "rates of roll, pitch and yaw"
        rates = self.config.rates
        turn = ActionPart(
            name="rates",
            size=3,
            unit="rad/s",
            low=tuple(-rate for rate in rates),
            high=rates,
            frame=_FRAME,
            meaning=meaning,
        )
        return (lift, turn)

    def bind(self) -> None:
        """Takes the state and makes the arrays that terms share."""
        sim, config = self.sim, self.config
        self.qpos, self.qvel = sim.bind("qpos"), sim.bind("qvel")
        self._push = sim.bind("xfrc_applied")[:, 1]
        self._thrust = sim.id("actuator", THRUST)
        self._turn = sim.ids("actuator", RATES)
        self._rates = np.array(config.rates)
        self._weight = self._craft.mass * _GRAVITY
        self._all = self.array(config.waypoints, 3)
        self._period = round(config.hold / self.dt)
        self._settled = round(config.settling / self.dt)
        self._last = max(1, round(config.episode_duration / self.dt))
        self._env = np.arange(sim.num_envs)
        self.goal, self.to_goal, self.to_goal_b = self.array(3), self.array(3), self.array(3)
        self.distance, self.rotation = self.array(), self.array(9)
        self.velocity_b, self.force_b = self.array(3), self.array(3)
        self.wind, self._gust, self._drag = self.array(3), self.array(3), self.array(3)
        self._distance_before = self.array()
        self._is_off = self.array(dtype=np.bool_)
        self._actions_before, self._actions_last = (np.zeros_like(self.actions) for _ in range(2))
        self._crash = Termination("crash", lambda: self.qpos[:, 2] < 0.1)
        self._lost = Termination("lost", lambda: self.distance > config.far)

    def reset(self, ids: Ids) -> None:
        """The craft hovers nearly, and is to go to its first waypoint."""
        config, random = self.config, self.random
        low, high = config.heights
        self.qpos[ids, :2] = 0.0
        self.qpos[ids, 2] = random.uniform("height", ids, 1, low, high)[:, 0]
        turn = random.uniform("attitude", ids, 4, -1.0, 1.0)
        tilt = 0.3 * turn[:, :3]
        yaw = np.pi * turn[:, 3]
        self.qpos[ids, 3], self.qpos[ids, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
        self.qvel[ids, 3:6] = tilt
        self.qvel[ids, :3] = random.uniform("velocity", ids, 3, -0.5, 0.5)
        count = config.waypoints
        drawn = random.normal("waypoints", ids, 3 * count).reshape(len(ids), count, 3)
        reach = random.uniform("distances", ids, count, *config.distance)
        offsets = drawn * (reach / np.linalg.norm(drawn, axis=2))[..., None]
        at = self.qpos[ids, :3].copy()
        for number in range(count):
            at = at + offsets[:, number]
            at[:, 2] = np.clip(at[:, 2], low, high)
            self._all[ids, number] = at
        blow = random.uniform("wind", ids, 2)
        speed = config.wind.speed[0] + (config.wind.speed[1] - config.wind.speed[0]) * blow[:, 0]
        angle = 2 * np.pi * blow[:, 1]
        self.wind[ids, 0], self.wind[ids, 1] = speed * np.cos(angle), speed * np.sin(angle)
        self._gust[ids] = config.wind.gusts * random.normal("gust", ids, 3)
        self.ctrl[ids, self._thrust] = self._weight
        self._actions_before[ids] = self._actions_last[ids] = 0.0
        self._is_off[ids] = False

    def before_step(self) -> None:
        """Keeps the last action, and lets the wind go on."""
        self._actions_before[:] = self._actions_last
        # From the waypoint that counts after the step.
        after = self._waypoints(self.random.steps + 1)
        self._distance_before[:] = lengths(after - self.qpos[:, :3])
        config = self.config.wind
        keep = math.exp(-self.dt / config.gust_time)
        self._gust *= keep
        spread = config.gusts * math.sqrt(1 - keep * keep)
        self._gust += spread * self.random.step_normal("gusts", None, 3)

    def act(self) -> None:
        """Thrust, rates of turning, and how the air drags at the craft."""
        np.clip(self.actions, -1.0, 1.0, out=self.actions)
        self._actions_last[:] = self.actions
        lift = self.actions[:, 0]
        above = self._craft.most_thrust - self._weight
        self.ctrl[:, self._thrust] = self._weight + lift * np.where(lift > 0, above, self._weight)
        self.ctrl[:, self._turn] = self.actions[:, 1:] * self._rates
        self._drag[:] = AIR_DRAG * (self.wind + self._gust - self.qvel[:, :3])
        self._push[:, :3] = self._drag

    def refresh(self, rows: Rows) -> None:
        """Where the waypoint is, how the craft moves and what its accelerometer feels."""
        qpos = self.qpos[rows]
        self.goal[rows] = self._waypoints(self.random.steps)[rows]
        self.to_goal[rows] = to_goal = self.goal[rows] - qpos[:, :3]
        self.distance[rows] = lengths(to_goal)
        w, x, y, z = qpos[:, 3], qpos[:, 4], qpos[:, 5], qpos[:, 6]
        flat = np.stack(
            [
                1 - 2 * (y * y + z * z),
                2 * (x * y - w * z),
                2 * (x * z + w * y),
                2 * (x * y + w * z),
                1 - 2 * (x * x + z * z),
                2 * (y * z - w * x),
                2 * (x * z - w * y),
                2 * (y * z + w * x),
                1 - 2 * (x * x + y * y),
            ],
            axis=1,
        )
        self.rotation[rows] = flat
        turn = flat.reshape(-1, 3, 3)
        self.to_goal_b[rows] = np.einsum("nij,ni->nj", turn, to_goal)
        self.velocity_b[rows] = np.einsum("nij,ni->nj", turn, self.qvel[rows, :3])
        felt = np.einsum("nij,ni->nj", turn, self._drag[rows])
        felt[:, 2] += self.ctrl[rows, self._thrust]
        self.force_b[rows] = felt * (1.0 / self._weight)
        counts = self.random.steps[rows] % self._period >= self._settled
        self._is_off[rows] |= counts & (self.distance[rows] > self.config.tolerance)

    def _waypoints(self, steps: npt.NDArray[np.uint32]) -> Floats:
        """The waypoints in force after steps, shape (num_envs, 3)."""
        return self._all[self._env, np.minimum(steps // self._period, self.config.waypoints - 1)]

    def observations(self) -> tuple[Observation, ...]:
        """Waypoint, attitude, motion, accelerometer and last action; vectors in its own frame."""
        return (
            live("goal", self.to_goal_b, unit="m", frame=_FRAME),
            live("up", self.rotation[:, 6:], -1.0, 1.0, frame=_FRAME),
            live("velocity", self.velocity_b, unit="m/s", frame=_FRAME),
            live("angular_velocity", self.qvel[:, 3:6], unit="rad/s", frame=_FRAME),
            live("accelerometer", self.force_b, unit="9.81 m/s^2", frame=_FRAME),
            live("action", self.actions, -1.0, 1.0, source=LastAction()),
        )

    def rewards(self) -> tuple[Reward, ...]:
        """Being at the waypoint, coming nearer; against crashes and what shakes the craft."""
        dt = self.dt
        return (
            Reward("progress", lambda: self._distance_before - self.distance, 2.0),
            closeness("near", lambda: self.to_goal, 0.6, dt),
            closeness("there", lambda: self.to_goal, 0.1, dt, 2.0),
            squares("turning", lambda: self.qvel[:, 3:6], dt, -0.02),
            squares("jerk", lambda: self.actions - self._actions_before, dt, -0.1),
            outcome(self._crash, -5.0),
            outcome(self._lost, -5.0),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """A crash, a craft that is lost; at the end of the time, success if it was always there."""
        return (
            self._crash,
            self._lost,
            Termination("held", self.has_held, success=True, truncates=True),
        )

    def has_held(self) -> Bools:
        """Whether the time is over and it was at every waypoint in time, shape (num_envs,)."""
        return ~self._is_off & (self.random.steps >= self._last)
