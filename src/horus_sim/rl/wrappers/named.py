"""Observations by the names of their terms, and back to vectors."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from horus_sim.errors import TaskError
from horus_sim.rl.wrappers.episodes import EpisodeWrapper


class NamedObservations(EpisodeWrapper):
    """A dictionary with the columns of each term, as views; pictures in their shape.

    Args:
        env: One of `horus_sim.rl`'s environments.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        super().__init__(env)
        columns = getattr(env, "columns", None)
        space = env.single_observation_space
        if columns is None or not isinstance(space, gymnasium.spaces.Box):
            raise TaskError(f"{env} has no named columns; wrap an environment of horus_sim.rl")
        self._columns: dict[str, slice] = dict(columns)
        self._shapes: dict[str, tuple[int, ...]] = dict(getattr(env, "shapes", {}))
        lows, highs = self.change_final(space.low[None]), self.change_final(space.high[None])
        boxes: dict[str, gymnasium.Space[Any]] = {
            name: gymnasium.spaces.Box(lows[name][0], highs[name][0], dtype=np.float32)
            for name in lows
        }
        self.set_observation_space(gymnasium.spaces.Dict(boxes))

    def change_final(self, observations: Any) -> Any:  # noqa: ANN401 - an array
        """Columns by name."""
        return {
            name: self._shaped(observations[:, part], name) for name, part in self._columns.items()
        }

    def _shaped(self, values: Any, name: str) -> Any:  # noqa: ANN401 - arrays
        shape = self._shapes.get(name, ())
        return values if len(shape) <= 1 else values.reshape(len(values), *shape)


class FlattenObservations(EpisodeWrapper):
    """A dictionary of vectors as one vector, in the order of the dictionary's space.

    Args:
        env: An environment whose observations are a dictionary of boxes.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        super().__init__(env)
        space = env.single_observation_space
        if not isinstance(space, gymnasium.spaces.Dict):
            raise TaskError(f"{space} is flat already or cannot be flattened; give a Dict of boxes")
        self._names = tuple(space.spaces)
        self.set_observation_space(gymnasium.spaces.flatten_space(space))

    def change_final(self, observations: Any) -> Any:  # noqa: ANN401 - a dictionary
        """One vector each."""
        parts = [np.reshape(observations[name], (self.num_envs, -1)) for name in self._names]
        return np.concatenate(parts, axis=1)
