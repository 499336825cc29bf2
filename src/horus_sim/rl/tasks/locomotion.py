"""Gymnasium's Ant and HalfCheetah, with its own models and rewards, for comparison with others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.rl.backend import Floats, Ids
from horus_sim.rl.config import TaskConfig
from horus_sim.rl.task import Task
from horus_sim.rl.terms import Observation, Reward, Rows, Termination
from horus_sim.robots.engine import mujoco


class LocomotionConfig(TaskConfig):
    """Settings of both.

    Attributes:
        reset_noise: Scale of what is added to positions (uniform) and speeds (normal) at a start.
    """

    physics_steps: Annotated[int, Field(ge=1)] = 5
    episode_seconds: Annotated[float, Field(gt=0)] = 50.0
    reset_noise: Annotated[float, Field(ge=0)] = 0.1


class Locomotion(Task[LocomotionConfig]):
    """A creature that is to run along x."""

    Config: ClassVar[type[TaskConfig]] = LocomotionConfig
    file: ClassVar[str]
    skipped_positions: ClassVar[int]

    def build_model(self) -> mujoco.MjModel:
        """Gymnasium's own model."""
        folder = Path(gymnasium.__file__).parent / "envs/mujoco/assets"
        model = mujoco.MjModel.from_xml_path(str(folder / self.file))
        # One creature is one island; to look for more costs 4 % and changes no bit.
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
        return model

    def view(self, model: mujoco.MjModel, env: int) -> mujoco.MjvCamera:
        """From the side, along with it."""
        camera = super().view(model, env)
        camera.lookat[:] = *self.place(env), 0.4
        camera.distance, camera.azimuth, camera.elevation = 4.0, 90.0, -20.0
        return camera

    def place(self, env: int) -> tuple[float, float]:
        """Where an environment's creature is, x, y [m]."""
        return float(self.qpos[env, 0]), float(self.qpos[env, 1])

    def bind(self) -> None:
        """Takes the state."""
        self.qpos, self.qvel = self.sim.bind("qpos"), self.sim.bind("qvel")
        self._rate = np.array([1.0 / self.dt])

    def observations(self) -> tuple[Observation, ...]:
        """Positions without those that only say where it is, and speeds."""
        nq, nv = self.qpos.shape[1], self.qvel.shape[1]
        skipped = self.skipped_positions
        return (
            Observation("positions", nq - skipped, lambda rows: self.qpos[rows, skipped:]),
            Observation("speeds", nv, lambda rows: self.qvel[rows]),
        )

    def reset(self, ids: Ids) -> None:
        """Starts near the model's own pose."""
        noise, random = self.config.reset_noise, self.random
        self.qpos[ids] += random.uniform("positions", ids, self.qpos.shape[1], -noise, noise)
        self.qvel[ids] = noise * random.normal("speeds", ids, self.qvel.shape[1])

    def effort(self) -> npt.NDArray[Any]:
        """Sum of the squares of the actions."""
        return np.vecdot(self.actions, self.actions)


class HalfCheetah(Locomotion):
    """HalfCheetah-v5."""

    file = "half_cheetah.xml"
    skipped_positions = 1

    def place(self, env: int) -> tuple[float, float]:
        """It moves along x alone."""
        return float(self.qpos[env, 0]), 0.0

    def bind(self) -> None:
        """Takes the state."""
        super().bind()
        self._x = self.qpos[:, 0]
        self._x_before = self.array()

    def before_step(self) -> None:
        """Keeps where it was."""
        self._x_before[:] = self._x

    def speed(self) -> Floats:
        """Mean speed over the step [m/s]."""
        return (self._x - self._x_before) * self._rate

    def rewards(self) -> tuple[Reward, ...]:
        """Speed, less effort."""
        return (Reward("forward", self.speed), Reward("effort", self.effort, -0.1))


class Ant(Locomotion):
    """Ant-v5 without its contact forces, which is Ant-v4."""

    file = "ant.xml"
    skipped_positions = 2

    def bind(self) -> None:
        """Takes the state, and the torso's place, which Gymnasium measures speed by."""
        super().bind()
        self._x = self.sim.bind("xpos")[:, 1, 0]
        self._x_before = self.array()
        self._is_healthy = np.ones(self.sim.num_envs, np.bool_)

    def before_step(self) -> None:
        """Keeps where it was."""
        self._x_before[:] = self._x

    def refresh(self, rows: Rows) -> None:
        """Looks whether it stands."""
        height = self.qpos[rows, 2]
        self._is_healthy[rows] = (height >= 0.2) & (height <= 1.0)

    def rewards(self) -> tuple[Reward, ...]:
        """Speed and health, less effort."""
        return (
            Reward("forward", lambda: (self._x - self._x_before) * self._rate),
            Reward("healthy", lambda: self._is_healthy.astype(np.float64)),
            Reward("effort", self.effort, -0.5),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """Ends where it fell or jumped."""
        return (Termination("unhealthy", lambda: ~self._is_healthy),)
