"""Actions that come late."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from horus_sim.errors import TaskError
from horus_sim.rl.envs.arguments import checked_actions
from horus_sim.rl.settings import whole_number
from horus_sim.rl.wrappers.episodes import EpisodeWrapper, Flags, Step


class ActionDelay(EpisodeWrapper):
    """Every action takes effect some steps later; until then 0 does.

    Args:
        env: The environment; its actions are a box.
        steps: How many steps later.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv, steps: int) -> None:
        super().__init__(env)
        space = env.action_space
        if not isinstance(space, gymnasium.spaces.Box):
            raise TaskError(
                f"actions of {space} cannot be delayed; wrap one whose actions are a box"
            )
        self._waiting = np.zeros((whole_number("steps", steps, 0) + 1, *space.shape), np.float32)
        self._now = 0

    def begin(self, begun: Flags) -> None:
        """Forgets the actions of the last episode."""
        self._waiting[:, begun] = 0.0

    def change_actions(self, actions: Any, ignored: Flags) -> Any:  # noqa: ANN401 - an array or alike
        """Keeps the actions and gives those of some steps ago.

        Raises:
            ActionError: The array has another shape, or an action is not finite. Nothing moved.
        """
        depth = len(self._waiting)
        ids = np.flatnonzero(ignored) if ignored.any() else None
        newest = (self._now + 1) % depth
        self._waiting[newest] = checked_actions(actions, self._waiting.shape[1:], ids)
        return self._waiting[(newest + 1) % depth]

    def step(self, actions: Any) -> Step:  # noqa: ANN401 - an array or alike
        """Steps with the actions of some steps ago."""
        result = super().step(actions)
        # Only here: actions of a step that was refused were not given.
        self._now = (self._now + 1) % len(self._waiting)
        return result
