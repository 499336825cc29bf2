"""A task that looks at a state from elsewhere: what it would observe there, and whether it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import ALL
from horus_sim.rl.envs.make import make_vector
from horus_sim.rl.tasks.task import Task


@dataclass(frozen=True, slots=True)
class Sight:
    """What a task says of a state.

    Attributes:
        observation: What it observes, shape (columns,), float32.
        cause: Why the episode is over, '' while it goes on.
        success: Whether it ended by solving the task.
    """

    observation: npt.NDArray[np.float32]
    cause: str
    success: bool


class Mirror:
    """One environment of a task whose state is written instead of stepped.

    Args:
        task: Name of the task.
        settings: Its settings.
    """

    def __init__(self, task: str, settings: Mapping[str, Any]) -> None:
        self.envs = make_vector(task, 1, 1, "Disabled", **settings)
        self._runner = self.envs.runner
        self._ids = np.zeros(1, np.int64)

    @property
    def task(self) -> Task[Any]:
        """The task."""
        return self.envs.task

    def begin(self, seed: int, number: int) -> npt.NDArray[np.float32]:
        """Begins an episode, as a batch would, and gives what is observed, shape (columns,).

        Args:
            seed: Seed of the environment.
            number: How many episodes it ended before.
        """
        seeds, numbers = np.array([seed], np.uint64), np.array([number], np.uint32)
        return self.envs.begin_episodes(self._ids, seeds, numbers)[0].copy()

    def look(
        self, write: Callable[[Task[Any]], object], action: npt.NDArray[Any], *, is_step: bool
    ) -> Sight:
        """What the task says of a state.

        Args:
            write: Writes the state into the task's arrays.
            action: The last action, shape (actions,).
            is_step: Whether a step was made since the last look; the start is none.
        """
        runner, task = self._runner, self.task
        task.before_step()
        task.actions[0] = action
        write(task)
        runner.backend.forward(self._ids)
        if is_step:
            runner.random.steps += np.uint32(1)
        task.refresh(ALL)
        runner.observe(ALL)
        *_, info = runner.endings(None, None)
        cause = int(info["cause"][0])
        seen = runner.observation_buffer[0].copy()
        return Sight(seen, self.envs.causes[cause], bool(info["success"][0]))

    def close(self) -> None:
        """Closes the environment."""
        self.envs.close()
