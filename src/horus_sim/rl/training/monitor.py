"""What happens beside the learning: limits, logs, evaluations, checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.interruption import Interruption
from horus_sim.rl.training.evaluation import TRAINING_EVALUATION_SEED, evaluate
from horus_sim.rl.training.policy import Policy
from horus_sim.rl.training.run_folder import RunFolder, append_row
from horus_sim.rl.training.score import Score

if TYPE_CHECKING:
    from horus_sim.rl.training.learner import Learner

_LEAST_RATE = 0.1


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


class TrainingMonitor:
    """Watches over a training.

    Args:
        learner: What learns.
        folder: Where files go.
        seconds: Time spent before a resume [s].
        best: Score of the best policy before a resume, or None.
        interruption: Ends it where it is asked for.
        on_progress: Told after each update.

    Attributes:
        folder: Where files go.
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
        self._learner, self.folder, self._config = learner, folder, learner.config
        self._best = best
        self._before = seconds
        self._start = time.monotonic()
        self._interruption = interruption
        self._on_progress = on_progress
        self._next_evaluation = learner.steps + self._config.evaluate_every
        self._evaluated: int | None = None
        self._writer: Any = None
        self._plan_checkpoint()

    @property
    def seconds(self) -> float:
        """Time spent in training, also before a resume [s]."""
        return self._before + time.monotonic() - self._start

    @property
    def is_stopped(self) -> bool:
        """Whether someone interrupted it, or its time is over."""
        if self._interruption.is_asked:
            return True
        return self._config.minutes is not None and self.seconds >= 60 * self._config.minutes

    @property
    def is_over(self) -> bool:
        """Whether it is stopped, or all steps are made."""
        total = self._config.total_steps
        return self.is_stopped or (total is not None and self._learner.steps >= total)

    def share(self) -> float:
        """How much of the training is done, from 0 to 1."""
        config, shares = self._config, [0.0]
        if config.total_steps is not None:
            shares.append(self._learner.steps / config.total_steps)
        if config.minutes is not None:
            shares.append(self.seconds / (60 * config.minutes))
        return min(1.0, max(shares))

    @property
    def learning_rate(self) -> float:
        """The learning rate of now, by a schedule that does not depend on what is learned."""
        rate = self._config.learning_rate
        if self._config.schedule != "linear":
            return rate
        return rate * (_LEAST_RATE + (1 - _LEAST_RATE) * (1 - self.share()))

    def tell(self, figures: Mapping[str, float] | None = None) -> None:
        """Writes a row of progress, and figures of the learning for TensorBoard."""
        progress = self._progress()
        if figures is not None:
            self._log(progress, figures)
        append_row(
            self.folder.progress,
            {
                "steps": progress.steps,
                "seconds": round(progress.seconds, 3),
                "mean_return": progress.mean_return,
                "success_rate": progress.success_rate,
            },
        )
        if self._on_progress is not None:
            self._on_progress(progress)

    def _log(self, progress: Progress, figures: Mapping[str, float]) -> None:
        if self._writer is None:
            from torch.utils.tensorboard import (  # pyright: ignore[reportMissingImports]
                SummaryWriter,
            )

            self._writer = SummaryWriter(str(self.folder.tensorboard))
        rollout = {"rollout/ep_rew_mean": progress.mean_return}
        rollout["rollout/success_rate"] = progress.success_rate
        speed = {"time/fps": progress.steps / max(progress.seconds, 1e-9)}
        train = {f"train/{name}": value for name, value in figures.items()}
        for name, value in {**rollout, **speed, **train}.items():
            if not math.isnan(value):
                self._writer.add_scalar(name, value, progress.steps)

    def close(self) -> None:
        """Closes the log."""
        if self._writer is not None:
            self._writer.close()

    def look_after(self) -> None:
        """Makes the evaluation and the checkpoint that are due."""
        steps = self._learner.steps
        if steps >= self._next_evaluation:
            self.evaluate()
            self._next_evaluation = steps + self._config.evaluate_every
        if steps >= self._next_checkpoint or self.seconds >= self._next_checkpoint_s:
            self.checkpoint()

    def _progress(self) -> Progress:
        returns, successes = self._learner.recent_episodes()
        if not self._learner.vector.has_success:
            successes = ()
        means = [float(np.mean(row)) if row else float("nan") for row in (returns, successes)]
        return Progress(self._learner.steps, self.seconds, self.share(), *means)

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
        self._evaluated = self._learner.steps
        append_row(
            self.folder.evaluations,
            {
                "steps": self._learner.steps,
                "seconds": round(self.seconds, 3),
                "success_rate": "" if score.success_rate is None else score.success_rate,
                "mean_return": score.mean_return,
                "mean_length": report.lengths.mean,
            },
        )
        policy = score.signed(policy)
        # So that a page can show how it is doing.
        policy.save(self.folder.last_policy)
        best = self._best
        if best is None or score.rank > best.rank or not self.folder.policy.exists():
            self._best = best = score
            policy.save(self.folder.policy)
        return best

    def end(self) -> Score | None:
        """Evaluates the policy, unless that was just done, and saves all.

        Returns:
            Score of the best policy, or None where it was interrupted.
        """
        is_new = self._evaluated != self._learner.steps
        found = self.evaluate() if is_new else self._best
        if self._interruption.is_asked:
            found = None
        self.checkpoint()
        if found is None:
            self._keep_policy()
        return found

    def _keep_policy(self) -> None:
        """Keeps the policy as it is, which no evaluation has seen; never instead of the best."""
        policy = self._learner.export(seconds=round(self.seconds, 1))
        policy.save(self.folder.last_policy)
        if not self.folder.policy.exists():
            policy.save(self.folder.policy)

    def checkpoint(self) -> None:
        """Writes a checkpoint and removes those that are too many."""
        path = self.folder.checkpoint(self._learner.steps)
        self._learner.save(path, self.seconds)
        for old in self.folder.checkpoints()[: -self._config.keep_checkpoints]:
            old.unlink()
        self._plan_checkpoint()

    def _plan_checkpoint(self) -> None:
        self._next_checkpoint = self._learner.steps + self._config.checkpoint_every
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
