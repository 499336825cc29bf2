"""The base of tasks on the 2D simulator."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.backend import Floats, Ids
from horus_sim.rl.config import TaskConfig
from horus_sim.rl.sim2d.backend import PlanarBackend
from horus_sim.rl.sim2d.pictures import PlanarPictures
from horus_sim.rl.task import Task
from horus_sim.rl.terms import Rows
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

    def build_model(self) -> Any:  # noqa: ANN401 - there is no MuJoCo here
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

    def make_backend(self, model: Any, num_envs: int, threads: int) -> PlanarBackend:  # noqa: ANN401
        """Worlds of the scenario."""
        if self.config.backend != "mujoco":
            raise TaskError(
                f"{type(self).__name__} runs on the 2D simulator; leave out "
                f"backend='{self.config.backend}'"
            )
        return PlanarBackend(model, num_envs, threads, type(self).__name__)

    def action_bounds(self, model: Any) -> tuple[npt.ArrayLike, npt.ArrayLike]:  # noqa: ANN401
        """From -1 to 1."""
        del model
        return (-1.0, -1.0), (1.0, 1.0)

    def make_pictures(self) -> PlanarPictures:
        """Drawings from above."""
        return PlanarPictures(self.sim, self.scenario(), self.goals())

    def goals(self) -> Floats | None:
        """x, y of the goals in pictures [m], shape (num_envs, 2), or None."""
        return None

    @cached_property
    def dt(self) -> float:
        """Simulated time of a step of the environment [s]."""
        return self.sim.timestep * self.config.physics_steps

    def last_actions(self, rows: Rows) -> npt.NDArray[np.float32]:
        """Actions within their bounds, shape (n, actions)."""
        return np.clip(self.actions[rows], -1.0, 1.0)

    def begin_worlds(self, ids: Ids, bodies: npt.NDArray[np.int64], poses: Floats) -> None:
        """Puts bodies where the episode begins; see `PlanarBackend.place`."""
        draws = self.random.uniform("world", ids, 1)[:, 0]
        self.sim.place(ids, (draws * 2.0**53).astype(np.uint64), bodies, poses)
