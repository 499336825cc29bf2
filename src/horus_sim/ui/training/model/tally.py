"""Episodes that are counted while they are shown."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

# As many as progress.csv of a training is about.
_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Episode:
    """One that is over.

    Attributes:
        env: Number of its environment.
        cause: What ended it.
        success: Whether that solves the task.
        total: Sum of its rewards.
        steps: How many it had.
    """

    env: int
    cause: str
    success: bool
    total: float
    steps: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The last episodes, 1000 at most.

    Attributes:
        episodes: How many are over in all.
        counted: How many of them the figures are about.
        successes: How many of those counted, or None where the task has no success.
        mean_return: Mean sum of rewards, or not a number.
        std_return: Its standard deviation.
        mean_steps: Mean length in steps.
        causes: How often each cause ended one, the most frequent first.
        rewards: Mean sum of each reward term in an episode.
        newest: The one that ended last, or None.
    """

    episodes: int = 0
    counted: int = 0
    successes: int | None = None
    mean_return: float = float("nan")
    std_return: float = float("nan")
    mean_steps: float = float("nan")
    causes: Mapping[str, int] = field(default_factory=dict)
    rewards: Mapping[str, float] = field(default_factory=dict)
    newest: Episode | None = None


class Tally:
    """Adds up rewards of running episodes, and counts those that end.

    Args:
        num_envs: How many environments.
        terms: Names of the reward terms.
        causes: What the numbers of causes mean.
        has_success: Whether the task can be solved.

    Attributes:
        returns: Sums of rewards of the running episodes, shape (num_envs,).
        steps: Their lengths, shape (num_envs,).
    """

    def __init__(
        self, num_envs: int, terms: Sequence[str], causes: Sequence[str], *, has_success: bool
    ) -> None:
        self.returns = np.zeros(num_envs)
        self.steps = np.zeros(num_envs, np.int64)
        self._terms = tuple(terms)
        self._sums = np.zeros((num_envs, len(self._terms)))
        self._causes = causes
        self._has_success = has_success
        self._episodes: deque[tuple[Episode, npt.NDArray[np.float64]]] = deque(maxlen=_KEPT)
        self._count = 0

    def add(
        self,
        rewards: npt.NDArray[np.float64],
        over: npt.NDArray[np.intp],
        info: Mapping[str, Any],
    ) -> list[Episode]:
        """Takes a step of all environments in.

        Args:
            rewards: Rewards of the step, shape (num_envs,).
            over: Environments whose episode ended with it.
            info: Information that the step gave, in 'SameStep' mode.

        Returns:
            The episodes that ended.
        """
        self.returns += rewards
        self.steps += 1
        # Terms of the step that ended an episode are those of its last info.
        terms = info["reward"]
        for column, name in enumerate(self._terms):
            self._sums[:, column] += terms[name]
        ended = []
        for env in over.tolist():
            last = info["final_info"]
            episode = Episode(
                env,
                self._causes[int(last["cause"][env])],
                bool(last["success"][env]),
                float(self.returns[env]),
                int(self.steps[env]),
            )
            self._episodes.append((episode, self._sums[env].copy()))
            ended.append(episode)
        self._count += len(ended)
        self.returns[over], self.steps[over], self._sums[over] = 0.0, 0, 0.0
        return ended

    def summary(self) -> Summary:
        """The figures of now."""
        counted = len(self._episodes)
        if not counted:
            return Summary(successes=0 if self._has_success else None)
        episodes = [episode for episode, _ in self._episodes]
        returns = np.array([episode.total for episode in episodes])
        sums = np.array([terms for _, terms in self._episodes]).mean(axis=0)
        return Summary(
            self._count,
            counted,
            sum(episode.success for episode in episodes) if self._has_success else None,
            float(returns.mean()),
            float(returns.std()),
            float(np.mean([episode.steps for episode in episodes])),
            dict(Counter(episode.cause for episode in episodes).most_common()),
            dict(zip(self._terms, sums.tolist(), strict=True)),
            episodes[-1],
        )
