"""A PID controller for one value or for many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import CommandError
from horus_sim.files.config import Config, Finite, NotNegative, Positive

FloatArray = npt.NDArray[np.float64]


class PIDConfig(Config):
    """Gains and bounds of a PID controller.

    Attributes:
        kp: Output for one unit of error.
        ki: Output for one unit of error that lasted one second.
        kd: Output for an error that grows by one unit a second.
        output_limit: Largest magnitude of the output; None for no bound.
        integral_limit: Largest magnitude of the integral's share of the output; None for no bound.
        derivative_filter: Time constant [s] of the low-pass filter on the derivative; 0 is none.
    """

    kp: Finite
    ki: Finite = 0.0
    kd: Finite = 0.0
    output_limit: Positive | None = None
    integral_limit: Positive | None = None
    derivative_filter: NotNegative = 0.0

    def build(self, size: int = 1) -> PID:
        """A controller at rest for `size` values."""
        return PID(self, size)


class PID:
    """A discrete PID controller over arrays of shape (size,).

    The integral stands still where it would push a saturated output further (conditional
    integration), so that it does not wind up.
    """

    def __init__(self, config: PIDConfig, size: int = 1) -> None:
        self.config = config
        self._size = size
        self._bound = np.inf if config.output_limit is None else config.output_limit
        self._integral_bound = np.inf if config.integral_limit is None else config.integral_limit
        self.reset()

    def reset(self) -> None:
        """Forgets the past."""
        self._integral = np.zeros(self._size)
        self._derivative = np.zeros(self._size)
        self._last_error: FloatArray | None = None

    @property
    def integral(self) -> FloatArray:
        """The integral's share of the output, shape (size,)."""
        return self._integral.copy()

    def update(
        self, error: npt.ArrayLike, dt: float, error_rate: npt.ArrayLike | None = None
    ) -> FloatArray:
        """The output for this step.

        Args:
            error: Wanted minus measured, shape (size,) or a number.
            dt: Time since the last update [s], positive.
            error_rate: Derivative of the error where it is measured, such as the negative speed of
                a joint; None takes the difference to the last error.

        Returns:
            The output, shape (size,).

        Raises:
            CommandError: `dt` is not positive, or an error is not a finite number.
        """
        config = self.config
        if not 0.0 < dt < np.inf:
            raise CommandError(f"dt is {dt} s; give the positive time since the last update.")
        error = np.broadcast_to(np.asarray(error, dtype=np.float64), (self._size,))
        if not np.isfinite(error).all():
            raise CommandError(
                f"the error {error.tolist()} is not finite; check what it is measured with, or "
                "call reset() once it measures again."
            )
        if error_rate is not None:
            rate = np.broadcast_to(np.asarray(error_rate, dtype=np.float64), (self._size,))
        elif self._last_error is None:
            rate = np.zeros(self._size)
        else:
            rate = (error - self._last_error) / dt
        self._last_error = error.copy()
        share = dt / (config.derivative_filter + dt)
        self._derivative = self._derivative + share * (rate - self._derivative)

        step = config.ki * dt * error
        integral = np.clip(self._integral + step, -self._integral_bound, self._integral_bound)
        rest = config.kp * error + config.kd * self._derivative
        winds_up = (np.abs(rest + integral) > self._bound) & ((rest + integral) * step > 0.0)
        self._integral = np.where(winds_up, self._integral, integral)
        return np.clip(rest + self._integral, -self._bound, self._bound)

    def get_state(self) -> dict[str, Any]:
        """All that the next output depends on."""
        return {
            "integral": self._integral.copy(),
            "derivative": self._derivative.copy(),
            "last_error": None if self._last_error is None else self._last_error.copy(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from what `get_state` gave."""
        self._integral = state["integral"].copy()
        self._derivative = state["derivative"].copy()
        last = state["last_error"]
        self._last_error = None if last is None else last.copy()
