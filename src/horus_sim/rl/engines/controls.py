"""The controls of simulations: written in place, never replaced, and always numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats


class LiveControls:
    """An attribute that physics reads, so that another array in its place would do nothing.

    Args:
        spelling: How a task calls it.
    """

    _key, _owner_key = "_live_controls", "_live_controls_owner"

    def __init__(self, spelling: str) -> None:
        self._spelling = spelling

    def __get__(self, task: Any, kind: type | None = None) -> Floats:  # noqa: ANN401 - any task
        try:
            return vars(task)[self._key]
        except (KeyError, TypeError):
            raise AttributeError("a task has controls from bind() on") from None

    def __set__(self, task: Any, value: Floats) -> None:  # noqa: ANN401 - any task
        # `self.ctrl += x` changes the array and then sets it again.
        if value is not vars(task).get(self._key):
            raise TaskError(
                f"{vars(task).get(self._owner_key, type(task).__name__)}: {self._spelling} is read "
                "by physics and must be written in place, not replaced; write "
                f"{self._spelling}[:] = ... instead of {self._spelling} = ..."
            )

    @classmethod
    def attach(cls, holder: Any, ctrl: Floats, owner: str) -> None:  # noqa: ANN401 - any task
        """Gives a task, or its simulations, the controls.

        Args:
            holder: What has the attribute.
            ctrl: The controls.
            owner: Name of the task, for errors.
        """
        vars(holder)[cls._key], vars(holder)[cls._owner_key] = ctrl, owner


def unusable_controls(
    owner: str, ctrl: npt.NDArray[np.float64], envs: npt.NDArray[np.intp]
) -> TaskError:
    """The error for controls that physics would take as 0.

    Args:
        owner: Name of the task.
        ctrl: Controls of all environments, shape (num_envs, actuators).
        envs: Those at fault, at least one.
    """
    first = int(envs[0])
    return TaskError(
        f"{owner}: act() left ctrl {ctrl[first].tolist()} in environment {first} ({len(envs)} in "
        "all), which is not finite or too large for physics; write finite numbers into self.ctrl"
    )


def check_controls_are_numbers(owner: str, ctrl: npt.NDArray[np.float64]) -> None:
    """Refuses controls that are not a number, for engines that do not look themselves.

    Raises:
        TaskError: One is NaN.
    """
    numbers = ctrl == ctrl
    if b"\x00" in numbers.tobytes():
        raise unusable_controls(owner, ctrl, np.flatnonzero(~numbers.all(axis=1)))
