"""What a policy did in all environments for some steps, and the advantages of what it did."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


class Rollout:
    """Arrays that are made once and filled anew by each rollout.

    Args:
        steps: Steps of each environment.
        num_envs: How many environments.
        columns: Numbers of an observation.
        actions: Numbers of an action.

    Attributes:
        observations: Normalized, with the one after the last step, shape (steps + 1, num_envs,
            columns).
        actions: As drawn, before they are clipped, shape (steps, num_envs, actions).
        means: What they were drawn about, shape (steps, num_envs, actions).
        rewards: Shape (steps, num_envs).
        terminated: Whether an episode ended for good, shape (steps, num_envs).
        done: Whether one ended, also by a time limit, shape (steps, num_envs).
        values: What the critic expects from each observation on, shape (steps + 1, num_envs).
    """

    def __init__(self, steps: int, num_envs: int, columns: int, actions: int) -> None:
        self.observations = np.zeros((steps + 1, num_envs, columns), np.float32)
        self.actions = np.zeros((steps, num_envs, actions), np.float32)
        self.means = np.zeros((steps, num_envs, actions), np.float32)
        self.rewards = np.zeros((steps, num_envs), np.float32)
        self.terminated = np.zeros((steps, num_envs), np.bool_)
        self.done = np.zeros((steps, num_envs), np.bool_)
        self.values = np.zeros((steps + 1, num_envs), np.float32)
        self._cut: list[tuple[int, npt.NDArray[np.intp], Floats]] = []

    def begin(self) -> None:
        """Goes on from where the last rollout ended."""
        self.observations[0] = self.observations[-1]
        self._cut = []

    def keep_last(self, step: int, envs: npt.NDArray[np.intp], observations: Floats) -> None:
        """Keeps the last observations of episodes that a time limit cut off in a step.

        Args:
            step: The step.
            envs: Their environments.
            observations: Normalized, shape (len(envs), columns).
        """
        self._cut.append((step, envs, observations))

    def last_observations(self) -> Floats:
        """Those that were kept, shape (n, columns)."""
        columns = self.observations.shape[2]
        return np.concatenate([np.empty((0, columns), np.float32), *(cut[2] for cut in self._cut)])

    def next_values(self, last_values: Floats) -> Floats:
        """Value of what follows each step, shape (steps, num_envs).

        Args:
            last_values: Value of each of `last_observations`.
        """
        values = self.values[1:].copy()
        start = 0
        for step, envs, _ in self._cut:
            values[step, envs] = last_values[start : start + len(envs)]
            start += len(envs)
        return values


def advantages(
    rewards: Floats,
    values: Floats,
    next_values: Floats,
    terminated: Flags,
    done: Flags,
    discount: float,
    gae_lambda: float,
) -> Floats:
    """Generalized advantage estimates (Schulman et al. 2016), shape (steps, num_envs).

    An end for good is worth nothing further; one by a time limit is worth what the critic expects
    to have followed.

    Args:
        rewards: Of each step, shape (steps, num_envs), as all that follow.
        values: Of what was observed before it.
        next_values: Of what was observed after it, within the same episode.
        terminated: Whether the episode ended for good in it.
        done: Whether the episode ended in it.
        discount: Of rewards, for each step.
        gae_lambda: Of later estimates, for each step.
    """
    estimates: Any = rewards + np.float32(discount) * next_values * ~terminated - values
    factors = np.float32(discount * gae_lambda) * ~done
    for step in range(len(estimates) - 2, -1, -1):
        estimates[step] += factors[step] * estimates[step + 1]
    return estimates
