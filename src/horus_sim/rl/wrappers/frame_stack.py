"""Several observations in one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from horus_sim.errors import TaskError
from horus_sim.rl.settings import whole_number
from horus_sim.rl.wrappers.episodes import EpisodeWrapper, Flags


class FrameStack(EpisodeWrapper):
    """The last observations beside each other, the oldest first; at a start the first is repeated.

    Args:
        env: The environment; its observations are vectors.
        frames: How many.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv, frames: int) -> None:
        super().__init__(env)
        space = env.single_observation_space
        frames = whole_number("frames", frames, 1)
        if not isinstance(space, gymnasium.spaces.Box) or len(space.shape) != 1:
            raise TaskError(f"frames of {space} cannot be stacked; give vectors")
        self._size = space.shape[0]
        low, high = np.tile(space.low, frames), np.tile(space.high, frames)
        self.set_observation_space(gymnasium.spaces.Box(low, high, dtype=np.float32))
        self._frames = np.zeros((self.num_envs, frames, self._size), np.float32)

    def change_observations(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401
        """Adds a frame."""
        self._frames[:, :-1] = self._frames[:, 1:]
        self._frames[:, -1] = observations
        if begun.any():
            self._frames[begun] = observations[begun, None]
        return self._stacked()

    def change_first(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401 - an array
        """Repeats first observations; frames of the others stay."""
        self._frames[begun] = observations[begun, None]
        return self._stacked()

    def change_final(self, observations: Any) -> Any:  # noqa: ANN401 - an array
        """The last observation with those before it."""
        final = np.concatenate([self._frames[:, 1:], observations[:, None]], axis=1)
        return final.reshape(self.num_envs, -1)

    def shown(self, observations: Any) -> Any:  # noqa: ANN401, ARG002 - an array
        """The frames, of which the last is the present one."""
        return self._stacked()

    def _stacked(self) -> Any:  # noqa: ANN401 - an array
        return self._frames.reshape(self.num_envs, -1).copy()
