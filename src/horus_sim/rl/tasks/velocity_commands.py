"""Velocities that a robot is told to walk at, a new one every few seconds."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.rl.engines.interface import Floats, Ids
from horus_sim.rl.randomization.random_streams import RandomStreams
from horus_sim.rl.settings import Config, Range


class VelocityCommandConfig(Config):
    """Velocities, and how long each holds.

    Attributes:
        ahead: Least and largest speed ahead [m/s].
        aside: Least and largest speed to the left [m/s].
        turning: Least and largest rate of turning left [rad/s].
        still: Share of commands to stand still.
        straight: Share of commands along or about one axis alone.
        duration: How long a command holds [s].
    """

    ahead: Range = (-0.6, 1.0)
    aside: Range = (-0.4, 0.4)
    turning: Range = (-1.0, 1.0)
    still: Annotated[float, Field(ge=0, le=1)] = 0.1
    straight: Annotated[float, Field(ge=0, le=1)] = 0.3
    duration: Annotated[float, Field(gt=0)] = 5.0


class VelocityCommands:
    """The commands of each environment's episode, drawn when it begins.

    Args:
        config: Settings.
        num_envs: How many environments.
        episode: How long an episode lasts [s].
        dt: Time of a step [s].
    """

    def __init__(
        self, config: VelocityCommandConfig, num_envs: int, episode: float, dt: float
    ) -> None:
        self._config = config
        self.period = max(1, round(config.duration / dt))
        count = max(1, math.ceil(round(episode / dt) / self.period))
        self._all: Floats = np.zeros((num_envs, count, 3))
        self._rows = np.arange(num_envs)

    def begin(self, ids: Ids, random: RandomStreams) -> None:
        """Draws the commands of new episodes."""
        config, count = self._config, self._all.shape[1]
        drawn = random.uniform("commands", ids, 4 * count).reshape(len(ids), count, 4)
        low, high = np.array([config.ahead, config.aside, config.turning]).T
        commands = low + (high - low) * drawn[..., :3]
        kind = drawn[..., 3]
        # Of the share of single axes, each gets a third.
        axis = np.floor((kind - config.still) / max(config.straight, 1e-9) * 3.0)
        is_single = (axis >= 0) & (axis < 3)
        commands[is_single] *= np.eye(3)[axis[is_single].astype(np.int64)]
        commands[kind < config.still] = 0.0
        self._all[ids] = commands

    def now(self, steps: npt.NDArray[Any]) -> Floats:
        """The commands in force before each environment's step, shape (num_envs, 3).

        Args:
            steps: Steps that each made in its episode, shape (num_envs,).
        """
        return self._all[self._rows, np.minimum(steps // self.period, self._all.shape[1] - 1)]
