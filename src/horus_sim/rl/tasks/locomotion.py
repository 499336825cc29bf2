"""Gymnasium's Ant and HalfCheetah, with its own models and rewards, for comparison with others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Backend, Ids, Rows
from horus_sim.rl.engines.mujoco_batch import MujocoBackend
from horus_sim.rl.pictures.camera import View
from horus_sim.rl.settings import Range
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


ConfigT = TypeVar("ConfigT", bound=LocomotionConfig)


class Locomotion(Task[ConfigT]):
    """A creature that is to run along x."""

    Config: ClassVar[type[TaskConfig]] = LocomotionConfig
    file: ClassVar[str]
    skipped_positions: ClassVar[int]

    def build_model(self) -> mujoco.MjModel:
        """Gymnasium's own model."""
        model = mujoco.MjModel.from_xml_path(self._path())
        # One creature is one island; to look for more costs 4 % and changes no bit.
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
        return model

    def build_picture_model(self) -> mujoco.MjSpec | None:
        """The same model with other textures, where they are asked for."""
        kinds = {settings.kind for settings in self.config.randomization.values()}
        if "texture" not in kinds:
            return None
        spec = mujoco.MjSpec.from_file(self._path())
        # Pictures weigh nothing, and MuJoCo warns that this will go.
        spec.compiler.settotalmass = -1.0
        return spec

    def _path(self) -> str:
        return str(Path(gymnasium.__file__).parent / "envs/mujoco/assets" / self.file)

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


class HalfCheetah(Locomotion[LocomotionConfig]):
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


class AntConfig(LocomotionConfig):
    """Settings of Ant, by the names that Gymnasium gives them.

    Attributes:
        include_cfrc_ext_in_observation: Whether torques and forces of contacts on each body are
            observed, within `contact_force_range`; True in Ant-v5.
        contact_cost_weight: Weight of the sum of their squares, which is taken off the reward;
            5e-4 in Ant-v5.
        contact_force_range: Least and largest of them [N m, N].
    """

    include_cfrc_ext_in_observation: bool = False
    contact_cost_weight: Annotated[float, Field(ge=0)] = 0.0
    contact_force_range: Range = (-1.0, 1.0)

    @property
    def has_contacts(self) -> bool:
        """Whether forces of contacts matter."""
        return self.include_cfrc_ext_in_observation or self.contact_cost_weight > 0


class Ant(Locomotion[AntConfig]):
    """Ant-v5; without the forces of contacts, which are optional here, it is Ant-v4."""

    Config: ClassVar[type[TaskConfig]] = AntConfig
    file = "ant.xml"
    skipped_positions = 2

    def make_backend(self, model: mujoco.MjModel, num_envs: int, threads: int) -> Backend:
        """Simulations that keep what forces of contacts are computed from, where they matter."""
        if not self.config.has_contacts:
            return super().make_backend(model, num_envs, threads)
        if self.config.backend != "mujoco":
            raise TaskError(
                f"Ant: forces of contacts are not known to backend='{self.config.backend}'; leave "
                "out include_cfrc_ext_in_observation and contact_cost_weight, or that backend"
            )
        self._engine = MujocoBackend(model, num_envs, threads, type(self).__name__, keeps_data=True)
        return self._engine

    def bind(self) -> None:
        """Takes the state, and the torso's place, which Gymnasium measures speed by."""
        super().bind()
        self._x = self.sim.bind("xpos")[:, 1, 0]
        self._is_healthy = np.ones(self.sim.num_envs, np.bool_)
        if self.config.has_contacts:
            self._count = self.sim.bind("ncon")
            self._forces = self.array(len(self.sim.names("body")), 6)

    def refresh(self, rows: Rows) -> None:
        """Looks whether it stands, and what pushes it."""
        height = self.qpos[rows, 2]
        self._is_healthy[rows] = (height >= 0.2) & (height <= 1.0)
        if self.config.has_contacts:
            self._forces[rows] = 0.0
            # Gymnasium computes none at a start.
            moved = self.random.ids[rows][self.random.steps[rows] > 0]
            touching = moved[self._count[moved] > 0]
            self._engine.forces_from_outside(touching, self._forces)
            np.clip(self._forces, *self.config.contact_force_range, out=self._forces)

    def observations(self) -> tuple[Observation, ...]:
        """Positions, speeds and, where asked for, torques and forces on each body."""
        terms = super().observations()
        if not self.config.include_cfrc_ext_in_observation:
            return terms
        forces = self._forces[:, 1:].reshape(self.sim.num_envs, -1)
        return (*terms, live("contacts", forces, *self.config.contact_force_range))

    def rewards(self) -> tuple[Reward, ...]:
        """Speed and health, less effort and forces of contacts."""
        terms = (
            speed("forward", self._x, self.dt),
            Reward("healthy", lambda: self._is_healthy),
            Reward("effort", self.effort, -0.5),
        )
        weight = self.config.contact_cost_weight
        return (*terms, Reward("contact", self.contact_cost, -weight)) if weight > 0 else terms

    def contact_cost(self) -> npt.NDArray[Any]:
        """Sum of the squares of torques and forces of contacts."""
        forces = self._forces.reshape(self.sim.num_envs, -1)
        return np.vecdot(forces, forces)

    def terminations(self) -> tuple[Termination, ...]:
        """Ends where it fell or jumped."""
        return (Termination("unhealthy", lambda: ~self._is_healthy),)
