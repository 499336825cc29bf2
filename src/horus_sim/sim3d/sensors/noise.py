"""What makes a measurement differ from the truth, stage by stage, from a seeded stream.

The stages act in the order of a signal's way through a sensor:

1. scale and bias: ``x (1 + scale) + offset + bias``, with a bias that may wander;
2. white noise: Gaussian, with a constant and a relative part;
3. outliers: values that something else made;
4. saturation: the end of the measuring range;
5. quantization: the steps of the converter;
6. dropout: values that never came.

Values that are not finite, such as the range of a ray that hit nothing, pass the stages 1, 2, 4
and 5 unchanged. Delay and loss of whole messages belong to the sensor: `SensorConfig.latency`,
`latency_jitter` and `loss`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, model_validator

from horus_sim.errors import SceneError
from horus_sim.files.config import Config, Finite, NotNegative, Positive
from horus_sim.sim3d.scene.base import Share

Floats = npt.NDArray[np.float64]
Deviations = NotNegative | tuple[NotNegative, ...]
_OF_AXES = ("offset", "std", "bias_std", "bias_walk")


class NoiseConfig(Config):
    """Noise of one channel, in the unit of its values. Nothing is disturbed by default.

    Where several numbers are allowed they belong to the last axis, such as x, y and z.

    Attributes:
        offset: Added always: a known bias.
        scale: Relative error of the scale, such as 0.01 for one percent too much.
        bias_std: Standard deviation of the bias that is drawn once at the start.
        bias_walk: Random walk of the bias [unit/sqrt(s)].
        bias_time: Time constant [s] with which a walking bias returns to zero; none unless given.
        std: Standard deviation of white noise.
        std_relative: Further standard deviation as a share of the value's size.
        outliers: Probability that a value is an outlier.
        outlier_std: Standard deviation of what is added to an outlier.
        outlier_range: Bounds between which an outlier lies instead, evenly.
        low: Smallest value that is measured.
        high: Largest value that is measured.
        resolution: Step between values.
        dropout: Probability that a value is lost, and NaN instead.
    """

    offset: Finite | tuple[Finite, ...] = 0.0
    scale: Finite = 0.0
    bias_std: Deviations = 0.0
    bias_walk: Deviations = 0.0
    bias_time: Positive | None = None
    std: Deviations = 0.0
    std_relative: NotNegative = 0.0
    outliers: Share = 0.0
    outlier_std: NotNegative = 0.0
    outlier_range: tuple[Finite, Finite] | None = None
    low: Finite | None = None
    high: Finite | None = None
    resolution: Positive | None = None
    dropout: Share = 0.0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError("'low' must be less than 'high'")
        if self.outlier_range is not None and self.outlier_range[0] >= self.outlier_range[1]:
            raise ValueError("'outlier_range' is a smaller and a larger number")
        if self.outliers and not self.outlier_std and self.outlier_range is None:
            raise ValueError("'outliers' need 'outlier_std' or 'outlier_range'")
        return self

    @classmethod
    def from_density(
        cls,
        density: float,
        rate_hz: float,
        **others: Any,  # noqa: ANN401 - fields of the configuration
    ) -> NoiseConfig:
        """White noise from the density of a data sheet.

        Args:
            density: [unit/sqrt(Hz)].
            rate_hz: Rate of the sensor [Hz].
            others: Further fields.
        """
        if not (math.isfinite(rate_hz) and rate_hz > 0 and math.isfinite(density) and density >= 0):
            raise SceneError(
                f"a density of {density} at {rate_hz} Hz cannot be noise; give a density from 0 "
                "up and a rate above 0"
            )
        return cls(std=density * math.sqrt(rate_hz), **others)


def _without_dropout(config: NoiseConfig) -> NoiseConfig:
    if config.dropout:
        raise ValueError(
            "'dropout' has no meaning here, where every message holds a value; "
            "the sensor's 'loss' loses whole messages"
        )
    return config


NoiseWithoutDropout = Annotated[NoiseConfig, AfterValidator(_without_dropout)]
"""Noise of values that a message cannot leave out: poses, counts, and what is added up."""


class NoiseChannel:
    """The noise of one channel, with the state of its bias.

    Args:
        config: What disturbs.
        shape: Shape of the bias; it is broadcast to the values. ``(3,)`` has a bias for each axis,
            ``()`` one for all values.

    Attributes:
        bias: What is added now beside `offset`; of that shape.
    """

    def __init__(self, config: NoiseConfig, shape: tuple[int, ...] = ()) -> None:
        self.config = config
        self.is_active = config != NoiseConfig()
        self.bias: Floats = np.zeros(shape)
        self._offset, self._std, self._bias_std, self._bias_walk = given = [
            np.asarray(getattr(config, name), dtype=np.float64) for name in _OF_AXES
        ]
        for name, values in zip(_OF_AXES, given, strict=True):
            count = values.shape
            if count and count != shape[-1:]:
                here = f"{shape[-1]} values" if shape else "one value"
                raise SceneError(
                    f"noise '{name}' has {count[0]} values, but the channel has {here}; give one "
                    "for all or one for each"
                )
        self._shifts = bool(
            self._offset.any() or self._bias_std.any() or self._bias_walk.any() or config.scale
        )

    @property
    def walks(self) -> bool:
        """Whether each measurement moves the bias, which the next one then needs."""
        return bool(self._bias_walk.any())

    def reset(self, rng: np.random.Generator) -> None:
        """Draws a new bias for the start."""
        shape = self.bias.shape
        drawn = rng.standard_normal(shape) if self._bias_std.any() else np.zeros(shape)
        self.bias = self._bias_std * drawn

    def apply(self, values: npt.ArrayLike, dt: float, rng: np.random.Generator) -> Floats:
        """Disturbed values; the bias moves on.

        How many random numbers are drawn depends on the configuration and on the shape only.

        Args:
            values: What was measured, any shape that the bias fits.
            dt: Time since the last measurement [s].
            rng: Where random numbers come from.
        """
        config = self.config
        ideal = np.asarray(values, dtype=np.float64)
        shape = ideal.shape
        result = ideal
        if self._bias_walk.any():
            self._walk(dt, rng)
        if self._shifts:
            result = result * (1.0 + config.scale) + self._offset + self.bias
        if self._std.any() or config.std_relative:
            deviation = self._std
            if config.std_relative:
                size = np.where(np.isfinite(ideal), np.abs(ideal), 0.0)
                deviation = np.hypot(deviation, config.std_relative * size)
            result = result + deviation * rng.standard_normal(shape)
        if config.outliers:
            result = self._put_outliers(result, rng)
        if config.low is not None or config.high is not None:
            result = np.where(np.isinf(ideal), result, np.clip(result, config.low, config.high))
        if config.resolution is not None:
            result = np.rint(result / config.resolution) * config.resolution
        if config.dropout:
            result = np.where(rng.random(shape) < config.dropout, np.nan, result)
        return result

    def _walk(self, dt: float, rng: np.random.Generator) -> None:
        step = rng.standard_normal(self.bias.shape)
        time = self.config.bias_time
        if time is None:
            self.bias = self.bias + self._bias_walk * math.sqrt(dt) * step
        else:
            # The exact transition of the process, whatever the step in time.
            kept = math.exp(-dt / time)
            spread = math.sqrt(-0.5 * time * math.expm1(-2.0 * dt / time))
            self.bias = kept * self.bias + self._bias_walk * spread * step

    def _put_outliers(self, values: Floats, rng: np.random.Generator) -> Floats:
        config = self.config
        is_outlier = rng.random(values.shape) < config.outliers
        if config.outlier_range is not None:
            low, high = config.outlier_range
            other = low + (high - low) * rng.random(values.shape)
        else:
            other = values + config.outlier_std * rng.standard_normal(values.shape)
        return np.where(is_outlier, other, values)

    def get_state(self) -> Any:  # noqa: ANN401 - numbers in lists, as deep as the shape
        """The bias, as plain numbers."""
        return self.bias.tolist()

    def set_state(self, state: npt.ArrayLike) -> None:
        """Continues from what `get_state` gave."""
        self.bias = np.array(state, dtype=np.float64).reshape(self.bias.shape)
