"""Shorter episodes."""

from __future__ import annotations

import gymnasium

from horus_sim.errors import TaskError
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.wrappers.episodes import EpisodeWrapper


class TimeLimit(EpisodeWrapper):
    """Truncates episodes after a number of steps; the environment itself does it.

    Args:
        env: One of `horus_sim.rl`'s environments, wrapped or not.
        steps: Most steps of an episode.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv, steps: int) -> None:
        super().__init__(env)
        inner = env.unwrapped
        if not isinstance(inner, VectorEnv):
            raise TaskError(f"{env} limits its own time; wrap an environment of horus_sim.rl")
        inner.limit_episodes(steps)
