"""Actions that come late."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from horus_sim.errors import TaskError
from horus_sim.rl.wrappers.episodes import EpisodeWrapper, Flags


class ActionDelay(EpisodeWrapper):
    """Every action takes effect some steps later; until then 0 does.

    Args:
        env: The environment; its actions are a box.
        steps: How many steps later.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv, steps: int) -> None:
        super().__init__(env)
        if steps < 0:
            raise TaskError(f"actions cannot come {-steps} steps early; give steps from 0 on")
        shape = env.action_space.shape or ()
        self._waiting = np.zeros((steps + 1, *shape), np.float32)
        self._now = 0

    def begin(self, begun: Flags) -> None:
        """Forgets the actions of the last episode."""
        self._waiting[:, begun] = 0.0

    def change_actions(self, actions: Any) -> Any:  # noqa: ANN401 - an array or alike
        """Keeps the actions and gives those of some steps ago."""
        depth = len(self._waiting)
        self._now = (self._now + 1) % depth
        self._waiting[self._now] = actions
        return self._waiting[(self._now + 1) % depth]
