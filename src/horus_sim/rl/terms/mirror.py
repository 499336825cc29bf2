"""What a task looks like in a mirror, for those whose left and right are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Flip:
    """Numbers in the mirror: `values[:, columns] * signs`.

    Attributes:
        columns: Which number stands in each place, shape (n,).
        signs: 1 or -1 for each place, shape (n,).
    """

    columns: npt.NDArray[np.int64]
    signs: npt.NDArray[np.float32]

    @classmethod
    def of(cls, signs: Sequence[float], columns: Sequence[int] | None = None) -> Flip:
        """One of these signs; numbers stay in their places unless told."""
        places = range(len(signs)) if columns is None else columns
        return cls(np.array(places, np.int64), np.array(signs, np.float32))

    def __call__(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The values in the mirror, shape (..., n)."""
        return values[..., self.columns] * self.signs


@dataclass(frozen=True, slots=True, eq=False)
class MirrorImage:
    """A task in the mirror: what is done there to what is seen there has the mirrored outcome.

    Attributes:
        observations: Each observation term by its name.
        actions: The actions.
    """

    observations: Mapping[str, Flip]
    actions: Flip

    def all_observations(self, columns: Mapping[str, slice]) -> Flip:
        """All columns of the observation.

        Args:
            columns: Columns of each term, in their order.
        """
        flips = [(self.observations[name], part.start) for name, part in columns.items()]
        return Flip(
            np.concatenate([flip.columns + start for flip, start in flips]),
            np.concatenate([flip.signs for flip, _ in flips]),
        )
