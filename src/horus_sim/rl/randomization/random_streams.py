"""Random numbers of environments: functions of seed, episode, step and what they are for.

No generator is advanced, so an environment's numbers depend neither on how many environments run
beside it nor on the order in which terms ask, and a new term changes nothing for the others.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from horus_sim._native import rl_draw
from horus_sim.rl.engines.interface import Floats, Ids


@lru_cache(maxsize=1024)
def stream_of(name: str) -> int:
    """Number of the stream that a name stands for."""
    return zlib.crc32(name.encode())


class RandomStreams:
    """The random numbers of a number of environments.

    Attributes:
        seeds: Seed of each environment, shape (num_envs,).
        episodes: How many episodes each began since it was seeded, less one, shape (num_envs,).
        steps: Steps of the running episode, shape (num_envs,).
        ids: All environments, shape (num_envs,).
    """

    def __init__(self, num_envs: int) -> None:
        self.seeds = np.zeros(num_envs, np.uint64)
        self.episodes = np.zeros(num_envs, np.uint32)
        self.steps = np.zeros(num_envs, np.uint32)
        self._first_step = np.zeros(num_envs, np.uint32)
        self.ids = np.arange(num_envs)

    def seed(
        self, ids: Ids, seeds: npt.NDArray[np.uint64], next_episode: npt.ArrayLike = 0
    ) -> None:
        """Gives environments their seeds, and the number of their next episode."""
        self.seeds[ids] = seeds
        # Episodes are counted when they begin; before the first the count wraps around.
        self.episodes[ids] = np.asarray(next_episode, np.uint32) - np.ones(1, np.uint32)

    def begin_episode(self, ids: Ids) -> None:
        """Counts a new episode of these environments, at step 0."""
        self.episodes[ids] += np.uint32(1)
        self.steps[ids] = 0

    def uniform(
        self,
        name: str,
        ids: Ids,
        size: int,
        low: float | npt.ArrayLike = 0.0,
        high: float | npt.ArrayLike = 1.0,
    ) -> Floats:
        """Numbers in [low, high) that are drawn once an episode, shape (len(ids), size).

        Args:
            name: What they are for; each name is a stream of its own.
            ids: The environments.
            size: How many for each.
            low: Lower end, broadcast to the shape.
            high: Upper end, broadcast to the shape.
        """
        out = self._draw(name, ids, size, self._first_step, normal=False)
        if isinstance(low, (int, float)) and isinstance(high, (int, float)):
            out *= high - low
            out += low
        else:
            start = np.asarray(low)
            out *= np.asarray(high) - start
            out += start
        return out

    def normal(self, name: str, ids: Ids, size: int) -> Floats:
        """Numbers of mean 0 and deviation 1 that are drawn once an episode, (len(ids), size)."""
        return self._draw(name, ids, size, self._first_step, normal=True)

    def step_uniform(self, name: str, ids: Ids | None, size: int) -> Floats:
        """Numbers in [0, 1) that are drawn anew at every step, for all if `ids` is None."""
        return self._draw(name, ids, size, self.steps, normal=False)

    def step_normal(self, name: str, ids: Ids | None, size: int) -> Floats:
        """Numbers of mean 0 and deviation 1, drawn anew at every step, for all if `ids` is None."""
        return self._draw(name, ids, size, self.steps, normal=True)

    def _draw(
        self, name: str, ids: Ids | None, size: int, steps: npt.NDArray[np.uint32], *, normal: bool
    ) -> Floats:
        ids = self.ids if ids is None else ids
        out = np.empty((len(ids), size))
        rl_draw(out, ids, self.seeds, self.episodes, steps, stream_of(name), normal)
        return out
