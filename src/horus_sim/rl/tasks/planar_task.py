"""The base of tasks on the 2D simulator."""

from __future__ import annotations

from abc import abstractmethod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats, Ids
from horus_sim.rl.engines.planar_batch import PlanarBackend
from horus_sim.rl.pictures.planar_pictures import PlanarPictures
from horus_sim.rl.randomization.planar_visual import PlanarVisual
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.sim2d import Scenario

ConfigT = TypeVar("ConfigT", bound=TaskConfig)


class PlanarTask(Task[ConfigT]):
    """A task whose simulations are worlds of a scenario of the 2D simulator.

    Attributes:
        sim: The worlds, from `bind` on.
    """

    sim: PlanarBackend  # pyright: ignore[reportIncompatibleVariableOverride]

    @abstractmethod
    def scenario(self) -> Scenario:
        """The world of one environment, with one robot."""

    def build_model(self) -> Scenario:
        """The scenario."""
        scenario = self.scenario()
        if not isinstance(scenario, Scenario) or len(scenario.robots) != 1:
            given = type(scenario).__name__
            if isinstance(scenario, Scenario):
                given = f"one with {len(scenario.robots)} robots"
            raise TaskError(
                f"{type(self).__name__}: scenario() gave {given}; return a Scenario with one robot"
            )
        return scenario

    def make_backend(self, model: Scenario, num_envs: int, threads: int) -> PlanarBackend:
        """Worlds of the scenario."""
        if self.config.backend != "mujoco":
            raise TaskError(
                f"{type(self).__name__} runs on the 2D simulator; leave out "
                f"backend='{self.config.backend}'"
            )
        return PlanarBackend(model, num_envs, threads, type(self).__name__)

    def make_pictures(self) -> PlanarPictures:
        """Drawings from above."""
        visuals = [each for each in self.visuals if isinstance(each, PlanarVisual)]
        return PlanarPictures(self.sim, self.scenario(), self.goals(), visuals)

    def begin_worlds(self, ids: Ids, bodies: npt.NDArray[np.int64], poses: Floats) -> None:
        """Puts bodies where the episode begins; see `PlanarBackend.place`."""
        draws = self.random.uniform("world", ids, 1)[:, 0]
        self.sim.place(ids, (draws * 2.0**53).astype(np.uint64), bodies, poses)
