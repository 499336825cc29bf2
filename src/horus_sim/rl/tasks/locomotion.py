"""Gymnasium's Ant and HalfCheetah, with its own models and rewards, for comparison with others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.rl.engines.interface import Ids, Rows
from horus_sim.rl.pictures.camera import View
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.observations import live
from horus_sim.rl.terms.rewards import speed
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.robots.engine import mujoco


class LocomotionConfig(TaskConfig):
    """Settings of both.

    Attributes:
        reset_noise: Scale of what is added to positions (uniform) and speeds (normal) at a start.
    """

    physics_steps: Annotated[int, Field(ge=1)] = 5
    episode_duration: Annotated[float, Field(gt=0)] = 50.0
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

    def view(self, env: int) -> View:
        """From the side, along with it."""
        return View((*self.place(env), 0.4), 4.0, -20.0)

    def place(self, env: int) -> tuple[float, float]:
        """Where an environment's creature is, x, y [m]."""
        return float(self.qpos[env, 0]), float(self.qpos[env, 1])

    def bind(self) -> None:
        """Takes the state."""
        self.qpos, self.qvel = self.sim.bind("qpos"), self.sim.bind("qvel")

    def observations(self) -> tuple[Observation, ...]:
        """Positions without those that only say where it is, and speeds."""
        positions = self.qpos[:, self.skipped_positions :]
        return (
            live("positions", positions, -np.inf, np.inf),
            live("speeds", self.qvel, -np.inf, np.inf),
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

    def rewards(self) -> tuple[Reward, ...]:
        """Speed, less effort."""
        forward = speed("forward", self.qpos[:, 0], self.dt)
        return (forward, Reward("effort", self.effort, -0.1))


class Ant(Locomotion):
    """Ant-v5 without its contact forces, which is Ant-v4."""

    file = "ant.xml"
    skipped_positions = 2

    def bind(self) -> None:
        """Takes the state, and the torso's place, which Gymnasium measures speed by."""
        super().bind()
        self._x = self.sim.bind("xpos")[:, 1, 0]
        self._is_healthy = np.ones(self.sim.num_envs, np.bool_)

    def refresh(self, rows: Rows) -> None:
        """Looks whether it stands."""
        height = self.qpos[rows, 2]
        self._is_healthy[rows] = (height >= 0.2) & (height <= 1.0)

    def rewards(self) -> tuple[Reward, ...]:
        """Speed and health, less effort."""
        return (
            speed("forward", self._x, self.dt),
            Reward("healthy", lambda: self._is_healthy),
            Reward("effort", self.effort, -0.5),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """Ends where it fell or jumped."""
        return (Termination("unhealthy", lambda: ~self._is_healthy),)
