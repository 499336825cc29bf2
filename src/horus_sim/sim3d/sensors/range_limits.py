"""From where to where a sensor measures distances."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from horus_sim.files.config import Config, NotNegative, Positive


class RangeLimits(Config):
    """From where to where a sensor measures distances.

    Attributes:
        range_min: Shortest distance that is measured [m].
        range_max: Longest distance that is measured [m].
    """

    range_min: NotNegative = 0.1
    range_max: Positive = 20.0

    @model_validator(mode="after")
    def _limits_in_order(self) -> Self:
        if self.range_min >= self.range_max:
            raise ValueError("'range_min' must be less than 'range_max'")
        return self
