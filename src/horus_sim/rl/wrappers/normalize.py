"""Observations of mean 0 and deviation 1, by statistics that are saved with the policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.files.arrays import read_arrays
from horus_sim.files.whole_file import whole_file
from horus_sim.rl.wrappers.episodes import EpisodeWrapper, Flags


class NormalizeObservations(EpisodeWrapper):
    """Subtracts the mean of all that was observed and divides by its deviation.

    Args:
        env: The environment; its observations are vectors.
        clip: Results are within plus and minus this.
        training: Whether the statistics go on; False to evaluate.

    Attributes:
        training: Whether the statistics go on; may be changed.
        mean: Mean of each column.
        variance: Variance of each column.
        count: How many observations they are of.
    """

    def __init__(
        self, env: gymnasium.vector.VectorEnv, clip: float = 10.0, *, training: bool = True
    ) -> None:
        super().__init__(env)
        space = env.single_observation_space
        if not isinstance(space, gymnasium.spaces.Box) or len(space.shape) != 1:
            raise TaskError(f"{space} cannot be normalized; give vectors")
        self.training = training
        self._clip = clip
        size = space.shape[0]
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 0.0
        self.set_observation_space(gymnasium.spaces.Box(-clip, clip, (size,), np.float32))

    def change_observations(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401, ARG002
        """Counts them in and normalizes them."""
        if self.training:
            self._learn(observations)
        return self.normalized(observations)

    def change_first(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401 - an array
        """Counts in those that are new and normalizes all."""
        if self.training:
            self._learn(observations[begun])
        return self.normalized(observations)

    def change_final(self, observations: Any) -> Any:  # noqa: ANN401 - an array
        """Normalized too."""
        return self.normalized(observations)

    def normalized(self, observations: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Observations by the statistics as they are, float32."""
        scale = 1.0 / np.sqrt(self.variance + 1e-8)
        values = (observations - self.mean) * scale
        return np.clip(values, -self._clip, self._clip, dtype=np.float64).astype(np.float32)

    def _learn(self, observations: npt.NDArray[Any]) -> None:
        # Chan's parallel form: exact for any split into batches.
        number = len(observations)
        mean = observations.mean(axis=0, dtype=np.float64)
        variance = observations.var(axis=0, dtype=np.float64)
        total = self.count + number
        delta = mean - self.mean
        squares = self.variance * self.count + variance * number
        squares += delta * delta * (self.count * number / total)
        self.mean = self.mean + delta * (number / total)
        self.variance = squares / total
        self.count = total

    def save(self, path: str | Path) -> None:
        """Writes the statistics, in NumPy's .npz format, to lie beside the policy.

        Raises:
            TaskError: The file cannot be written.
        """
        remedy = "give a file in a folder that exists and that you may write to"
        with whole_file(Path(path), TaskError, remedy) as file:
            np.savez(file, mean=self.mean, variance=self.variance, count=self.count)

    def load(self, path: str | Path) -> None:
        """Reads statistics that were saved.

        Raises:
            TaskError: The file holds none, damaged ones, or of another number of columns.
        """
        remedy = "give a file that NormalizeObservations.save wrote"
        saved = read_arrays(Path(path), TaskError, f"statistics of observations; {remedy}")
        try:
            mean, variance, count = (
                saved[name].astype(np.float64, casting="safe")
                for name in ("mean", "variance", "count")
            )
        except (KeyError, TypeError) as error:
            raise TaskError(
                f"{path} holds no statistics of observations ({error}); {remedy}"
            ) from error
        if mean.ndim != 1 or variance.shape != mean.shape or count.ndim:
            raise TaskError(
                f"{path} has mean, variance and count of shapes {mean.shape}, {variance.shape} and "
                f"{count.shape}; give a file that NormalizeObservations.save wrote"
            )
        if mean.shape != self.mean.shape:
            raise TaskError(
                f"{path} is of {len(mean)} columns and the environment observes "
                f"{len(self.mean)}; use the file that belongs to this task"
            )
        signed = np.append(variance, count)
        if not (np.isfinite(mean).all() and np.isfinite(signed).all() and (signed >= 0).all()):
            raise TaskError(
                f"{path} has statistics that are not finite, or a variance or count below 0; train "
                "anew, and look for observations that diverged"
            )
        self.mean, self.variance, self.count = mean, variance, float(count)
