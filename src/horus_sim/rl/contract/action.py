"""Parts of an action, and what their numbers mean."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.settings import Config

Bounds = tuple[float, ...]


class ActionPart(Config):
    """Columns of the action, and the quantity that they are.

    Attributes:
        name: What they are.
        size: How many.
        unit: Unit of the quantity.
        low: The quantity where the policy gives its least number, of each column.
        high: The quantity where the policy gives its largest number, of each column.
        least: The policy's least number.
        largest: The policy's largest number.
        frame: Frame of the quantity; '' where it has none.
        meaning: One line that says what is moved.
    """

    name: Annotated[str, Field(min_length=1)]
    size: Annotated[int, Field(ge=1)] = 1
    unit: str
    low: Bounds
    high: Bounds
    least: float = -1.0
    largest: float = 1.0
    frame: str = ""
    meaning: str = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not len(self.low) == len(self.high) == self.size:
            raise ValueError(
                f"action '{self.name}' has {self.size} columns, {len(self.low)} lows and "
                f"{len(self.high)} highs; give one of each for every column"
            )
        if not self.least < self.largest:
            raise ValueError(f"action '{self.name}': 'least' must be less than 'largest'")
        return self

    @classmethod
    def even(
        cls, name: str, size: int, unit: str, most: float, meaning: str, frame: str = ""
    ) -> Self:
        """A part from minus `most` to `most`."""
        bounds = (float(most),) * size
        low = tuple(-value for value in bounds)
        return cls(
            name=name, size=size, unit=unit, low=low, high=bounds, frame=frame, meaning=meaning
        )

    def quantity(self, columns: npt.NDArray[np.floating]) -> Floats:
        """The quantity, shape (size,), of the policy's numbers, which are clipped."""
        low, high = np.array(self.low), np.array(self.high)
        wide = self.largest - self.least
        share = (np.clip(columns.astype(np.float64), self.least, self.largest) - self.least) / wide
        return low + share * (high - low)
