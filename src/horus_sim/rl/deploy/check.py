"""A policy in worlds against the same policy in the batch: success, and where they differ."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from horus_sim.errors import DeployError, RecordingError
from horus_sim.files.whole_file import write_whole
from horus_sim.rl.contract.contract import Contract
from horus_sim.rl.deploy.episode import Episode, Floats32, TaskInWorld
from horus_sim.rl.training.evaluation import UNSEEN_SEED, Acting, evaluate
from horus_sim.rl.training.report import EvaluationReport, wilson_interval

# Episodes of one environment of an evaluation are those of seeds beside it.
_SEEDS = 256
# Observations are of the order of 1; beyond this something else than rounding is at work.
_SMALL = 0.01


@dataclass(frozen=True, slots=True)
class PartGap:
    """How far a part of the observation is off.

    Attributes:
        name: The part.
        start_mean: Mean difference of the node's first observation from the batch's.
        start_most: The largest.
        start_episode: Number of the episode where it was.
        topics_mean: Mean difference of what the node observed from what the task observes in the
            same state, over the first decisions.
        topics_most: The largest.
    """

    name: str
    start_mean: float
    start_most: float
    start_episode: int
    topics_mean: float
    topics_most: float


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found.

    Attributes:
        task: Name of the task.
        episodes: How many.
        seed: Seed of the first one.
        batch: The evaluation in the batch.
        world_successes: How many solved the task in a world.
        world_causes: How often each cause ended an episode there, the most frequent first.
        world_steps: Mean number of decisions there.
        failed: Numbers of the episodes that failed in a world.
        gaps: By parts of the observation.
    """

    task: str
    episodes: int
    seed: int
    batch: EvaluationReport
    world_successes: int
    world_causes: Mapping[str, int]
    world_steps: float
    failed: tuple[int, ...]
    gaps: tuple[PartGap, ...] = field(default_factory=tuple)

    def text(self) -> str:
        """All figures, a line each."""
        lines = [f"task      {self.task}", f"episodes  {self.episodes}, seeds from {self.seed}"]
        rows = (
            ("batch", self.batch.successes or 0, self.batch.lengths.mean, self.batch.causes),
            ("world", self.world_successes, self.world_steps, self.world_causes),
        )
        for name, successes, length, causes in rows:
            low, high = wilson_interval(successes, self.episodes)
            ends = ", ".join(f"{cause} {count}" for cause, count in causes.items())
            lines.append(
                f"{name}     {successes} of {self.episodes}, {successes / self.episodes:.1%} (95 % "
                f"interval {low:.1%} to {high:.1%}), {length:.1f} steps; ended by {ends}"
            )
        if self.failed:
            shown = ", ".join(map(str, self.failed[:10]))
            more = "" if len(self.failed) <= 10 else f" and {len(self.failed) - 10} more"
            lines.append(f"failed    in a world: episodes {shown}{more}")
        lines.append("gap       first observation: world - batch    same state: topics - task")
        lines += [
            f"  {gap.name:<10}mean {gap.start_mean:.5f}, most {gap.start_most:.4f} (episode "
            f"{gap.start_episode})   mean {gap.topics_mean:.5f}, most {gap.topics_most:.4f}"
            for gap in self.gaps
        ]
        return "\n".join([*lines, self._conclusion()])

    def _conclusion(self) -> str:
        off = [gap.name for gap in self.gaps if gap.topics_mean > _SMALL]
        if off:
            return (
                f"mismatch  {', '.join(off)}: the node observes something else than the task; look "
                "at frame, unit, order and scale of these parts"
            )
        return "mismatch  none: the node observes what the task does"

    def write(self, path: str | Path) -> None:
        """Writes all figures as JSON.

        Raises:
            RecordingError: The file cannot be written.
        """
        text = json.dumps(asdict(self), indent=2, default=str)
        write_whole(Path(path), text + "\n", RecordingError, "choose another file")


def check_policy(
    policy: Acting,
    contract: Contract,
    episodes: int = 200,
    *,
    seed: int = UNSEEN_SEED,
    on_episodes: Callable[[int], None] | None = None,
) -> CheckReport:
    """Plays the same episodes in the batch and, by topics, in worlds.

    Layouts, starts and goals are the same, and so is what ends an episode and what is a success:
    the task itself judges the state of the world.

    Args:
        policy: What acts.
        contract: What its numbers mean.
        episodes: How many.
        seed: Seed of the first one; see `evaluate`.
        on_episodes: Told how many episodes are over in worlds.

    Raises:
        DeployError: The task is no world, or something does not come by topics.
    """
    if episodes < 1:
        raise DeployError(f"a check of {episodes} episodes says nothing; give at least 1")
    stage = TaskInWorld(contract, policy)
    played: list[Episode] = []
    try:
        for number in range(episodes):
            played.append(stage.play(number, seed + number % _SEEDS, number // _SEEDS))
            if on_episodes is not None:
                on_episodes(number + 1)
    finally:
        stage.close()
    batch = evaluate(policy, contract.task, episodes, policy_settings=contract.settings, seed=seed)
    causes = Counter(episode.cause for episode in played)
    return CheckReport(
        task=contract.task,
        episodes=episodes,
        seed=seed,
        batch=batch,
        world_successes=sum(episode.success for episode in played),
        world_causes=dict(causes.most_common()),
        world_steps=float(np.mean([episode.steps for episode in played])),
        failed=tuple(episode.number for episode in played if not episode.success),
        gaps=_gaps(contract, played),
    )


def _gaps(contract: Contract, played: list[Episode]) -> tuple[PartGap, ...]:
    firsts = _differences([(e.by_topics[0], e.in_batch) for e in played])
    states = [pair for e in played for pair in zip(e.by_topics, e.by_task, strict=True)]
    every, gaps, start = _differences(states), [], 0
    for part in contract.observations:
        columns = slice(start, start + part.size)
        start += part.size
        first, same = firsts[:, columns], every[:, columns]
        worst = int(first.max(axis=1).argmax())
        gaps.append(
            PartGap(
                part.name,
                float(first.mean()),
                float(first.max()),
                played[worst].number,
                float(same.mean()),
                float(same.max()),
            )
        )
    return tuple(gaps)


def _differences(pairs: list[tuple[Floats32, Floats32]]) -> Any:  # noqa: ANN401 - an array
    return np.array([np.abs(one.astype(np.float64) - other) for one, other in pairs])
