"""Mean and variance of all that was seen, and what is normalized by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.terms.mirror import Flip

_EPSILON = 1e-8
CLIP = 10.0


class RunningStatistics:
    """Mean and variance of the columns of arrays that come one after another.

    Attributes:
        mean: Shape (columns,), float64.
        variance: Shape (columns,), float64.
        count: How many rows they are of, and a little.
    """

    def __init__(self, columns: int) -> None:
        self.mean, self.variance = np.zeros(columns), np.ones(columns)
        self.count = 1e-4

    def update(self, rows: npt.NDArray[Any]) -> None:
        """Counts in rows, shape (n, columns)."""
        mean = rows.mean(axis=0, dtype=np.float64)
        square = np.einsum("nc,nc->c", rows, rows, dtype=np.float64) / len(rows)
        variance = np.maximum(square - mean * mean, 0.0)
        shift, total = mean - self.mean, self.count + len(rows)
        share = len(rows) / total
        self.variance = (
            (1 - share) * self.variance + share * variance + share * (1 - share) * shift**2
        )
        self.mean = self.mean + share * shift
        self.count = total

    def normalize(self, rows: npt.NDArray[Any], out: npt.NDArray[np.float32]) -> None:
        """Writes rows with mean 0 and deviation 1, within plus and minus `CLIP`."""
        np.subtract(rows, self.mean.astype(np.float32), out=out)
        out *= (1 / self.deviation).astype(np.float32)
        np.clip(out, -CLIP, CLIP, out=out)

    @property
    def deviation(self) -> npt.NDArray[np.float64]:
        """Deviation of each column, never 0."""
        return np.sqrt(self.variance + _EPSILON)

    def make_alike(self, flip: Flip) -> None:
        """Makes the statistics those of what was seen together with its mirror image."""
        self.mean = (self.mean + flip(self.mean)) / 2
        self.variance = (self.variance + self.variance[flip.columns]) / 2
