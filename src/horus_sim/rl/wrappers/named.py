"""Observations by the names of their terms, and back to vectors."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space

from horus_sim.errors import TaskError
from horus_sim.rl.wrappers.episodes import EpisodeWrapper, Flags


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
        self.single_observation_space = gymnasium.spaces.Dict(
            {
                name: gymnasium.spaces.Box(
                    self._shaped(space.low[None, part], name)[0],
                    self._shaped(space.high[None, part], name)[0],
                    dtype=np.float32,
                )
                for name, part in self._columns.items()
            }
        )
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def change_observations(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401, ARG002
        """Columns by name."""
        return self.change_final(observations)

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
        self.single_observation_space = gymnasium.spaces.flatten_space(space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def change_observations(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401, ARG002
        """One vector each."""
        return self.change_final(observations)

    def change_final(self, observations: Any) -> Any:  # noqa: ANN401 - a dictionary
        """One vector each."""
        parts = [np.reshape(observations[name], (self.num_envs, -1)) for name in self._names]
        return np.concatenate(parts, axis=1)
