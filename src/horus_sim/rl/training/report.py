"""What an evaluation found, as figures and as text, and with which settings."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from horus_sim.errors import RecordingError
from horus_sim.files.whole_file import write_whole
from horus_sim.rl.settings import merged


@dataclass(frozen=True, slots=True)
class UsedSetting:
    """A setting that is not the task's own.

    Attributes:
        value: Its value.
        source: 'policy' where the policy learned with it, 'given' where someone gave it.
    """

    value: Any
    source: Literal["policy", "given"]


@dataclass(frozen=True, slots=True)
class Spread:
    """How many numbers are spread.

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

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> Self:
        """The spread of these numbers."""
        array = values.astype(np.float64)
        return cls(*(float(figure()) for figure in (array.mean, array.std, array.min, array.max)))


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """Episodes of a deterministic policy that training has not seen.

    Attributes:
        task: Name of the task.
        episodes: How many.
        seed: Seed of the first episode.
        successes: How many solved the task, or None where the task has no success.
        returns: Sums of rewards.
        lengths: Steps.
        causes: How often each cause ended an episode, the most frequent first.
        control_period: Simulated time of a step [s].
        settings: Those over the task's own, by dotted names, and where they come from.
    """

    task: str
    episodes: int
    seed: int
    successes: int | None
    returns: Spread
    lengths: Spread
    causes: Mapping[str, int]
    control_period: float
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
            f"length    {lengths.mean:.1f} steps, {lengths.mean * self.control_period:.2f} s "
            f"({lengths.least:.0f} to {lengths.largest:.0f} steps)"
        )
        ends = ", ".join(f"{cause} {count}" for cause, count in self.causes.items())
        return "\n".join([*lines, f"ended by  {ends}"])

    def _settings_text(self) -> str:
        words = {"policy": "from the policy", "given": "given"}
        told = [f"{name}={used.value} {words[used.source]}" for name, used in self.settings.items()]
        return ", ".join(told) or "those of the task"


def wilson_interval(hits: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval of a share, 95 % unless told; (0, 1) where nothing was tried.

    Args:
        hits: How often it happened.
        trials: How often it was tried.
        z: Quantile of the normal distribution.
    """
    if trials == 0:
        return 0.0, 1.0
    share, square = hits / trials, z * z
    scale = 1 + square / trials
    centre = (share + square / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    # Rounding must not leave a share of all or none outside.
    low = 0.0 if hits == 0 else centre - half
    return low, 1.0 if hits == trials else centre + half


def dotted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Nested settings by names such as 'lidar.rays'."""
    result = {}
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            result |= {f"{key}.{name}": inner for name, inner in dotted(value).items()}
        else:
            result[str(key)] = value
    return result


def used_settings(learned: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, UsedSetting]:
    """Settings by dotted names, with their sources.

    Args:
        learned: Those of the policy.
        given: Those on top of them.
    """
    on_top = dotted(given)
    return {
        name: UsedSetting(value, "given" if name in on_top else "policy")
        for name, value in dotted(merged(learned, given)).items()
    }
