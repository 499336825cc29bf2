"""The base of wrappers that must know where episodes begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

Flags = npt.NDArray[np.bool_]
Step = tuple[Any, Any, Any, Any, dict[str, Any]]


class EpisodeWrapper(gymnasium.vector.VectorWrapper):
    """Calls `begin` with the environments whose observation is the first of an episode.

    Subclasses override `begin`, `change_actions`, `change_observations` and `change_final`.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        super().__init__(env)
        self._mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._done: Flags = np.zeros(self.num_envs, np.bool_)

    def begin(self, begun: Flags) -> None:
        """Forgets what was before, where `begun`, shape (num_envs,)."""

    def change_actions(self, actions: Any) -> Any:  # noqa: ANN401 - any space
        """What the environment gets instead."""
        return actions

    def change_observations(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401, ARG002
        """What the trainer gets instead."""
        return observations

    def change_final(self, observations: Any) -> Any:  # noqa: ANN401 - any space
        """What the trainer gets instead as last observations, in 'SameStep' mode."""
        return observations

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins episodes."""
        observations, info = self.env.reset(seed=cast("Any", seed), options=options)
        begun = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            begun = np.asarray(options["reset_mask"])
        self._done = self._done & ~begun
        self.begin(begun)
        return self.change_observations(observations, begun), info

    def step(self, actions: Any) -> Step:  # noqa: ANN401 - any space
        """Steps, with what the wrapper changes."""
        before = self._done
        if self._mode is AutoresetMode.NEXT_STEP and before.any():
            self.begin(before)
        observations, rewards, terminated, truncated, info = self.env.step(
            self.change_actions(actions)
        )
        self._done = done = terminated | truncated
        if self._mode is AutoresetMode.SAME_STEP:
            if done.any():
                info["final_obs"] = self.change_final(info["final_obs"])
                self.begin(done)
            begun = done
        else:
            begun = before
        return self.change_observations(observations, begun), rewards, terminated, truncated, info
