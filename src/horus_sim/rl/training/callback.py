"""What happens beside the learning: limits, logs, evaluations, checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.callbacks import BaseCallback  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.utils import ConstantSchedule  # pyright: ignore[reportMissingImports]

from horus_sim.interruption import Interruption
from horus_sim.rl.training.evaluation import TRAINING_EVALUATION_SEED, evaluate
from horus_sim.rl.training.learner import Learner
from horus_sim.rl.training.policy import Policy
from horus_sim.rl.training.run_folder import RunFolder, append_row
from horus_sim.rl.training.score import Score

_LEAST_RATE = 0.1
# Off-policy algorithms end a rollout at each step; a row for each would be too many.
_STEPS_A_ROW = 100
_SECONDS_A_ROW = 1.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is.

    Attributes:
        steps: Steps of all environments together.
        seconds: Time spent [s].
        share: Share of the whole that is done, from 0 to 1.
        mean_return: Mean return of the last episodes in training, or not a number.
        success_rate: Success of the last episodes in training, with exploration; not a number
            before one is over, or where the task has no success.
    """

    steps: int
    seconds: float
    share: float
    mean_return: float
    success_rate: float


class TrainingCallback(BaseCallback):
    """Watches over a training.

    Args:
        learner: What learns.
        folder: Where files go.
        seconds: Time spent before a resume [s].
        best: Score of the best policy before a resume, or None.
        interruption: Ends it where it is asked for.
        on_progress: Told after each update.
    """

    def __init__(
        self,
        learner: Learner,
        folder: RunFolder,
        seconds: float,
        best: Score | None,
        interruption: Interruption,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        super().__init__()
        self._learner, self._folder, self._config = learner, folder, learner.config
        self._best = best
        self._before = seconds
        self._start = time.monotonic()
        self._interruption = interruption
        self._on_progress = on_progress
        self._next_evaluation = self._next_checkpoint = 0
        self._next_checkpoint_s = 0.0
        self._row_calls, self._row_s = 0, seconds

    def _on_training_start(self) -> None:
        self._next_evaluation = self.num_timesteps + self._config.evaluate_every
        self._plan_checkpoint()

    @property
    def seconds(self) -> float:
        """Time spent in training, also before a resume [s]."""
        return self._before + time.monotonic() - self._start

    def share(self) -> float:
        """How much of the training is done, from 0 to 1."""
        config, shares = self._config, [0.0]
        if config.total_steps is not None:
            shares.append(self.num_timesteps / config.total_steps)
        if config.minutes is not None:
            shares.append(self.seconds / (60 * config.minutes))
        return min(1.0, max(shares))

    def _on_rollout_start(self) -> None:
        self._learner.check_networks()

    def _on_step(self) -> bool:
        if self._interruption.is_asked:
            return False
        return self._config.minutes is None or self.seconds < 60 * self._config.minutes

    def _on_rollout_end(self) -> None:
        if self._config.schedule == "linear":
            left = _LEAST_RATE + (1 - _LEAST_RATE) * (1 - self.share())
            self.model.lr_schedule = ConstantSchedule(self._config.learning_rate * left)
        if self._is_row_due():
            self._tell()
        if self.num_timesteps >= self._next_evaluation:
            self.evaluate()
            self._next_evaluation = self.num_timesteps + self._config.evaluate_every
        if self.num_timesteps >= self._next_checkpoint or self.seconds >= self._next_checkpoint_s:
            self.checkpoint()

    def _is_row_due(self) -> bool:
        return (
            self._config.algorithm == "ppo"
            or self.n_calls >= self._row_calls + _STEPS_A_ROW
            or self.seconds >= self._row_s + _SECONDS_A_ROW
        )

    def _tell(self) -> None:
        progress = self._progress()
        self._row_calls, self._row_s = self.n_calls, progress.seconds
        append_row(
            self._folder.progress,
            {
                "steps": progress.steps,
                "seconds": round(progress.seconds, 3),
                "mean_return": progress.mean_return,
                "success_rate": progress.success_rate,
            },
        )
        if self._on_progress is not None:
            self._on_progress(progress)

    def _progress(self) -> Progress:
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        successes = self.model.ep_success_buffer if self._learner.vector.has_success else ()
        means = [float(np.mean(row)) if row else float("nan") for row in (returns, successes)]
        return Progress(self.num_timesteps, self.seconds, self.share(), *means)

    def evaluate(self) -> Score | None:
        """Evaluates the policy as it is and keeps it if it is the best.

        Returns:
            Score of the best policy so far, or None where it was interrupted.
        """
        config = self._config
        policy = self._learner.export(seconds=round(self.seconds, 1))
        try:
            report = evaluate(
                _Interruptible(policy, self._interruption),
                config.task,
                config.evaluation_episodes,
                settings=config.settings,
                seed=TRAINING_EVALUATION_SEED,
                threads=config.threads,
            )
        except _InterruptedError:
            return None
        score = Score(report.success_rate, report.returns.mean)
        append_row(
            self._folder.evaluations,
            {
                "steps": self.num_timesteps,
                "seconds": round(self.seconds, 3),
                "success_rate": "" if score.success_rate is None else score.success_rate,
                "mean_return": score.mean_return,
                "mean_length": report.lengths.mean,
            },
        )
        policy = score.signed(policy)
        # So that a page can show how it is doing.
        policy.save(self._folder.last_policy)
        best = self._best
        if best is None or score.rank > best.rank or not self._folder.policy.exists():
            self._best = best = score
            policy.save(self._folder.policy)
        return best

    def keep_policy(self) -> None:
        """Keeps the policy as it is, which no evaluation has seen; never instead of the best."""
        policy = self._learner.export(seconds=round(self.seconds, 1))
        policy.save(self._folder.last_policy)
        if not self._folder.policy.exists():
            policy.save(self._folder.policy)

    def checkpoint(self) -> None:
        """Writes a checkpoint and removes those that are too many."""
        path = self._folder.checkpoint(self.num_timesteps)
        self._learner.save(path, self.seconds)
        for old in self._folder.checkpoints()[: -self._config.keep_checkpoints]:
            old.unlink()
        self._plan_checkpoint()

    def _plan_checkpoint(self) -> None:
        self._next_checkpoint = self.num_timesteps + self._config.checkpoint_every
        self._next_checkpoint_s = self.seconds + 60 * self._config.checkpoint_minutes


class _InterruptedError(Exception):
    """An evaluation that nobody waits for."""


class _Interruptible:
    def __init__(self, policy: Policy, interruption: Interruption) -> None:
        self._policy, self._interruption = policy, interruption

    def act(self, observations: npt.NDArray[Any], /) -> npt.NDArray[np.float32]:
        if self._interruption.is_asked:
            raise _InterruptedError
        return self._policy.act(observations)


def attach_logger(model: Any, folder: RunFolder) -> None:  # noqa: ANN401 - of Stable-Baselines3
    """Lets Stable-Baselines3 write its figures for TensorBoard."""
    from stable_baselines3.common.logger import (  # pyright: ignore[reportMissingImports]
        Logger,
        TensorBoardOutputFormat,
    )

    path = str(folder.tensorboard)
    model.set_logger(Logger(path, [TensorBoardOutputFormat(path)]))
