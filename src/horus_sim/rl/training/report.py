"""What an evaluation found, as figures and as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from horus_sim.errors import RecordingError
from horus_sim.files.whole_file import write_whole
from horus_sim.rl.training.interval import wilson_interval
from horus_sim.rl.training.used_settings import UsedSetting


@dataclass(frozen=True, slots=True)
class Spread:
    """Of many numbers.

    Attributes:
        mean: Their mean.
        std: Their standard deviation.
        least: The smallest.
        largest: The largest.
    """

    mean: float
    std: float
    least: float
    largest: float


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """Episodes of a deterministic policy that training has not seen.

    Attributes:
        task: Name of the task.
        episodes: How many.
        seed: Of the first environment.
        successes: How many solved the task, or None where the task has no success.
        returns: Sums of rewards.
        lengths: Steps.
        causes: How often each cause ended an episode, the most frequent first.
        seconds: Simulated time of a step [s].
        settings: Those over the task's own, by dotted names, and where they come from.
    """

    task: str
    episodes: int
    seed: int
    successes: int | None
    returns: Spread
    lengths: Spread
    causes: Mapping[str, int]
    seconds: float
    settings: Mapping[str, UsedSetting] = field(default_factory=dict)

    @property
    def success_rate(self) -> float | None:
        """Share of episodes that solved the task, or None."""
        return None if self.successes is None else self.successes / self.episodes

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the success rate, or None."""
        return None if self.successes is None else wilson_interval(self.successes, self.episodes)

    def write(self, path: str | Path) -> None:
        """Writes all figures as JSON.

        Raises:
            RecordingError: The file cannot be written.
        """
        values = asdict(self) | {"success_rate": self.success_rate, "interval_95": self.interval}
        text = json.dumps(values, indent=2, default=str)
        write_whole(Path(path), text + "\n", RecordingError, "choose another file")

    def text(self) -> str:
        """All figures, a line each."""
        lines = [f"task      {self.task}", f"settings  {self._settings_text()}"]
        lines.append(f"episodes  {self.episodes}, seeds from {self.seed}")
        if self.successes is not None:
            low, high = wilson_interval(self.successes, self.episodes)
            lines.append(
                f"success   {self.successes / self.episodes:.1%} "
                f"(95 % interval {low:.1%} to {high:.1%})"
            )
        returns, lengths = self.returns, self.lengths
        lines.append(
            f"return    {returns.mean:.2f} +- {returns.std:.2f} "
            f"({returns.least:.2f} to {returns.largest:.2f})"
        )
        lines.append(
            f"length    {lengths.mean:.1f} steps, {lengths.mean * self.seconds:.2f} s "
            f"({lengths.least:.0f} to {lengths.largest:.0f} steps)"
        )
        ends = ", ".join(f"{cause} {count}" for cause, count in self.causes.items())
        return "\n".join([*lines, f"ended by  {ends}"])

    def _settings_text(self) -> str:
        words = {"policy": "from the policy", "given": "given"}
        told = [f"{name}={used.value} {words[used.source]}" for name, used in self.settings.items()]
        return ", ".join(told) or "those of the task"
