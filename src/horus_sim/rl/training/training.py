"""Training from settings to a policy, in a folder; and going on with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.errors import TrainingError
from horus_sim.interruption import Interruption
from horus_sim.rl.settings import build_config
from horus_sim.rl.training.config import TrainConfig
from horus_sim.rl.training.curve import draw_curve
from horus_sim.rl.training.run_folder import RunFolder
from horus_sim.rl.training.score import Score, best_score

if TYPE_CHECKING:
    from horus_sim.rl.training.learner import Learner
    from horus_sim.rl.training.monitor import Progress


@dataclass(frozen=True, slots=True)
class TrainResult:
    """What a training left.

    Attributes:
        folder: Its folder.
        policy: The policy that did best in an evaluation.
        steps: Steps of all environments together.
        duration: Time spent, with evaluations [s].
        success_rate: Success of the best policy in an evaluation within training; evaluate it on
            unseen episodes to know how good it is. None where the task has no success.
        mean_return: Mean return of the best policy, likewise.
        diverged: Episodes that physics could not go on with, without those before a resume.
        total_steps: Steps that were asked for, or None.
    """

    folder: Path
    policy: Path
    steps: int
    duration: float
    success_rate: float | None
    mean_return: float
    diverged: int
    total_steps: int | None = None

    @property
    def is_cut_short(self) -> bool:
        """Whether the limit in minutes came before the steps that were asked for."""
        return self.total_steps is not None and self.steps < self.total_steps


def train(
    config: TrainConfig,
    folder: str | Path,
    on_progress: Callable[[Progress], None] | None = None,
) -> TrainResult:
    """Trains a policy.

    Args:
        config: The settings.
        folder: Where everything goes; it must be new or empty, or hold a training that ended
            before its first checkpoint.
        on_progress: Told after each update.

    Raises:
        KeyboardInterrupt: There was a Ctrl-C or a SIGTERM. A checkpoint was saved, and `resume`
            goes on from it; a second Ctrl-C does not wait for that.
        MissingExtraError: The extra [train] is not installed.
        TrainingError: The folder is in use, an observation or a reward is not finite, or learning
            diverged.
    """
    # Before the folder is made: without the extra nothing is left behind.
    from horus_sim.rl.training.learner import make_learner

    run = RunFolder(folder)
    run.check_new()
    with Interruption(waits=True) as interruption, run.held():
        run.create(config)
        learner = make_learner(config)
        return _learn(learner, run, 0.0, None, interruption, on_progress)


def resume(
    folder: str | Path,
    *,
    checkpoint: str | Path | None = None,
    total_steps: int | None = None,
    minutes: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> TrainResult:
    """Goes on with a training: networks, optimizers, statistics and counts are as they were.

    Environments begin new episodes, and a replay buffer is filled anew. Rows and checkpoints from
    after the checkpoint are removed; the best policy stays until a better one is found.

    Args:
        folder: Folder of the training.
        checkpoint: Name of a file in its folder 'checkpoints', or a path; the newest unless told.
        total_steps: New limit, counted from the beginning.
        minutes: New limit, counted from the beginning; an old one is lifted by new steps.
        on_progress: Told after each update.

    Raises:
        KeyboardInterrupt: As in `train`.
        TrainingError: There is no training or no checkpoint, or it is damaged, or nothing is left
            to do, or another process trains in the folder.
    """
    from horus_sim.rl.training.learner import make_learner

    run = RunFolder(folder)
    config = run.read_config()
    if total_steps is not None or minutes is not None:
        steps = config.total_steps if total_steps is None else total_steps
        limits = {"total_steps": steps, "minutes": minutes}
        owner = f"training of '{config.task}'"
        config = build_config(TrainConfig, config.model_dump() | limits, owner)
    with run.held():
        path = run.find_checkpoint(checkpoint)
        learner = make_learner(config)
        seconds = learner.restore(path)
        done = learner.steps
        _check_left(config, path, done, seconds)
        best = best_score(run)
        with Interruption(waits=True) as interruption:
            run.rewind(done)
            run.write_config(config)
            return _learn(learner, run, seconds, best, interruption, on_progress)


def _check_left(config: TrainConfig, path: Path, done: int, seconds: float) -> None:
    if (config.total_steps is not None and done >= config.total_steps) or (
        config.minutes is not None and seconds >= 60 * config.minutes
    ):
        raise TrainingError(
            f"'{path}' is after {done:,} steps and {seconds:.1f} s, which is all that was asked "
            "for; give a larger total_steps (--steps) or minutes (--minutes)"
        )


def _learn(
    learner: Learner,
    run: RunFolder,
    seconds: float,
    best: Score | None,
    interruption: Interruption,
    on_progress: Callable[[Progress], None] | None,
) -> TrainResult:
    from horus_sim.rl.training.monitor import TrainingMonitor

    monitor = TrainingMonitor(learner, run, seconds, best, interruption, on_progress)
    try:
        learner.learn(monitor)
        learner.check_networks()
        found = monitor.end()
        spent = monitor.seconds
    finally:
        monitor.close()
        learner.close()
    if found is None:
        raise KeyboardInterrupt(f"{learner.steps:,} steps are saved in '{run.path}'")
    draw_curve(run)
    return TrainResult(
        folder=run.path,
        policy=run.policy,
        steps=learner.steps,
        duration=spent,
        success_rate=found.success_rate,
        mean_return=found.mean_return,
        diverged=learner.vector.diverged_total,
        total_steps=learner.config.total_steps,
    )
