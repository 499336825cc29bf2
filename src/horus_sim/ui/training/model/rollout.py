"""A policy that drives the environments of a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.errors import PolicyError, UiError
from horus_sim.rl.envs.make import make_vector
from horus_sim.rl.settings import merged
from horus_sim.rl.tasks.planar_task import PlanarTask
from horus_sim.rl.training.evaluation import UNSEEN_SEED
from horus_sim.ui.training.model.picture2d import Picture2d
from horus_sim.ui.training.model.picture3d import Picture3d
from horus_sim.ui.training.model.policies import FoundPolicy, RandomActions
from horus_sim.ui.training.model.tally import Episode, Tally

if TYPE_CHECKING:
    from horus_sim.rl.training.evaluation import Acting

MOST_ENVS = 64
LARGEST_SEED = 2**53
_FLASH_STEPS_S = 0.7
_SAMPLES = 12
_APART = 1000
RUNNING, SUCCEEDED, FAILED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Choice:
    """What is shown.

    Attributes:
        task: Name of a task.
        policy: Name or path of a policy, or 'random'.
        envs: How many environments.
        seed: Seed of the first one.
        settings: Settings of the task, over those of the policy.
    """

    task: str
    policy: str
    envs: int = 9
    seed: int = UNSEEN_SEED
    settings: Mapping[str, Any] = field(default_factory=dict)


class Rollout:
    """Environments of a task, stepped together by a policy.

    Args:
        choice: What is shown.
        found: The policy.
        number: Frames and geometry carry it.

    Raises:
        UiError: There would be too many environments, or none.
        PolicyError: The policy does not fit the task.
        TaskError: The task is unknown, or a setting does not fit.
    """

    def __init__(self, choice: Choice, found: FoundPolicy, number: int) -> None:
        if not 1 <= choice.envs <= MOST_ENVS:
            raise UiError(f"{choice.envs} environments cannot be shown; choose 1 to {MOST_ENVS}")
        if not 0 <= choice.seed <= LARGEST_SEED:
            raise UiError(f"the seed is {choice.seed}; choose one from 0 to 2**53")
        self.choice = choice
        self.found = found
        self.number = number
        settings = merged(found.settings, choice.settings)
        # One thread: it runs beside the server, and perhaps beside a training.
        self._envs = make_vector(choice.task, choice.envs, 1, "SameStep", **settings)
        task = self._envs.task
        self.dt = float(task.dt)
        self.has_success = any(term.success for term in task.terminations())
        self.is_planar = isinstance(task, PlanarTask)
        self._flash = np.zeros(choice.envs, np.int64)
        self._flash_left = np.zeros(choice.envs)
        self.reset()
        self._check_policy()
        self.picture = self._make_picture()
        self.reset()

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.steps * self.dt

    def step(self) -> list[Episode]:
        """Lets the policy act once everywhere; gives the episodes that ended."""
        actions = self._policy.act(self._observations)
        self._observations, rewards, terminated, truncated, info = self._envs.step(actions)
        over = np.flatnonzero(terminated | truncated)
        ended = self.tally.add(rewards, over, info)
        self.steps += 1
        self._flash_left -= self.dt
        for episode in ended:
            self._flash[episode.env] = SUCCEEDED if episode.success else FAILED
            self._flash_left[episode.env] = _FLASH_STEPS_S
        self._flash[self._flash_left <= 0] = RUNNING
        return ended

    def reset(self) -> None:
        """Begins all episodes anew, with the seed of the choice, and counts anew."""
        task, choice = self._envs.task, self.choice
        self._observations, _ = self._envs.reset(seed=choice.seed)
        self._policy: Acting = self.found.policy or RandomActions(
            self._envs.single_action_space, choice.seed
        )
        terms = [term.name for term in task.rewards()]
        self.tally = Tally(choice.envs, terms, self._envs.causes, has_success=self.has_success)
        self.steps = 0
        self._flash[:] = RUNNING

    def frame(self) -> bytes:
        """Where everything is now, for the view."""
        return self.picture.frame(self.time, self._flash)

    def close(self) -> None:
        """Frees the environments."""
        self._envs.close()

    def _make_picture(self) -> Picture2d | Picture3d:
        task, choice = self._envs.task, self.choice
        if isinstance(task, PlanarTask):
            return Picture2d(task, choice.task, choice.envs, self.number)
        return Picture3d(task, choice.task, choice.envs, self.number, self._other_episodes())

    def _other_episodes(self) -> Iterator[None]:
        """Begins episodes of other seeds, so that tiles are made large enough for most."""
        for number in range(1, _SAMPLES):
            yield
            self._envs.reset(seed=number * _APART)
        yield

    def _check_policy(self) -> None:
        actions = self._policy.act(self._observations)
        wanted = self._envs.action_space.shape
        if actions.shape != wanted:
            raise PolicyError(
                f"the policy for '{self.found.learned}' gives actions of shape {actions.shape}, "
                f"'{self.choice.task}' takes {wanted}; choose a policy that learned this task"
            )
